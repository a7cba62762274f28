// What createSampler's options promise that look back, look ahead or learn: one worked example each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { LastInchError, createSampler } from "lastinch";
import { namedOptions } from "../../web/decode/named-options.js";
import { optionTable } from "../../web/sampler/option-table.js";
import { resolveOptions } from "../../web/sampler/options.js";
import { distribution, kept, logs, near, normalRow, ranking, softmax, withSampler } from "./sampler-tools.js";

const ten = Float32Array.from({ length: 10 }, (_, id) => 5 - id / 2);
const banned = -Infinity;
const CONFLICT = -8; // LI_ERROR_CONFLICT

/** The edited logits by id, after a prompt and an output. */
const edited = (logits, options, output = [], prompt = []) =>
  withSampler({ vocabSize: logits.length, ...options }, (sampler) => {
    sampler.accept(prompt, { prompt: true });
    sampler.accept(output);
    return [...sampler.trace(logits).logits];
  });

/** The ids whose logits the edits changed, with their changes. */
const changes = async (logits, ...args) =>
  Object.fromEntries(
    (await edited(logits, ...args)).map((z, id) => [id, z - logits[id]]).filter(([, change]) => change !== 0),
  );

test("sequence bias applies to the last token of a sequence when its others were just read or emitted", async () => {
  const options = {
    sequenceBias: [
      [[1, 2, 3], 4],
      [[2, 3], 0.5],
      [[5], -1],
      [6, 2],
    ],
  };
  assert.deepEqual(await changes(ten, options), { 5: -1, 6: 2 });
  assert.deepEqual(await changes(ten, options, [2]), { 3: 0.5, 5: -1, 6: 2 });
  assert.deepEqual(await changes(ten, options, [2], [1]), { 3: 4.5, 5: -1, 6: 2 });
  assert.deepEqual(await changes(ten, options, [1, 2, 4]), { 5: -1, 6: 2 });
});

test("the tokens of a bad word never follow each other; a bad word of one token never appears", async () => {
  const badWords = [[1, 2], [7]];
  assert.deepEqual(await changes(ten, { badWords }), { 7: banned });
  assert.deepEqual(await changes(ten, { badWords }, [1]), { 2: banned, 7: banned });
  assert.deepEqual(await changes(ten, { badWords, sequenceBias: [[[1, 2], 9]] }, [1]), { 2: banned, 7: banned });
  await withSampler({ vocabSize: 10, badWords, temperature: 5 }, (sampler) => {
    const text = Array.from({ length: 500 }, () => sampler.sample(ten));
    assert.ok(!text.includes(7) && !text.some((token, i) => token === 2 && text[i - 1] === 1));
  });
});

test("DRY subtracts multiplier * base^(length - allowed) from tokens that continue a repetition", async () => {
  const dryMultiplier = 0.5;
  assert.deepEqual(await changes(ten, { dryMultiplier }, [1, 2, 3, 2]), {}); // "2" alone is shorter than allowed
  assert.deepEqual(await changes(ten, { dryMultiplier }, [1, 2, 3, 1, 2]), { 3: -0.5 });
  assert.deepEqual(await changes(ten, { dryMultiplier }, [2], [1, 2, 3, 1]), { 3: -0.5 });
  const longer = [0, 1, 2, 3, 0, 1, 2];
  near([(await changes(ten, { dryMultiplier }, longer))[3]], [-0.5 * 1.75]);
  assert.deepEqual(await changes(ten, { dryMultiplier, dryBase: 2 }, longer), { 3: -1 });
  assert.deepEqual(await changes(ten, { dryMultiplier, dryBase: 2, dryAllowedLength: 3 }, longer), { 3: -0.5 });
  assert.deepEqual(await changes(ten, { dryMultiplier, dryBase: 2, dryAllowedLength: 1 }, longer), { 3: -2 });
  assert.deepEqual(await changes(ten, { dryMultiplier, dryAllowedLength: 4 }, longer), {});
});

test("DRY sees no repetition across a breaker, penalises no breaker and looks only at the window", async () => {
  const options = { dryMultiplier: 1, dryBase: 2, dryAllowedLength: 1 };
  const text = [1, 2, 3, 4, 1, 2, 3];
  assert.deepEqual(await changes(ten, options, text), { 4: -4 });
  assert.deepEqual(await changes(ten, { ...options, dryBreakers: [1] }, text), { 4: -2 });
  assert.deepEqual(await changes(ten, { ...options, dryBreakers: [[1, 2]] }, text), { 4: -1 });
  assert.deepEqual(await changes(ten, { ...options, dryBreakers: [[2, 1], [3]] }, text), {});
  assert.deepEqual(await changes(ten, { ...options, dryBreakers: [4] }, text), {});
  assert.deepEqual(await changes(ten, { ...options, penaltyWindow: 6 }, text), { 4: -2 });
  assert.deepEqual(await changes(ten, { ...options, penaltyWindow: 4 }, text), {});
});

