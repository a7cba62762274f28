// The sampler's options and stages, of src/tables/options.json and stages.json: the struct and the rules of C, the table
// and the types of JavaScript.
import { notice, readTable, snake, upper } from "./source.js";

export const options = readTable("options");
const { stages, edits, feedback, rules, presets } = readTable("stages");

const wasmOptions = options.filter((option) => option.wasm);
const lists = [...new Set(options.flatMap((option) => option.list ?? []))];
if (String(presets.default.order) !== String(stages.slice(1))) throw new Error("the default order is not the stages'");
const rulesOf = (preset) => rules.reduce((sum, rule, i) => sum + (preset.rules.includes(rule.name) ? 1 << i : 0), 0);

function numberRange(option) {
  if (option.type === "choice") return [0, option.choices.length - 1];
  return [option.min, option.max];
}

function defaultNumber(option) {
  if (option.preset) {
    const value = presets.default[option.name];
    return option.type === "choice" ? option.choices.indexOf(value) : value;
  }
  if (option.type === "choice") return option.choices.indexOf(option.default);
  return option.default ?? 0;
}

// Breaks words into lines of C of at most 120 columns, each after `start`; `end` ends every line but the last.
function wrapped(text, start, end = "") {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (start.length + line.length + end.length <= 120) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.map((line) => start + line).join(`${end}\n`);
}

// All numbers in the options' rules, each once. The rules only have indices into this list, which keeps them small.
function optionRules() {
  const numbers = [];
  const indexOf = (number) => {
    if (!numbers.includes(number)) numbers.push(number);
    return numbers.indexOf(number);
  };
  const rows = wasmOptions.map((option) => {
    const [min, max] = numberRange(option);
    const stage = option.off === undefined || option.stages[0] === "mask" ? "count" : option.stages[0];
    const indices = [defaultNumber(option), min, max].map(indexOf);
    return `    {${indices.join(", ")}, ${option.type === "number" ? 0 : 1}, LI_STAGE_${upper(stage)}}, /* ${snake(option.name)} */`;
  });
  const literals = numbers.map((number) => (Number.isInteger(number) ? `${number}.` : number));
  return { rows, literals };
}

function optionsHeader() {
  const { rows, literals } = optionRules();
  const listRows = lists.map((list) => {
    const users = options.filter((option) => option.list === list);
    const stage = users[0].off ? users[0].stages[0] : "count";
    return `    LI_STAGE_${upper(stage)}, /* ${list} */`;
  });
  const fields = wasmOptions.map((option) => {
    const choices = option.choices ? ` ${option.choices.map((choice, i) => `${i} = ${choice}`).join(", ")}.` : "";
    return `${wrapped(option.help + choices, "    // ")}\n    double ${snake(option.name)};`;
  });
  return `${notice("src/tables/options.json")}// clang-format off
#ifndef LI_OPTIONS_H
#define LI_OPTIONS_H

// Every scalar option is a double, so the struct is the array of numbers that callers write.
typedef struct li_options {
${fields.join("\n")}
} li_options;

#define LI_OPTION_COUNT ${wasmOptions.length}

// The rules of an option: indices into LI_OPTION_NUMBERS, 1 if only whole numbers are allowed, and the stage that every
// value but the default switches on.
typedef struct li_option_rule {
    uint8_t default_value, minimum, maximum, is_integer, stage;
} li_option_rule;
#define LI_OPTION_NUMBERS { \\
${wrapped(literals.join(", "), "    ", " \\")} \\
}
#define LI_OPTION_RULES { \\
${rows.join(" \\\n")} \\
}

typedef enum li_stage {
${stages.map((stage, i) => `    LI_STAGE_${upper(stage)} = ${i},`).join("\n")}
    LI_STAGE_COUNT = ${stages.length}
} li_stage;

// Stages that edit logits: they come before all others.
#define LI_EDIT_STAGES ( \\
${edits.map((stage) => `    1u << LI_STAGE_${upper(stage)}`).join(" | \\\n")})
// Stages that learn from the draw: they come after all others.
#define LI_FEEDBACK_STAGES (${feedback.map((stage) => `1u << LI_STAGE_${upper(stage)}`).join(" | ")})

// Differences between systems. The rules of an order are a sum of these.
typedef enum li_rule {
${rules.map((rule, i) => `    LI_RULE_${upper(rule.name)} = ${1 << i}, // ${rule.help}`).join("\n")}
} li_rule;

// Options that are lists; li_sampler_set_list says their formats.
typedef enum li_list_name {
${lists.map((list, i) => `    LI_LIST_${upper(list)} = ${i},`).join("\n")}
    LI_LIST_COUNT = ${lists.length}
} li_list_name;

// The stages that nonempty lists switch on.
#define LI_LIST_STAGES { \\
${listRows.join(" \\\n")} \\
}

#define LI_VOCAB_LIMIT ${options.find((option) => option.name === "vocabSize").max}u

