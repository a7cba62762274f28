// The AI SDK in a page, with a model in its Worker.
import assert from "node:assert/strict";
import { mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { build } from "esbuild";
import { Output, generateText, jsonSchema, streamText } from "ai";
import { loadModel } from "../../dist/index.js";
import { createLastInch } from "../../dist/ai-sdk.js";
import { openSite } from "./site.js";

/** Runs in Node and in the page. @param {any} model @param {any} sdk */
async function useSdk(model, sdk) {
  const { createLastInch, Output, generateText, jsonSchema, streamText } = sdk;
  const lastinch = createLastInch(model);
  const settings = { model: lastinch(), prompt: "Once upon a time", seed: 4, temperature: 0.9 };
  const streamed = streamText({ ...settings, maxOutputTokens: 30 });
  const pieces = [];
  for await (const piece of streamed.textStream) pieces.push(piece);
  const properties = { name: { type: "string", maxLength: 9 }, age: { type: "integer", minimum: 1, maximum: 9 } };
  const schema = { type: "object", properties, required: ["name", "age"], additionalProperties: false };
  const { output } = await generateText({ ...settings, output: Output.object({ schema: jsonSchema(schema) }) });
  const controller = new AbortController();
  const providerOptions = { lastinch: { bannedTokens: model.vocabulary.eos } }; // so that it lasts longer
  const aborted = generateText({ ...settings, providerOptions, abortSignal: controller.signal }).catch(
    (error) => error,
  );
  setTimeout(() => controller.abort(), 10);
  return { pieces, usage: await streamed.usage, output, error: (await aborted).name };
}

test("the AI SDK in chromium", async (t) => {
  const address = new URL("../../demos/model/storyteller.gguf", import.meta.url);
  const model = await loadModel(address);
  const expected = await useSdk(model, { createLastInch, Output, generateText, jsonSchema, streamText });
  model.dispose();
  assert.ok(expected.pieces.length > 5);
  assert.equal(expected.error, "AbortError");

  const folder = fileURLToPath(new URL("../../build/ai-sdk-page", import.meta.url));
  await mkdir(folder, { recursive: true });
  t.after(() => rm(folder, { recursive: true }));
  await build({
    stdin: { contents: 'export { Output, generateText, jsonSchema, streamText } from "ai";', resolveDir: folder },
    outfile: `${folder}/ai.js`,
    bundle: true,
    format: "esm",
    logLevel: "warning",
  });
  const { site, driver, close } = await openSite("chromium");
  t.after(close);
  await driver.open(`${site.origin}/tests/browser/blank.html`);
  const found = await driver.evaluate(`(async () => {
    const [lastinch, provider, sdk] = await Promise.all(
      ["/dist/index.js", "/dist/ai-sdk.js", "/build/ai-sdk-page/ai.js"].map((path) => import(path)),
    );
    const model = await lastinch.loadModel("/demos/model/storyteller.gguf");
    const result = await (${useSdk})(model, { ...provider, ...sdk });
    return JSON.parse(JSON.stringify(result));
  })()`);
  assert.deepEqual(found, JSON.parse(JSON.stringify(expected)));
  assert.ok((await driver.evaluate(() => globalThis.watched.posts)).includes("generate"), "the model was in a Worker");
  assert.deepEqual(await driver.consoleErrors(), []);
});