test("a repetition of a thousand tokens gets the largest finite penalty", async () => {
  const text = new Array(1000).fill(3);
  const z = (await edited(ten, { dryMultiplier: 1 }, text))[3];
  assert.ok(z < -1e25 && z > -Infinity, `${z}`);
  assert.equal((await kept(ten, { dryMultiplier: 1 })).length, 10);
});

test("no n tokens occur twice, whether read or emitted", async () => {
  assert.deepEqual(await changes(ten, { noRepeatNgram: 1 }, [3], [4, 4]), { 3: banned, 4: banned });
  assert.deepEqual(await changes(ten, { noRepeatNgram: 2 }, [1, 2, 1, 3, 1]), { 2: banned, 3: banned });
  assert.deepEqual(await changes(ten, { noRepeatNgram: 3 }, [1, 2, 1, 3, 1]), {});
  assert.deepEqual(await changes(ten, { noRepeatNgram: 3 }, [2], [1, 2, 5, 1]), { 5: banned });
  assert.deepEqual(await changes(ten, { noRepeatNgram: 9 }, [1, 1, 1]), {});
  await withSampler({ vocabSize: 3, noRepeatNgram: 1 }, (sampler) => {
    const row = new Float32Array(3);
    assert.deepEqual([0, 1, 2].map(() => sampler.sample(row)).sort(), [0, 1, 2]);
    assert.throws(() => sampler.sample(row), { code: "nothing-left" });
  });
});

test("eos is banned until minTokens are emitted; the prompt does not count", async () => {
  const options = { eos: [0, 2], minTokens: 2 };
  assert.deepEqual(await changes(ten, options), { 0: banned, 2: banned });
  assert.deepEqual(await changes(ten, options, [5], [5, 5, 5]), { 0: banned, 2: banned });
  assert.deepEqual(await changes(ten, options, [5, 5]), {});
  assert.deepEqual(await changes(ten, { ...options, eos: 1, minTokens: 1 }), { 1: banned });
});

test("length decay raises eos by |logit| * (decay^n - 1), n tokens after its start", async () => {
  const row = Float32Array.of(2, -2, 0, 1);
  const options = { eos: [0, 1, 2], lengthDecay: 1.5 };
  assert.deepEqual(await changes(row, options), {});
  assert.deepEqual(await changes(row, options, [3], [3, 3]), { 0: 1, 1: 1 });
  assert.deepEqual(await changes(row, options, [3, 3]), { 0: 2.5, 1: 2.5 });
  assert.deepEqual(await changes(row, { ...options, lengthDecayStart: 1 }, [3, 3]), { 0: 1, 1: 1 });
  assert.deepEqual(await changes(row, { ...options, lengthDecayStart: 2 }, [3, 3]), {});
  assert.deepEqual(await changes(row, { ...options, lengthDecay: 0.5 }, [3]), { 0: -1, 1: -1 });
  // However long: eos wins, and nothing is infinite.
  assert.deepEqual(await kept(row, { eos: [0], lengthDecay: 1000, topK: 1 }), [0]);
  assert.deepEqual(
    (await distribution(row, { eos: [0], lengthDecay: 1000 }, new Array(500).fill(3))).probabilities[0],
    1,
  );
});

test("forced tokens come first and last, with probability 1", () =>
  withSampler({ vocabSize: 10, forcedFirst: [7, 8], forcedLast: [9, 0], maxTokens: 6 }, (sampler) => {
    sampler.accept([1, 2, 3], { prompt: true });
    const text = Array.from({ length: 6 }, (_, step) => {
      const token = sampler.sample(ten);
      if (step < 2 || step > 3) assert.equal(sampler.lastProbability, 1);
      return token;
    });
    assert.deepEqual([...text.slice(0, 2), ...text.slice(4)], [7, 8, 9, 0]);
    assert.equal(sampler.distribution(ten).tokens.length, 10); // beyond maxTokens nothing is forced
    sampler.reset();
    assert.deepEqual([...sampler.distribution(ten).tokens], [7]);
  }));

test("a forced token is chosen even where it is banned or masked", () =>
  withSampler({ vocabSize: 10, forcedFirst: [3, 4], bannedTokens: [3] }, (sampler) => {
    assert.equal(sampler.sample(ten), 3);
    assert.equal(sampler.sample(ten.with(4, -Infinity)), 4);
    assert.deepEqual([...sampler.trace(ten).kept].length, 9);
  }));

test("more forced tokens than maxTokens are refused", async () => {
  for (const options of [
    { forcedLast: [1, 2, 3], maxTokens: 2 },
    { forcedFirst: [5, 6], forcedLast: [1], maxTokens: 2 },
  ])
    await assert.rejects(createSampler({ vocabSize: 10, ...options }), { name: "RangeError", code: "conflict" });
  await assert.rejects(createSampler({ vocabSize: 10, tokenCount: 8, forcedFirst: 8 }), { code: "out-of-range" });
});

