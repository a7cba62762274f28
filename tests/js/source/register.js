// `node --import ./tests/js/source/register.js` runs tests on the sources: see hooks.js. Threads and processes that a test
// starts run on the sources too: they all read NODE_OPTIONS, and threads of the library read nothing else.
import { readFileSync, readdirSync } from "node:fs";
import * as module from "node:module";
import { isMainThread } from "node:worker_threads";
import { bring } from "../../../web/core/inlined.js";
import * as hooks from "./hooks.js";

const own = `--import=${import.meta.url}`;
const given = process.env.NODE_OPTIONS ?? "";
if (!given.includes(own)) process.env.NODE_OPTIONS = `${given} ${own}`.trim();

const { root, folders } = hooks;
if (isMainThread) {
  // The hooks of newer Nodes run in the thread itself, which takes less time.
  const { registerHooks } = /** @type {any} */ (module);
  if (registerHooks) registerHooks(hooks);
  else module.register("./hooks.js", import.meta.url);
} else {
  // In Node 20 the hooks of a thread run in another thread, and a test may start hundreds. So a thread is started with
  // the address of a source, and gets the files that its sources name like a page that has no files beside its scripts.
  const folder = new URL(root + folders[".wasm"]);
  const names = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  const wasm = names.map((name) => [name.slice(0, -".wasm".length), () => readFileSync(new URL(name, folder))]);
  bring(Object.fromEntries(wasm), { worker: `import ${JSON.stringify(`${root}${folders[".js"]}worker.js`)};` });
}
