// Generated from src/tables/errors.json by wasm/generate.js: edit that, then run `make generate`.

/** The errors of chats, as in core/error-table.js. @type {[import("../core/error-table.js").ErrorCode, number, string][]} */
export const chatErrorTable = [
  ["template-missing", 0, "The model's file has no chat template: give one in Jinja as chatTemplate, or give a text to generate or complete."],
  ["template-invalid", 0, "The chat template fails on this conversation: give another template as chatTemplate."],
  ["template-refused", 0, "The chat template refuses this conversation: change the messages as the template asks, or give another template as chatTemplate."],
  ["template-limit", 0, "The chat template exceeds its limit of time or memory: give another template as chatTemplate, or shorten the conversation."],
];
