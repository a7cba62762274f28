// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** The errors of chats, as in core/error-table.js. @type {[import("../core/error-table.js").ErrorCode, number, string][]} */
export const chatErrorTable = [
  ["template-missing", 0, "The model's file has no chat template: give one in Jinja as chatTemplate, or give a text to generate or complete."],
  ["template-invalid", 0, "The chat template cannot be run on this conversation: give another as chatTemplate."],
  ["template-refused", 0, "The chat template does not take this conversation: change the messages as it says, or give another as chatTemplate."],
  ["template-limit", 0, "The chat template takes more time or memory than one may: give another as chatTemplate, or shorten the conversation."],
];
