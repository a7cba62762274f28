// Files of Medusa heads with random weights.
import { F32, randomValues, readGguf, writeGguf } from "./gguf-files.js";

/**
 * Heads for the model of a file.
 * @param {Uint8Array} target
 * @param {{ count?: number, projects?: boolean, base?: Record<string, [string, string | number]>, keys?: object,
 *   change?: Function }} [how] base: what it says of the model; change: of the tensors
 */
export function medusaFile(target, { count = 4, projects = true, base = {}, keys = {}, change = (all) => all } = {}) {
  const [dim, vocab] = readGguf(target).tensors.find(({ name }) => name === "token_embd.weight").shape;
  const tensor = (name, shape, deviation) => ({
    name,
    shape,
    type: F32,
    data: randomValues(name, shape[0] * (shape[1] ?? 1), deviation),
  });
  const tensors = Array.from({ length: count }, (_, i) => [
    tensor(`medusa.${i}.weight`, [dim, dim], 1 / Math.sqrt(dim)),
    tensor(`medusa.${i}.bias`, [dim], 0.1),
    ...(projects ? [tensor(`medusa.${i}.projection.weight`, [dim, dim], 1 / Math.sqrt(dim))] : []),
  ]).flat();
  return writeGguf(
    {
      "general.architecture": ["text", "medusa"],
      "general.name": ["text", "random heads"],
      "general.base_model.count": ["u32", 1],
      "general.base_model.0.name": ["text", "random"],
      ...base,
      "medusa.head_count": ["u32", count],
      "medusa.embedding_length": ["u32", dim],
      "medusa.vocab_size": ["u32", vocab],
      ...keys,
    },
    change(tensors),
  );
}
