// An abort in the middle of a prompt: the next texts are those of a fresh model, bit for bit, also where a layer has a
// recurrent state, a convolution or a sliding window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import { collect, countForwards, load } from "./decode-tools.js";

const prompt = randomNumbers("prompt", 330, 256);
const other = randomNumbers("other", 90, 256);
const how = { maxTokens: 12, temperature: 0, captureLogits: true };
/** What is asked after the abort: the same, its beginning, its end in another order, and what goes on after it. */
const later = [
  prompt,
  prompt.slice(0, 70),
  [...prompt.slice(0, 200), ...other],
  [...prompt, ...other],
  prompt.slice(0, -1),
];

for (const family of ["llama", "qwen35", "gemma3", "lfm2"])
  test(`${family}: after an abort inside a prompt the next texts are those of a fresh model`, async () => {
    await countForwards(async (counter) => {
      const file = floatFile(family, { context: 512 });
      const expected = [];
      for (const ids of later) {
        const fresh = await load(file);
        expected.push((await collect(fresh.generate(ids, how))).tokens);
        fresh.dispose();
      }
      /** The text of the prompt is stopped while pass number `last` runs. */
      const abort = async (model, last, further) => {
        const controller = new AbortController();
        counter.forwards = counter.rows = 0;
        counter.seen = () => counter.forwards === last && controller.abort();
        const text = await collect(model.generate(prompt, { ...how, signal: controller.signal, ...further }));
        counter.seen = undefined;
        // The page hears of the abort at once, the model at its next pause.
        await model.tokenize("");
        assert.equal(text.finishReason, "abort");
        assert.deepEqual(text.ids, []);
        assert.equal(counter.forwards, last, "nothing more was read");
        assert.ok(counter.rows < prompt.length);
      };
      for (const [first, ids] of later.entries())
        for (const last of [1, 2, 4]) {
          const model = await load(file);
          // The prompt parts from a text that came before: a state is kept where it parts.
          await model.complete([...prompt.slice(0, 100), ...other], { maxTokens: 3 });
          await abort(model, last);
          if (first % 2) await abort(model, 1, { n: 2 });
          const text = await collect(model.generate(ids, how));
          assert.deepEqual(text.tokens, expected[first], `pass ${last}, text ${first}`);
          assert.deepEqual((await collect(model.generate(prompt, how))).tokens, expected[0]);
          model.dispose();
        }
    });
  });
