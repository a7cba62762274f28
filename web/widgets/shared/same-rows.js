// The logits of one text, computed in several ways, and how many of their bytes differ.

/** @typedef {import("./models.js").Model} Model */

/** Tokens that the model writes after the prompt. */
const LENGTH = 24;

/**
 * @typedef {object} Way
 * @property {"batch" | "pieces" | "guesses" | "threads"} name
 * @property {number} rows that it computed
 * @property {number} bytes
 * @property {number} different bytes that differ from those of the rows computed alone
 * @property {number} passes of the model
 */

/**
 * Compares with the rows of a text that the model reads token by token.
 * @param {Model} model
 * @param {any} source of the model
 * @param {string} prompt
 * @param {AbortSignal} signal
 * @returns {Promise<{ text: string, rows: number, vocabSize: number, ways: Way[] }>}
 */
export async function compareRows(model, source, prompt, signal) {
  const start = await model.tokenize(prompt, { bos: model.config.addBos });
  const options = { temperature: 0, maxTokens: LENGTH, captureLogits: true, bannedTokens: model.vocabulary.eos };
  // Wrong guesses are computed too, and thrown away.
  const drafted = await model.complete(prompt, {
    ...options,
    draft: /** @type {const} */ ("lookahead"),
    draftTokens: 7,
    signal,
  });
  const ids = [...start, ...drafted.tokens.map(({ id }) => id)].slice(0, -1);
  const alone = await inPieces(model, ids, 1, signal);
  const written = drafted.tokens.map(({ logits }) => /** @type {Float32Array} */ (logits));
  const ways = [
    way("batch", alone, await inPieces(model, ids, ids.length, signal), 1),
    way("pieces", alone, await inPieces(model, ids, 3, signal), Math.ceil(ids.length / 3)),
    way("guesses", alone.slice(start.length - 1), written, drafted.usage?.passes ?? 0),
  ];
  if (model.threads > 1) {
    const { loadModel } = await import("../../index.js");
    const single = await loadModel(source, { threads: 1, signal });
    ways.push(way("threads", alone, await inPieces(single, ids, ids.length, signal), 1));
    single.dispose();
  }
  return { text: drafted.text, rows: alone.length, vocabSize: model.config.vocabSize, ways };
}

/**
 * The rows of a text that is read so many tokens at a time.
 * @param {Model} model
 * @param {ArrayLike<number>} ids
 * @param {number} size
 * @param {AbortSignal} signal
 */
async function inPieces(model, ids, size, signal) {
  /** @type {Float32Array[]} */
  const rows = [];
  for (let keep = 0; keep < ids.length; keep += size) {
    signal.throwIfAborted();
    const piece = Array.from({ length: Math.min(size, ids.length - keep) }, (_, i) => ids[keep + i]);
    rows.push(...(await model.forward(piece, { keep, rows: "all" })));
  }
  return rows;
}

/**
 * @param {Way["name"]} name
 * @param {Float32Array[]} expected
 * @param {Float32Array[]} rows
 * @param {number} passes
 * @returns {Way}
 */
function way(name, expected, rows, passes) {
  let [bytes, different] = [0, 0];
  rows.forEach((row, i) => {
    const [own, other] = [row, expected[i]].map(({ buffer, byteOffset, byteLength }) => {
      bytes += byteLength / 2;
      return new Uint8Array(buffer, byteOffset, byteLength);
    });
    for (let j = 0; j < own.length; j++) if (own[j] !== other[j]) different++;
  });
  return { name, rows: rows.length, bytes, different, passes };
}
