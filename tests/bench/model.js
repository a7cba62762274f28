// How fast the forward pass is here: node tests/bench/model.js. Weights are random, so only shapes matter.
import { convertGguf, randomGguf, typeNames } from "../vectors/gguf-files.js";
import { openModel } from "../js/model-wasm.js";

const shapes = {
  storyteller: { vocab: 2048, dim: 192, hidden: 512, layers: 5, heads: 6, kvHeads: 2, context: 512, tied: true },
  stories15M: { vocab: 32000, dim: 288, hidden: 768, layers: 6, heads: 6, kvHeads: 6, context: 256, tied: true },
};

function multiplyAdds({ vocab, dim, hidden, layers, heads, kvHeads }) {
  return layers * (2 * dim * dim + 2 * dim * (dim / heads) * kvHeads + 3 * dim * hidden) + vocab * dim;
}

// Shortest of several runs, in milliseconds: other programs only ever add to a time.
function best(runs, run) {
  let shortest = Infinity;
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

export async function measure(runs = 8) {
  const table = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const whole = randomGguf(shape);
    for (const [type, number] of Object.entries(typeNames)) {
      const file = convertGguf(whole, number);
      const start = performance.now();
      const model = await openModel(file);
      const load = performance.now() - start;
      const prompt = Array.from({ length: 64 }, (_, i) => 3 + i);
      const decode = best(runs, () => {
        model.keep(0);
        for (const token of prompt) model.forward([token]);
      });
      const prefill = best(runs, () => {
        model.keep(0);
        model.forward(prompt);
      });
      table.push({
        model: `${name} ${type}`,
        "MB of file": +(file.length / 1e6).toFixed(2),
        "MB taken": +(model.memoryTaken / 1e6).toFixed(2),
        "load ms": +load.toFixed(0),
        "decode tokens/s": +(64e3 / decode).toFixed(0),
        "G multiply-adds/s": +((64 * multiplyAdds(shape)) / decode / 1e6).toFixed(1),
        "prefill tokens/s": +(64e3 / prefill).toFixed(0),
      });
      model.dispose();
    }
  }
  return table;
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.table(await measure());
