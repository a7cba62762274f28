// The package as npm would publish it: what it contains, what its entries declare, and that they work.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { pathToFileURL } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import tracer from "next/dist/compiled/@vercel/nft/index.js";
import { publint } from "publint";
import { installPacked } from "../packed.js";

const { folder, installed, tarball, files } = installPacked("build/package");
const read = (path) => readFileSync(join(installed, path), "utf8");
const manifest = JSON.parse(read("package.json"));

const wasm = [
  "sampler",
  "decode",
  "grammar",
  "train",
  "model",
  "model-threads",
  "model-relaxed",
  "model-relaxed-threads",
];
const models = ["storyteller", "draft", "shakespeare", "medusa", "eagle"];
const scripts = files.filter((path) => path.endsWith(".js"));
const pathOf = (target, name) => posix.normalize(target).replace("*", name);

/** The subpaths that are scripts, with their files. @type {[name: string, path: string][]} */
const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target === "string") return [];
  const [before, after] = posix.normalize(target.default).split("*");
  const names = after === undefined ? [""] : namesBetween(before, after);
  return names.map((name) => [posix.join("lastinch", subpath.replace("*", name)), pathOf(target.default, name)]);
});

/** What the * of a subpath stands for. */
function namesBetween(before, after) {
  const found = scripts.filter((path) => path.startsWith(before) && path.endsWith(after));
  return found.map((path) => path.slice(before.length, -after.length));
}

/** What a script becomes in an app. */
async function bundled(contents, options) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    logLevel: "error",
    ...options,
  });
  return outputFiles[0].text;
}

