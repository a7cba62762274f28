// What trees of guesses must hold, whichever heads made them.
import assert from "node:assert/strict";
import { randomGguf, randomNumbers } from "../vectors/gguf-files.js";
import { collectAll, load } from "./decode-tools.js";

export const target = randomGguf();
export const prompt = randomNumbers("prompt", 40, 600);
export const options = { maxTokens: 40, bannedTokens: [2] };

/** Compares a text with drafts to the text without. */
export async function compare({ model, heads, text, seen }, fresh, others, draftTokens) {
  const given = { n: 1, ...options, ...others };
  const plain = await collectAll(fresh.generate(prompt, given));
  text.ids = given.n === 1 ? plain[0].ids : [];
  const drafted = await collectAll(model.generate(prompt, { ...given, draft: heads, draftTokens }));
  drafted.forEach((one, i) => {
    assert.deepEqual(one.tokens, plain[i].tokens, `${JSON.stringify(others)}, ${draftTokens}`);
    assert.deepEqual([one.text, one.finishReason], [plain[i].text, plain[i].finishReason]);
  });
  assert.ok(seen.slots() < 30, "branches stay behind");
  return drafted;
}

/** A rank that varies: at first mostly among the first guesses, later more widely. */
export const varied = (position, depth) => ((position * 7 + depth * 5) % (6 + 3 * depth)) - 1;

/**
 * Compares texts under options of every kind. A right guess must save a pass.
 * @param {(bytes: Uint8Array, rank: typeof varied, use: (oracle: any) => Promise<void>) => Promise<void>} withOracle
 */
export async function compareInEveryWay(withOracle) {
  const fresh = await load(target);
  await withOracle(target, varied, async (oracle) => {
    for (const others of [
      { temperature: 0 },
      { seed: 1 },
      { seed: 2, temperature: 0.3, topK: 5, minP: 0.05 },
      { seed: 3, mirostat: 2 },
      { seed: 4, repetitionPenalty: 1.4, noRepeatNgram: 2, presencePenalty: 0.4 },
      { seed: 5, captureLogits: true },
      { seed: 6, n: 3 },
      { seed: 7, guidance: 2, negativePrompt: prompt.slice(0, 20) },
      { seed: 8, dola: "low" },
      { seed: 9, heal: true },
      { seed: 10, bannedStrings: ["a", "b"] },
      { seed: 11, loops: { action: "redraw", period: [1, 2], turns: 2, least: 2 } },
    ])
      for (const draftTokens of [1, 6, 32, "auto"]) {
        const [{ usage }] = await compare(oracle, fresh, others, draftTokens);
        if (draftTokens === "auto" || others.guidance || others.dola || others.n) continue;
        const { draftedTokens, acceptedTokens, completionTokens } = usage;
        assert.ok(draftedTokens > 0);
        if (draftTokens === 32)
          assert.ok(acceptedTokens > completionTokens / 4, `${JSON.stringify(others)}: ${acceptedTokens}`);
      }
  });
  fresh.dispose();
}
