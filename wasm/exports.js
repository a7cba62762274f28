// Types for JavaScript of the functions that the modules export: their names are in wasm/*.exports, the rest in C's
// headers.
import { signature } from "./c-headers.js";
import { camel, notice, read } from "./source.js";

/** A function as a property, in lines of at most 120 columns. @param {string} name */
function property(name) {
  const { result, parameters } = signature(name);
  const given = parameters.map((parameter) => `${camel(parameter.name)}: ${parameter.type}`).join(", ");
  const words = ` * @property {(${given}) => ${result}} ${name}`.split(/(?<=,) /);
  let line = "";
  const lines = [];
  for (const word of words) {
    if (line && `${line} ${word}`.length > 120) lines.push(line);
    line = !line ? word : `${line} ${word}`.length > 120 ? ` *   ${word}` : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}

/** The functions that a list names, as a type. @param {string} list @param {string} type */
function typedef(list, type) {
  const names = read(`wasm/${list}.exports`).match(/^li_\w+$/gm);
  return `/**\n * @typedef {object} ${type}\n${names.map(property).join("\n")}\n */`;
}

const exportsModule = () => `${notice("wasm/*.exports and C's headers")}
// What each module exports. An address is a number, a bool is 0 or 1. What C returns is a signed number: an address, or
// another number that may reach 2^31, is what \`>>> 0\` makes of it.

${typedef("sampler", "SamplerExports")}

${typedef("decode", "OwnDecodeExports")}

/** @typedef {SamplerExports & OwnDecodeExports} DecodeExports */

${typedef("detect", "DetectExports")}

${typedef("grammar", "GrammarExports")}

${typedef("train", "TrainExports")}

${typedef("model", "OwnModelExports")}

/** @typedef {DecodeExports & OwnModelExports} ModelExports */

// What the variants of model.wasm with threads export besides.
${typedef("threads", "OwnThreadsExports")}

/** @typedef {ModelExports & OwnThreadsExports} ThreadsExports */

/**
 * @typedef {{
 *   sampler: SamplerExports, decode: DecodeExports & DetectExports, grammar: GrammarExports, train: TrainExports,
 *   model: ModelExports,
 *   "model-relaxed": ModelExports, "model-threads": ThreadsExports, "model-relaxed-threads": ThreadsExports,
 * }} ExportsByModule
 */

export {};
`;

export const exportFiles = { "web/core/exports.js": exportsModule() };
