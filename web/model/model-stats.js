// What a model has done so far, and how long it took: model.stats, and entries of performance.measure.

/** @typedef {import("../decode/decode-types.js").Chunk} Chunk */
/** @typedef {import("../decode/decode-types.js").TextStats} TextStats */
/** @typedef {import("../decode/decode-types.js").Usage} Usage */

/**
 * How a model was loaded.
 * @typedef {object} LoadStats
 * @property {number} ms from the call of loadModel
 * @property {number} bytes of the file
 * @property {number} keptBytes of them from the browser's copy
 */

/**
 * What a model has done since it was loaded. The sums count the texts that have ended, not those that were left or
 * aborted.
 * @typedef {object} ModelStats
 * @property {LoadStats} load
 * @property {number} memory bytes of the model's WebAssembly memory after the last text. It never shrinks
 * @property {number} contextLength positions of a text, as loadModel was asked or as it has chosen
 * @property {number} texts continuations that have ended
 * @property {number} promptTokens of their prompts
 * @property {number} cachedTokens of these, those that were in the cache and not computed again
 * @property {number} completionTokens that they have
 * @property {(Usage & TextStats) | null} last the text that ended last; null: none has
 */

/**
 * Writes an entry that DevTools shows on a track of its own. An earlier one of that name goes, so that entries do not
 * pile up; observers and DevTools keep them.
 * @param {"load" | "prompt" | "text"} what
 * @param {number} start of performance.now()
 * @param {number} end
 * @param {Record<string, unknown>} properties
 */
function measure(what, start, end, properties) {
  const name = `lastinch ${what}`;
  if (!performance.measure) return;
  performance.clearMeasures(name);
  const shown = Object.entries(properties).map(([key, value]) => [key, String(value)]);
  const devtools = { dataType: "track-entry", track: "lastinch", color: "primary", properties: shown };
  performance.measure(name, { start, end, detail: { ...properties, devtools } });
}

export class Statistics {
  #name;
  /** @type {ModelStats} */
  #stats;

  /**
   * @param {import("./worker/engine.js").ModelInfo} info
   * @param {number} began performance.now() at the call of loadModel
   */
  constructor({ config: { name, size, contextLength }, memory, keptBytes }, began) {
    const end = performance.now();
    const load = { ms: end - began, bytes: size, keptBytes };
    const sums = { texts: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0 };
    this.#name = name;
    this.#stats = { load, memory, contextLength, ...sums, last: null };
    measure("load", began, end, { model: name, bytes: size, keptBytes });
  }

  /** @returns {ModelStats} a copy */
  read() {
    const { load, last, ...rest } = this.#stats;
    return { load: { ...load }, ...rest, last: last && { ...last } };
  }

  /**
   * Watches a text.
   * @param {number} began performance.now() at the call
   * @returns {(chunk: Chunk) => Chunk} called with each chunk as it arrives; gives it to the reader
   */
  watch(began) {
    let first = 0;
    let heard = 0;
    let hasEnded = false;
    return (chunk) => {
      const now = performance.now();
      if (chunk.tokens.length) first ||= now;
      if (chunk.tokens.length || chunk.beams) heard ||= now;
      if (!chunk.stats || !chunk.usage) return chunk;
      const stats = { ...chunk.stats, firstTokenMs: (first || now) - began };
      // Beams, and texts that may be taken back, give nothing before a later token.
      const promptEnd = Math.min(heard || now, now - stats.textMs);
      const sums = this.#stats;
      sums.texts++;
      for (const sum of /** @type {const} */ (["promptTokens", "cachedTokens", "completionTokens"]))
        sums[sum] += chunk.usage[sum];
      sums.memory = stats.memory;
      sums.last = { ...chunk.usage, ...stats };
      const properties = { model: this.#name, ...sums.last };
      // Several continuations have one prompt.
      if (!hasEnded) measure("prompt", began, promptEnd, properties);
      hasEnded = true;
      measure("text", promptEnd, now, properties);
      return { ...chunk, stats };
    };
  }
}