test("mirostat 2 removes tokens above a limit of surprise, and moves the limit", () => {
  const [mirostatTau, mirostatEta, temperature] = [2, 0.3, 1.4];
  const options = { vocabSize: 200, mirostat: 2, mirostatTau, mirostatEta, temperature };
  return withSampler(options, (sampler) => {
    let limit = 2 * mirostatTau;
    for (let step = 0; step < 40; step++) {
      const row = normalRow(200, step);
      const p = softmax(row, temperature);
      const stays = ranking(row).filter((id, i) => i === 0 || -Math.log2(p[id]) <= limit);
      const mass = stays.reduce((sum, id) => sum + p[id], 0);
      const { tokens, probabilities } = sampler.distribution(row);
      assert.deepEqual([...tokens], stays);
      near(
        [...probabilities],
        stays.map((id) => p[id] / mass),
      );
      const token = sampler.sample(row);
      near([sampler.lastProbability], [p[token] / mass]);
      limit -= mirostatEta * (-Math.log2(p[token] / mass) - mirostatTau);
    }
  });
});

test("mirostat 1 keeps as many tokens as Zipf's law allows, fitted to the hundred likeliest", () => {
  const [mirostatTau, mirostatEta] = [3, 0.2];
  return withSampler({ vocabSize: 500, mirostat: 1, mirostatTau, mirostatEta }, (sampler) => {
    let limit = 2 * mirostatTau;
    for (let step = 0; step < 40; step++) {
      const row = normalRow(500, step, 3);
      const order = ranking(row);
      const p = softmax(row);
      let [products, squares] = [0, 0];
      for (let i = 0; i + 1 < 100; i++) {
        const along = Math.log((i + 2) / (i + 1));
        products += along * Math.log(p[order[i]] / p[order[i + 1]]);
        squares += along * along;
      }
      const exponent = products / squares;
      const beyond = exponent - 1;
      const count = ((beyond * 2 ** limit) / (1 - 500 ** -beyond)) ** (1 / exponent);
      const stays = order.slice(0, Math.max(1, Math.floor(count)));
      assert.deepEqual([...sampler.distribution(row).tokens], stays);
      const mass = stays.reduce((sum, id) => sum + p[id], 0);
      limit -= mirostatEta * (-Math.log2(p[sampler.sample(row)] / mass) - mirostatTau);
    }
  });
});

test("mirostat brings the surprise of a text to its target", async () => {
  for (const mirostat of [1, 2])
    await withSampler({ vocabSize: 2000, mirostat, mirostatTau: 4, mirostatEta: 0.1 }, (sampler) => {
      const row = normalRow(2000, 1, 2);
      let surprise = 0;
      for (let step = 0; step < 2000; step++) {
        sampler.sample(row);
        if (step >= 500) surprise -= Math.log2(sampler.lastProbability) / 1500;
      }
      near([surprise], [4], 0.1);
    });
});

test("adaptive-p weights tokens by their distance to a target that corrects for earlier tokens", () => {
  const [adaptiveTarget, adaptiveDecay] = [0.2, 0.8];
  return withSampler({ vocabSize: 60, adaptiveTarget, adaptiveDecay, topK: 20, temperature: 0.8 }, (sampler) => {
    let weight = 1 / (1 - adaptiveDecay);
    let sum = adaptiveTarget * weight;
    for (let step = 0; step < 60; step++) {
      const row = normalRow(60, step);
      const order = ranking(row).slice(0, 20);
      const p = softmax(
        order.map((id) => row[id]),
        0.8,
      );
      const target = Math.min(1, Math.max(0, 2 * adaptiveTarget - sum / weight));
      const distance = p.map((x) => Math.abs(x - target) / 0.3);
      const expected = softmax(distance.map((d) => 5 - (10 * d * d) / (1 + d)));
      const { tokens, probabilities } = sampler.distribution(row);
      near(
        [...tokens].map((id, i) => probabilities[i] - expected[order.indexOf(id)]),
        new Array(20).fill(0),
      );
      sum = p[order.indexOf(sampler.sample(row))] + adaptiveDecay * sum;
      weight = 1 + adaptiveDecay * weight;
    }
  });
});

test("reset, or switching mirostat or adaptive-p on again, restarts their feedback", async () => {
  for (const on of [{ mirostat: 2, mirostatTau: 2 }, { adaptiveTarget: 0.3 }])
    await withSampler({ vocabSize: 50, ...on }, (sampler) => {
      const row = normalRow(50, 1);
      const fresh = sampler.distribution(row);
      const run = () => {
        for (let step = 0; step < 20; step++) sampler.sample(row);
        assert.notDeepEqual(sampler.distribution(row), fresh);
      };
      run();
      sampler.reset();
      assert.deepEqual(sampler.distribution(row), fresh);
      run();
      const [name] = Object.keys(on);
      sampler.set({ [name]: undefined, mirostatTau: undefined });
      sampler.set(on);
      assert.deepEqual(sampler.distribution(row), fresh);
    });
});

