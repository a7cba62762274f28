// Writes everything that is derived: from src/tables/ the C structs, the JavaScript tables and the documentation's table of
// options; from C's headers the structs and enums that JavaScript knows; from tests/limits.json the bytes in the README and
// the documentation; and the gallery's list of widgets. `node wasm/generate.js` rewrites the files; `--check` only says
// which are stale (exit 1).
import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { alsoCalled } from "../demos/also-called.js";
import { enumerators, macro, struct } from "./c-headers.js";
import { unicodeTable } from "./unicode-table.js";

const root = new URL("..", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");
const options = JSON.parse(read("src/tables/options.json"));
const errors = JSON.parse(read("src/tables/errors.json"));
const generate = JSON.parse(read("src/tables/generate.json"));
const { stages, edits, feedback, rules, presets } = JSON.parse(read("src/tables/stages.json"));

const notice = (source) =>
  `// Generated from src/tables/${source} by wasm/generate.js: edit that, then run \`make generate\`.\n`;
// Words in lines of C of at most 120 columns, each after `start`; `end` stands after every line but the last.
function wrapped(text, start, end = "") {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (start.length + line.length + end.length <= 120) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.map((line) => start + line).join(`${end}\n`);
}
const snake = (name) => name.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
const upper = (name) => snake(name).replace(/-/g, "_").toUpperCase();
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

function statusHeader() {
  const coded = errors.filter((error) => error.number);
  return `${notice("errors.json")}// clang-format off
#ifndef LI_STATUS_H
#define LI_STATUS_H

typedef enum li_status {
    LI_OK = 0,
    LI_NEED_MORE = 1, // not an error: call again with more bytes
${coded.map((error) => `    LI_ERROR_${upper(error.code)} = ${error.number},`).join("\n")}
} li_status;

#endif
`;
}

// The numbers that the options' rules are made of, each once: the rules themselves are their indices, small enough
// for a page.
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
  return `${notice("options.json")}// clang-format off
#ifndef LI_OPTIONS_H
#define LI_OPTIONS_H

// Every scalar option is a double, so that the struct is the array of numbers that callers write.
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

// Differences between systems; the rules of an order are a sum of these.
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
  order: `readonly (${stages
    .slice(1)
    .map((stage) => `"${stage}"`)
    .join(" | ")})[] | ${Object.keys(presets)
    .map((preset) => `"${preset}"`)
    .join(" | ")}`,
};
const typeOf = (option) =>
  option.type === "choice" ? option.choices.map((choice) => `"${choice}"`).join(" | ") : typescriptTypes[option.type];
/** The range of a number, as a sentence. */
function rangeSentence({ min, max, type }) {
  if (min === undefined || (type !== "number" && type !== "integer")) return "";
  const whole = type === "integer" ? "A whole number, " : "";
  if (max === undefined || max === 4294967295) return ` ${whole}${min} or more.`;
  return ` ${whole || "From "}${min} to ${max === Number.MAX_SAFE_INTEGER ? "2^53 - 1" : max}.`;
}
const defaultText = (option) => option.defaultText ?? (option.preset ? "by order" : String(option.default));

// Columns of the option table, those that few rows have last.
const columns = ["name", "type", "stages", "min", "max", "default", "isSwitch", "aliases", "list", "needs", "choices"];

function optionsModule() {
  const rows = options.map((option) => {
    const row = { ...option, isSwitch: typeof option.off === "number" ? 1 : undefined };
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
  return `${notice("options.json and stages.json")}
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
 * @property {"integer" | "choice" | "bias" | "tokens" | "sequences" | "weighted" | "grammar" | "order"} [type] none: a number
 * @property {number} [min]
 * @property {number} [max]
 * @property {string[]} [stages] one of them must run for the option to mean something
 * @property {number | string} [default] "preset": what the order's preset says
 * @property {1} [isSwitch] the default switches the mechanism off
 * @property {string[]} [aliases] other systems' names, besides the snake_case spelling
 * @property {string} [list] which of the C sampler's lists it goes to
 * @property {string} [needs] an option without which this one does nothing
 * @property {string[]} [choices]
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

const generateColumns = ["name", "type", "min", "max", "needs", "aliases"];

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
  return `${notice("generate.json")}
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("../grammar/grammar.js").Grammar} Grammar */
/** @typedef {import("../grammar/compile.js").GrammarOptions} GrammarOptions */

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
  // The grammar is read with the options of the sampler.
  const rows = generate.options
    .filter((option) => option.of !== "sampler")
    .map((option) => {
      const cells = generateColumns.map((column) => (option[column] == null ? "" : JSON.stringify(option[column])));
      return `  [${cells.join().replace(/,+$/, "")}],`;
    });
  return `${notice("generate.json")}
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
const columns = ${JSON.stringify(generateColumns)};

/** @type {GenerateRow[]} The options of model.generate that are not the sampler's. */
export const generateTable = [
${rows.join("\n")}
].map((/** @type {any[]} */ cells) => /** @type {any} */ (Object.fromEntries(columns.map((column, i) => [column, cells[i]]))));

/** Options that exclude each other. */
export const exclusiveOptions = ${JSON.stringify(generate.exclusive)};
`;
}

const isOfModels = (error) => /^(gguf|model|worker)-/.test(error.code);
// What samplers say of a grammar is with their own.
const isOfGrammars = (error) => /^(vocabulary|grammar-(?!refused|empty))/.test(error.code);
// Loaded when a file proves to be of another kind.
const isOfFiles = (error) => /^file-/.test(error.code);
const isOfChats = (error) => /^template-/.test(error.code);
const isOfSamplers = (error) => ![isOfModels, isOfGrammars, isOfFiles, isOfChats].some((isOf) => isOf(error));

// Errors without a sentence of their own always say in particular what went wrong.
const errorRows = (rows) =>
  rows
    .filter((error) => error.message)
    .map((error) => `  [${JSON.stringify(error.code)}, ${error.number ?? 0}, ${JSON.stringify(error.message)}],`)
    .join("\n");

function errorsModule() {
  return `${notice("errors.json")}
/** @typedef {${errors.map((error) => `"${error.code}"`).join(" | ")}} ErrorCode */

/** The errors of samplers: stable code, number in C (0: JavaScript only), sentence. @type {[ErrorCode, number, string][]} */
export const errorTable = [
${errorRows(errors.filter(isOfSamplers))}
];
`;
}

/** @param {string} name @param {string} codes the file of the type ErrorCode @param {any[]} rows */
function furtherErrorsModule(name, codes, rows) {
  return `${notice("errors.json")}
/** The errors of ${name}s, as in core/error-table.js. @type {[import("${codes}").ErrorCode, number, string][]} */
export const ${name}ErrorTable = [
${errorRows(rows)}
];
`;
}

// The structs that JavaScript reads or writes in place.
const sharedStructs = [
  "sampler_arrays",
  "information",
  "stage_record",
  "candidate",
  "tokenizer_view",
  "model_config",
  "model_memory",
  "fault",
  "row",
  "refusal",
];

// Numbers, not objects: esbuild writes them where they are used.
function layoutsModule() {
  const blocks = sharedStructs.map((name) => {
    const { size, fields } = struct(`li_${name}`);
    const constant = (field, value) => `export const ${upper(name)}_${upper(field)} = ${value};`;
    const rows = [...fields.map((field) => constant(field.name, field.place)), constant("size", size)];
    return `// li_${name}\n${rows.join("\n")}\n`;
  });
  const statuses = errors.filter((error) => error.number);
  return `// Generated from C's headers and src/tables/errors.json by wasm/generate.js: edit those, then run \`make generate\`.
// The structs of lastinch.h in the memory of wasm: the place of a field is its offset in elements of its own type, words of
// 4 bytes or doubles of 8. SIZE is in bytes.

${blocks.join("\n")}
/** Rows in one call of li_model_forward. */
export const ROWS_LIMIT = ${macro("LI_ROWS_LIMIT")};

// li_cache_type
${enumConstants("LI_CACHE_AUTO", "LI_CACHE_", "CACHE_")}

// li_fault_kind
${enumConstants("LI_FAULT_NONE", "LI_FAULT_", "FAULT_")}

// li_tokenizer_fault
${enumConstants("LI_TOKENIZER_FINE", "LI_TOKENIZER_", "TOKENIZER_FAULT_")}

// Flags of li_tokenizer_encode.
export const ENCODE_SPECIAL = ${macro("LI_ENCODE_SPECIAL")};
export const ENCODE_CONTINUES = ${macro("LI_ENCODE_CONTINUES")};

// li_status
${statuses.map((error) => `export const ERROR_${upper(error.code)} = ${error.number};`).join("\n")}
`;
}

