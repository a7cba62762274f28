// What a file of EAGLE-3 (GGUF, `eagle3`) says besides the weights of its layer: which layers of its model it reads, and
// for which tokens the rows of its output stand (as in llama.cpp).
import { ModelError } from "../../core/model-errors.js";

/** Hidden states that make a feature (LI_EAGLE_TAPS). */
const TAPS = 3;
/** What eagle.js of the drafters asks for at least: guesses of a row, and positions that it reads before and in a tree. */
const LEAST = { guesses: 8, positions: 32 + 8 };
/** GGML's number of 64-bit integers. */
const I64 = 27;

/**
 * Where the data of a tensor begin, and what they are; undefined if there is no such tensor.
 * @param {DataView} view of the file
 * @param {import("./gguf.js").Header["instance"]["exports"]} exports
 * @param {number} gguf li_gguf, which has checked the header
 * @param {string} wanted name
 */
function findTensor(view, exports, gguf, wanted) {
  let at = exports.li_gguf_tensors_start(gguf) >>> 0;
  const number = () => Number(view.getBigUint64((at += 8) - 8, true));
  for (let i = 0; i < exports.li_gguf_tensor_count(gguf); i++) {
    const length = number();
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
    const rank = view.getUint32((at += length), true);
    at += 4;
    const shape = Array.from({ length: rank }, number);
    const type = view.getUint32(at, true);
    at += 4;
    const offset = number();
    if (name === wanted) return { type, count: shape[0], at: (exports.li_gguf_data_start(gguf) >>> 0) + offset };
  }
  return undefined;
}

/**
 * @param {Pick<import("./heads.js").HeadsFile, "bytes" | "dim" | "vocabSize">} file vocabSize: as C counts it
 * @param {Pick<import("./gguf.js").Header, "instance" | "gguf" | "metadata">} header
 * @param {number} positions that a text of the layer can have
 * @returns {Pick<import("./heads.js").HeadsFile, "layers" | "tokens">}
 */
export function readEagleFile({ bytes, dim, vocabSize }, { instance, gguf, metadata }, positions) {
  const refuse = (/** @type {string} */ detail) => {
    throw new ModelError("model-config", `(${detail})`);
  };
  const { exports } = instance;
  const layers = metadata.numbers("eagle3.target_layers") ?? metadata.numbers("eagle3.extract_layers") ?? [];
  if (layers.length !== TAPS || layers.some((layer) => !(layer >= 0)))
    refuse(`"eagle3.target_layers" must be ${TAPS} layers.`);
  const said = metadata.number("eagle3.vocab_size", vocabSize);
  if (said !== vocabSize) refuse(`"eagle3.vocab_size" is ${said}, but "token_embd.weight" has ${vocabSize} rows.`);
  if (positions < LEAST.positions) refuse(`"eagle3.context_length" is ${positions}, not ${LEAST.positions} or more.`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const find = (/** @type {string} */ name) => findTensor(view, exports, gguf, name);
  const map = find("d2t");
  // A matrix that is missing is that of the model, if its shape suits.
  for (const name of ["token_embd.weight", "output.weight"]) {
    const isShared = dim === metadata.number("eagle3.embedding_length", 0) && !(map && name === "output.weight");
    if (!isShared && !find(name)) throw new ModelError("model-tensor-missing", `("${name}")`);
  }
  const rows = map?.count ?? vocabSize;
  if (rows < LEAST.guesses)
    refuse(`"output.weight" has ${rows} rows, but ${LEAST.guesses} tokens are guessed at a time.`);
  if (!map) return { layers };
  if (map.count > vocabSize) refuse('"d2t" has more rows than there are tokens.');
  if (map.type !== I64) throw new ModelError("model-tensor-type", '("d2t" must have the type I64.)');
  const tokens = Uint32Array.from({ length: map.count }, (_, i) => Number(view.getBigUint64(map.at + 8 * i, true)));
  if (tokens.some((id, i) => id >= vocabSize || view.getUint32(map.at + 8 * i + 4, true)))
    throw new ModelError("model-weights", '("d2t" has a token that the model does not know.)');
  return { layers, tokens };
}
