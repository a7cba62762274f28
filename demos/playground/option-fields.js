// Every other option of the library, from its own tables: the kind of its field, and the value that a field stands for.
import { readItems } from "./typed-items.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {"number" | "text" | "json" | "lines" | "words" | readonly string[]} Field a list: one of these */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} group
 * @property {Field} field
 * @property {string} kind of its value, from the table or the field
 * @property {string} help
 * @property {string} usual what an empty field means
 * @property {number} [min]
 * @property {number} [max]
 * @property {boolean} isOfSampler
 */

/**
 * What generate takes: options of the sampler, and of the loop that writes.
 * @typedef {{ sampler: Record<string, any>, writing: Record<string, any> }} Options
 */

/** The group of an option, by its stage. @type {Record<string, string>} */
const groupOfStage = {
  temperature: "Temperature",
  mirostat: "Steered surprise",
  adaptive_p: "Steered surprise",
  repetition: "Penalties",
  frequency: "Penalties",
  dry: "Penalties",
  no_repeat_ngram: "Penalties",
  bias: "Bias, bans and forced tokens",
  sequence_bias: "Bias, bans and forced tokens",
  mask: "Bias, bans and forced tokens",
  min_tokens: "Length",
  length_decay: "Length",
};
const CUTS = "Cuts";
/** Options without a stage. @type {Record<string, string>} */
const groupOfName = {
  minKeep: CUTS,
  eos: "Length",
  stop: "Length",
  loops: "Length",
  bannedStrings: "Bias, bans and forced tokens",
};
const DRAW = "Order and random numbers";
const SEARCH = "Beams, drafts and guidance";
const FORM = "What the text must be";
export const groups = [
  "Temperature",
  CUTS,
  "Steered surprise",
  "Penalties",
  "Bias, bans and forced tokens",
  "Length",
  DRAW,
  SEARCH,
  FORM,
];

/** Options that the page or the model sets, or that only a program can use. */
export const left = ["vocabSize", "tokenCount", "maxTokens", "seed", "grammar", "signal", "captureLogits", "echo", "n"];
left.push("captureBeams", "toolCalls", "structuralTags");

/** Fields of options that the tables give only a TypeScript type. @type {Record<string, Field>} */
const shapes = {
  stop: "lines",
  loops: ["ignore", "stop", "redraw"],
  bannedStrings: "lines",
  jsonSchema: "json",
  regex: "text",
  choice: "lines",
  ebnf: "text",
  lark: "text",
  draft: ["auto", "lookup", "lookahead", "tiny model"],
  draftTokens: "number",
  earlyStopping: ["true", "false", "never"],
  negativePrompt: "text",
  contrast: ["tiny model"],
  dola: ["low", "high"],
};
const forms = ["jsonSchema", "regex", "choice", "ebnf", "lark"];
const yesNo = /** @type {const} */ (["true", "false"]);

/** @type {Promise<Row[]> | undefined} */
let rows;

/** Reads all rows once. */
export const loadRows = () => (rows ??= readTables().catch((error) => ((rows = undefined), Promise.reject(error))));

async function readTables() {
  const [options, generate] = await Promise.all(
    ["options", "generate-options"].map(async (name) => {
      const response = await fetch(new URL(`../../src/tables/${name}.json`, import.meta.url));
      if (!response.ok) throw refusal(`The table of options could not be loaded (${response.status}).`);
      return response.json();
    }),
  );
  return rowsOf(options, generate.options);
}

/**
 * @param {any[]} options of options.json
 * @param {any[]} writing of generate-options.json
 * @returns {Row[]}
 */
export function rowsOf(options, writing) {
  const wanted = (/** @type {{ name: string }} */ { name }) => !left.includes(name);
  const rowOf = (/** @type {any} */ option, /** @type {boolean} */ isOfSampler, /** @type {string} */ group) => {
    const { name, type, help, min, max, choices } = option;
    const field = shapes[name] ?? fieldOf(type, choices);
    const kind = type ?? (Array.isArray(field) ? "choice" : field);
    const usual = option.defaultText ?? (option.default === undefined ? "" : String(option.default));
    return { name, group, field, kind, help, usual, min, max, isOfSampler };
  };
  return [
    ...options.filter(wanted).map((option) => rowOf(option, true, groupOf(option))),
    ...writing
      .filter(wanted)
      .map((option) => rowOf(option, false, groupOfName[option.name] ?? (forms.includes(option.name) ? FORM : SEARCH))),
  ];
}

