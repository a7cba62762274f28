// The part of the speculation bench that runs where the models run: in Node, and in a page.
import { openModel } from "../js/model-wasm.js";

/** @param {string} url */
async function bytesOf(url) {
  if (!url.startsWith("file:")) return new Uint8Array(await (await fetch(url)).arrayBuffer());
  return process.getBuiltinModule("node:fs").readFileSync(new URL(url));
}

const models = {};

/**
 * @param {string} root of the repository
 * @param {boolean} isRelaxed which variant costs are measured with
 */
export async function open(root, isRelaxed) {
  const { loadModel } = await import(`${root}dist/index.js`);
  const wasm = await bytesOf(`${root}build/wasm/model${isRelaxed ? "-relaxed" : ""}.wasm`);
  for (const name of ["storyteller", "draft"]) {
    const file = await bytesOf(`${root}demos/model/${name}.gguf`);
    models[name] = await loadModel(new Blob([file]), { threads: 1, cache: false });
    models[`${name} rows`] = await openModel(file, { wasm, sequences: 1 });
  }
  for (const name of ["medusa", "eagle"]) {
    const file = await bytesOf(`${root}demos/model/${name}.gguf`);
    models[name] = await loadModel(new Blob([file]), { cache: false });
  }
  models.heads = models["storyteller rows"].openHeads(await bytesOf(`${root}demos/model/medusa.gguf`));
}

/** Least milliseconds in which one head guesses, two, and so on. */
export function headCosts(times) {
  models["storyteller rows"].keep(0);
  models["storyteller rows"].forward([3, 10, 17]);
  return Array.from({ length: models.heads.count }, (_, i) => {
    let least = Infinity;
    for (let time = 0; time < times; time++) {
      const began = performance.now();
      for (let again = 0; again < 4; again++) models.heads.guess(2, i + 1, 8);
      least = Math.min(least, (performance.now() - began) / 4);
    }
    return least;
  });
}

/** Least milliseconds of a pass with so many rows, all of which want logits, behind 128 tokens. */
export function costs(counts, times) {
  const result = {};
  for (const name of ["storyteller", "draft"]) {
    const model = models[`${name} rows`];
    model.keep(0);
    for (let i = 0; i < 2; i++) model.forward(Array.from({ length: 64 }, (_, at) => 3 + 7 * at));
    result[name] = Object.fromEntries(counts.map((count) => [count, Infinity]));
    for (let i = 0; i < times; i++)
      for (const count of counts) {
        model.keep(128);
        const ids = Array.from({ length: count }, (_, at) => 5 + at);
        const began = performance.now();
        // Clocks of pages are coarse: four passes at a time.
        for (let again = 0; again < 4; again++) {
          model.keep(128);
          model.forward(ids, { all: true });
        }
        result[name][count] = Math.min(result[name][count], (performance.now() - began) / 4);
      }
  }
  return result;
}

/** Milliseconds that the process has computed, with all its threads; only Node tells. */
const computed = () => globalThis.process?.cpuUsage().user / 1e3 || NaN;

/** Milliseconds and usage of one text. */
export async function write(prompt, { draft, ...options }) {
  const by = draft === "pair" ? models.draft : (models[draft] ?? draft);
  const began = performance.now();
  const before = computed();
  let usage;
  let text = "";
  for await (const chunk of models.storyteller.generate(prompt, { ...options, ...(by && { draft: by }) })) {
    usage = chunk.usage;
    text += chunk.text;
  }
  return { ms: performance.now() - began, computed: computed() - before, usage, text };
}

export function close() {
  for (const name of ["storyteller", "draft", "medusa", "eagle"]) models[name].dispose();
}
