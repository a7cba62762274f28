// Prefixes of prompts that the browser keeps: a later visit finds them by itself, they are bounded, listed and deleted.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { loadModel, models, removeModel } from "lastinch";
import { floatFile } from "../vectors/family-files.js";
import { randomNumbers } from "../vectors/gguf-files.js";
import * as templates from "./chat-templates.js";
import { checkTexts, collect, load } from "./decode-tools.js";
import { FakeCaches } from "./fake-caches.js";
import { randomModel, vocabularyOf } from "./tiny-gguf.js";

const how = /** @type {const} */ ({ cacheType: "f32", contextLength: 300 });
const file = floatFile("gemma3");
const prefix = randomNumbers("prefix", 100, 256);
const prompt = [...prefix, ...randomNumbers("more", 9, 256)];
const options = { maxTokens: 6, captureLogits: true, seed: 3 };
const address = String(pathToFileURL(join(mkdtempSync(join(tmpdir(), "lastinch-")), "model.gguf")));
writeFileSync(new URL(address), file);

let caches;
beforeEach(() => (globalThis.caches = caches = new FakeCaches()));
afterEach(() => {
  delete globalThis.caches;
});

/** A visit of a page that loads the model anew. */
async function visit(use, source = address, given = how) {
  const model = await loadModel(source, { worker: false, ...given });
  try {
    return await use(model);
  } finally {
    model.dispose();
  }
}
const keep = (ids = prefix, given) => visit((model) => model.keepPrefix(ids, given));
const read = (ids = prompt, source, given) =>
  visit((model) => collect(model.generate(ids, options)), source, given).then(async (text) => {
    const fresh = await load(source === undefined ? file : source, given ?? how);
    await checkTexts(fresh, ids, [text]);
    fresh.dispose();
    return text.usage.cachedTokens;
  });
const listKey = "https://lastinch.invalid/prefix";
const partKey = "https://lastinch.invalid/0";
const stored = () => [...caches.stored.keys()].filter((name) => name.startsWith("lastinch-prefix "));

test("a later visit finds a kept prefix by itself, for every family of layers", async () => {
  for (const family of ["gemma3", "qwen35", "lfm2"]) {
    const bytes = floatFile(family);
    const { tokens, bytes: size } = await visit((model) => model.keepPrefix(prefix), bytes);
    assert.equal(tokens, 100);
    assert.ok(size > 400, family);
    assert.equal(await read(prompt, bytes), 100, family);
    assert.equal(await read(prefix, bytes), 99, family);
    assert.equal(await read([...prefix.slice(0, 97), ...prompt.slice(100)], bytes), 97, family);
  }
});

test("a conversation finds its kept beginning", async () => {
  const bytes = randomModel({
    vocabulary: [...vocabularyOf([]), ...["<|im_start|>", "<|im_end|>"].map((name) => [name, 0, 3])],
    extra: { "tokenizer.chat_template": ["string", templates.hermes] },
    context: 2048,
  });
  const system = { role: "system", content: "You speak like a pirate, and answer in one line." };
  const { tokens } = await visit((model) => model.keepPrefix([system]), bytes, {});
  for (const content of ["Hello.", "Who are you?"]) {
    const answer = await visit(
      (model) => model.answer([system, { role: "user", content }], { maxTokens: 3 }),
      bytes,
      {},
    );
    assert.equal(answer.usage.cachedTokens, tokens);
  }
  assert.ok(tokens > system.content.length);
});

test("where nothing is kept, a load asks the caches once and a text never", async () => {
  let calls = 0;
  globalThis.caches = new Proxy(caches, {
    get(target, name) {
      calls += typeof target[name] === "function";
      return typeof target[name] === "function" ? target[name].bind(target) : target[name];
    },
  });
  await visit(async (model) => {
    await collect(model.generate(prompt, options));
    assert.equal(calls, 1);
    await collect(model.generate([...prompt].reverse(), options));
    assert.equal(calls, 1);
  });
});

