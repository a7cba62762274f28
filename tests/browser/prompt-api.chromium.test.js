// A page without its own Prompt API gets ours: from an address to a streamed text, in Chromium as in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLanguageModel } from "../../dist/prompt-api.js";
import { openSite } from "./site.js";

/** Runs in Node and in the page. @param {any} createLanguageModel @param {string | URL} address */
async function useSession(createLanguageModel, address) {
  const LanguageModel = createLanguageModel(address, { generate: { seed: 3, maxTokens: 30 } });
  const progress = [];
  const session = await LanguageModel.create({
    samplingMode: "creative",
    monitor: (target) => target.addEventListener("downloadprogress", (event) => progress.push(event.loaded)),
  });
  const pieces = [];
  const reader = session.promptStreaming("Once upon a time").getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  const clone = await session.clone();
  const answer = await clone.prompt("The end?", { responseConstraint: /(yes|no), [a-z]{2,9}\./ });
  const tooLong = await session.prompt("story ".repeat(800)).catch((error) => error);
  const { contextUsage } = clone;
  session.destroy();
  const late = await session.prompt("").catch((error) => error);
  const errors = [tooLong.name, tooLong.quota, tooLong.requested, late.name];
  return { pieces, answer, contextUsage, errors, ends: [progress[0], progress.at(-1)] };
}

test("the Prompt API gives the same text in chromium as in Node", async (t) => {
  const expected = await useSession(
    createLanguageModel,
    new URL("../../demos/model/storyteller.gguf", import.meta.url),
  );
  assert.ok(expected.pieces.length > 5);
  assert.match(expected.answer, /^(yes|no), [a-z]{2,9}\.$/);
  assert.deepEqual(expected.ends, [0, 1]);
  assert.deepEqual(expected.errors.slice(0, 2), ["QuotaExceededError", 512]);
  assert.equal(expected.errors[3], "InvalidStateError");

  const { site, driver, close } = await openSite("chromium");
  t.after(close);
  await driver.open(`${site.origin}/tests/browser/blank.html`);
  const found = await driver.evaluate(`(async () => {
    const { createLanguageModel } = await import("/dist/prompt-api.js");
    return (${useSession})(createLanguageModel, "/demos/model/storyteller.gguf");
  })()`);
  assert.deepEqual(found, expected);
  assert.deepEqual(await driver.consoleErrors(), []);
});
