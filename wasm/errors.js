// The errors of src/tables/errors.json: the status codes of C, and JavaScript's sentence for each.
import { notice, readTable, upper } from "./source.js";

const SOURCE = "src/tables/errors.json";
const errors = readTable("errors");

/** The errors that C returns. */
export const coded = errors.filter((error) => error.number);

function statusHeader() {
  return `${notice(SOURCE)}// clang-format off
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

const isOfModels = (error) => /^(gguf|model|worker|banned|saved|prefix)-/.test(error.code);
// Errors that samplers throw about grammars are in the samplers' table.
const isOfGrammars = (error) => /^(vocabulary|grammar-(?!refused|empty))/.test(error.code);
// Loaded if a file turns out to be of another kind.
const isOfFiles = (error) => /^file-/.test(error.code);
const isOfChats = (error) => /^template-/.test(error.code);
const isOfSamplers = (error) => ![isOfModels, isOfGrammars, isOfFiles, isOfChats].some((isOf) => isOf(error));

// Errors without a sentence in the table always have a specific one.
const errorRows = (rows) =>
  rows
    .filter((error) => error.message)
    .map((error) => `  [${JSON.stringify(error.code)}, ${error.number ?? 0}, ${JSON.stringify(error.message)}],`)
    .join("\n");

function errorsModule() {
  const ofSamplers = errors.filter((error) => isOfSamplers(error) && error.message);
  const misplaced = ofSamplers.find((error, i) => error.number && error.number !== -1 - i);
  if (misplaced) throw new Error(`${SOURCE}: the number of ${misplaced.code} is not its place`);
  return `${notice(SOURCE)}
/** @typedef {${errors.map((error) => `"${error.code}"`).join(" | ")}} ErrorCode what errors.json lists */

/**
 * The sentences of the errors of samplers, by stable code. The first are those of C, from the number -1 down.
 * @type {Partial<Record<ErrorCode, string>>}
 */
export const errorTable = {
${ofSamplers.map((error) => `  ${JSON.stringify(error.code)}: ${JSON.stringify(error.message)},`).join("\n")}
};
`;
}

/** @param {string} name @param {string} codes the file of the type ErrorCode @param {any[]} rows */
function furtherErrorsModule(name, codes, rows) {
  return `${notice(SOURCE)}
/** The errors of ${name}s: stable code, number in C (0: JavaScript only), sentence. @type {[import("${codes}").ErrorCode, number, string][]} */
export const ${name}ErrorTable = [
${errorRows(rows)}
];
`;
}

const ofCore = "../core/error-table.js";

export const errorFiles = {
  "src/base/status.h": statusHeader(),
  "web/core/error-table.js": errorsModule(),
  "web/core/model-error-table.js": furtherErrorsModule("model", "./error-table.js", errors.filter(isOfModels)),
  "web/core/file-error-table.js": furtherErrorsModule("file", "./error-table.js", errors.filter(isOfFiles)),
  "web/chat/chat-error-table.js": furtherErrorsModule("chat", ofCore, errors.filter(isOfChats)),
  "web/grammar/grammar-error-table.js": furtherErrorsModule("grammar", ofCore, errors.filter(isOfGrammars)),
};