test("a prefix is of use only to its own file and cache type, and only if it is worth loading", async () => {
  await keep();
  assert.equal(await read(prompt, floatFile("gemma3", { tied: false })), 0);
  assert.equal(await read(prompt, file, { ...how, cacheType: "f16" }), 0);
  assert.equal(await read([5, ...prompt]), 0);
  // Ten tokens are read in less time than a hundred are loaded.
  assert.equal(await read([...prefix.slice(0, 10), 7, 7, 7, 7]), 0);
  await visit(async (model) => {
    caches.broken.add("match");
    await collect(model.generate(prompt, options)); // the prefix cannot be read
    caches.broken.clear();
    const { usage } = await collect(model.generate([...prompt, 4], options));
    assert.equal(usage.cachedTokens, prompt.length);
  });
});

test("a prefix that is kept is not computed or stored again", async () => {
  const first = await keep();
  const [name] = stored();
  const part = caches.stored.get(name).get("https://lastinch.invalid/0");
  await visit(async (model) => {
    assert.deepEqual(await model.keepPrefix(prefix), first);
    assert.deepEqual(await model.keepPrefix(prefix), first);
    assert.equal(caches.stored.get(name).get("https://lastinch.invalid/0"), part);
    // Not read either.
    caches.stored.clear();
    const { usage } = await collect(model.generate(prompt, options));
    assert.equal(usage.cachedTokens, 0);
    await model.keepPrefix(prefix);
    assert.equal(stored().length, 1);
  });
});

test("the least recently used prefixes go when there are too many", async () => {
  const others = [1, 2, 3].map((i) => randomNumbers(`other ${i}`, 100, 256));
  const { bytes } = await keep(others[0]);
  const limit = { bytes: 2.5 * bytes };
  await keep(others[1], limit);
  assert.equal(await read([...others[0], 1, 2]), 100); // used last
  await keep(others[2], limit);
  assert.equal(stored().length, 2);
  assert.deepEqual(await Promise.all(others.map((ids) => read([...ids, 1, 2]))), [100, 0, 100]);
  await assert.rejects(keep(prefix, { bytes: bytes - 1 }), { code: "prefix-too-large" });
  await assert.rejects(keep(prefix, { bytes: 0 }), { code: "prefix-too-large" });
  assert.equal(stored().length, 2);
  await keep(prefix, { bytes });
  assert.equal(stored().length, 1);
  assert.equal(await read(), 100);
});

test("models lists kept prefixes, and removeModel deletes them with the model", async () => {
  const before = Date.now();
  const { bytes } = await keep();
  await keep(prompt);
  await visit((model) => model.keepPrefix(prefix), floatFile("lfm2"));
  const [other, own] = await models();
  assert.match(other.address, /^lastinch-file:[\da-f]{16}$/);
  assert.equal(other.prefixes.length, 1);
  assert.equal(own.address, address);
  assert.deepEqual([own.bytes, own.total, own.isWhole], [0, null, null]);
  assert.deepEqual(
    own.prefixes.map(({ tokens }) => tokens),
    [109, 100],
  );
  assert.equal(own.prefixes[1].bytes, bytes);
  assert.ok(Number(own.date) >= before && own.date === own.prefixes[0].date);
  assert.equal(await removeModel(address), true);
  assert.equal(await removeModel(address), false);
  assert.equal(await read(), 0);
  assert.equal((await models()).length, 1);
  assert.equal(await removeModel(other.address), true);
  assert.deepEqual(await models(), []);
  assert.equal(caches.stored.size, 0);
});

test("a prefix that is deleted while its model is loaded is read by the model", async () => {
  await keep();
  await visit(async (model) => {
    await removeModel(address);
    const { usage } = await collect(model.generate(prompt, options));
    assert.equal(usage.cachedTokens, 0);
  });
  assert.equal(caches.stored.size, 0);
});

