// Threads that compute a model together: any number gives the same bits, and nothing is left behind.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import threads from "node:worker_threads";
import { loadModel } from "lastinch";
import { randomGguf } from "../vectors/gguf-files.js";
import { lendHelpers } from "../../web/model/worker/lent-helpers.js";
import { findFastest } from "../../web/model/worker/threads.js";
import {
  loadWithThreads,
  threadDigests,
  threadedGguf,
  threadedGgufs,
  threadedMixers,
} from "../vectors/thread-digests.js";

const file = threadedGguf();

test("logits have the same bits for any number of threads, in prefill and decode, for every weight type", async () => {
  const files = threadedGgufs();
  const alone = await threadDigests((bytes) => loadModel(bytes, { threads: 1 }), files);
  for (const count of [2, 3, 8]) {
    const together = await threadDigests(async (bytes) => {
      const model = await loadWithThreads(() => loadModel(bytes, { threads: count }), count);
      assert.equal(model.threads, count);
      return model;
    }, files);
    assert.deepEqual(together, alone, `${count} threads`);
  }
});

test("a text with heads is the same on several threads", async () => {
  const texts = [];
  for (const count of [1, 2]) {
    const shipped = (name) => new URL(`../../demos/model/${name}.gguf`, import.meta.url);
    const model = await loadWithThreads(() => loadModel(shipped("storyteller"), { threads: count }), count);
    for (const name of ["medusa", "eagle"]) {
      const draft = await loadModel(shipped(name));
      const { tokens, usage } = await model.complete("Once upon a time", {
        maxTokens: 60,
        seed: 5,
        draft,
        draftTokens: 8,
      });
      assert.ok(usage.acceptedTokens > 0);
      texts.push(tokens.map(({ id }) => id));
      draft.dispose();
    }
    model.dispose();
  }
  for (const text of texts) assert.deepEqual(text, texts[0]);
});

test("auto tries layers without attention too, and changes nothing", async () => {
  const files = threadedMixers();
  const digests = (options) => threadDigests((bytes) => loadModel(bytes, options), files);
  for (const [family, { length }] of files) assert.ok(length > 2 ** 23, `${family}: ${length}`);
  assert.deepEqual(await digests({}), await digests({ threads: 1 }));
});

test("threads is a whole number from 1 to 32, or auto", async () => {
  for (const wrong of [0, 33, 1.5, -1, NaN])
    await assert.rejects(loadModel(file, { threads: wrong }), {
      name: "RangeError",
      code: "out-of-range",
      message: /"auto".*from 1 to 32/,
    });
  for (const wrong of ["two", true, null])
    await assert.rejects(loadModel(file, { threads: wrong }), {
      name: "TypeError",
      code: "bad-type",
      message: /"auto"/,
    });
});

