// The options of model.generate that are not the sampler's, of src/tables/generate-options.json.
import { rangeSentence } from "./options.js";
import { notice, readTable } from "./source.js";

const generate = readTable("generate-options");

const columns = ["name", "type", "min", "max", "needs", "aliases"];

/** The types of the options of generate. A draft is a model, so they are with the models. */
function generateTypes() {
  const shapes = { integer: "number", number: "number", boolean: "boolean" };
  const properties = generate.options.map(
    ({ name, type, shape = shapes[type], help, ...range }) =>
      ` * @property {${shape}} [${name}] ${help}${rangeSentence({ type, ...range }).replace(/^ /, ". ")}`,
  );
  const aliases = generate.options.flatMap(({ name, type, shape, aliases = [] }) =>
    aliases.map((alias) => {
      const text = shape ? `OwnGenerateOptions["${name}"]` : shapes[type];
      return ` * @property {${text}} [${alias}] ${name}`;
    }),
  );
  return `${notice("src/tables/generate-options.json")}
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("../grammar/grammar.js").Grammar} Grammar */
/** @typedef {import("../grammar/compile.js").GrammarOptions} GrammarOptions */
/** @typedef {import("../decode/loop-options.js").LoopOptions} LoopOptions */
/** @typedef {import("../decode/banned-strings.js").BannedString} BannedString */

/**
 * @typedef {object} OwnGenerateOptions
${properties.join("\n")}
 */

/**
 * Other systems' spellings of the options.
 * @typedef {object} OwnGenerateAliases
${aliases.join("\n")}
 */

export {};
`;
}

function generateModule() {
  // The options of the sampler include the grammar.
  const rows = generate.options
    .filter((option) => option.of !== "sampler")
    .map((option) => {
      const cells = columns.map((column) => (option[column] == null ? "" : JSON.stringify(option[column])));
      return `  [${cells.join().replace(/,+$/, "")}],`;
    });
  return `${notice("src/tables/generate-options.json")}
/**
 * @typedef {object} GenerateRow
 * @property {string} name
 * @property {"integer" | "number" | "boolean"} [type] none: it has a reader of its own
 * @property {number} [min]
 * @property {number} [max] none: another option says it
 * @property {string} [needs] an option without which this one means nothing
 * @property {string[]} [aliases] other systems' spellings
 */

/** @type {(keyof GenerateRow)[]} */
const columns = ${JSON.stringify(columns)};

/** @type {GenerateRow[]} The options of model.generate that are not the sampler's. */
export const generateTable = [
${rows.join("\n")}
].map((/** @type {any[]} */ cells) => /** @type {any} */ (Object.fromEntries(columns.map((column, i) => [column, cells[i]]))));

/** Options that exclude each other. */
export const exclusiveOptions = ${JSON.stringify(generate.exclusive)};
`;
}

export const generateOptionFiles = {
  "web/decode/generate-option-table.js": generateModule(),
  "web/model/generate-types.js": generateTypes(),
};
