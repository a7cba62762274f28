// Which build of model.wasm an instance gets, if threads are to share its memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { instantiateModel } from "../../web/core/variants.js";

// First: a file that has loaded once is not read again.
test("a file that does not load is an error, even if only helpers need it", async (t) => {
  t.after(() => delete globalThis["lastinch/inline"]);
  const page = new TextEncoder().encode("<!doctype html>");
  globalThis["lastinch/inline"] = { "model-threads": page, "model-relaxed-threads": page };
  await assert.rejects(instantiateModel(true), { code: "wasm-unavailable" });
  assert.ok((await instantiateModel(false)).exports.li_model_forward);
});

test("an engine that refuses so large a shared memory gets an instance of its own", async (t) => {
  const { Memory } = WebAssembly;
  t.after(() => (WebAssembly.Memory = Memory));
  WebAssembly.Memory = function refuse() {
    throw new RangeError("too large");
  };
  const { shared, exports } = await instantiateModel(true);
  assert.equal(shared, undefined);
  assert.ok(exports.li_model_forward);
});

test("an engine that refuses a large maximum gets the largest that it allows, if the model fits into it", async (t) => {
  const { Memory } = WebAssembly;
  t.after(() => (WebAssembly.Memory = Memory));
  let allowed = 16384;
  WebAssembly.Memory = function limited(/** @type {any} */ { maximum, ...rest }) {
    if (maximum > allowed) throw new RangeError("too large");
    return new Memory({ maximum, ...rest });
  };
  const { shared } = await instantiateModel(true, 2 ** 29);
  assert.ok(shared.buffer instanceof SharedArrayBuffer);
  assert.throws(() => shared.grow(allowed));
  assert.equal((await instantiateModel(true, 2 ** 30)).shared, undefined);
  allowed = 512;
  assert.equal((await instantiateModel(true)).shared, undefined);
});