/** The places in layoutsModule as the compiler sees them, in wasm32: a struct that changes without them breaks the build. */
function layoutsSource() {
  const blocks = sharedStructs.map((name) => {
    const type = `li_${name}`;
    const { size, fields } = struct(type);
    const rows = fields.map(
      (field) =>
        `_Static_assert(offsetof(${type}, ${field.name}) == ${field.place * field.size} && ` +
        `sizeof(((${type} *)0)->${field.name}) == ${field.size}, "${type}.${field.name}");`,
    );
    return `${rows.join("\n")}\n_Static_assert(sizeof(${type}) == ${size}, "${type}");\n`;
  });
  return `// Generated from C's headers by wasm/generate.js: edit those, then run \`make generate\`.
// What web/core/layouts.js says of the structs of lastinch.h, checked by the compiler of the modules. Makes no code.
#include "lastinch.h"

${blocks.join("\n")}`;
}

const camel = (name) => name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** A table of enumerators as an object. */
function enumTable(first, prefix, nameOf = camel) {
  const rows = [...enumerators(first, prefix)].filter(([name]) => name !== "COUNT");
  return `{\n${rows.map(([name, number]) => `  ${nameOf(name)}: ${number},`).join("\n")}\n}`;
}

/** Enumerators as numbers, which esbuild writes where they are used. */
function enumConstants(first, prefix, ownPrefix) {
  const rows = [...enumerators(first, prefix)].filter(([name]) => name !== "COUNT");
  return rows.map(([name, number]) => `export const ${ownPrefix}${name} = ${number};`).join("\n");
}