test("a damaged prefix is read by the model, and deleted", async () => {
  const damages = {
    "a flipped bit": (entries) => (entries.get("https://lastinch.invalid/0")[3000] ^= 1),
    "a part that is gone": (entries) => entries.delete("https://lastinch.invalid/0"),
    "a part that is cut": (entries) =>
      entries.set("https://lastinch.invalid/0", entries.get("https://lastinch.invalid/0").subarray(0, 900)),
  };
  for (const [damage, inflict] of Object.entries(damages)) {
    await keep();
    inflict(caches.stored.get(stored()[0]));
    assert.equal(await read(), 0, damage);
    assert.deepEqual(stored(), [], damage);
  }
  await keep();
  caches.stored.get(stored()[0]).set("https://lastinch.invalid/prefix", new TextEncoder().encode("{}"));
  assert.equal(await read(), 0);
  await keep();
  assert.equal(await read(), 100);
});

test("a prefix that the browser cannot read stays for a later visit", async () => {
  await keep();
  const { arrayBuffer } = Blob.prototype;
  await visit(async (model) => {
    Blob.prototype.arrayBuffer = async () => {
      throw new DOMException("it cannot be read", "NotReadableError");
    };
    try {
      assert.equal((await collect(model.generate(prompt, options))).usage.cachedTokens, 0);
    } finally {
      Blob.prototype.arrayBuffer = arrayBuffer;
    }
  });
  assert.equal(await read(), 100);
});

// ---- tabs ----------------------------------------------------------------------------------------------------

/** Web Locks as far as the library uses them. */
class FakeLocks {
  #last = Promise.resolve();
  #held = 0;

  async request(_name, { ifAvailable, signal }, run) {
    if (ifAvailable && this.#held) return run(null);
    this.#held++;
    const before = this.#last;
    const late = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const running = Promise.race([before, late]).then(() => run({}));
    this.#last = Promise.all([before, running]).then(
      () => {},
      () => {},
    );
    return running.finally(() => this.#held--);
  }
}

/** Runs `use` in a browser with locks. */
async function withLocks(locks, use) {
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true, writable: true });
  try {
    return await use();
  } finally {
    if (own) Object.defineProperty(globalThis, "navigator", own);
    else delete globalThis.navigator;
  }
}

/** The caches as a tab leaves them that is closed while it stores the prefix. */
async function leave(ids = prefix) {
  const left = new FakeCaches();
  caches.onPut = (key) => {
    if (key === partKey) left.stored = new Map([...caches.stored].map(([name, list]) => [name, new Map(list)]));
  };
  await keep(ids);
  globalThis.caches = caches = left;
}

test("what a closed tab left unfinished is listed, not used, and deleted by the next tab that stores a prefix", async () => {
  await leave();
  assert.equal(stored().length, 1);
  assert.equal(await read(), 0);
  const [{ address: listed, prefixes }] = await models();
  assert.equal(listed, address);
  assert.deepEqual(
    prefixes.map(({ tokens, isWhole }) => [tokens, isWhole]),
    [[100, false]],
  );
  assert.ok(prefixes[0].bytes > 400);
  const [name] = stored();
  await keep(prompt);
  assert.equal(stored().length, 1);
  assert.ok(!stored().includes(name));
});

test("removeModel deletes what a closed tab left unfinished", async () => {
  await leave();
  assert.equal(await removeModel(address), true);
  assert.deepEqual(stored(), []);
});

test("a prefix without a list is listed by its file, and deleted with any model or by the next keepPrefix", async () => {
  for (const damage of [(entries) => entries.delete(listKey), (entries) => entries.set(listKey, new Uint8Array(9))]) {
    const lose = async () => {
      await keep();
      damage(caches.stored.get(stored()[0]));
    };
    await lose();
    assert.equal(await read(), 0);
    const [{ address: listed, prefixes }] = await models();
    assert.match(listed, /^lastinch-file:[\da-f]{16}$/);
    assert.equal(prefixes[0].isWhole, false);
    const [name] = stored();
    await keep(prompt);
    assert.ok(!stored().includes(name));
    await removeModel(address);
    await lose();
    await removeModel(listed);
    assert.deepEqual(stored(), []);
    await lose();
    await removeModel(address);
    assert.deepEqual(stored(), []);
  }
});

