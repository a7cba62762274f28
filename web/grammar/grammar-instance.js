// The code of grammars: one instance per thread, shared by all vocabularies, grammars and matchers.
import { withMemory } from "../core/memory.js";
import { sharedInstance } from "../core/wasm.js";

/** @typedef {import("../core/wasm.js").GrammarInstance} Instance */

export const openGrammar = () => sharedInstance("grammar", (read) => read(new URL("./grammar.wasm", import.meta.url)));

/**
 * Runs `use` with the address of a copy of the bytes, which is freed afterwards.
 * @template Result
 * @param {Instance} instance
 * @param {Uint8Array} bytes
 * @param {(address: number) => Result} use
 */
export function withBytes(instance, bytes, use) {
  return withMemory(instance, bytes.length, (address) => {
    instance.views().bytes.set(bytes, address);
    return use(address);
  });
}
