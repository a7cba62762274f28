// The errors of chat templates, like those of core/errors.js, with their own sentences.
import { LastInchError } from "../core/errors.js";
import { chatErrorTable } from "./chat-error-table.js";

/** A LastInchError with the sentences of chats. */
export class ChatError extends LastInchError {
  /**
   * @param {import("../core/errors.js").ErrorCode} code
   * @param {string} [detail] a further sentence
   * @param {ErrorOptions} [options]
   */
  constructor(code, detail, options) {
    const sentence = chatErrorTable.find((entry) => entry[0] === code)?.[2];
    super(code, [sentence, detail].filter(Boolean).join(" "), options);
  }
}
