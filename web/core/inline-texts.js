// The text of "lastinch/inline": .wasm files, deflated and written as base64.
import { inflateSync } from "fflate";
import { bring } from "./inlined.js";

/**
 * @param {Record<string, string>} wasm
 * @param {Record<string, string>} scripts
 */
export function bringTexts(wasm, scripts) {
  const files = Object.entries(wasm).map(([name, text]) => {
    const deflated = () => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return [name, () => inflateSync(deflated())];
  });
  bring(Object.fromEntries(files), scripts);
}