test("an adaptiveTarget below 0 is off: it needs no stage and conflicts with nothing", async () => {
  for (const options of [{ temperature: 0 }, { mirostat: 2 }, { order: "hf" }, { order: ["top_k"] }])
    await withSampler({ vocabSize: 10, adaptiveTarget: -0.5, ...options }, (sampler) => sampler.sample(ten));
  assert.deepEqual(await distribution(ten, { adaptiveTarget: -0.5 }), await distribution(ten));
});

test("Gumbel-max draws follow the same distribution with other random numbers, and can be replayed", async () => {
  const row = logs(0.4, 0.3, 0.2, 0.1);
  await withSampler({ vocabSize: 4, draw: "gumbel", topK: 3, seed: 9 }, (sampler) => {
    const { probabilities } = sampler.distribution(row);
    const seen = [0, 0, 0, 0];
    const draws = 30000;
    const text = Array.from({ length: draws }, () => sampler.sample(row));
    for (const token of text) seen[token]++;
    assert.equal(seen[3], 0);
    const chiSquare = probabilities.reduce((sum, p, id) => sum + (seen[id] - draws * p) ** 2 / (draws * p), 0);
    assert.ok(chiSquare < 13.8, `chi-square ${chiSquare}`); // 2 degrees of freedom, p = .001
    near([sampler.lastProbability], [probabilities[text.at(-1)]]);
    sampler.reset();
    assert.deepEqual(
      Array.from({ length: 50 }, () => sampler.sample(row)),
      text.slice(0, 50),
    );
    sampler.reset();
    sampler.set({ draw: "multinomial" });
    assert.notDeepEqual(
      Array.from({ length: 50 }, () => sampler.sample(row)),
      text.slice(0, 50),
    );
  });
});

test("the streams of a seed are independent and reproducible, whatever other samplers run", async () => {
  const row = new Float32Array(50);
  const run = (sampler) => Array.from({ length: 40 }, () => sampler.sample(row)).join();
  const alone = (options) => withSampler({ vocabSize: 50, seed: 6, ...options }, run);
  const texts = await Promise.all([0, 1, 2, 2 ** 32 - 1].map((stream) => alone({ stream })));
  assert.equal(new Set(texts).size, 4);
  assert.equal(texts[0], await alone({}));
  await withSampler({ vocabSize: 50, seed: 6 }, (sampler) => {
    run(sampler);
    // A clone on another stream starts that stream at its beginning.
    const clones = [1, 2].map((stream) => sampler.clone({ stream }));
    assert.deepEqual(clones.map(run), texts.slice(1, 3));
    clones.forEach((clone) => clone.dispose());
  });
});

test("a clone with refused changes throws and leaves the sampler unchanged", () =>
  withSampler({ vocabSize: 10, topK: 2 }, (sampler) => {
    assert.throws(() => sampler.clone({ stream: -1 }), { name: "RangeError", code: "out-of-range" });
    assert.throws(() => sampler.clone({ vocabSize: 11 }), { name: "RangeError", code: "out-of-range" });
    assert.throws(() => sampler.clone({ nonsense: 1 }), { name: "TypeError", code: "unknown-option" });
    assert.equal(sampler.distribution(ten).tokens.length, 2);
  }));

test("lastProbability is that of the last sampled token, whatever is read in between", () =>
  withSampler({ vocabSize: 10 }, (sampler) => {
    const { probabilities } = sampler.distribution(ten);
    const probability = probabilities[sampler.sample(ten)];
    for (const look of [() => sampler.pick(0.999, ten), () => sampler.pick(0, ten), () => sampler.information(ten)]) {
      look();
      near([sampler.lastProbability], [probability]);
    }
  }));

test("information equals a float64 computation, raw and processed", () =>
  withSampler(
    { vocabSize: 300, temperature: 0.7, topK: 30, minP: 0.02, frequencyPenalty: 0.5, bannedTokens: [5] },
    (sampler) => {
      sampler.accept([1, 1, 2]);
      const row = normalRow(300, 3);
      row[9] = -3.4e38;
      const { tokens, probabilities } = sampler.distribution(row);
      const rawOrder = ranking(row).filter((id) => id !== 9);
      const raw = softmax(row.map((z, id) => (id === 9 ? -Infinity : z)));
      const tables = { raw: [rawOrder, rawOrder.map((id) => raw[id])], processed: [[...tokens], [...probabilities]] };
      for (const token of [tokens[0], tokens[3], 5, 9, rawOrder.at(-1)]) {
        const information = sampler.information(row, { token, top: 4 });
        for (const [name, [ids, p]] of Object.entries(tables)) {
          const said = information[name];
          const at = ids.indexOf(token);
          const entropy = -p.reduce((sum, x) => sum + x * Math.log2(x), 0);
          near([said.entropy, said.choices], [entropy, 2 ** entropy], 1e-4);
          assert.equal(said.survivors, ids.length);
          assert.equal(said.rank, at < 0 ? null : at + 1);
          if (at < 0) assert.deepEqual([said.logprob, said.surprise], [-Infinity, Infinity]);
          else near([said.logprob, said.surprise], [Math.log(p[at]), -Math.log2(p[at])], 1e-5);
          assert.deepEqual(
            said.top.map((one) => one.token),
            ids.slice(0, 4),
          );
          near(
            said.top.map((one) => one.logprob),
            p.slice(0, 4).map(Math.log),
            1e-5,
          );
        }
      }
    },
  ));

