// The package under Bun, Deno and Cloudflare's workerd, which `make test-settings` gets from npm: the same texts as in Node.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { freePort } from "../browser/browsers.js";
import { whenUp } from "../browser/template.js";
import { installPacked } from "../packed.js";

const runtimes = join(import.meta.dirname, "../../build/runtimes/node_modules");
const skip = existsSync(runtimes) ? false : "make test-settings installs the runtimes";
const { folder, installed } = installPacked("build/settings");
copyFileSync(join(import.meta.dirname, "../apps/story.js"), join(folder, "story.js"));
writeFileSync(
  join(folder, "main.js"),
  `import * as lastinch from "lastinch";
   import draft from "lastinch/models/draft";
   import { tell } from "./story.js";
   console.log(JSON.stringify(await tell(lastinch, draft)));
   process.exit();`,
);

/** What a command prints in the app's folder, without the number of threads. */
function told(command, ...given) {
  const text = execFileSync(command, given, { cwd: folder, timeout: 120_000, encoding: "utf8" });
  const { threads, ...rest } = JSON.parse(text);
  return rest;
}

const expected = told(process.execPath, "main.js");

test("Bun", { skip }, () => {
  assert.deepEqual(told(join(runtimes, ".bin/bun"), "main.js"), expected);
});

test("Deno, allowed to read files only", { skip }, () => {
  assert.deepEqual(told(join(runtimes, ".bin/deno"), "run", "--allow-read", "main.js"), expected);
});

test("Cloudflare Workers, with lastinch/inline", { skip }, async () => {
  const out = join(folder, "cloudflare");
  mkdirSync(out);
  writeFileSync(
    join(folder, "worker.js"),
    `import "lastinch/inline";
     import * as lastinch from "lastinch";
     import draft from "./draft.gguf";
     import { tell } from "./story.js";
     export default { fetch: async () => Response.json(await tell(lastinch, draft)) };`,
  );
  /** @type {Set<string>} */
  const files = new Set();
  // As wrangler does: files are modules of their own.
  await build({
    entryPoints: [join(folder, "worker.js")],
    outfile: join(out, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "error",
    plugins: [
      {
        name: "files",
        setup: ({ onResolve }) =>
          onResolve({ filter: /\.(wasm|gguf)$/ }, ({ path }) => {
            files.add(basename(path));
            return { path: `./${basename(path)}`, external: true };
          }),
      },
    ],
  });
  for (const name of files) copyFileSync(join(installed, "dist", name), join(out, name));
  const port = await freePort();
  const modules = [...files].map(
    (name) => `(name = "${name}", ${name.endsWith(".wasm") ? "wasm" : "data"} = embed "${name}")`,
  );
  writeFileSync(
    join(out, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [(name = "main", worker = .worker)],
       sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
     );
     const worker :Workerd.Worker = (
       modules = [(name = "worker.js", esModule = embed "worker.js"), ${modules.join(", ")}],
       compatibilityDate = "2026-06-01"
     );`,
  );
  const server = spawn(join(runtimes, ".bin/workerd"), ["serve", join(out, "config.capnp")], { stdio: "inherit" });
  try {
    const { threads, ...rest } = JSON.parse(await whenUp(`http://127.0.0.1:${port}`));
    assert.equal(threads, 1);
    assert.deepEqual(rest, expected);
  } finally {
    server.kill();
  }
});
