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
    const found = await driver.evaluate(async (cycles) => {
      let workers = 0;
      const { Worker, WebAssembly } = globalThis;
      globalThis.Worker = class extends Worker {
        constructor(...given) {
          super(...given);
          workers++;
        }
        terminate() {
          workers--;
          super.terminate();
        }
      };
      const memories = [];
      const { instantiate } = WebAssembly;
      WebAssembly.instantiate = async (module, imports) => {
        const instance = await instantiate(module, imports);
        memories.push(new WeakRef(instance.exports.memory ?? imports.env.memory));
        return instance;
      };
      const { loadModel } = await import("/dist/index.js");
      const bytes = await (await fetch("/demos/model/draft.gguf")).arrayBuffer();
      const cycle = async (worker) => {
        const model = await loadModel(bytes, { worker });
        const { tokens } = await model.complete("Once", { maxTokens: 4, seed: 1 });
        model.dispose();
        return tokens.length;
      };
      const result = { written: 0, workers: 0, made: 0, live: 0 };
      for (let i = 0; i < cycles; i++) result.written += await cycle(true);
      result.workers = workers;
      for (let i = 0; i < cycles; i++) result.written += await cycle(false);
      result.made = memories.length;
      // Engines collect garbage when there is much of it. What is looked at while they do so stays, so that is seldom.
      const live = () => memories.filter((one) => one.deref()).length;
      for (let i = 0; i < 1000 && (i % 50 || live() > cycles / 4); i++) {
        let heap = [];
        for (let j = 0; j < 1000; j++) heap.push(new Array(1000).fill(j), new ArrayBuffer(1 << 14));
        heap = [];
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      result.live = live();
      return result;
    }, CYCLES);
    assert.equal(found.written, 2 * 4 * CYCLES);
    assert.equal(found.workers, 0, "a worker is left");
    assert.ok(found.made >= CYCLES);
    t.diagnostic(`${found.live} of ${found.made} memories are left`);
    assert.ok(found.live <= CYCLES / 4, `${found.live} of ${found.made} memories are left`);
    assert.deepEqual(await driver.consoleErrors(), []);
  });