#endif
`;
}

const typescriptTypes = {
  integer: "number",
  number: "number",
  bias: "Record<number, number> | Map<number, number> | readonly (readonly [number, number])[]",
  tokens: "number | readonly number[] | Uint32Array | Int32Array",
  sequences: "readonly (number | readonly number[])[]",
  weighted: "readonly (readonly [number | readonly number[], number])[]",
  grammar: 'import("./grammar-mask.js").MatcherLike',
  watermark: 'import("./watermark-options.js").Watermark',
  order: `readonly (${stages
    .slice(1)
    .map((stage) => `"${stage}"`)
    .join(" | ")})[] | ${Object.keys(presets)
    .map((preset) => `"${preset}"`)
    .join(" | ")}`,
};
const typeOf = (option) =>
  option.type === "choice"
    ? option.choices.map((choice) => JSON.stringify(choice)).join(" | ")
    : typescriptTypes[option.type];
/** The range of a number, as a sentence. */
export function rangeSentence({ min, max, type }) {
  if (min === undefined || (type !== "number" && type !== "integer")) return "";
  const whole = type === "integer" ? "A whole number, " : "";
  if (max === undefined || max === 4294967295) return ` ${whole}${min} or more.`;
  return ` ${whole || "From "}${min} to ${max === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : max}.`;
}
export const defaultText = (option) => option.defaultText ?? (option.preset ? "by order" : String(option.default));

// Columns of the option table. Those that few rows have come last.
const columns = ["name", "type", "stages", "min", "max", "default", "isSwitch", "aliases", "list", "needs", "choices"];

function optionsModule() {
  const rows = options.map((option) => {
    const row = { ...option, isSwitch: ["number", "boolean"].includes(typeof option.off) ? 1 : undefined };
    if (row.type === "number") delete row.type;
    if (row.isSwitch && option.off !== option.default) throw new Error(`${option.name} is not off by default`);
    const cells = columns.map((column) => (row[column] == null ? "" : JSON.stringify(row[column])));
    return `  [${cells.join().replace(/,+$/, "")}],`;
  });
  const properties = options.map((option) => {
    const type = typeOf(option) + (option.preset ? ' | "preset"' : "");
    const name = option.name === "vocabSize" ? option.name : `[${option.name}]`;
    return ` * @property {${type}} ${name} ${option.help}${rangeSentence(option)} Default: ${defaultText(option)}.`;
  });
  const aliases = options.flatMap((option) =>
    [snake(option.name), ...(option.aliases ?? [])]
      .filter((name) => name !== option.name)
      .map((name) => ` * @property {SamplerOptions["${option.name}"]} [${name}] ${option.name}`),
  );
  return `${notice("src/tables/options.json and stages.json")}
/**
 * @typedef {object} SamplerOptions
${properties.join("\n")}
 */

/**
 * Other systems' spellings of the options.
 * @typedef {object} SamplerAliases
${aliases.join("\n")}
 */

/**
 * @typedef {object} OptionRow
 * @property {string} name
 * @property {"integer" | "choice" | "bias" | "tokens" | "sequences" | "weighted" | "grammar" | "watermark" | "order"} [type] none: a number
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [stages] one of them must run for the option to mean something
 * @property {number | string | boolean} [default] "preset": what the order's preset says
 * @property {1} [isSwitch] the default switches the mechanism off
 * @property {string[]} [aliases] other systems' names, besides the snake_case spelling
 * @property {string} [list] which of the C sampler's lists it goes to
 * @property {string} [needs] an option without which this one does nothing
 * @property {(string | boolean)[]} [choices]
 */

/** @type {(keyof OptionRow)[]} */
const columns = ${JSON.stringify(columns)};

/** @type {OptionRow[]} The numbers among them, but for vocabSize, are in the order in which the C sampler reads them. */
export const optionTable = [
${rows.join("\n")}
].map((/** @type {any[]} */ cells) => /** @type {any} */ (Object.fromEntries(columns.map((column, i) => [column, cells[i]]))));

/** Stage names by their number in C. "mask" always runs first and is not named in an order. */
export const stageNames = ${JSON.stringify(stages)};

/** The C sampler's lists in its order. */
export const listNames = ${JSON.stringify(lists)};

/** Those that edit logits and come before all others. */
export const editStages = ${JSON.stringify(edits)};

/** Those that learn from the draw and come after all others. */
export const feedbackStages = ${JSON.stringify(feedback)};

/**
 * @typedef {object} OrderPreset
 * @property {string[]} order
 * @property {number} rules what the system does otherwise: a sum of li_rule
 * @property {string} repetitionScope
 * @property {string} countScope
 * @property {number} penaltyWindow
 * @property {number} [greedyBelow] a lower temperature is 0
 */

/** @type {Record<string, OrderPreset>} */
export const orderPresets = {
${Object.entries(presets)
  .map(([name, preset]) => `  ${name}: ${JSON.stringify({ ...preset, rules: rulesOf(preset) })},`)
  .join("\n")}
};
`;
}

export const optionFiles = {
  "src/sample/options.h": optionsHeader(),
  "web/sampler/option-table.js": optionsModule(),
};