test("auto, the default, takes one thread for small models and up to one for each core for large models", async (t) => {
  const helpers = watchHelpers(t);
  const cores = Math.min(16, availableParallelism());
  for (const options of [{}, { threads: "auto" }]) {
    const model = await loadModel(file, { ...options, worker: false });
    assert.ok(model.threads >= 1 && model.threads <= cores, `${model.threads} of ${cores}`);
    const started = helpers.splice(0);
    assert.equal(started.length, cores - 1);
    // Helpers that were tried but not taken end on their own.
    const running = () => started.filter(({ threadId }) => threadId > 0).length;
    for (let i = 0; i < 3000 && running() > model.threads - 1; i++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(running(), model.threads - 1);
    model.dispose();
    await Promise.all(started.map(({ gone }) => gone));
  }
  const model = await loadModel(randomGguf(), { worker: false });
  assert.equal(model.threads, 1);
  assert.equal(helpers.length, 0);
});

/** Trials of up to `most` threads. A trial with `count` threads takes `cost(count)` ms by a clock of its own. */
function tryThreads(most, cost) {
  let clock = 0;
  const tried = [];
  const time = (count) => {
    tried.push(count);
    const took = cost(count, tried.length);
    clock += took;
    return took;
  };
  return { taken: findFastest(most, time, () => clock), tried, clock };
}

test("the number of threads is the fastest one tried, and more threads must gain 5 %", () => {
  assert.equal(tryThreads(8, (count) => 1 / count).taken, 8);
  assert.equal(tryThreads(12, (count) => Math.max(1 / count, 0.25)).taken, 4);
  assert.equal(tryThreads(2, (count) => 1 - 0.04 * (count - 1)).taken, 1);
  assert.equal(tryThreads(2, (count) => 1 - 0.06 * (count - 1)).taken, 2);
  assert.equal(tryThreads(16, (count) => count).taken, 1);
  assert.deepEqual(new Set(tryThreads(12, () => 1).tried), new Set([1, 2, 4, 8, 12]));
});

test("one slow moment of the machine does not decide the number of threads", () => {
  assert.equal(tryThreads(4, (count, trial) => 1 / count + (trial === 3 ? 9 : 0)).taken, 4);
});

test("trials of threads end in time if products are slow, and after a few if they are fast", () => {
  const slow = tryThreads(4, (count) => 20 / count);
  assert.ok(slow.clock < 50, `${slow.clock} ms`);
  assert.equal(slow.taken, 4);
  assert.ok(tryThreads(8, () => 0).tried.length <= 32);
});

test("several models, each with helpers, work in a Worker and in the calling thread", async () => {
  const models = await Promise.all([true, true, false].map((worker) => loadModel(file, { threads: 2, worker })));
  const texts = await Promise.all(
    models.map(async (model) => {
      let text = "";
      for await (const chunk of model.generate([1, 5], { maxTokens: 20, seed: 1, bannedTokens: [2] }))
        text += chunk.text;
      return text;
    }),
  );
  assert.equal(texts[0].length > 0, true);
  assert.deepEqual(texts, Array(3).fill(texts[0]));
  models[0].dispose();
  assert.equal((await models[1].forward([1])).length, models[1].config.vocabSize);
  models[1].dispose();
  models[2].dispose();
});

/** Lists every helper that this thread starts from now on. `change` may replace the Worker class. */
function watchHelpers(t, change = (Worker) => Worker) {
  const { Worker } = threads;
  const timer = setInterval(() => {}, 1000); // because waiting for a helper does not keep the process alive
  t.after(() => Object.assign(threads, { Worker }) && clearInterval(timer));
  const helpers = [];
  threads.Worker = class extends change(Worker) {
    constructor(...given) {
      super(...given);
      helpers.push(this);
      this.gone = new Promise((resolve) => this.once("exit", resolve));
    }
  };
  return helpers;
}

test("an aborted load or text leaves no helper at work", async (t) => {
  let controller = new AbortController();
  const aborting = (Worker) =>
    class extends Worker {
      constructor(...given) {
        super(...given);
        controller.abort();
      }
    };
  const helpers = watchHelpers(t, aborting);
  for (const isLate of [false, true]) {
    controller = new AbortController();
    const { signal } = controller;
    const onProgress = () => isLate || controller.abort(); // late: while helpers start
    await assert.rejects(loadModel(file, { threads: 3, worker: false, signal, onProgress }), { name: "AbortError" });
    assert.equal(helpers.length, isLate ? 2 : 0);
  }
  await Promise.all(helpers.map(({ gone }) => gone));
  const model = await loadModel(file, { threads: 2 });
  for await (const { tokens } of model.generate([1], { seed: 1 })) if (tokens.length) break;
  const before = await model.forward([1, 2, 3]);
  assert.deepEqual(await model.forward([1, 2, 3]), before);
  model.dispose();
});

for (const place of ["worker", "here"])
  test(`helpers of an idle model (${place}) cost nothing and keep no process alive`, () => {
    const script = fileURLToPath(new URL("idle-model.js", import.meta.url));
    const output = execFileSync(process.execPath, [script, place], { timeout: 300_000 });
    const { threads, used } = JSON.parse(String(output));
    assert.equal(threads, 4);
    assert.ok(used < 150, `${used} ms`); // a helper that spins would take up to 1,000 in every second
  });

test("without helpers or shared memory there is one thread", async (t) => {
  const { Worker } = threads;
  const { Memory } = WebAssembly;
  t.after(() => Object.assign(threads, { Worker }) && Object.assign(WebAssembly, { Memory }));
  const refuse = function () {
    throw new RangeError("no more of these");
  };
  for (const [object, key] of [
    [WebAssembly, "Memory"],
    [threads, "Worker"],
  ]) {
    Object.assign(WebAssembly, { Memory });
    object[key] = refuse;
    const model = await loadModel(file, { threads: 4, worker: false });
    assert.equal(model.threads, 1);
    assert.equal((await model.forward([1])).length, model.config.vocabSize);
    model.dispose();
  }
});

for (const [what, script, least] of [
  ["ends before it starts", "process.exit()", 0],
  ["fails", "throw new Error('not today')", 0],
  ["never answers", "setInterval(() => {}, 1e6)", 4000],
])
  test(`a model works without a helper that ${what}`, async (t) => {
    const replaced = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
    const helpers = watchHelpers(
      t,
      (Worker) =>
        class extends Worker {
          constructor(url, options) {
            super(replaced, options);
          }
        },
    );
    const start = performance.now();
    const model = await loadModel(file, { threads: 3, worker: false });
    const took = performance.now() - start;
    assert.ok(took >= least, `${took} ms`);
    assert.equal(model.threads, 1);
    assert.equal((await model.forward([1])).length, model.config.vocabSize);
    model.dispose();
    assert.equal(helpers.length, 2);
    await Promise.all(helpers.map(({ gone }) => gone));
  });

test("a late helper joins the others", async (t) => {
  const helpers = watchHelpers(
    t,
    (Worker) =>
      class extends Worker {
        postMessage(task) {
          this.begin = () => super.postMessage(task);
        }
      },
  );
  const model = await loadModel(file, { threads: 2, worker: false });
  assert.equal(model.threads, 1);
  const before = await model.forward([1, 2, 3], { rows: "all" });
  const isHere = new Promise((resolve) => helpers[0].once("message", resolve));
  helpers[0].begin();
  await isHere;
  for (let i = 0; i < 20; i++) assert.deepEqual(await model.forward([1, 2, 3], { rows: "all" }), before);
  model.dispose();
  await helpers[0].gone;
});

test("a model continues without a helper that was terminated from outside", async (t) => {
  const helpers = watchHelpers(t);
  const model = await loadModel(file, { threads: 3, worker: false });
  const before = await model.forward([1, 2, 3], { rows: "all" });
  for (const helper of helpers) {
    await helper.terminate();
    assert.deepEqual(await model.forward([1, 2, 3], { rows: "all" }), before);
  }
  assert.equal(helpers.length, 2);
  model.dispose();
});

test("a page that has ended its helpers starts no more, whatever its Worker still asks for", async (t) => {
  const started = [];
  globalThis.Worker = class {
    postMessage() {
      started.push(this);
      queueMicrotask(() => this.onmessage());
    }
    terminate() {
      started.splice(started.indexOf(this), 1);
    }
  };
  t.after(() => delete globalThis.Worker);
  const lent = lendHelpers(() => {});
  const ask = (helper) => lent.receive({ helper, port: { postMessage() {} } });
  await ask(1);
  assert.equal(started.length, 1);
  lent.end();
  await ask(2);
  assert.equal(started.length, 0);
});
