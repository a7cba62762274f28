// What the watermark detector's page says of p-values and of several looks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Looks, digits, inWords, ofLooks } from "../../demos/verdict.js";

const said = (pValue, corrected = pValue) => inWords(pValue, corrected, 100);

test("a p-value near 1 is said in words, others in plain digits", () => {
  for (const p of [0.995, 0.9999, 1]) assert.match(said(p)[1], /^All or nearly all unmarked texts score as much\./);
  assert.match(said(0.9949)[1], /^99 % of unmarked texts score as much\./);
  assert.match(said(0.5)[1], /^50 % of/);
  for (let p = 0.011; p < 1; p += 0.0007) assert.doesNotMatch(said(p)[1], /\de/, String(p));
  assert.deepEqual([0, 1, 0.03, 2.04e-9].map(digits), ["0", "1", "0.03", "2.0e-9"]);
});

test("a small p-value is said as a rarity, and never as the probability of the mark", () => {
  const [verdict, meaning] = said(0.001);
  assert.equal(verdict, "A strong sign of this mark");
  assert.match(
    meaning,
    /^One in a thousand unmarked texts scores as much as this one by chance\. That is not how prob/,
  );
  assert.match(said(1e-6)[1], /^One in a million unmarked/);
  assert.match(said(1e-5)[1], /^One in 100 thousand unmarked/);
  assert.match(said(0.01)[1], /^One in 100 unmarked/);
  assert.match(said(0)[1], /^Fewer than one in a million billion unmarked texts score as much/);
  for (const p of [0, 1e-9, 0.001, 0.005, 0.3]) assert.doesNotMatch(said(p).join(" "), /probably/);
  assert.equal(inWords(1, 1, 0)[0], "Too short to say anything");
});

test("the verdict is that of all looks", () => {
  const verdict = (p, looks) => said(p, looks * p)[0];
  assert.equal(verdict(0.001, 1), "A strong sign of this mark");
  assert.equal(verdict(0.001, 2), "A weak sign of this mark");
  assert.equal(verdict(0.001, 40), "No sign of this mark");
});

test("the best of n different looks counts n times, at most 1; a repeated look counts once", () => {
  const looks = new Looks();
  const mark = { scheme: "gumbel", key: "a", window: 4 };
  assert.deepEqual([looks.count, looks.best], [0, 1]);
  looks.add("text", mark, 1e-9);
  looks.add("text", { ...mark }, 1e-9);
  assert.deepEqual([looks.count, looks.corrected(1e-9)], [1, 1e-9]);
  assert.match(ofLooks(looks, 1e-9), /^A p-value is for one look\./);
  looks.add("text", { ...mark, key: "b" }, 0.6);
  assert.deepEqual([looks.count, looks.best, looks.corrected(looks.best), looks.corrected(0.6)], [2, 1e-9, 2e-9, 1]);
  assert.match(
    ofLooks(looks, 0.6),
    /looked 2 times.* 0\.6, counts as 1, and the best of the 2, 1\.0e-9, as 2\.0e-9\.$/,
  );
  looks.add("other text", mark, 0.3);
  looks.add("other text", { ...mark, scheme: "green" }, 0.2);
  assert.deepEqual([looks.count, looks.corrected(looks.best)], [4, 4e-9]);
});