test("information without a token has no rank; top may be the whole vocabulary", () =>
  withSampler({ vocabSize: 10, topK: 3 }, (sampler) => {
    const { raw, processed } = sampler.information(ten, { top: 10 });
    assert.deepEqual([raw.logprob, raw.surprise, raw.rank], [null, null, null]);
    assert.deepEqual([raw.top.length, processed.top.length], [10, 3]);
    assert.deepEqual(sampler.information(ten).raw.top, []);
    for (const [options, code] of [
      [{ token: 10 }, "out-of-range"],
      [{ token: 1.5 }, "out-of-range"],
      [{ token: "1" }, "bad-type"],
      [{ top: 11 }, "out-of-range"],
      [{ top: -1 }, "out-of-range"],
      [{ topK: 1 }, "unknown-option"],
      [null, "bad-type"],
    ])
      assert.throws(() => sampler.information(ten, options), { code });
  }));

test("greedy information: the likeliest is certain, entropy 0", () =>
  withSampler({ vocabSize: 10, temperature: 0 }, (sampler) => {
    const { processed } = sampler.information(ten, { token: 0, top: 2 });
    assert.deepEqual([processed.logprob, processed.entropy, processed.choices, processed.survivors], [0, 0, 1, 1]);
    assert.deepEqual(processed.top, [{ token: 0, logprob: 0 }]);
  }));

/** A matcher that allows one set of tokens after another; it writes its mask, or returns another array. */
class Steps {
  told = [];
  constructor(sets, { words = 1, array } = {}) {
    Object.assign(this, { sets, words, array });
  }
  bitmask(into) {
    const mask = this.array ? new this.array(this.words) : into.fill(0);
    for (const token of this.sets[this.told.length] ?? []) mask[token >> 5] |= 1 << (token & 31);
    return mask;
  }
  accept(token) {
    if (!this.sets[this.told.length]?.includes(token)) return false;
    this.told.push(token);
    return true;
  }
  rollback(count) {
    assert.ok(count <= this.told.length);
    this.told.length -= count;
  }
  clone() {
    const copy = new Steps(this.sets, this);
    copy.told = [...this.told];
    return copy;
  }
}

const path = [[3, 4], [5], [6, 7, 8], [0, 9], [1, 2, 3, 4, 5]];

test("a grammar's mask, filled or returned, decides which tokens are allowed, and the matcher follows", async () => {
  for (const form of [{}, { array: Uint32Array }, { array: Int32Array }, { array: Int32Array, words: 7 }]) {
    const grammar = new Steps(path, form);
    await withSampler({ vocabSize: 10, grammar, temperature: 3 }, (sampler) => {
      for (const allowed of path) {
        assert.deepEqual(
          [...sampler.distribution(ten).tokens],
          ranking(ten).filter((id) => allowed.includes(id)),
        );
        sampler.sample(ten);
      }
      assert.equal(grammar.told.length, path.length);
      assert.throws(() => sampler.sample(ten), { code: "nothing-left" });
      assert.equal(grammar.told.length, path.length);
    });
  }
});

test("the mask's last word may be partly used, and its sign bit counts", async () => {
  const row = new Float32Array(70);
  for (const array of [undefined, Uint32Array, Int32Array]) {
    const grammar = new Steps([[0, 31, 32, 63, 64, 69]], { words: 3, array });
    assert.deepEqual(await kept(row, { grammar }), [0, 31, 32, 63, 64, 69]);
  }
});

test("distribution and trace read the grammar but do not move it", () => {
  const grammar = new Steps(path);
  return withSampler({ vocabSize: 10, grammar }, (sampler) => {
    sampler.distribution(ten);
    assert.deepEqual([...sampler.trace(ten).kept], [3, 4]);
    assert.equal(sampler.trace(ten).removedBy[0], 0);
    assert.ok([3, 4].includes(sampler.pick(0.9, ten)));
    const { raw, processed } = sampler.information(ten, { token: 0 });
    assert.deepEqual([raw.rank, processed.rank, raw.survivors, processed.survivors], [1, null, 10, 2]);
    assert.deepEqual(grammar.told, []);
  });
});

test("emitted tokens move the grammar, but prompt tokens do not", () => {
  const grammar = new Steps(path);
  return withSampler({ vocabSize: 10, grammar }, (sampler) => {
    sampler.accept([9, 9, 9], { prompt: true });
    assert.deepEqual(grammar.told, []);
    sampler.accept([4, 5]);
    assert.deepEqual(grammar.told, [4, 5]);
    assert.deepEqual([...sampler.distribution(ten).tokens], [6, 7, 8]);
  });
});

