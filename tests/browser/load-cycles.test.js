// Loads, writes and disposes of a model again and again in a page: no worker and no memory is left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rounds } from "../rounds.js";
import { browserNames } from "./names.js";
import { openSite } from "./site.js";

const CYCLES = rounds(300, 20);

for (const name of browserNames)
  test(`memory ends where it was in ${name}`, { timeout: 1_800_000 }, async (t) => {
    const { site, driver, close } = await openSite(name);
    t.after(close);
    await driver.open(`${site.origin}/tests/browser/blank.html`);
    await driver.evaluate(async () => {
      const found = (globalThis.found = { written: 0, workers: 0, memories: [] });
      const { Worker, WebAssembly } = globalThis;
      globalThis.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          found.workers++;
        }
        terminate() {
          found.workers--;
          super.terminate();
        }
      };
      const { instantiate } = WebAssembly;
      WebAssembly.instantiate = async (module, imports) => {
        const instance = await instantiate(module, imports);
        found.memories.push(new WeakRef(instance.exports.memory ?? imports.env.memory));
        return instance;
      };
      found.loadModel = (await import("/dist/index.js")).loadModel;
      found.bytes = await (await fetch("/demos/model/draft.gguf")).arrayBuffer();
      return true;
    });
    const cycles = (worker, count) =>
      driver.evaluate(
        async (worker, count) => {
          const { found } = globalThis;
          for (let i = 0; i < count; i++) {
            const model = await found.loadModel(found.bytes, { worker });
            found.written += (await model.complete("Once", { maxTokens: 4, seed: 1 })).tokens.length;
            model.dispose();
          }
          return found.workers;
        },
        worker,
        count,
      );
    // A driver waits for two minutes, so a call runs a few of them.
    for (let done = 0; done < CYCLES; done += 20) assert.equal(await cycles(true, 20), 0, "a worker is left");
    for (let done = 0; done < CYCLES; done += 20) await cycles(false, 20);
    // Engines collect garbage when there is much of it. What is looked at while they do so stays, so that is seldom.
    const litter = () =>
      driver.evaluate(async () => {
        for (let i = 0; i < 50; i++) {
          let heap = [];
          for (let j = 0; j < 1000; j++) heap.push(new Array(1000).fill(j), new ArrayBuffer(1 << 14));
          heap = [];
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        const { written, memories } = globalThis.found;
        return { written, made: memories.length, live: memories.filter((one) => one.deref()).length };
      });
    let found = await litter();
    for (let i = 0; i < 20 && found.live > CYCLES / 4; i++) found = await litter();
    assert.equal(found.written, 2 * 4 * CYCLES);
    assert.ok(found.made >= CYCLES);
    t.diagnostic(`${found.live} of ${found.made} memories are left`);
    assert.ok(found.live <= CYCLES / 4, `${found.live} of ${found.made} memories are left`);
    assert.deepEqual(await driver.consoleErrors(), []);
  });
