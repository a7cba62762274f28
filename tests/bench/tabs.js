// Memory of three tabs with a model of 138 MB, each with its own and with one for all: `node tests/bench/tabs.js`. What is
// measured is the proportional set size of all processes of the browser (Linux).
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { listen, siteHandler } from "../../demos/serve.js";
import { browserNames, closeBrowsers, launch } from "../browser/browsers.js";
import { randomGguf } from "../vectors/gguf-files.js";

const shape = { vocab: 1024, dim: 512, hidden: 2048, layers: 8, heads: 8, kvHeads: 8, context: 256 };
const file = randomGguf(shape);

/** MB that this process's children and theirs take. */
function measure() {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      parents.set(pid, parent);
    } catch {
      // It has ended.
    }
  const isOurs = (pid) => pid !== undefined && (pid === String(process.pid) || isOurs(parents.get(pid)));
  let kilobytes = 0;
  for (const [pid, parent] of parents)
    if (isOurs(parent))
      try {
        kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
      } catch {
        // It has ended.
      }
  return kilobytes / 1024;
}

const handle = siteHandler();
const server = createServer((request, response) => {
  if (request.url !== "/model.gguf") return handle(request, response);
  response.writeHead(200, { "content-length": file.length }).end(request.method === "HEAD" ? undefined : file);
});
const address = `http://localhost:${await listen(server, 0)}/tests/browser/blank.html`;

for (const name of browserNames)
  for (const shareAcrossTabs of [true, false]) {
    const first = await launch(name);
    const tabs = [first, await first.openTab(), await first.openTab()];
    for (const tab of tabs) await tab.open(address);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const before = measure();
    for (const tab of tabs)
      await tab.evaluate(async (shareAcrossTabs) => {
        const { loadModel } = await import("/dist/index.js");
        globalThis.model = await loadModel("/model.gguf", { shareAcrossTabs, cache: false });
        await globalThis.model.forward([1, 2, 3]);
      }, shareAcrossTabs);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    console.log(name, shareAcrossTabs ? "shared" : "own", `${(measure() - before).toFixed(0)} MB`);
    for (const tab of tabs.slice(1)) await tab.close();
    await first.close();
  }
await closeBrowsers();
server.closeAllConnections();
server.close();