test("tokens that the grammar does not allow are refused, all or none", () => {
  const grammar = new Steps(path);
  return withSampler({ vocabSize: 10, grammar, presencePenalty: 1 }, (sampler) => {
    const before = sampler.trace(ten);
    const refused = (error) => error instanceof LastInchError && error.code === "grammar-refused";
    assert.throws(() => sampler.accept(0), refused);
    assert.throws(() => sampler.accept([3, 5, 9]), refused);
    assert.deepEqual(grammar.told, []);
    assert.deepEqual(sampler.trace(ten), before);
  });
});

test("a matcher whose accept returns nothing has accepted", () => {
  const grammar = new Steps(path);
  const { accept } = Steps.prototype;
  grammar.accept = (token) => void accept.call(grammar, token);
  return withSampler({ vocabSize: 10, grammar }, (sampler) => {
    sampler.sample(ten);
    assert.deepEqual([...sampler.distribution(ten).tokens], [5]);
  });
});

test("snapshot, restore and reset move the matcher to the same place", () => {
  const grammar = new Steps(path);
  return withSampler({ vocabSize: 10, grammar }, (sampler) => {
    sampler.accept([3, 5]);
    const snapshot = sampler.snapshot();
    const run = () => Array.from({ length: 3 }, () => sampler.sample(ten)).join();
    const text = run();
    sampler.restore(snapshot);
    assert.deepEqual(grammar.told, [3, 5]);
    assert.equal(run(), text);
    sampler.reset();
    assert.deepEqual(grammar.told, []);
    sampler.accept(4); // a token other than the snapshot's
    sampler.restore(snapshot);
    assert.deepEqual(grammar.told, [3, 5]);
    sampler.set({ grammar: undefined });
    assert.equal(sampler.distribution(ten).tokens.length, 10);
    sampler.restore(snapshot);
    assert.deepEqual([...sampler.distribution(ten).tokens], [6, 7, 8]);
  });
});

test("a clone has its own matcher", () => {
  const grammar = new Steps(path);
  return withSampler({ vocabSize: 10, grammar }, (sampler) => {
    sampler.accept(4);
    const clone = sampler.clone();
    const text = Array.from({ length: 4 }, () => clone.sample(ten));
    assert.deepEqual(grammar.told, [4]);
    assert.deepEqual(
      Array.from({ length: 4 }, () => sampler.sample(ten)),
      text,
    );
    clone.reset();
    assert.deepEqual([...clone.distribution(ten).tokens], [3, 4]);
    assert.equal(grammar.told.length, 5);
    clone.dispose();
    const bare = new Steps(path);
    bare.clone = undefined;
    sampler.set({ grammar: bare });
    assert.throws(() => sampler.clone(), { name: "TypeError", code: "bad-type", message: /clone/ });
  });
});

test("no bias restores a token that the grammar masked", async () => {
  const options = { grammar: new Steps(path), logitBias: { 0: 1e9 }, sequenceBias: [[[1], 1e9]] };
  assert.deepEqual(await kept(ten, options), [3, 4]);
});

test("a grammar's mask may leave out the padding of a vocabulary", async () => {
  const options = { vocabSize: 130, tokenCount: 60 };
  for (const words of [2, 5])
    for (const array of [Int32Array, Uint32Array])
      await withSampler({ ...options, grammar: new Steps([[0, 59]], { words, array }) }, (sampler) =>
        assert.deepEqual([...sampler.distribution(new Float32Array(130)).tokens], [0, 59]),
      );
  await withSampler({ ...options, grammar: new Steps([[0]], { array: Int32Array }) }, (sampler) =>
    assert.throws(() => sampler.sample(new Float32Array(130)), { code: "wrong-length", message: /2 words/ }),
  );
});

test("objects that are not matchers, and masks that are too short, are refused", async () => {
  for (const grammar of [{}, null, "root ::= x", { bitmask() {}, accept() {} }])
    await assert.rejects(createSampler({ vocabSize: 10, grammar }), { name: "TypeError", code: "bad-type" });
  const short = { name: "RangeError", code: "wrong-length" };
  const wrong = { name: "TypeError", code: "bad-type" };
  for (const [mask, refused] of [
    [new Uint32Array(1), short],
    [[1, 2, 3], wrong],
    [new Uint8Array(12), wrong],
    [Promise.resolve(new Uint32Array(3)), wrong],
  ]) {
    const grammar = { bitmask: () => mask, accept() {}, rollback() {} };
    await withSampler({ vocabSize: 70, grammar }, (sampler) =>
      assert.throws(() => sampler.sample(new Float32Array(70)), refused),
    );
  }
});

test("an option that has no effect without another is refused", async () => {
  for (const [options, message] of [
    [{ minTokens: 3 }, /minTokens needs eos/],
    [{ lengthDecay: 1.1 }, /lengthDecay needs eos/],
    [{ forcedLast: [1] }, /forcedLast needs maxTokens/],
    [{ maxTokens: 9 }, /maxTokens needs forcedLast/],
    [{ minTokens: 3, eos: [] }, /eos/],
  ])
    await assert.rejects(createSampler({ vocabSize: 10, ...options }), {
      name: "TypeError",
      code: "conflict",
      message,
    });
});