const fromHeaders = "// Generated from C's headers by wasm/generate.js: edit those, then run `make generate`.\n";

function formNumbersModule() {
  return `${fromHeaders}
/** Tags of expressions: LI_FORM_… */
export const expressionTags = ${enumTable("LI_FORM_NOTHING", "LI_FORM_")};

// Flags of a form: LI_FORM_…
${enumConstants("LI_FORM_ANY_ORDER", "LI_FORM_", "FLAG_")}

/** Levels of nesting that C reads: LI_FORM_DEPTH. */
export const FORM_DEPTH = ${macro("LI_FORM_DEPTH")};

// Why C refuses a keyword: li_refusal_reason.
${enumConstants("LI_REFUSAL_TOO_COMPLEX", "LI_REFUSAL_", "REFUSAL_")}

// The limits of a grammar: li_limit.
${enumConstants("LI_LIMIT_FUEL", "LI_LIMIT_", "LIMIT_")}
`;
}

function schemaNumbersModule() {
  return `${fromHeaders}
/** The keywords of JSON Schema that a form has: li_keyword. */
export const schemaKeywords = ${enumTable("LI_KEYWORD_FALSE", "LI_KEYWORD_", (name) => (name === "REF" ? "$ref" : camel(name)))};

/** The types of JSON Schema, as bits: li_type. */
export const schemaTypes = ${enumTable("LI_TYPE_NULL", "LI_TYPE_")};

// Tags of JSON values: LI_FORM_…
${enumConstants("LI_FORM_NULL", "LI_FORM_", "VALUE_")}
`;
}

function optionsPage() {
  const range = (option) => {
    if (option.choices) return option.choices.map((choice) => `\`"${choice}"\``).join(", ");
    if (option.name === "seed") return "0 to 2^53 - 1";
    if (option.type === "bias") return "id → bias";
    if (option.type === "tokens") return "ids";
    if (option.type === "sequences") return "lists of ids";
    if (option.type === "weighted") return "[ids, bias]";
    if (option.type === "grammar") return "a matcher";
    if (option.type === "order") return "stages or a preset";
    if (option.max >= 4294967295) return `${option.min} and up`;
    return `${option.min} to ${option.max}`;
  };
  const lines = options.map(
    (option) =>
      `| \`${option.name}\` | ${range(option)} | ${defaultText(option)} | ${(option.stages ?? []).map((stage) => `\`${stage}\``).join(", ")} | ${option.help} |`,
  );
  const table = [
    "| option | range | default | stage | what it does |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
  return withBlock("demos/docs/options.md", "options", table);
}

/** A file of Markdown with what stands between the marks of a name replaced. */
function withBlock(path, name, content) {
  const text = read(path);
  const block = new RegExp(`(<!-- ${name}: generated by \`make generate\` -->\\n)[^]*?(<!-- end of ${name} -->)`);
  if (!block.test(text)) throw new Error(`${path} has lost the marks of its ${name}`);
  return text.replace(block, (_, begin, end) => `${begin}\n${content}\n\n${end}`);
}

