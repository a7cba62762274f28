// The types that the package ships: they are complete, and compile with the compilers and settings that the README
// names and beside the frameworks' own types. `make test-long` adds the compilers between the oldest and the newest.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import ts from "typescript";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "build/type-tests");
mkdirSync(folder, { recursive: true });

const strict = { target: "es2022", lib: ["es2022", "dom"], types: [], strict: true, noEmit: true, skipLibCheck: false };
const bundler = { ...strict, module: "esnext", moduleResolution: "bundler" };
const node16 = { ...strict, module: "node16", moduleResolution: "node16" };

/** Compiles files with a compiler of node_modules, and expects no error. */
async function compiles(name, compiler, compilerOptions, files) {
  const config = join(folder, `${name.replace(/\W+/g, "-")}.json`);
  writeFileSync(
    config,
    JSON.stringify({ compilerOptions, files: files.map((file) => resolve(root, "tests/types", file)) }),
  );
  const command = [join(root, "node_modules", compiler, "bin/tsc"), "-p", config];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root }).catch((error) => error);
  assert.equal(stdout, "");
}

// The newest is TypeScript 7, the oldest 5.4. The package's own, between them, is used below.
for (const compiler of ["typescript-5.4", "typescript-7", ...(process.env.CHECK_LONG ? ["typescript"] : [])])
  for (const [resolution, options] of Object.entries({ bundler, node16 })) {
    // A second setting of the slowest compiler tells little more.
    if (compiler === "typescript-5.4" && resolution === "node16" && !process.env.CHECK_LONG) continue;
    const name = `${compiler}, ${resolution}`;
    test(`every entry compiles without skipLibCheck: ${name}`, () =>
      compiles(name, compiler, options, ["matrix/all.ts"]));
  }

const jsx = { ...bundler, jsx: "react-jsx" };
const module18 = join(root, "node_modules/types-react-18");
const react18 = { ...jsx, paths: { react: [module18], "react/*": [`${module18}/*`] } };
const compilers = process.env.CHECK_LONG ? ["typescript-5.4", "typescript", "typescript-7"] : ["typescript-7"];
for (const compiler of compilers)
  for (const [framework, options, file] of /** @type {[string, object, string][]} */ ([
    ["React 19", jsx, "react.tsx"],
    ["React 18", react18, "react.tsx"],
    ["Preact", jsx, "preact.tsx"],
    ["Vue, Svelte and the DOM", bundler, "others.ts"],
  ])) {
    const name = `${framework}, ${compiler}`;
    // Svelte's types name an event that TypeScript 5.4 does not have.
    const isOld = compiler === "typescript-5.4" && file === "others.ts";
    test(`the elements have types in ${name}`, () =>
      compiles(name, compiler, { ...options, skipLibCheck: isOld }, [`frameworks/${file}`]));
  }

test("the documentation's examples for React compile", async () => {
  const page = readFileSync(join(root, "demos/docs/widgets.md"), "utf8");
  const found = [...page.matchAll(/^```tsx\n([^]*?)^```$/gm)].map(([, code]) => code);
  assert.ok(found.length);
  const files = found.map((code, i) => join(folder, `example-${i}.tsx`));
  files.forEach((file, i) => writeFileSync(file, found[i]));
  await compiles("examples", "typescript-7", jsx, files);
});

test("only the adapter of the AI SDK and the elements of a framework import types of packages that may be missing", () => {
  const types = join(root, "dist/types");
  const wrong = readdirSync(types, { recursive: true }).filter((file) => {
    if (!file.endsWith(".d.ts") || /ai-sdk|^(elements|react|preact|vue|svelte)\./.test(file)) return false;
    return /(from|import\(|^import) ?["'](?!lit["'/])[^."']/m.test(readFileSync(join(types, file), "utf8"));
  });
  assert.deepEqual(wrong, []);
});

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.values(exports).flatMap(({ types }) =>
  types && !types.includes("*") && !/elements|react|preact|vue|svelte/.test(types) ? [join(root, types)] : [],
);

/** Names that editors offer at a place in a script of TypeScript, marked by a bar. */
function offeredAt(marked) {
  const path = join(folder, "completion.ts");
  const text = marked.replace("|", "");
  const host = {
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath,
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => ts.ScriptSnapshot.fromString(file === path ? text : (ts.sys.readFile(file) ?? "")),
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
    }),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => file === path || ts.sys.fileExists(file),
  };
  const service = ts.createLanguageService(host);
  const found = service.getCompletionsAtPosition(path, marked.indexOf("|"), {});
  const hover = (name) =>
    ts.displayPartsToString(
      service.getCompletionEntryDetails(path, marked.indexOf("|"), name, {}, undefined, {}, undefined)?.documentation,
    );
  return { names: found?.entries.map(({ name }) => name) ?? [], hover };
}

