// Calls of tools within a text: what a model may write, and the calls taken out of it as it comes.

/** How a call is written: as models of the Hermes and Qwen families do. */
export const callStyle = {
  trigger: "<tool_call>",
  begin: '\n{"name": "{name}", "arguments": ',
  end: "}\n</tool_call>",
};

/**
 * A grammar in Lark of exactly one call, or of something else instead.
 * @param {{ name: string, parameters: object }[]} tools
 * @param {string} [other] another alternative
 */
export function oneCall(tools, other) {
  const calls = tools.map(({ name, parameters }) => {
    const begin = callStyle.trigger + callStyle.begin.replace("{name}", () => name);
    return `${JSON.stringify(begin)} %json ${JSON.stringify(parameters)} ${JSON.stringify(callStyle.end)}`;
  });
  return `start: ${[...calls, ...(other ? [other] : [])].join("\n  | ")}`;
}

/**
 * What a piece of text turned out to be.
 * @typedef {{ kind: "text", text: string } | { kind: "call", name: string } | { kind: "input", text: string }
 *   | { kind: "end" } | { kind: "cut" }} Piece
 */

/** Reads what a grammar of calls lets through. */
export class ToolCallStream {
  #held = "";
  /** @type {"text" | "name" | "input"} */
  #place = "text";

  /**
   * @param {string} text
   * @returns {Generator<Piece>}
   */
  *push(text) {
    this.#held += text;
    for (;;) {
      if (this.#place === "name") {
        const [whole, name] = /^\n\{"name": "([^"]*)", "arguments": /.exec(this.#held) ?? [];
        if (whole === undefined) return;
        this.#held = this.#held.slice(whole.length);
        this.#place = "input";
        yield { kind: "call", name };
      }
      const kind = this.#place;
      const mark = kind === "text" ? callStyle.trigger : callStyle.end;
      const at = this.#held.indexOf(mark);
      const end = at < 0 ? this.#held.length - beginning(this.#held, mark) : at;
      if (end) yield { kind, text: this.#held.slice(0, end) };
      this.#held = this.#held.slice(at < 0 ? end : end + mark.length);
      if (at < 0) return;
      if (kind === "input") yield { kind: "end" };
      this.#place = kind === "text" ? "name" : "text";
    }
  }

  /** The text has ended: what was held back, and the call that was cut off. @returns {Piece[]} */
  end() {
    if (this.#place === "input") return [{ kind: "cut" }];
    return this.#place === "text" && this.#held ? [{ kind: "text", text: this.#held }] : [];
  }
}

/**
 * Length of the longest end of `text` with which `mark` begins.
 * @param {string} text
 * @param {string} mark
 */
function beginning(text, mark) {
  for (let length = Math.min(mark.length - 1, text.length); length; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