/** @param {{ name: string, stages?: string[] }} option */
function groupOf({ name, stages: [stage] = [] }) {
  return groupOfName[name] ?? (stage ? (groupOfStage[stage] ?? CUTS) : DRAW);
}

/** @param {string} type @param {string[]} [choices] @returns {Field} */
function fieldOf(type, choices) {
  if (type === "choice") return /** @type {string[]} */ (choices);
  if (type === "boolean") return yesNo;
  return type === "number" || type === "integer" ? "number" : "words";
}

/** An error whose words help a person. @param {string} message */
const refusal = (message) => Object.assign(new Error(message), { code: "option" });

/**
 * Turns the text of fields into options of the library, which reports values out of range.
 * @param {Record<string, number>} settings of the knobs
 * @param {Record<string, string>} more
 * @param {{ model: Model, tiny: () => Promise<Model> }} models
 * @returns {Promise<Options>}
 */
export async function resolve(settings, more, models) {
  const table = await loadRows();
  /** @type {Options} */
  const options = { sampler: { ...settings }, writing: {} };
  for (const [name, text] of Object.entries(more)) {
    const row = table.find((one) => one.name === name);
    if (!row) throw refusal(`There is no option called ${name}.`);
    try {
      options[row.isOfSampler ? "sampler" : "writing"][name] = await valueOf(row, text, models);
    } catch (/** @type {any} */ error) {
      throw refusal(`${name}: ${error.message}`);
    }
  }
  return options;
}

/**
 * @param {Row} row
 * @param {string} text
 * @param {{ model: Model, tiny: () => Promise<Model> }} models
 */
async function valueOf({ name, field, kind }, text, { model, tiny }) {
  if (field === "number") return numberOf(text);
  if (field === "json") return JSON.parse(text);
  if (field === "lines") return text.split("\n").filter(Boolean);
  if (Array.isArray(field)) {
    if (!field.includes(text)) throw refusal(`must be ${field.join(" or ")}, not “${text}”.`);
    if (text === "tiny model") return name === "contrast" ? { model: await tiny() } : tiny();
    return text === "true" || (text === "false" ? false : text);
  }
  if (kind === "order") return text.includes(",") ? text.split(",").map((part) => part.trim()) : text.trim();
  if (field === "text") return text;
  return listOf(kind, readItems(text), model);
}

/** @param {string} text */
function numberOf(text) {
  const number = Number(text);
  if (!text.trim() || Number.isNaN(number)) throw refusal(`“${text}” is no number.`);
  return number;
}

/**
 * Lists of tokens: an id, or a word in quotes, which the model takes apart.
 * @param {string} kind
 * @param {(string | number)[][]} items
 * @param {Model} model
 */
async function listOf(kind, items, model) {
  const idsOf = async (/** @type {(string | number)[]} */ atoms) => {
    const parts = await Promise.all(
      atoms.map(async (atom) =>
        typeof atom === "number" ? [atom] : [...(await model.tokenize(atom, { bos: false }))],
      ),
    );
    return parts.flat();
  };
  const oneOf = async (/** @type {(string | number)[]} */ atoms) => {
    const ids = await idsOf(atoms);
    if (ids.length !== 1)
      throw refusal(
        `${JSON.stringify(atoms[0])} is ${ids.length} tokens to this model: badWords and sequenceBias take those.`,
      );
    return ids[0];
  };
  const biasOf = (/** @type {(string | number)[]} */ atoms) => {
    const bias = atoms.at(-1);
    if (atoms.length < 2 || typeof bias !== "number") throw refusal('a bias stands behind its word: " dog" 2.');
    return bias;
  };
  if (kind === "tokens") return Promise.all(items.map(oneOf));
  if (kind === "bias") return Promise.all(items.map(async (atoms) => [await oneOf(atoms.slice(0, -1)), biasOf(atoms)]));
  if (kind === "weighted")
    return Promise.all(items.map(async (atoms) => [await idsOf(atoms.slice(0, -1)), biasOf(atoms)]));
  return Promise.all(items.map(idsOf));
}