test("mirostat with another truncation is refused, and greedy with stages that learn from the draw", async () => {
  const refused = (options, message) =>
    assert.rejects(createSampler({ vocabSize: 10, ...options }), { name: "RangeError", code: "conflict", message });
  const truncations = { topK: 3, topP: 0.9, minP: 0.1, typicalP: 0.9, epsilonCutoff: 0.1, etaCutoff: 0.1 };
  Object.assign(truncations, { topNSigma: 1, topH: 0.5, tfsZ: 0.5, xtcProbability: 0.5, adaptiveTarget: 0.5 });
  Object.assign(truncations, { topA: 0.5, pLess: true, entropyEquilibrium: 1, smoothingFactor: 0.5 });
  for (const mirostat of [1, 2])
    for (const [name, value] of Object.entries(truncations))
      await refused({ mirostat, [name]: value }, new RegExp(`switch ${name} off`));
  for (const [name, value] of Object.entries({ mirostat: 2, adaptiveTarget: 0.5, dynatempRange: 0.5 }))
    await refused({ temperature: 0, [name]: value }, new RegExp(`${name} needs a temperature above 0`));
  await withSampler({ vocabSize: 10, mirostat: 2, topK: 0, topP: 1, minP: 0 }, (sampler) => sampler.sample(ten));
});

// C refuses them for programs without JavaScript. JavaScript refuses them by name, before a sampler exists.
test("C and JavaScript refuse the same pairs of options", async () => {
  const file = readFileSync(new URL("../../build/wasm/sampler.wasm", import.meta.url));
  const { exports: c } = /** @type {any} */ ((await WebAssembly.instantiate(file)).instance);
  const sampler = c.li_sampler_create(10);
  const alone = (options) => resolveOptions({ vocabSize: 10, eos: [1], seed: 1, ...options });
  const usual = alone({});
  const stages = c.li_memory_alloc(4 * usual.order.length);
  new Uint32Array(c.memory.buffer, stages).set(usual.order);
  assert.equal(c.li_sampler_set_order(sampler, stages, usual.order.length, usual.rules), 0);

  const switches = optionTable.filter(({ isSwitch, name }) => isSwitch && !["temperature", "maxTokens"].includes(name));
  const valueOf = ({ name, default: off, choices }) =>
    choices ? choices.find((choice) => choice !== off) : name === "mirostat" ? 2 : off === 1 ? 0.5 : 1;
  const values = switches.map((row) => [row.name, valueOf(row)]);
  const settings = [...values, ["temperature", 0]].map(([name, value]) => {
    const { numbers } = alone({ [name]: value });
    const slot = numbers.findIndex((number, i) => number !== usual.numbers[i]);
    return { options: { [name]: value }, slot, number: numbers[slot] };
  });
  const refused = { byC: [], byJavaScript: [] };
  for (const [i, one] of settings.entries())
    for (const other of settings.slice(0, i)) {
      const options = { ...one.options, ...other.options };
      const pair = Object.keys(options).join(" ");
      const numbers = new Float64Array(c.memory.buffer, c.li_sampler_options(sampler), usual.numbers.length);
      numbers.set(usual.numbers);
      for (const { slot, number } of [one, other]) numbers[slot] = number;
      const status = c.li_sampler_configure(sampler);
      assert.ok([0, CONFLICT].includes(status), `${pair}: ${status}`);
      if (status === CONFLICT) refused.byC.push(pair);
      try {
        alone(options);
      } catch (error) {
        assert.equal(error.code, "conflict", `${pair}: ${error.message}`);
        refused.byJavaScript.push(pair);
      }
    }
  assert.deepEqual(refused.byC, refused.byJavaScript);
  assert.ok(switches.length > 18 && refused.byC.length > 10, `${switches.length} ${refused.byC.length}`);
});

test("an undefined option counts as left out, even beside another spelling of it", async () => {
  const chosen = (sampler) => sampler.snapshot().options.given.topK;
  for (const options of [
    { topK: undefined, top_k: 5 },
    { top_k: 5, topK: undefined },
    { topK: undefined, top_k: undefined },
  ]) {
    const { topK } = namedOptions(options);
    assert.equal(topK, options.top_k);
    const sampler = await createSampler({ vocabSize: 10, ...options });
    assert.equal(chosen(sampler), options.top_k);
    sampler.set({ top_k: 3 });
    sampler.set(options);
    assert.equal(chosen(sampler), options.top_k);
    sampler.dispose();
  }
  assert.throws(() => namedOptions({ topK: 5, top_k: 5 }), { code: "conflict" });
});