/** The limits of tests/limits.json, which the tests hold. @param {string[]} [without] limits that are left out */
function bytesTable(without = []) {
  const rows = JSON.parse(read("tests/limits.json"))
    .filter(({ name }) => !without.includes(name))
    .map(({ kilobytes, loads }) => `| ${loads} | ${kilobytes} KB |`);
  return ["| loaded, Brotli | at most |", "| --- | --- |", ...rows].join("\n");
}

// The gallery's list, in the order of the lesson: titles from the words of the widgets' classes, and, for readers without
// JavaScript, what the comments of the classes say.
function gallery() {
  const lesson = read("demos/article.html");
  const place = (name) => {
    // With the numbers of an author inside, its tag ends on another line.
    const at = lesson.search(new RegExp(`<lastinch-${name}\\s*>`));
    return at < 0 ? lesson.length : at;
  };
  const names = [...read("web/widgets/index.js").matchAll(/"\.\/([a-z-]+)\.js"/g)]
    .map(([, name]) => name)
    .sort((a, b) => place(a) - place(b));
  const rows = names.map((name) => {
    const source = read(`web/widgets/${name}.js`);
    const [, title] = source.match(/\n {4}title: "([^"]+)"/) ?? [];
    if (!title) throw new Error(`web/widgets/${name}.js has no title among its words`);
    if (!alsoCalled[name]) throw new Error(`demos/also-called.js has no ${name}`);
    const [, comment] = source.match(/\/\*\*\n((?: \*.*\n)+?) \*\/\nexport class/) ?? [];
    const about = comment?.split(/ \* @/)[0].replace(/^ \* ?/gm, "");
    if (!about) throw new Error(`web/widgets/${name}.js does not say what its class shows`);
    const [first] = about
      .trim()
      .replace(/\s+/g, " ")
      .split(/(?<=\.) /);
    const text = first.replace(/&/g, "&amp;").replace(/</g, "&lt;");
    return [
      `<li data-name="${name}">`,
      `<svg aria-hidden="true"><use href="thumbnails.svg#${name}"></use></svg>`,
      `<b>${title}</b>`,
      `<small>${alsoCalled[name].join(", ")}</small>`,
      `<span class="about">${text.replace(/`([^`]+)`/g, "<code>$1</code>")}</span>`,
      "</li>",
    ].join("");
  });
  const text = read("demos/gallery.html");
  const block =
    /(<!-- widgets: generated by `make generate` -->\n *<!-- prettier-ignore -->\n *<ul[^>]*>\n)[\s\S]*?( *<\/ul>)/;
  if (!block.test(text)) throw new Error("demos/gallery.html has lost the marks of its list of widgets");
  return text.replace(block, (_, begin, end) => begin + rows.map((row) => " ".repeat(8) + row + "\n").join("") + end);
}

const outputs = {
  "src/base/status.h": statusHeader(),
  "src/sample/options.h": optionsHeader(),
  "src/tokenizer/unicode_table.h": await unicodeTable(),
  "web/sampler/option-table.js": optionsModule(),
  "web/decode/generate-table.js": generateModule(),
  "web/model/generate-types.js": generateTypes(),
  "web/core/error-table.js": errorsModule(),
  "web/core/model-error-table.js": furtherErrorsModule("model", "./error-table.js", errors.filter(isOfModels)),
  "web/core/file-error-table.js": furtherErrorsModule("file", "./error-table.js", errors.filter(isOfFiles)),
  "web/chat/error-table.js": furtherErrorsModule("chat", "../core/error-table.js", errors.filter(isOfChats)),
  "web/grammar/error-table.js": furtherErrorsModule("grammar", "../core/error-table.js", errors.filter(isOfGrammars)),
  "web/core/layouts.js": layoutsModule(),
  "wasm/layouts.c": layoutsSource(),
  "web/grammar/form-numbers.js": formNumbersModule(),
  "web/grammar/readers/schema/schema-numbers.js": schemaNumbersModule(),
  "demos/docs/options.md": optionsPage(),
  "README.md": withBlock("README.md", "bytes", bytesTable(["landing", "lesson", "playground"])),
  "demos/docs/measurements.md": withBlock("demos/docs/measurements.md", "bytes", bytesTable()),
  "demos/gallery.html": gallery(),
};

let stale = 0;
for (const [path, text] of Object.entries(outputs)) {
  const url = new URL(path, root);
  if (existsSync(url) && readFileSync(url, "utf8") === text) continue;
  stale++;
  if (process.argv.includes("--check")) console.error(`${path} is stale: run \`make generate\``);
  else {
    writeFileSync(url, text);
    console.log(`wrote ${path}`);
  }
}
if (stale && process.argv.includes("--check")) process.exit(1);