test("the tarball has the .wasm files, the models, the documentation and licences, and no source", () => {
  const beside = files.filter((path) => !/^(dist|demos\/docs)\//.test(path));
  assert.deepEqual(beside.sort(), ["CHANGELOG.md", "LICENSE", "README.md", "package.json"]);
  const unlike = files.filter((path) => /(^|\/)\.|\.(c|h|html|map)$|(?<!\.d)\.ts$|\.test\./.test(path));
  assert.deepEqual(unlike, []);
  for (const name of wasm) assert.ok(files.includes(`dist/${name}.wasm`), name);
  for (const name of models) assert.ok(files.includes(`dist/${name}.gguf`), name);
  assert.ok(files.filter((path) => /^demos\/docs\/[a-z-]+\.md$/.test(path)).length > 5);
});

test("the package is at most 9.1 MB and 360 files", () => {
  const bytes = files.map((path) => readFileSync(join(installed, path)).length).reduce((a, b) => a + b);
  assert.ok(bytes <= 9.1 * 2 ** 20 && files.length <= 360, `${bytes} bytes, ${files.length} files`);
});

test("the README's links lead to headings and files of the tarball", () => {
  const links = [...read("README.md").matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target.split("#"));
  assert.ok(links.length > 15);
  for (const [path, anchor] of links) {
    // The registry's page takes pictures and the site's pages from the repository.
    if (/\.svg$|^demos\/[a-z-]+\.html$|^demos\/docs\/index\.md$/.test(path)) {
      assert.ok(existsSync(path), path);
      continue;
    }
    if (path) assert.ok(files.includes(path), path);
    const headings = read(path || "README.md").match(/^#+ .*$/gm) ?? [];
    const ids = headings.map((heading) =>
      heading
        .replace(/^#+ /, "")
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    );
    if (anchor) assert.ok(ids.includes(anchor), anchor);
  }
});

test("each .wasm is there once as a file, and once as text in its own entry", () => {
  for (const name of wasm) {
    const bytes = readFileSync(join(installed, `dist/${name}.wasm`));
    assert.ok(WebAssembly.validate(bytes) || name.includes("relaxed"), name);
    const text = deflateRawSync(bytes, { level: 9 }).toString("base64");
    const holders = scripts.filter((path) => read(path).includes(text));
    assert.deepEqual(holders, [`dist/inline-${name.split("-")[0]}.js`]);
  }
});

test("every bundled package has its licence", () => {
  const licences = read("dist/LICENSES.txt");
  for (const name of ["@eslint-community/regexpp", "@huggingface/jinja", "fflate", "lit"])
    assert.ok(licences.includes(name), name);
  assert.doesNotMatch(licences, /undefined/);
});

test("every entry has its file and types", () => {
  for (const [subpath, target] of Object.entries(manifest.exports))
    if (typeof target === "string") assert.ok(files.includes(posix.normalize(target)), subpath);
    else {
      const own = subpath === "./inline" ? ["workerd"] : [];
      assert.deepEqual(Object.keys(target), ["types", ...own, "default"]);
      const names = subpath.includes("*") ? namesBetween(...posix.normalize(target.default).split("*")) : [""];
      assert.ok(names.length, subpath);
      for (const name of names) assert.ok(files.includes(pathOf(target.types, name)), `types of ${subpath} ${name}`);
    }
});

/** What each script imports, statically or dynamically. */
async function importsOf(paths) {
  const { metafile } = await build({
    entryPoints: paths,
    absWorkingDir: installed,
    outdir: "unwritten",
    bundle: true,
    external: ["*"],
    format: "esm",
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs).map(({ entryPoint = "", imports }) => ({
    path: entryPoint,
    imported: imports.map((one) => one.path),
  }));
}

/** What each script needs: its imports, and the files whose addresses it derives from its own. */
async function needsOf(paths) {
  return (await importsOf(paths)).map(({ path, imported }) => {
    // The Worker that is kept as text needs nothing, because it is given everything.
    const code = path.startsWith("dist/inline-") ? "" : read(path);
    const beside = [...code.matchAll(/new URL\("([^"]+)",\s*import\.meta\.url\)/g)].map((match) => match[1]);
    return { path, needed: [...imported, ...beside] };
  });
}

const isRelative = (name) => /^\.\.?\//.test(name);

test("every imported file is in the tarball, and no other package is needed", async () => {
  const peers = Object.keys(manifest.peerDependencies ?? {});
  for (const { path, needed } of await needsOf(scripts))
    for (const name of needed)
      if (isRelative(name)) assert.ok(files.includes(posix.join(posix.dirname(path), name)), `${path} → ${name}`);
      else
        assert.ok(
          peers.some((peer) => name === peer || name.startsWith(`${peer}/`)),
          `${path} → ${name}`,
        );
});

test("every script is an entry, or another script needs it", async () => {
  const asked = new Set(entries.map(([, path]) => path));
  asked.add(posix.normalize(manifest.exports["./inline"].workerd));
  for (const { path, needed } of await needsOf(scripts))
    for (const name of needed.filter(isRelative)) asked.add(posix.join(posix.dirname(path), name));
  assert.deepEqual(
    scripts.filter((path) => !asked.has(path)),
    [],
  );
});

test("lastinch/model imports nothing, statically or dynamically", async () => {
  assert.deepEqual(await importsOf(["dist/model.js"]), [{ path: "dist/model.js", imported: [] }]);
});

// Vite 7 and older bundle a Worker into one classic script, and refuse dynamic imports in it.
test("the Workers' scripts have no dynamic imports", async () => {
  const entryPoints = ["worker", "helper"].map((name) => join(installed, `dist/${name}.js`));
  const { metafile } = await build({
    entryPoints,
    outdir: "unwritten",
    bundle: true,
    format: "esm",
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  assert.ok(imports.length > 10);
  assert.deepEqual(
    imports.filter(({ kind }) => kind !== "import-statement"),
    [],
  );
});

test("the file tracers of Nuxt, Next.js and Vercel find each .wasm and the Workers' scripts", async () => {
  const { fileList } = await tracer.nodeFileTrace([join(installed, "dist/index.js")], { base: installed });
  const found = [...fileList];
  // Of lastinch/train only that entry has the files.
  for (const name of [
    "helper.js",
    "worker.js",
    ...wasm.filter((name) => name !== "train").map((name) => `${name}.wasm`),
  ])
    assert.ok(found.includes(`dist/${name}`), name);
  // They copy nothing else of the package: no model, no other entry.
  assert.deepEqual(
    entries.filter(([, path]) => found.includes(path)).map(([name]) => name),
    ["lastinch"],
  );
  assert.deepEqual(
    found.filter((path) => !/\.(js|wasm)$/.test(path)),
    ["package.json"],
  );
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  assert.deepEqual(messages, []);
});

test("the types resolve and check under every module resolution with ES modules", async () => {
  const result = await checkPackage(createPackageFromTarballData(tarball), {
    entrypoints: entries.map(([name]) => posix.relative("lastinch", name) || "."),
  });
  assert.ok(result.types, "attw found no types");
  assert.deepEqual(Object.keys(result.entrypoints).length, entries.length);
  // As in its profile "esm-only": without the resolution from before `exports`, and without require().
  const older = ["node10", "node16-cjs"];
  const problems = result.problems.filter((problem) => !older.includes(problem.resolutionKind));
  assert.deepEqual(problems, []);
});

test("an app that only samples bundles only the sampler", async () => {
  const app = 'import { createSampler } from "lastinch"; globalThis.sampler = createSampler({ vocabSize: 6 });';
  const code = await bundled(app);
  assert.ok(code.length < 38_000, `${code.length} characters`);
  assert.doesNotMatch(code, /loadModel|compileGrammar|createGroup/);
});

/** The side effects of a script: the elements that it defines, and the inlined files that it registers. */
async function effectsOf(code) {
  const scope = /** @type {any} */ (globalThis);
  const elements = [];
  const define = (name) => elements.push(name);
  Object.assign(scope, { HTMLElement: class {}, customElements: { define, get: () => undefined } });
  const file = join(folder, `effects-${effectsOf.count++}.js`);
  writeFileSync(file, code);
  try {
    await import(pathToFileURL(file).href);
    return [...elements, ...Object.keys(scope["lastinch/inline"] ?? {})].sort();
  } finally {
    for (const name of ["HTMLElement", "customElements", "lastinch/inline"]) delete scope[name];
  }
}
effectsOf.count = 0;

for (const [name, path] of entries)
  test(`the side effects of ${name} survive bundlers, and package.json declares them`, async () => {
    const app = `import ${JSON.stringify(name)};`;
    const external = Object.keys(manifest.peerDependencies ?? {});
    const kept = await bundled(app, { external });
    const effects = await effectsOf(await bundled(app, { external, ignoreAnnotations: true }));
    const isListed = manifest.sideEffects.some((glob) =>
      new RegExp(`^${posix.normalize(glob).replaceAll(".", "\\.").replace("*", "[^/]*")}$`).test(path),
    );
    assert.equal(effects.length > 0, isListed, effects.join());
    assert.deepEqual(await effectsOf(kept), effects);
    if (!isListed) assert.equal(kept.trim(), "");
  });

test("in Node the package samples, runs a model on two threads and compiles a schema, from files and inlined", () => {
  const script = `
    import { compileGrammar, createSampler, loadModel } from "lastinch";
    import { tell } from ${JSON.stringify(new URL("../apps/story.js", import.meta.url).href)};
    const draft = new URL(import.meta.resolve("lastinch/models/draft.gguf"));
    console.log(JSON.stringify(await tell({ compileGrammar, createSampler, loadModel }, draft)));
    process.exit();`;
  const run = (code) =>
    JSON.parse(
      execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
        cwd: folder,
        encoding: "utf8",
        stdio: "pipe",
      }),
    );
  const withFiles = run(script);
  assert.equal(withFiles.threads, 2);
  for (const file of [...wasm.map((name) => `${name}.wasm`), "worker.js", "helper.js"])
    rmSync(join(installed, "dist", file));
  assert.throws(() => run(script), /serve it, or import "lastinch\/inline"/);
  assert.deepEqual(run(`import "lastinch/inline"; ${script}`), withFiles);
});
