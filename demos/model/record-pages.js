// Records what the landing page and the lesson show before a reader loads a model: node demos/model/record-pages.js (after
// make build). demos/recorded/hero.js has one beginning at several temperatures; demos/recorded/game.js has the words
// of a reader's five choices.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { createSampler, loadModel } from "../../dist/index.js";
import { surpriseClass } from "../../web/widgets/shared/format.js";
import { options, prompt, stops } from "../hero-settings.js";

/** How likely the words of the game may be. The first is the likeliest word. */
const targets = [1, 0.12, 0.03, 0.006, 0.0008];
const ROUNDS = 5;
const opening = { prompt: "The old king opened the door and saw", seed: 3, person: " a boy made of ice" };

/** @typedef {import("../../dist/index.js").Model} Model */

/** @param {Uint8Array} bytes */
const textOf = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Surprise in tenths of a bit. @param {number} probability */
const tenths = (probability) => Math.round(-10 * Math.log2(probability));

/** @param {Float32Array} logits */
function softmax(logits) {
  const top = logits.reduce((a, b) => Math.max(a, b));
  const weights = Float64Array.from(logits, (logit) => Math.exp(logit - top));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** The texts of the landing page, and the likeliest tokens of each step at the temperature with which it opens. @param {Model} model */
export async function recordHero(model) {
  const { tokens: vocabulary } = model.vocabulary;
  const texts = [];
  /** @type {string[]} */
  const bars = [];
  for (const temperature of stops) {
    const tokens = [];
    let tints = "";
    const sampler = await createSampler({ vocabSize: vocabulary.length, temperature });
    for await (const chunk of model.generate(prompt, { ...options, temperature, captureLogits: true }))
      for (const { id, rawLogprob, logits } of chunk.tokens) {
        tokens.push(textOf(vocabulary[id]));
        tints += surpriseClass(Math.exp(rawLogprob));
        if (temperature !== options.temperature) continue;
        const { tokens: ids, probabilities } = sampler.distribution(/** @type {Float32Array} */ (logits));
        bars.push(
          Array.from(ids.slice(0, 5), (one, i) => `${textOf(vocabulary[one])}|${probabilities[i].toPrecision(3)}`).join(
            "|",
          ),
        );
      }
    sampler.dispose();
    texts.push({ temperature, tokens: tokens.join("|"), tints });
  }
  return { texts, bars };
}

/**
 * The tree of words of the game, and what others chose.
 * @param {Model} model
 * @param {number} [rounds] of the tree
 */
export async function recordGame(model, rounds = ROUNDS) {
  const { tokens: vocabulary } = model.vocabulary;
  const texts = vocabulary.map((bytes) => (bytes ? textOf(bytes) : ""));
  const read = async (/** @type {number[]} */ ids) => softmax(await model.forward(ids, { rows: "last" }));
  /** Whether a word ends here, and no letters follow. @param {number[]} ids @param {number} id */
  const isWhole = async (ids, id) => {
    if (!/^ [a-z]{1,12}$/.test(texts[id])) return false;
    const next = await read([...ids, id]);
    return next.reduce((sum, p, i) => sum + (/^[a-z']/i.test(texts[i]) ? p : 0), 0) < 0.1;
  };
  const begun = await model.tokenize(opening.prompt);
  /** @type {string[]} */
  const rows = [];
  let open = [begun];
  for (let round = 0; round < rounds; round++) {
    const next = [];
    for (const ids of open) {
      const row = await read(ids);
      const order = Array.from(row.keys()).sort((a, b) => row[b] - row[a] || a - b);
      const chosen = [];
      for (const id of order)
        if (row[id] <= targets[chosen.length] && (await isWhole(ids, id))) {
          chosen.push(id);
          if (chosen.length === targets.length) break;
        }
      rows.push(chosen.map((id) => `${texts[id].trim()} ${tenths(row[id])}`).join(","));
      next.push(...chosen.map((id) => [...ids, id]));
    }
    open = next;
  }
  /** Tokens with their surprises. @param {number[]} ids */
  const weigh = async (ids) => {
    const weighed = [];
    for (const [i, id] of ids.entries())
      weighed.push(`${texts[id]}|${tenths((await read([...begun, ...ids.slice(0, i)]))[id])}`);
    return weighed.join("|");
  };
  const write = async (/** @type {number} */ temperature) => {
    const { tokens } = await model.complete(opening.prompt, { temperature, seed: opening.seed, maxTokens: ROUNDS });
    return weigh(tokens.map(({ id }) => id));
  };
  const whole = await model.tokenize(opening.prompt + opening.person);
  const others = {
    greedy: await write(0),
    die: await write(1),
    person: await weigh(whole.slice(begun.length)),
  };
  return { prompt: opening.prompt, others, rows: rows.join(";") };
}

/** @param {string} name @param {string} about @param {Record<string, unknown>} values */
async function save(name, about, values) {
  const target = fileURLToPath(new URL(`../recorded/${name}.js`, import.meta.url));
  const lines = Object.entries(values).map(([key, value]) => `export const ${key} = ${JSON.stringify(value)};`);
  const source = [`// ${about} Made by demos/model/record-pages.js.`, ...lines].join("\n");
  writeFileSync(target, await format(source, { ...(await resolveConfig(target)), parser: "babel" }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = readFileSync(new URL("storyteller.gguf", import.meta.url));
  const model = await loadModel(new Blob([file]), { worker: false });
  await save("hero", "What the storyteller wrote for the landing page, token by token.", await recordHero(model));
  await save(
    "game",
    "Five words for each of five choices, breadth first, with their surprise in tenths of a bit.",
    await recordGame(model),
  );
  model.dispose();
}
