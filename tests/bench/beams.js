// What beam search costs on the shipped storyteller: `node tests/bench/beams.js`. Tokens a second by width, what a step
// takes beyond the model's pass and the pause for other work before it, and the memory that beams hold; on one thread, in
// the process.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compileGrammar, loadModel } from "../../dist/index.js";

const { values } = parseArgs({ options: { runs: { type: "string", default: "9" }, tokens: { type: "string" } } });
const runs = Number(values.runs);
const maxTokens = Number(values.tokens ?? 100);
const prompt = "Once upon a time, there was a little";

/** Of a shared machine's times the least says most. */
const least = (numbers) => Math.min(...numbers);
const digits = (value, count = 3) => Number(value.toPrecision(count));

/** Time in the model's passes and in pauses, and how many slots of its cache are held at first and at most. */
const passes = { ms: 0, pauses: 0, count: 0, least: 0, most: 0 };
const { setImmediate } = globalThis;
globalThis.setImmediate = (use) => {
  const began = performance.now();
  return setImmediate(() => {
    passes.pauses += performance.now() - began;
    use();
  });
};
let slots = 0;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (module, imports) => {
  const { exports } = await instantiate(module, imports);
  if (!exports.li_model_forward) return { exports };
  const li_model_forward = (model, count) => {
    const began = performance.now();
    const status = exports.li_model_forward(model, count);
    passes.ms += performance.now() - began;
    passes.count++;
    const held = slots - (exports.li_model_free_slots(model) >>> 0);
    passes.least = Math.min(passes.least, held);
    passes.most = Math.max(passes.most, held);
    return status;
  };
  const li_model_reserve_slots = (model, count) => exports.li_model_reserve_slots(model, (slots = count));
  return { exports: { ...exports, li_model_forward, li_model_reserve_slots } };
};

const bytes = readFileSync(new URL("../../demos/model/storyteller.gguf", import.meta.url));
const model = await loadModel(new Blob([bytes]), { cache: false, worker: false, threads: 1 });
slots = model.config.contextLength;
const { layers, kvHeads, headDim } = model.config;
const slotBytes = 2 * 4 * layers * kvHeads * headDim;

/** Totals of a text of so many tokens. */
async function write(tokens, options) {
  Object.assign(passes, { ms: 0, pauses: 0, count: 0, least: Infinity, most: 0 });
  const began = performance.now();
  for await (const _ of model.generate(prompt, { maxTokens: tokens, bannedTokens: [2], ...options }));
  const wall = performance.now() - began;
  const held = passes.most - passes.least + 1;
  return { wall, forward: passes.ms, beyond: wall - passes.ms - passes.pauses, held };
}

/** What a token takes: the difference between long and short texts, so that what a call takes once does not count. */
async function measure(options) {
  const short = 20;
  const times = { wall: [[], []], forward: [[], []], beyond: [[], []] };
  let held = 0;
  for (let run = 0; run <= runs; run++)
    for (const [i, tokens] of [short, maxTokens].entries()) {
      const totals = await write(tokens, options);
      if (run) for (const [name, lists] of Object.entries(times)) lists[i].push(totals[name]);
      held = totals.held;
    }
  const slope = ([few, many]) => (least(many) - least(few)) / (maxTokens - short);
  return { wall: slope(times.wall), forward: slope(times.forward), beyond: slope(times.beyond), held };
}

const table = {};
const note = (name, { wall, forward, beyond, held }, beams) => {
  table[name] = {
    "tokens/s": digits(1e3 / wall),
    "pass, us": digits(1e3 * forward),
    "beyond, us": digits(1e3 * beyond),
    "of the pass, %": digits((100 * beyond) / forward),
    "KV a beam, KB": digits((held * slotBytes) / 1024 / beams),
    "copied, KB": digits(((maxTokens + 10) * slotBytes) / 1024),
  };
};
note("greedy", await measure({ temperature: 0 }), 1);
for (const beams of [1, 2, 4, 8]) note(`${beams} beams`, await measure({ beams }), beams);
note("4 beams, repetition penalty", await measure({ beams: 4, repetitionPenalty: 1.1 }), 4);
note("4 beams in 2 groups", await measure({ beams: 4, beamGroups: 2, diversityPenalty: 0.5 }), 4);
const grammar = await compileGrammar({ vocabulary: model.vocabulary, regex: "([A-Za-z]+[ ,.])+" });
note("4 beams, a regular expression", await measure({ beams: 4, grammar }), 4);
console.table(table);
model.dispose();
