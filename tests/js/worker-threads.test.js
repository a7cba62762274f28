// A server's own worker threads can use the package like its main thread, and can end at any time.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { loadModel } from "lastinch";
import storyteller from "lastinch/models/storyteller";

const options = { maxTokens: 20, seed: 4 };
const prompt = "Once upon a time";

/** A thread that runs a module. @param {string} body with post */
function threadOf(entry, body) {
  const specifier = (name) => JSON.stringify(import.meta.resolve(name));
  const script = `
    import { parentPort } from "node:worker_threads";
    import { compileGrammar, createSampler, loadModel } from ${specifier(entry)};
    import storyteller from ${specifier("lastinch/models/storyteller")};
    const post = (value) => parentPort.postMessage(value);
    ${body}`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
}

for (const entry of ["lastinch", "lastinch/model"])
  test(`a thread that imports ${entry} writes and samples like the main thread, and ends on its own`, async () => {
    const model = await loadModel(storyteller);
    const expected = (await model.complete(prompt, options)).text;
    model.dispose();
    const thread = threadOf(
      entry,
      `const model = await loadModel(storyteller);
       const { text } = await model.complete(${JSON.stringify(prompt)}, ${JSON.stringify(options)});
       const schema = { type: "object", properties: { a: { type: "boolean" } }, required: ["a"], additionalProperties: false };
       const json = (await model.complete("", { jsonSchema: schema, maxTokens: 40, seed: 1 })).text;
       const sampler = await createSampler({ vocabSize: 3, temperature: 0 });
       post({ text, json, token: sampler.sample(Float32Array.of(1, 3, 2)) });`,
    );
    const ended = once(thread, "exit");
    const [{ text, json, token }] = await once(thread, "message");
    assert.deepEqual([text, token], [expected, 1]);
    assert.equal(typeof JSON.parse(json).a, "boolean");
    // The model was not disposed of.
    assert.deepEqual(await ended, [0]);
  });

test("a thread can be terminated while its model writes", async () => {
  const thread = threadOf(
    "lastinch",
    `const model = await loadModel(storyteller);
     for await (const { text } of model.generate("Once", { maxTokens: 500, bannedTokens: model.vocabulary.eos })) post(text);`,
  );
  await once(thread, "message");
  assert.equal(await thread.terminate(), 1);
});

test("several threads write at the same time", async () => {
  const threads = [1, 2].map((seed) =>
    threadOf(
      "lastinch",
      `const model = await loadModel(storyteller, { worker: false });
       post((await model.complete("Once", { maxTokens: 20, seed: ${seed} })).text);`,
    ),
  );
  const writing = threads.map(async (thread) => (await once(thread, "message"))[0]);
  const model = await loadModel(storyteller);
  const texts = await Promise.all(writing);
  for (const [i, text] of texts.entries())
    assert.equal(text, (await model.complete("Once", { maxTokens: 20, seed: i + 1 })).text);
  model.dispose();
});
