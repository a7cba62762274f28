// The part of the bench of drafters that runs where the models run: in Node, and in a page.

/** @typedef {import("../../web/index.js").Model} Model */

/** @type {Record<string, any>} */
const models = {};
/** What the model's thread has computed: passes of the target by their rows, ms of the last one, and of all else by function. */
const counted = {
  rows: /** @type {Record<number, number>} */ ({}),
  pass: NaN,
  drafting: /** @type {Record<string, number[]>} */ ({}),
};
/** @param {number[]} ms */
const median = (ms) => ms.sort((a, b) => a - b)[ms.length >> 1];
/** The target's instance and address, which loads first. @type {{ exports: any, address: number } | undefined} */
let target;

const { instantiate } = WebAssembly;

/** Counts the passes of the models that load in this thread. */
function countPasses() {
  target = undefined;
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {any} */ imports) => {
      const { exports } = /** @type {any} */ (await instantiate(module, imports));
      const timed =
        (/** @type {string} */ name, /** @type {(...args: number[]) => number} */ call) =>
        (/** @type {number[]} */ ...args) => {
          const began = performance.now();
          const status = call(...args);
          (counted.drafting[name] ??= []).push(performance.now() - began);
          return status;
        };
      const other = timed("pass", exports.li_model_forward);
      const li_model_forward = (/** @type {number} */ address, /** @type {number} */ count) => {
        target ??= { exports, address };
        if (exports !== target.exports || address !== target.address) return other(address, count);
        counted.rows[count] = (counted.rows[count] ?? 0) + 1;
        const began = performance.now();
        const status = exports.li_model_forward(address, count);
        counted.pass = performance.now() - began;
        return status;
      };
      const names = ["li_heads_guess", "li_eagle_fuse", "li_eagle_choices", "li_model_draft"];
      const own = names.filter((name) => exports[name]).map((name) => [name, timed(name, exports[name])]);
      return { exports: { ...exports, li_model_forward, ...Object.fromEntries(own) } };
    }
  );
}

/**
 * Loads a target and what drafts for it.
 * @param {string} root of the repository
 * @param {Record<string, string>} files by name, paths below the root: "target", and drafters
 * @param {number} threads 0: one, in this thread, whose passes are counted
 */
export async function open(root, files, threads) {
  const { loadModel } = await import(`${root}dist/index.js`);
  if (!threads) countPasses();
  for (const [name, path] of Object.entries(files)) {
    const source = root.startsWith("file:") ? decodeURI(new URL(path, root).pathname) : root + path;
    const areHeads = name === "medusa" || name === "eagle";
    const options = { worker: threads > 0, cache: false, ...(!areHeads && { threads: threads || 1 }) };
    models[name] = await loadModel(source, options);
    if (name === "target") await models.target.forward([5, 6]);
  }
  WebAssembly.instantiate = instantiate;
  return { eos: models.target.vocabulary.eos, threads: models.target.threads };
}

/**
 * Least milliseconds of so many rows behind 64 tokens: of calls of the model, which copy the logits, and of the passes
 * in them where passes are counted. The numbers take turns.
 * @param {number[]} counts
 * @param {number} times
 */
export async function costs(counts, times) {
  const text = Array.from({ length: 64 }, (_, i) => 500 + 7 * i);
  await models.target.forward(text);
  const calls = counts.map(() => /** @type {number[]} */ ([]));
  const passes = counts.map(() => /** @type {number[]} */ ([]));
  for (let i = 0; i < times; i++)
    for (const [at, count] of counts.entries()) {
      const began = performance.now();
      await models.target.forward(text.slice(0, count), { keep: 64, rows: "all" });
      calls[at].push(performance.now() - began);
      passes[at].push(counted.pass);
    }
  const least = (/** @type {number[][]} */ all) => all.map((ms) => Math.min(...ms));
  return { calls: least(calls), passes: least(passes) };
}

/**
 * Writes a text whose prompt has been read.
 * @param {string | number[]} prompt
 * @param {Record<string, any>} options with draft: the name of a loaded file, or a word
 */
export async function write(prompt, { draft, ...options }) {
  const given = { ...options, ...(draft && { draft: models[draft] ?? draft }) };
  await models.target.complete(prompt, { ...given, maxTokens: 1 });
  Object.assign(counted, { rows: {}, drafting: {} });
  const began = performance.now();
  const { usage } = await models.target.complete(prompt, given);
  const ms = performance.now() - began;
  // Medians: a machine that is busy interrupts some calls for long.
  const drafting = Object.values(counted.drafting).reduce((sum, all) => sum + median(all) * all.length, 0);
  return { ms, usage, rows: counted.rows, drafting };
}

export function close() {
  for (const [name, model] of Object.entries(models)) {
    model.dispose();
    delete models[name];
  }
}
