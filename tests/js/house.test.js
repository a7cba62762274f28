// The house of CONTRIBUTING.md: who may use whom, what is generated, what may leave the wasm border.
import assert from "node:assert/strict";
import { limitOf } from "../limits.js";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, resolve, dirname } from "node:path";
import test from "node:test";
import { brotliCompressSync } from "node:zlib";
import { loadedWith, pageSize } from "../../wasm/elements.js";

const root = resolve(import.meta.dirname, "../..");
const read = (path) => readFileSync(join(root, path), "utf8");

/** Files below a folder with one of the endings. */
function files(folder, ...endings) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
}

// Floors of src/, lowest first. Those on one line may use those before them, never each other.
const floors = [["base"], ["sample", "model", "grammar"], ["decode"]];
const floorOf = (folder) => floors.findIndex((floor) => floor.includes(folder));

test("C files include only their own floor and the floors below it", () => {
  const wrong = [];
  for (const file of files("src", ".c", ".h")) {
    if (file === "src/lastinch.h") continue;
    const [, folder] = file.split("/");
    assert.ok(floorOf(folder) >= 0, `${file} is on no known floor`);
    for (const [, included] of read(file).matchAll(/#include "([^"]+)"/g)) {
      if (included === "lastinch.h") continue;
      const target = included.split("/")[0];
      const isBelow = floorOf(target) >= 0 && floorOf(target) <= floorOf(folder);
      const isBeside = target !== folder && floorOf(target) === floorOf(folder);
      if (!isBelow || isBeside) wrong.push(`${file} includes ${included}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("C uses no stdio, no libm and no Emscripten", () => {
  const allowed = new Set([
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "string.h",
    "stdlib.h",
    "stdatomic.h",
    "wasm_simd128.h",
  ]);
  for (const file of files("src", ".c", ".h"))
    for (const [, included] of read(file).matchAll(/#include <([^>]+)>/g)) {
      assert.ok(allowed.has(included), `${file} includes <${included}>`);
      if (included === "stdlib.h") assert.equal(file, "src/base/memory.c");
      if (included === "stdatomic.h") assert.equal(file, "src/base/parallel.c");
    }
});

test("JavaScript imports only its own floor and the floors below it", () => {
  const level = (file) =>
    file.startsWith("demos/") ? 3 : file.startsWith("web/widgets/") || file.startsWith("web/adapters/") ? 2 : 1;
  const wrong = [];
  for (const file of [...files("web", ".js"), ...files("demos", ".js")])
    for (const [, specifier] of read(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const target = relative(root, resolve(root, dirname(file), specifier));
      // Widgets and adapters are on one floor, in rooms of their own.
      const isNextDoor =
        level(file) === 2 && level(target) === 2 && dirname(target).split("/")[1] !== file.split("/")[1];
      const isAbove = target.startsWith("dist/") ? level(file) < 3 : level(target) > level(file);
      if (isAbove || isNextDoor) wrong.push(`${file} → ${target}`);
    }
  assert.deepEqual(wrong, []);
});

test("widgets and adapters know the public API alone: the files of web/, not of its folders", () => {
  const wrong = [];
  for (const folder of ["widgets", "adapters"])
    for (const file of files(`web/${folder}`, ".js"))
      for (const [, specifier] of read(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
        const target = relative(root, resolve(root, dirname(file), specifier));
        if (!/^web\/[^/]+\.js$/.test(target) && !target.startsWith(`web/${folder}/`)) wrong.push(`${file} → ${target}`);
      }
  assert.deepEqual(wrong, []);
});

test("generated files are up to date", () => {
  execFileSync(process.execPath, ["wasm/generate.js", "--check"], { cwd: root, stdio: "inherit" });
});

test("every function of lastinch.h is exported to wasm, and nothing else; the modules import at most their memory", async () => {
  const declared = [...read("src/lastinch.h").matchAll(/\b(li_\w+)\(/g)].map((match) => match[1]);
  const listed = (name) =>
    read(`wasm/${name}.exports`)
      .split("\n")
      .filter((line) => line && !line.startsWith("#"));
  const memory = ["li_memory_alloc", "li_memory_free"];
  assert.deepEqual(
    [...new Set(["sampler", "decode", "model", "grammar"].flatMap(listed))].sort(),
    [...new Set([...declared, ...memory])].sort(),
  );
  for (const [name, names, imports = []] of [
    ["sampler", listed("sampler")],
    ["decode", ["sampler", "decode"].flatMap(listed)],
    ["grammar", listed("grammar")],
    ["model", ["sampler", "decode", "model"].flatMap(listed)],
    [
      "model-threads",
      ["sampler", "decode", "model", "threads"].flatMap(listed),
      [{ module: "env", name: "memory", kind: "memory" }],
    ],
  ]) {
    const module = await WebAssembly.compile(readFileSync(join(root, `dist/${name}.wasm`)));
    assert.deepEqual(WebAssembly.Module.imports(module), imports);
    const exported = WebAssembly.Module.exports(module).map((entry) => entry.name);
    for (const expected of names) assert.ok(exported.includes(expected), `${name}.wasm lacks ${expected}`);
    assert.deepEqual(
      exported.filter((other) => other.startsWith("li_") && !names.includes(other)),
      [],
    );
  }
});

test("file names are unique across src/, and files have at most 500 lines", () => {
  const seen = new Map();
  for (const file of files("src", ".c", ".h")) {
    const name = file.split("/").at(-1);
    assert.ok(!seen.has(name), `${file} and ${seen.get(name)} have one name`);
    seen.set(name, file);
  }
  for (const file of [...files("src", ".c"), ...files("web", ".js"), ...files("demos", ".js")]) {
    const lines = read(file).split("\n").length;
    assert.ok(lines <= 500, `${file} has ${lines} lines`);
  }
});

// The goal is 15 KB; demos/docs/measurements.md says which bytes are left. The limit may only shrink.
test("a page that samples loads no more than its limit: sampler.wasm and the JavaScript of the package's entry", () => {
  const size = pageSize("index.js");
  assert.ok(size > 5000 && size <= limitOf("sampler"), `${size} bytes`);
});

test("a page whose schemas have neither pattern nor format loads no parser of regular expressions", () => {
  const chunks = readdirSync(join(root, "dist")).filter((name) => /^[A-Z0-9]{8}\.js$/.test(name));
  const [reader] = chunks.filter((name) => read(`dist/${name}`).includes("unevaluatedProperties"));
  const [parser] = chunks.filter((name) => read(`dist/${name}`).includes("Invalid regular expression"));
  const [compiler] = chunks.filter((name) => read(`dist/${name}`).includes("compileGrammar takes one of"));
  for (const name of [reader, compiler]) assert.ok(name && parser && !loadedWith(name).has(parser), name);
});

test("each variant of model.wasm is no larger than its limit", () => {
  for (const name of ["model", "model-threads", "model-relaxed", "model-relaxed-threads"]) {
    const size = brotliCompressSync(readFileSync(join(root, `dist/${name}.wasm`))).length;
    assert.ok(size > 10_000 && size <= limitOf("model"), `${name}: ${size} bytes`);
  }
});
