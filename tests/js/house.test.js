// The house of ARCHITECTURE.md: who may use whom, what is generated, what may cross the border to wasm.
import assert from "node:assert/strict";
import { limitOf } from "../limits.js";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, resolve, dirname } from "node:path";
import test from "node:test";
import { brotliCompressSync } from "node:zlib";
import { cycles, dependencies } from "../includes.js";

const root = resolve(import.meta.dirname, "../..");
const read = (path) => readFileSync(join(root, path), "utf8");

/** Files below a folder with one of the endings. */
function files(folder, ...endings) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)));
}

// Floors of src/, lowest first. A room may use the floors before its own, but never another room of its floor.
const floors = [["base"], ["sample", "model", "grammar"], ["decode", "tokenizer", "train"]];
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

// The rooms of src/grammar, lowest first, as its README lists them.
const rooms = [...read("src/grammar/README.md").matchAll(/^- `(\w+)\/`: /gm)].map((match) => match[1]);

test("files of src/grammar include only their own room and the rooms below it", () => {
  const wrong = [];
  for (const file of files("src/grammar", ".c", ".h")) {
    const path = file.slice("src/grammar/".length);
    const room = rooms.indexOf(path.split("/")[0]);
    assert.ok(room >= 0 && path.split("/").length === 2, `${file} is in no room`);
    for (const [, included] of read(file).matchAll(/#include "grammar\/([^"]+)"/g))
      if (rooms.indexOf(included.split("/")[0]) > room) wrong.push(`${path} includes ${included}`);
  }
  assert.deepEqual(wrong, []);
});

test("in src/grammar a source without its header, or a header without its source, says why", () => {
  for (const file of files("src/grammar", ".c", ".h")) {
    const [other, missing] = file.endsWith(".c") ? [".h", "Without a header"] : [".c", "Without a .c file"];
    if (existsSync(join(root, file.replace(/\.[ch]$/, other)))) continue;
    const [head] = read(file).split(/^#/m);
    assert.ok(head.includes(missing), `${file} does not say why it has no ${other}`);
  }
});

test("cycles of includes do not grow: at most 10 modules depend on each other", () => {
  const modules = (cycle) => new Set(cycle.map((file) => file.replace(/\.[ch]$/, "")));
  for (const cycle of cycles(dependencies(root))) assert.ok(modules(cycle).size <= 10, cycle.join(" "));
});

test("no C function takes more than six parameters: those that belong together are a struct", () => {
  const wrong = [];
  for (const file of files("src", ".c", ".h"))
    for (const [, name, parameters] of read(file).matchAll(/^[a-zA-Z][\w *]*?\b(\w+)\(([^;{]*)\)\n\{/gm))
      if (parameters.replace(/\([^()]*\)/g, "").split(",").length > 6) wrong.push(`${file}: ${name}`);
  assert.deepEqual(wrong, []);
});

test("no line of C is longer than 120 columns", () => {
  const wrong = [...files("src", ".c", ".h"), ...files("tests", ".c", ".h")].flatMap((file) =>
    read(file)
      .split("\n")
      .flatMap((line, i) => ([...line].length > 120 ? [`${file}:${i + 1}`] : [])),
  );
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

/** The files that a script imports when it runs, without the types in its comments. */
function importsOf(file) {
  const code = read(file).replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
  return [...code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path]) =>
    relative(root, resolve(root, dirname(file), path)),
  );
}

/** The files whose types the comments of a script import. */
function typesOf(file) {
  const found = read(file).matchAll(/import\("(\.[^"]+)"\)|@import [^"]*"(\.[^"]+)"/g);
  return [...found].map(([, path, other]) => relative(root, resolve(root, dirname(file), path ?? other)));
}

// Rooms of web/, lowest first. Above them are the entries at the root, and above those adapters and widgets.
const webRooms = ["core", "sampler", "grammar", "decode", "chat", "model", "train"];
const webRoomOf = (file) => webRooms.indexOf(file.split("/")[1]);

test("a room of web/ imports only itself and the rooms below it, even for types", () => {
  const wrong = [];
  for (const file of files("web", ".js").filter((name) => webRoomOf(name) >= 0))
    for (const target of [...importsOf(file), ...typesOf(file)])
      if (webRoomOf(target) < 0 || webRoomOf(target) > webRoomOf(file)) wrong.push(`${file} → ${target}`);
  assert.deepEqual(wrong, []);
});

test("modules are imported from where they are defined: no room exports what it imports", () => {
  const wrong = files("web", ".js").filter((file) => webRoomOf(file) >= 0 && /^export .* from "/m.test(read(file)));
  assert.deepEqual(wrong, []);
});

test("the files at the root of web/ are entries of the package; everything else is in a room", () => {
  const types = Object.values(JSON.parse(read("package.json")).exports).map((target) => target.types);
  const outside = files("web", ".js").filter((file) => file.split("/").length === 2);
  for (const file of outside)
    assert.ok(types.includes(file.replace(/^web/, "./dist/types").replace(/js$/, "d.ts")), `${file} is no entry`);
  const folders = new Set(files("web", ".js").map((file) => file.split("/")[1]));
  for (const file of outside) folders.delete(file.split("/")[1]);
  assert.deepEqual([...folders].sort(), [...webRooms, "adapters", "models", "widgets"].sort());
});

test("pages import only what is built, or helpers of widgets", () => {
  const wrong = [];
  for (const file of files("demos", ".js"))
    for (const target of importsOf(file))
      if (!/^(dist|demos|web\/widgets)\//.test(target)) wrong.push(`${file} → ${target}`);
  for (const file of files("web", ".js"))
    for (const target of importsOf(file)) if (!target.startsWith("web/")) wrong.push(`${file} → ${target}`);
  assert.deepEqual(wrong, []);
});

// What no entry exports, and the widgets that need it.
const widgetTools = {
  "decode/loop-detector.js": "finds the loop of a recorded text before anything is loaded",
  "core/edit-distance.js": "finds the attribute that a misspelt one means",
};

test("widgets and adapters import public entries and their own room, even for types", () => {
  const entries = files("web", ".js").filter((file) => /^web\/(models\/)?[a-z-]+\.js$/.test(file));
  const wrong = [];
  const used = new Set();
  for (const folder of ["widgets", "adapters"])
    for (const file of files(`web/${folder}`, ".js"))
      for (const target of [...importsOf(file), ...typesOf(file)]) {
        const tool = target.replace(/^web\//, "");
        if (folder === "widgets" && tool in widgetTools) used.add(tool);
        else if (!entries.includes(target) && !target.startsWith(`web/${folder}/`)) wrong.push(`${file} → ${target}`);
      }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...used], Object.keys(widgetTools), "an exception is no longer needed");
});

test("generated files are up to date", () => {
  const [, makers] = read("Makefile").match(/^GENERATORS := (.*)/m);
  for (const maker of makers.split(" "))
    execFileSync(process.execPath, [maker, "--check"], { cwd: root, stdio: "inherit" });
});

test("every function of lastinch.h is exported to wasm, and nothing else; the modules import at most their memory", async () => {
  const declared = [...read("src/lastinch.h").matchAll(/\b(li_\w+)\(/g)].map((match) => match[1]);
  const listed = (name) =>
    read(`wasm/${name}.exports`)
      .split("\n")
      .filter((line) => line && !line.startsWith("#"));
  const memory = ["li_memory_alloc", "li_memory_free"];
  assert.deepEqual(
    [...new Set(["sampler", "decode", "detect", "model", "grammar", "train"].flatMap(listed))].sort(),
    [...new Set([...declared, ...memory])].sort(),
  );
  for (const [name, names, imports = []] of [
    ["sampler", listed("sampler")],
    ["decode", ["sampler", "decode", "detect"].flatMap(listed)],
    ["grammar", listed("grammar")],
    ["train", listed("train")],
    ["model", ["sampler", "decode", "model"].flatMap(listed)],
    [
      "model-threads",
      ["sampler", "decode", "model", "threads"].flatMap(listed),
      [{ module: "env", name: "memory", kind: "memory" }],
    ],
  ]) {
    const module = await WebAssembly.compile(readFileSync(join(root, `build/wasm/${name}.wasm`)));
    assert.deepEqual(WebAssembly.Module.imports(module), imports);
    const exported = WebAssembly.Module.exports(module).map((entry) => entry.name);
    for (const expected of names) assert.ok(exported.includes(expected), `${name}.wasm lacks ${expected}`);
    assert.deepEqual(
      exported.filter((other) => other.startsWith("li_") && !names.includes(other)),
      [],
    );
  }
});

/** The files of a list that share their name with another. @param {string[]} list */
function namedTwice(list) {
  const nameOf = (file) => file.split("/").at(-1);
  return list.filter((file) => list.some((other) => other !== file && nameOf(other) === nameOf(file)));
}

test("file names are unique within src/, and within web/ and demos/ together", () => {
  assert.deepEqual(namedTwice(files("src", ".c", ".h")), []);
  // Entries have public names. The words and recordings of a widget or a page have its name. Frameworks choose the
  // names of the files in their projects.
  const isPaired = (file) => /\/(chinese|recorded)\//.test(file);
  const isFixed = (file) => /^web\/(models\/|widgets\/index|[^/]+$)|^demos\/templates\//.test(file) || isPaired(file);
  const all = [...files("web", ".js"), ...files("demos", ".js")];
  assert.deepEqual(namedTwice(all.filter((file) => !isFixed(file))), []);
  for (const file of all.filter(isPaired)) {
    const owner = file.replace(/(chinese|recorded)\//, "");
    assert.ok(
      existsSync(join(root, owner)) || existsSync(join(root, owner.replace(".js", "/"))),
      `${file}: no ${owner}`,
    );
  }
});

test("files have at most 500 lines", () => {
  const folders = ["web", "demos", "wasm", "tools"];
  for (const file of [...files("src", ".c"), ...folders.flatMap((folder) => files(folder, ".js"))]) {
    const lines = read(file).split("\n").length;
    assert.ok(lines <= 500, `${file} has ${lines} lines`);
  }
});

test("train.wasm is no larger than its limit", () => {
  const size = brotliCompressSync(readFileSync(join(root, "build/wasm/train.wasm"))).length;
  assert.ok(size > 5_000 && size <= limitOf("train"), `${size} bytes`);
});

test("each variant of model.wasm is no larger than its limit", () => {
  for (const name of ["model", "model-threads", "model-relaxed", "model-relaxed-threads"]) {
    const size = brotliCompressSync(readFileSync(join(root, `build/wasm/${name}.wasm`))).length;
    assert.ok(size > 10_000 && size <= limitOf("model"), `${name}: ${size} bytes`);
  }
});
