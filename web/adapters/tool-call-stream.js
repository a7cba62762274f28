// Tool calls within a text: the grammar of the text, and a reader that takes the calls out of the stream.

/** How a call is written: as models of the Hermes and Qwen families do. */
export const callStyle = {
  trigger: "<tool_call>",
  begin: '\n{"name": "{name}", "arguments": ',
  end: "}\n</tool_call>",
};

const [beforeName, afterName] = callStyle.begin.split("{name}");

/**
 * A grammar in Lark of exactly one call, or of something else instead.
 * @param {{ name: string, parameters: object }[]} tools
 * @param {string} [other] another alternative
 */
export function oneCall(tools, other) {
  const calls = tools.map(({ name, parameters }) => {
    const begin = callStyle.trigger + beforeName + name + afterName;
    return `${JSON.stringify(begin)} %json ${JSON.stringify(parameters)} ${JSON.stringify(callStyle.end)}`;
  });
  return `start: ${[...calls, ...(other ? [other] : [])].join("\n  | ")}`;
}

/**
 * What a piece of text turned out to be.
 * @typedef {{ kind: "text", text: string } | { kind: "call", name: string } | { kind: "input", text: string }
 *   | { kind: "end" } | { kind: "cut" }} Piece
 */

/** What ends each place, and the place after it. */
const places = /** @type {const} */ ({
  text: { mark: callStyle.trigger, next: "name" },
  name: { mark: afterName, next: "input" },
  input: { mark: callStyle.end, next: "text" },
});

/** Reads what a grammar of calls lets through. */
export class ToolCallStream {
  #held = "";
  #name = "";
  /** @type {keyof typeof places} */
  #place = "text";

  /**
   * @param {string} text
   * @returns {Generator<Piece>}
   */
  *push(text) {
    this.#held += text;
    for (;;) {
      const kind = this.#place;
      const { mark, next } = places[kind];
      const at = this.#held.indexOf(mark);
      const end = at < 0 ? this.#held.length - beginning(this.#held, mark) : at;
      const part = this.#held.slice(0, end);
      this.#held = this.#held.slice(at < 0 ? end : end + mark.length);
      if (kind === "name") this.#name += part;
      else if (part) yield { kind, text: part };
      if (at < 0) return;
      if (kind === "name") yield { kind: "call", name: this.#name.slice(beforeName.length) };
      if (kind === "input") yield { kind: "end" };
      this.#name = "";
      this.#place = next;
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