test("an order that lacks a stage, repeats one or puts one where it cannot be is refused", async () => {
  const refused = (order, code, message, options) =>
    assert.rejects(createSampler({ vocabSize: 10, order, ...options }), { name: "RangeError", code, message });
  await refused(["temperature"], "conflict", /dryMultiplier.*"dry"/, { dryMultiplier: 1 });
  await refused([], "conflict", /penaltyWindow .* "repetition" or "frequency"/, { penaltyWindow: 3 });
  await refused(["top_k", "top_k"], "bad-order", /twice/);
  await refused(["top_k", "dry"], "bad-order", / come first/);
  await refused(["mirostat", "temperature"], "bad-order", / last\./);
  await refused(["adaptive_p", "top_p"], "bad-order", / last\./);
  await refused(["mask"], "out-of-range", /mask/);
  await refused("default ", "out-of-range", /webllm/);
  await refused(7, "out-of-range", /order/);
});

test("values of the wrong type or out of range are refused with the reason", async () => {
  for (const [options, name, code, message] of [
    [{ sequenceBias: {} }, "TypeError", "bad-type", /sequenceBias/],
    [{ sequenceBias: [[1, 2, 3]] }, "TypeError", "bad-type", /pairs/],
    [{ sequenceBias: [[[], 1]] }, "RangeError", "out-of-range", /empty/],
    [{ sequenceBias: [[[1], Infinity]] }, "RangeError", "out-of-range", /Infinity/],
    [{ sequenceBias: [[[1], NaN]] }, "RangeError", "out-of-range", /NaN/],
    [{ sequenceBias: [[[10], 1]] }, "RangeError", "out-of-range", /token 10/],
    [{ badWords: [1, "2"] }, "TypeError", "bad-type", /badWords/],
    [{ badWords: [[]] }, "RangeError", "out-of-range", /empty/],
    [{ dryMultiplier: 1, dryBreakers: [["\n"]] }, "TypeError", "bad-type", /dryBreakers/],
    [{ dryBase: 0.5 }, "RangeError", "out-of-range", /from 1/],
    [{ dryAllowedLength: 0 }, "RangeError", "out-of-range", /from 1/],
    [{ noRepeatNgram: -1 }, "RangeError", "out-of-range", /from 0/],
    [{ eos: ["</s>"] }, "TypeError", "bad-type", /eos/],
    [{ lengthDecay: 0, eos: [1] }, "RangeError", "out-of-range", /lengthDecay/],
    [{ forcedFirst: [-1] }, "RangeError", "out-of-range", /token -1/],
    [{ mirostat: 3 }, "RangeError", "out-of-range", /from 0 to 2/],
    [{ mirostat: true }, "TypeError", "bad-type", /mirostat/],
    [{ mirostatEta: 2 }, "RangeError", "out-of-range", /mirostatEta/],
    [{ adaptiveDecay: 1 }, "RangeError", "out-of-range", /adaptiveDecay/],
    [{ adaptiveTarget: 1.1 }, "RangeError", "out-of-range", /adaptiveTarget/],
    [{ draw: "greedy" }, "RangeError", "out-of-range", /multinomial, gumbel/],
    [{ stream: 2 ** 32 }, "RangeError", "out-of-range", /stream/],
    [{ minKeep: null }, "TypeError", "bad-type", /minKeep/],
    [{ dryMultiplyer: 1 }, "TypeError", "unknown-option", /dryMultiplier/],
    [{ no_repeat_ngram: 2, noRepeatNgram: 2 }, "TypeError", "conflict", /no_?repeat_?ngram/i],
  ])
    await assert.rejects(
      createSampler({ vocabSize: 10, ...options }),
      { name, code, message },
      JSON.stringify(options),
    );
});

test("other systems' spellings of an option mean the same", async () => {
  for (const [alias, name, value, others] of [
    ["sequence_bias", "sequenceBias", [[[1], 2]]],
    ["bad_words_ids", "badWords", [[0]]],
    ["bad_words", "badWords", [[0]]],
    ["dry_multiplier", "dryMultiplier", 2],
    ["no_repeat_ngram_size", "noRepeatNgram", 1],
    ["eos_token_id", "eos", 0, { minTokens: 9 }],
    ["min_tokens", "minTokens", 9, { eos: [0] }],
    ["min_new_tokens", "minTokens", 9, { eos: [0] }],
    ["length_decay", "lengthDecay", 1.2, { eos: [0] }],
    ["forced_bos_token_id", "forcedFirst", [3, 5]],
    ["forced_eos_token_id", "forcedLast", 5, { maxTokens: 2 }],
    ["max_tokens", "maxTokens", 2, { forcedLast: 5 }],
    ["max_new_tokens", "maxTokens", 2, { forcedLast: 5 }],
    ["allowed_token_ids", "allowedTokens", [1, 2]],
    ["adaptive_target", "adaptiveTarget", 0.4],
    ["mirostat_tau", "mirostatTau", 1, { mirostat: 2 }],
    ["top_n_sigma", "topNSigma", 0.5],
    ["xtc_probability", "xtcProbability", 1],
  ]) {
    const look = (options) => distribution(ten, options, [3], [1, 2, 3, 1, 2]);
    const expected = await look({ ...others, [name]: value });
    assert.deepEqual(await look({ ...others, [alias]: value }), expected, alias);
    assert.notDeepEqual(expected, await look({}), `${alias} did nothing`);
  }
});
