// The logits of one text, computed in several ways, and how many of their bytes differ.

/** @typedef {import("./models.js").Model} Model */

/** Tokens that the model writes after the prompt. */
const LENGTH = 24;
/** Guesses after each token of the tree, and how many follow each other. */
const WIDTH = 2;
const DEPTH = 3;

/**
 * @typedef {object} Way
 * @property {"batch" | "pieces" | "guesses" | "tree" | "threads"} name
 * @property {number} rows that it computed
 * @property {number} bytes
 * @property {number} different bytes that differ from those of the rows computed alone
 * @property {number} passes of the model
 */

/** A guess of the tree, with the text up to it. @typedef {{ text: string, bytes: number, different: number }} Guess */

/**
 * Compares with the rows of a text that the model reads token by token.
 * @param {Model} model
 * @param {any} source of the model
 * @param {string} prompt
 * @param {AbortSignal} signal
 * @returns {Promise<{ text: string, rows: number, vocabSize: number, ways: Way[], guesses: Guess[] }>} guesses: of the
 *   tree, which models with a recurrent state do not take and a full context has no room for
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
  const tree = await guessesAfter(model, ids, alone[alone.length - 1], signal);
  if (tree) ways.push(way("tree", tree.alone, tree.rows, 1));
  if (model.threads > 1) {
    const { loadModel } = await import("../../index.js");
    const single = await loadModel(source, { threads: 1, signal });
    ways.push(way("threads", alone, await inPieces(single, ids, ids.length, signal), 1));
    single.dispose();
  }
  return {
    text: drafted.text,
    rows: alone.length,
    vocabSize: model.config.vocabSize,
    ways,
    guesses: tree?.guesses ?? [],
  };
}

/**
 * The rows of a tree of guesses after a text: in one pass, and each alone.
 * @param {Model} model that has just read the text
 * @param {ArrayLike<number>} ids the text
 * @param {Float32Array} last its last row
 * @param {AbortSignal} signal
 */
async function guessesAfter(model, ids, last, signal) {
  /** @type {number[][]} */
  const paths = [];
  /** @type {number[]} */
  const parents = [];
  /** @type {Float32Array[]} */
  const alone = [];
  /** The likeliest tokens of a row become guesses, each with those after it. */
  const grow = async (/** @type {Float32Array} */ row, /** @type {number[]} */ path, /** @type {number} */ parent) => {
    for (const token of likeliest(row, model.vocabulary.eos)) {
      signal.throwIfAborted();
      const node = paths.push([...path, token]) - 1;
      parents.push(parent);
      alone.push(await model.forward([token], { keep: ids.length + path.length }));
      if (path.length + 1 < DEPTH) await grow(alone[node], paths[node], node);
    }
  };
  if (ids.length + DEPTH > model.config.contextLength) return undefined;
  try {
    await model.forward([ids[0], ids[0]], { keep: ids.length, rows: "all", parents: [-1, -1] });
  } catch (/** @type {any} */ error) {
    if (error?.code === "out-of-range") return undefined; // a recurrent state takes no tree
    throw error;
  }
  await grow(last, [], -1);
  const tokens = paths.map((path) => path[path.length - 1]);
  const rows = await model.forward(tokens, { keep: ids.length, rows: "all", parents });
  const guesses = await Promise.all(
    paths.map(async (path, i) => {
      const { bytes, different } = way("tree", [alone[i]], [rows[i]], 1);
      return { text: await model.detokenize(path), bytes, different };
    }),
  );
  return { alone, rows, guesses };
}

/** @param {Float32Array} row @param {readonly number[]} eos */
function likeliest(row, eos) {
  /** @type {number[]} */
  const best = [];
  while (best.length < WIDTH) {
    let most = -1;
    for (let id = 0; id < row.length; id++)
      if ((most < 0 || row[id] > row[most]) && !best.includes(id) && !eos.includes(id)) most = id;
    best.push(most);
  }
  return best;
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