test("a signal ends the storing, and nothing is left", async () => {
  for (const where of [listKey, partKey]) {
    const stop = new AbortController();
    caches.onPut = async (key) => {
      if (key !== where) return;
      stop.abort();
      for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate); // the message arrives
    };
    await visit(async (model) => {
      await assert.rejects(model.keepPrefix(prefix, { signal: stop.signal }), { name: "AbortError" });
      caches.onPut = () => {};
      await model.keepPrefix(prompt);
      assert.equal(stored().length, 1);
      assert.equal(await removeModel(address), true);
    });
  }
});

test("a prefix that is deleted while it is stored stays deleted", async () => {
  for (const where of [1, 2, 3]) {
    let puts = 0;
    caches.onPut = async () => {
      if (++puts === where) assert.equal(await removeModel(address), where > 1);
    };
    const keeping = keep();
    if (where > 1) await assert.rejects(keeping, { code: "prefix-not-kept" });
    else await keeping.catch(() => {});
    assert.deepEqual(stored(), [], `put ${where}`);
    assert.deepEqual(await models(), []);
  }
});

test("a text does not bring back a Cache that another tab has just deleted", async () => {
  await keep();
  await visit(async (model) => {
    // The other tab deletes it after this one has seen it.
    caches.has = async (name) => (caches.stored.delete(name), true);
    caches.match = async () => (caches.stored.clear(), undefined);
    assert.equal((await collect(model.generate(prompt, options))).usage.cachedTokens, 0);
  });
  assert.equal(caches.stored.size, 0);
});

test("tabs store one prefix after the other, and the same one once", async () => {
  const others = [1, 2, 3].map((i) => randomNumbers(`other ${i}`, 100, 256));
  let storing;
  let puts = 0;
  caches.onPut = async (key) => {
    if (key === listKey) return;
    puts++;
    assert.equal(storing, undefined);
    storing = key;
    await new Promise((resolve) => setTimeout(resolve, 5));
    storing = undefined;
  };
  await withLocks(new FakeLocks(), async () => {
    const tabs = await Promise.all([0, 1, 2, 3, 4].map(() => loadModel(address, { worker: false, ...how })));
    const kept = await Promise.all(tabs.map((model, i) => model.keepPrefix(others[i % 3])));
    assert.equal(puts, 3);
    assert.equal(stored().length, 3);
    assert.deepEqual(kept[3], kept[0]);
    for (const model of tabs) model.dispose();
    for (const ids of others) assert.equal(await read([...ids, 1, 2]), 100);
  });
});

test("a lock that another tab keeps delays no text, and keepPrefix says so", async (context) => {
  await keep();
  const { timeout } = AbortSignal;
  context.after(() => (AbortSignal.timeout = timeout));
  AbortSignal.timeout = () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new DOMException("late", "TimeoutError")), 20);
    return stop.signal;
  };
  const locks = new FakeLocks();
  let free;
  const held = locks.request("", {}, () => new Promise((resolve) => (free = resolve)));
  await withLocks(locks, async () => {
    assert.equal(await read(), 100);
    assert.equal((await keep()).tokens, 100);
    await assert.rejects(keep(prompt), { code: "prefix-not-kept", message: /tab/ });
    free();
    await held;
    assert.equal((await keep(prompt)).tokens, prompt.length);
  });
});

test("a prefix that another tab has used keeps what that tab wrote", async () => {
  const first = { ...how, contextLength: 200 };
  await keep();
  await visit(async (model) => {
    const copy = address.replace("model.gguf", "copy.gguf");
    writeFileSync(new URL(copy), file);
    await visit((other) => other.keepPrefix(prefix), copy, first);
    await model.keepPrefix(prefix);
    assert.deepEqual((await models()).map((one) => one.address).sort(), [copy, address].sort());
    assert.equal(await removeModel(copy), true);
    assert.deepEqual(stored(), []);
  });
});

