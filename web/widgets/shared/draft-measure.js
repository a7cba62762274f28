// Measures what a draft costs in this browser, and whether the text has the target's distribution.
import { decoderFor, probabilitiesOf } from "./decoders.js";
import { ranked } from "./sampling.js";

/** @typedef {import("../../index.js").Model} Model */
/** @typedef {"withDraft" | "without" | "alone"} Way */
/** @typedef {{ prompt: string, seed: number, temperature: number, draftTokens: number }} Settings */
/**
 * Milliseconds of a pass that verifies `count` tokens, and of a text with and without a draft; rate: tokens a pass.
 * @typedef {{ passes: { count: number, ms: number }[], plain: number, drafted: number, rate: number }} Cost
 */
/**
 * The likeliest tokens, each with the target's probability and its share of the draws, with a draft and by the draft
 * alone; token -1 means `others` tokens. Also how far the draws of each way are from the target's probabilities (χ²).
 * @typedef {object} Proof
 * @property {{ token: number, exact: number, own: number, alone: number }[]} rows
 * @property {number} others
 * @property {{ way: Way, chi: number, limit: number, fits: boolean }[]} distances
 */

const SHOWN = 6;
const COUNTS = [1, 2, 3, 4, 6, 8];
const TIMES = 5;
const PASSES = 8;
const TEXTS = 3;
const BATCH = 200;
/** One draw in a thousand exceeds this many standard deviations. */
const RARE = 3.09;

/**
 * Takes the least of several times, because other work only adds. Times many passes at once, because browsers' clocks
 * are coarse.
 * @param {Model} model
 * @param {Model} draft
 * @param {Settings & { length: number, signal: AbortSignal }} settings length: tokens of the text
 * @returns {Promise<Cost | undefined>} undefined: stopped
 */
export async function measureDraft(model, draft, { prompt, seed, temperature, draftTokens, length, signal }) {
  const text = await model.tokenize(prompt, { bos: model.config.addBos });
  const passes = [];
  for (const count of COUNTS) {
    const ids = new Array(count).fill(text[text.length - 1]);
    await model.forward(text);
    let ms = Infinity;
    for (let i = 0; i < TIMES; i++) {
      const began = performance.now();
      for (let pass = 0; pass < PASSES; pass++) await model.forward(ids, { keep: text.length, rows: "all" });
      ms = Math.min(ms, (performance.now() - began) / PASSES);
      if (signal.aborted) return;
    }
    passes.push({ count, ms });
  }
  const how = { maxTokens: length, seed, temperature, signal };
  let [plain, drafted, rate] = [Infinity, Infinity, 0];
  for (let i = 0; i < TEXTS; i++) {
    const began = performance.now();
    for await (const _ of model.generate(text, how));
    const between = performance.now();
    for await (const { usage } of model.generate(text, { ...how, draft, draftTokens }))
      if (usage) rate = usage.completionTokens / usage.passes;
    plain = Math.min(plain, between - began);
    drafted = Math.min(drafted, performance.now() - between);
    if (signal.aborted) return;
  }
  return { passes, plain, drafted, rate };
}

/**
 * Draws the next token again and again: with a draft, without, and by the draft alone.
 * @param {Model} model
 * @param {Model} draft
 * @param {Settings & { draws: number }} settings
 * @returns {AsyncGenerator<Proof>} as far as it has come
 */
export async function* drawBothWays(model, draft, { prompt, seed, temperature, draws: all }) {
  const text = await model.tokenize(prompt, { bos: model.config.addBos });
  const [target, small] = [await model.forward(text), await draft.forward(text)];
  const decoder = await decoderFor(target.length);
  const [judge, drafter, plain] = [0, 1, 2].map((stream) => decoder.clone({ seed, temperature, stream }));
  const none = () => new Uint32Array(target.length);
  const counts = { withDraft: none(), without: none(), alone: none() };
  try {
    const exact = probabilitiesOf(judge, target);
    const order = ranked(exact);
    const row = (/** @type {number} */ token, /** @type {(all: ArrayLike<number>) => number} */ of) => ({
      token,
      exact: of(exact),
      own: of(counts.withDraft) / draws,
      alone: of(counts.alone) / draws,
    });
    let draws = 0;
    while (draws++ < all) {
      const guess = drafter.sample(small);
      const { token } = judge.acceptDraft(target, small, guess);
      judge.accept(token);
      counts.alone[guess]++;
      counts.withDraft[token]++;
      counts.without[plain.sample(target)]++;
      if (draws % BATCH) continue;
      const rows = order.slice(0, SHOWN).map((token) => row(token, (all) => all[token]));
      rows.push(row(-1, (all) => order.slice(SHOWN).reduce((sum, id) => sum + all[id], 0)));
      yield { rows, others: order.length - SHOWN, distances: distancesOf(exact, counts, draws) };
      await new Promise((go) => setTimeout(go));
    }
  } finally {
    for (const one of [judge, drafter, plain]) one.dispose();
  }
}

/**
 * @param {Float64Array} exact
 * @param {Record<Way, Uint32Array>} counts
 * @param {number} draws
 */
function distancesOf(exact, counts, draws) {
  // Every bin is expected at least five times; rarer tokens share one.
  const single = ranked(exact).filter((id) => exact[id] * draws >= 5);
  const rest = Math.max(1e-12, 1 - single.reduce((sum, id) => sum + exact[id], 0));
  const freedom = Math.max(1, single.length);
  // Wilson and Hilferty's approximation of the quantile.
  const limit = freedom * (1 - 2 / (9 * freedom) + RARE * Math.sqrt(2 / (9 * freedom))) ** 3;
  return /** @type {Way[]} */ (["withDraft", "without", "alone"]).map((way) => {
    let chi = 0;
    let left = draws;
    for (const id of single) {
      chi += (counts[way][id] - draws * exact[id]) ** 2 / (draws * exact[id]);
      left -= counts[way][id];
    }
    chi += (left - draws * rest) ** 2 / (draws * rest);
    return { way, chi, limit, fits: chi < limit };
  });
}
