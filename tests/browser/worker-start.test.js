// Where a Worker's script is from another site, or a policy is strict: the model is in a Worker all the same, or the page
// is told why not.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { browserNames, launch } from "./browsers.js";
import { startSite } from "./site.js";

/** In the page: where the model of a site runs, what it writes, and what the console said. */
async function run(origin, options = {}) {
  const warnings = [];
  console.warn = (text) => warnings.push(text);
  try {
    const { loadModel } = await import(`${origin}/dist/index.js`);
    const load = () => loadModel(`${origin}/dist/draft.gguf`, { cache: false, ...options });
    let model = await load();
    // A helper that starts late, as on a busy machine, is left out.
    for (let tries = 1; tries < 5 && model.threads < options.threads; tries++) {
      model.dispose();
      model = await load();
    }
    const again = await loadModel(`${origin}/dist/draft.gguf`, { cache: false, ...options });
    again.dispose();
    const { text } = await model.complete("Once", { maxTokens: 5, temperature: 0 });
    const { isInWorker, threads } = model;
    model.dispose();
    return { isInWorker, threads, text, warnings };
  } catch ({ code, message }) {
    return { code, message, warnings };
  }
}

for (const name of browserNames)
  describe(`the models' Worker in ${name}`, { concurrency: false, timeout: 300_000 }, () => {
    /** @type {import("./browsers.js").Driver} */
    let driver;
    /** The site of the page, and that of the package. @type {import("./site.js").Site[]} */
    let [page, far] = [];
    let text = "";
    before(async () => {
      [page, far] = [await startSite(), await startSite()];
      driver = await launch(name);
      await driver.open(`${page.origin}/tests/browser/blank.html`);
      ({ text } = await driver.evaluate(run, page.origin));
    });
    after(async () => {
      await driver?.close();
      for (const site of [page, far]) await site?.close();
    });

    /** Opens a page with a policy. @param {string} [policy] */
    const open = (policy, isIsolated = false) => {
      page.isIsolated = isIsolated;
      const tag = policy && `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      page.rewrite = (html) => html.replace("<head>", `<head>${tag ?? ""}`);
      // The fragment makes the previous page go first: Firefox would wait forever when an isolated page replaces one
      // that is not.
      return driver.open(`${page.origin}/tests/browser/blank.html#anew`);
    };
    const inWorker = { isInWorker: true, threads: 1, warnings: [] };

    test("a package of another site starts its Worker, with helpers if the page is isolated", async () => {
      await open();
      assert.deepEqual(await driver.evaluate(run, far.origin), { ...inWorker, text });
      await open("", true);
      const threads = name === "webkit" ? 1 : 2; // it shares no memory
      assert.deepEqual(await driver.evaluate(run, far.origin, { threads: 2 }), { ...inWorker, text, threads });
    });

    test("a Worker of another site starts under a policy that allows blob: and the site", async () => {
      const allowed = `'self' 'unsafe-inline' 'wasm-unsafe-eval' ${far.origin}`;
      await open(`script-src ${allowed}; worker-src blob: ${far.origin}`);
      assert.deepEqual(await driver.evaluate(run, far.origin), { ...inWorker, text });

      await open(`script-src ${allowed}; worker-src 'self'`);
      const { warnings, ...rest } = await driver.evaluate(run, far.origin);
      assert.deepEqual(rest, { isInWorker: false, threads: 1, text });
      assert.equal(warnings.length, 1, "said once");
      assert.match(warnings[0], /no worker started.*runs in this thread/);
      const refused = await driver.evaluate(run, far.origin, { worker: true });
      assert.equal(refused.code, "worker-unavailable");
    });

    test("under Trusted Types the Worker's address comes from the policy lastinch, or from the page's own", async () => {
      const strict = "require-trusted-types-for 'script'; trusted-types";
      for (const origin of [page.origin, far.origin]) {
        await open(`${strict} lastinch`);
        assert.deepEqual(await driver.evaluate(run, origin), { ...inWorker, text });
      }
      await open(`${strict} default`);
      await driver.evaluate(() => {
        globalThis.trustedTypes?.createPolicy("default", { createScriptURL: (address) => address });
      });
      assert.deepEqual(await driver.evaluate(run, page.origin), { ...inWorker, text });
      if (!(await driver.evaluate(() => "trustedTypes" in globalThis))) return;
      await open(`${strict} 'none'`);
      const { warnings, ...rest } = await driver.evaluate(run, page.origin);
      assert.deepEqual(rest, { isInWorker: false, threads: 1, text });
      assert.match(warnings.join(), /runs in this thread.*(Trusted|CSP)/);
    });

    test("a page whose Worker cannot be replaced starts it as it is", async () => {
      await open();
      await driver.evaluate(() => void Object.defineProperty(globalThis, "Worker", { writable: false }));
      assert.deepEqual(await driver.evaluate(run, page.origin), { ...inWorker, text });
    });

    test("without wasm-unsafe-eval the error says so", async () => {
      await open("script-src 'self' 'unsafe-inline'");
      const found = await driver.evaluate(run, page.origin, { worker: false });
      assert.equal(found.code, "no-webassembly");
      assert.match(found.message, /wasm-unsafe-eval/);
    });
  });