// ---- limits --------------------------------------------------------------------------------------------------

test("a smaller limit holds for a prefix that is kept already", async () => {
  const { bytes } = await keep();
  await keep(randomNumbers("other", 100, 256));
  await keep(prefix, { bytes: 1.5 * bytes });
  assert.equal(stored().length, 1);
  assert.equal(await read(), 100);
  await assert.rejects(keep(prefix, { bytes: bytes - 1 }), { code: "prefix-too-large" });
  assert.deepEqual(stored(), []);
});

test("prefixes stay when the next one cannot be stored", async () => {
  const { bytes } = await keep();
  let puts = 0;
  caches.onPut = () => {
    if (++puts === 2) throw new DOMException("the disk fails", "UnknownError");
  };
  await assert.rejects(keep(prompt, { bytes: 1.5 * bytes }), { code: "prefix-not-kept" });
  caches.onPut = () => {};
  assert.equal(await read(), 100);
  // Where there is no room for both, the older one goes.
  puts = 0;
  caches.onPut = () => {
    if (++puts === 2) throw new DOMException("full", "QuotaExceededError");
  };
  await keep(prompt, { bytes: 1.5 * bytes });
  assert.equal(stored().length, 1);
  assert.equal(await read([...prompt, 5]), prompt.length);
});

test("a prefix that is longer than the context is not tried", async () => {
  await keep(randomNumbers("long", 150, 256));
  let tries = 0;
  await visit(
    async (model) => {
      const { match } = caches;
      caches.match = (key, where) => ((tries += key !== listKey), match.call(caches, key, where));
      await collect(model.generate(randomNumbers("long", 150, 256).slice(0, 90), options));
    },
    address,
    { ...how, contextLength: 120 },
  );
  assert.equal(tries, 0);
});

test("a browser without room keeps nothing, and says so", async () => {
  caches.room = 5000;
  await visit(async (model) => {
    await assert.rejects(model.keepPrefix(prefix), { code: "prefix-not-kept", message: /room/ });
    assert.deepEqual(stored(), []);
    // The model has read the prefix.
    assert.equal((await collect(model.generate(prompt, options))).usage.cachedTokens, 100);
  });
});

test("where the browser keeps nothing, keepPrefix is rejected", async () => {
  delete globalThis.caches;
  await assert.rejects(keep(), { code: "prefix-not-kept" });
  assert.equal(await read(), 0);
});

test("only the first text waits for caches that never answer, and not long", async (t) => {
  await keep();
  await visit(async (model) => {
    caches.silent.add("match");
    for (const ids of [prompt, [...prefix, 1, 2, 3, 4]]) {
      await collect(model.generate(ids, options));
      assert.equal(caches.unanswered, 1);
    }
  });
  globalThis.caches = caches = new FakeCaches();
  caches.silent.add("keys");
  const { setInterval } = globalThis;
  let timers = 0;
  // Shortens every time limit.
  t.mock.method(globalThis, "setInterval", (tick, ms) => (timers++, setInterval(tick, ms / 20)));
  await visit(async (model) => {
    await collect(model.generate(prompt, options));
    const before = timers;
    await collect(model.generate([...prompt].reverse(), options));
    assert.equal(timers, before);
  });
});

test("a draft model finds its own prefix", async () => {
  await keep();
  const other = floatFile("gemma3", { embedding: 0.7 });
  await visit((model) => model.keepPrefix(prefix), other);
  const draft = await load(other, how);
  await visit(async (model) => {
    const text = await collect(model.generate(prompt, { ...options, draft }));
    assert.equal(text.usage.cachedTokens, 100);
    const own = await collect(draft.generate(prompt, options));
    assert.ok(own.usage.cachedTokens >= 100);
  });
  draft.dispose();
});