test("editors offer options by their camelCase names, with range and default", () => {
  const { names, hover } = offeredAt('import { createSampler } from "lastinch"; createSampler({ vocabSize: 6, | });');
  assert.ok(names.includes("topP") && names.includes("dryMultiplier"));
  assert.deepEqual(
    names.filter((name) => name.includes("_")),
    [],
  );
  assert.match(hover("topP"), /From 0 to 1\. Default: 1\./);
  const written = offeredAt(
    'import type { Model } from "lastinch"; declare const model: Model; model.generate("Once", { | });',
  );
  assert.ok(written.names.includes("maxTokens") && written.names.includes("temperature"));
  assert.match(written.hover("maxTokens"), /until the context is full/);
  assert.doesNotMatch(
    written.hover("maxTokens"),
    /forcedLast|Default: 0/,
    "one meaning: the sampler's option is another",
  );
  assert.deepEqual(
    written.names.filter((name) => name.includes("_")),
    [],
  );
});

test("editors offer no member for the package's own use", () => {
  const { names } = offeredAt('import type { Sampler } from "lastinch"; declare const sampler: Sampler; sampler.|');
  assert.ok(names.includes("sample") && names.includes("dispose"));
  assert.deepEqual(
    names.filter((name) => ["address", "place", "chooseAt", "emit"].includes(name)),
    [],
  );
});

test("every type that a public declaration names is exported by some entry", () => {
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const types = resolve(root, "dist/types");
  // The types inside widgets are not public.
  const isPublic = (file) => file.startsWith(types) && !file.startsWith(join(types, "widgets"));
  const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const named = entries.flatMap((file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file) ?? assert.fail(file));
    return checker.getExportsOfModule(module ?? assert.fail(file)).map(resolved);
  });
  // A type may be exported under another name.
  const meant = named.flatMap((symbol) => checker.getDeclaredTypeOfSymbol(symbol).symbol ?? []);
  const exported = new Set([...named, ...meant]);
  assert.ok(exported.size > 60);
  const missing = new Set();
  const look = (node) => {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const symbol = checker.getSymbolAtLocation(ts.isTypeReferenceNode(node) ? node.typeName : node.expression);
      const target = symbol && resolved(symbol);
      const isOurs = target?.declarations?.some((one) => one.getSourceFile().fileName.startsWith(types));
      if (isOurs && !(target.flags & ts.SymbolFlags.TypeParameter) && !exported.has(target)) missing.add(target.name);
    }
    ts.forEachChild(node, look);
  };
  for (const symbol of exported)
    for (const declaration of symbol.declarations ?? [])
      if (isPublic(declaration.getSourceFile().fileName)) look(declaration);
  // Parts of the types of options are shown with those types.
  assert.deepEqual(
    [...missing].filter((name) => !name.startsWith("Own")),
    [],
  );
});

test("the types name nothing twice, and nothing internal", () => {
  const files = readdirSync(join(root, "dist/types"), { recursive: true }).map(String);
  const texts = files
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => readFileSync(join(root, "dist/types", file), "utf8"));
  const declared = texts.flatMap((text) => [...text.matchAll(/^(?:declare )?(?:type|class|interface) ([\w$]+)/gm)]);
  assert.ok(declared.length > 80);
  assert.deepEqual(
    declared.map(([, name]) => name).filter((name) => name.includes("$")),
    [],
  );
  assert.deepEqual(
    texts.filter((text) => text.includes("@internal")),
    [],
  );
});
