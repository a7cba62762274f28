// Writes a text with a model, for a widget.
import { due } from "./pace.js";

/** @typedef {import("./element.js").LastInchElement} LastInchElement */
/** @typedef {import("./models.js").Model} Model */

/**
 * text: the token's text, "" while its character is incomplete.
 * @typedef {import("../../index.js").Token & { text: string }} Written
 */

/**
 * A model's text as it comes. Each part draws the widget again; the model waits while no reader is near.
 * @param {LastInchElement} host
 * @param {Model} model
 * @param {string | ArrayLike<number>} prompt
 * @param {import("../../index.js").GenerateOptions} options
 */
export async function* write(host, model, prompt, options) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const { tokens: bytes, eos } = model.vocabulary;
  for await (const { tokens: given, usage, loop, takenBack } of model.generate(prompt, options)) {
    const read = (/** @type {number} */ id) =>
      eos.includes(id) ? ` ⟨${host.say("endOfText")}⟩` : decoder.decode(bytes[id], { stream: true });
    const tokens = given.map((token) => /** @type {Written} */ ({ ...token, text: read(token.id) }));
    for (const token of tokens) {
      yield { tokens: [token], usage, loop };
      host.requestUpdate();
      await host.onscreen();
      await due(host, options.signal);
      if (options.signal?.aborted) return;
    }
    if (!tokens.length) yield { tokens, usage, takenBack };
  }
}

/** The ids of a prompt, as `generate` would read them. @param {Model} model @param {string} prompt */
export const promptIds = (model, prompt) => model.tokenize(prompt, { bos: model.config.addBos });
