// Random calls share, cut, draft, abort and displace the texts of one model whose layers have recurrent states, short
// convolutions or sliding windows. Every row of logits has the bits that another model computes when it runs the whole
// text at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomFrom } from "../bench/grammar-random.js";
import { rounds } from "../rounds.js";
import { floatFile } from "../vectors/family-files.js";
import { checkTexts, collect, countForwards, load, summary } from "./decode-tools.js";

const small = { dim: 32, hidden: 32, heads: 2, kvHeads: 1, keyWidth: 32, layers: 3, context: 1024 };
const delta = { heads: 4, keyHeads: 2, width: 8, taps: 4, interval: 3 };
// The least length that a text of `length` tokens can be cut to without running again. Recurrent: a row that wanted
// logits has not updated the state. Windows: the slots of `kept` positions stay, and earlier ones up to the next
// multiple of 128.
const recurrent = (length) => length - 1;
const windows = (window, kept) => (length) => 128 * Math.floor((length - 1) / 128) - kept + window - 1;
// The other model is loaded with fewer positions, so that it drops no slots.
const cases = {
  qwen35: { delta, ropeWidth: 8, ahead: 1, least: recurrent, contextLength: 200 },
  lfm2: { kvHeads: [0, 1, 0], taps: 4, least: recurrent, contextLength: 200 },
  gemma3: { window: 30, pattern: 2, least: windows(30, 128), contextLength: 600, others: 512 },
  exaone4: { window: 100, layers: 4, least: windows(100, 256), contextLength: 800, others: 768 },
  olmo2: { window: 1, heads: 1, pattern: [true, true, true], least: windows(1, 128), contextLength: 600, others: 512 },
};

for (const [family, { least, contextLength, others = contextLength, ...flags }] of Object.entries(cases))
  for (let seed = 1; seed <= rounds(20, 1); seed++)
    test(`${family}: random calls change no bit of each other's texts, seed ${seed}`, async () => {
      const next = randomFrom(seed);
      const random = (below) => Math.floor(next() * below);
      const pick = (list) => list[random(list.length)];
      const someIds = (count) => Array.from({ length: count }, () => random(256));
      const file = floatFile(family, { ...small, ...flags });
      await countForwards(async (counter) => {
        const open = (length) => load(file, { threads: 1, contextLength: length });
        await interleave(await open(contextLength), await open(others), counter);
      });

      async function interleave(model, other, counter) {
        const texts = [someIds(others >> 1)];
        /** A place in a text, often near one where more has to run again. */
        const placeIn = (length) => {
          const place = pick([least(length), least(length), length - 32, 64]) + random(3) - 1;
          return place >= 0 && place <= length && random(3) ? place : random(length + 1);
        };
        const nextPrompt = () => {
          const before = pick(texts);
          const kept = before.slice(0, placeIn(before.length));
          const ids = [...kept, ...someIds(pick([1, 1 + random(8), 1 + random(90)]))].slice(0, others - 1);
          texts.push(ids);
          if (texts.length > 8) texts.splice(random(8), 1);
          return ids;
        };
        const nextOptions = (ids) => {
          const foreseen = random(2) ? { logitBias: { 30: 50, 31: 50, 32: 49 } } : {};
          const sampled = { seed: random(99), bannedTokens: [377], captureLogits: true, ...foreseen };
          const draft = {
            draft: pick(["lookup", "lookahead", ...(flags.ahead ? ["mtp"] : [])]),
            draftTokens: pick([1, 5, 32]),
          };
          return {
            ...sampled,
            maxTokens: 1 + random(Math.min(40, others - ids.length)),
            ...pick([
              {},
              { n: 3 },
              draft,
              { ...draft, n: 2 },
              { temperature: 0, beams: 4, n: 2, maxTokens: 1 + random(Math.min(8, others - ids.length)) },
              { guidance: 2, negativePrompt: ids.slice(0, 1 + random(ids.length)) },
              { dola: "low" },
              { penaltyAlpha: 0.5, topK: 3, maxTokens: 1 + random(Math.min(8, others - ids.length)) },
            ]),
          };
        };
        async function generate(signal) {
          const ids = nextPrompt();
          const { chunks } = await collect(model.generate(ids, { ...nextOptions(ids), signal }));
          const written = [0, 1, 2]
            .map((place) => chunks.filter(({ index = 0, tokens }) => index === place && tokens.length))
            .filter(({ length }) => length)
            .map(summary);
          return async () => {
            await checkTexts(other, ids, written);
            for (const text of written) texts.push([...ids, ...text.ids].slice(0, others - 1));
          };
        }
        async function abort() {
          const controller = new AbortController();
          const last = counter.forwards + 1 + random(8);
          counter.seen = () => counter.forwards === last && controller.abort();
          const check = await generate(controller.signal);
          counter.seen = undefined;
          return check;
        }
        let forwarded = [];
        async function forward() {
          const keep = Math.min(others - 1, pick([forwarded.length, placeIn(forwarded.length)]));
          const ids = someIds(Math.min(others - keep, pick([1, 2 + random(70), others])));
          forwarded = [...forwarded.slice(0, keep), ...ids];
          const whole = forwarded;
          const row = await model.forward(ids, { keep });
          return async () => assert.deepEqual(row, await other.forward(whole, { keep: 0 }), `${keep} kept`);
        }
        async function score() {
          const ids = nextPrompt();
          const { logprobs } = await model.score(ids);
          return async () => assert.deepEqual(logprobs, (await other.score(ids)).logprobs);
        }
        const calls = [generate, generate, forward, forward, forward, score, abort];
        for (let i = 0; i < 30; i++) {
          const several = random(4) ? [pick(calls)()] : [generate(), forward(), generate(), score()];
          for (const check of await Promise.all(several)) await check();
        }
        for (const one of [model, other]) one.dispose();
      }
    });
