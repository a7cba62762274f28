// Bundles web/ into dist/, in one folder: entries with shared chunks, the .wasm files, both as files and as text, the
// shipped models, the types, and the licences of bundled code.
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { deflateRawSync } from "node:zlib";
import { build, transformSync } from "esbuild";
import { inChunks } from "./chunks.js";
import { leanRegexpp } from "./lean-regexpp.js";
import { writeTypes } from "./types.js";

const modules = {
  sampler: ["sampler"],
  decode: ["decode"],
  grammar: ["grammar"],
  train: ["train"],
  model: ["model", "model-threads", "model-relaxed", "model-relaxed-threads"],
};

/** Scripts of Workers, each with the module that it runs. @type {Record<string, string>} */
const workers = { worker: "model", helper: "model", "train-worker": "train" };
const folders = { model: "web/model/worker", train: "web/train" };

const { exports, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

const options = {
  outdir: "dist",
  bundle: true,
  format: /** @type {const} */ ("esm"),
  target: "es2022",
  minify: true,
  external: Object.keys(peerDependencies),
  plugins: [leanRegexpp],
  logLevel: /** @type {const} */ ("warning"),
};
const shared = { ...options, splitting: true, metafile: /** @type {const} */ (true) };

/**
 * The scripts of a folder of web/ that package.json exports, as entries. The path of their types names the folder.
 * @param {string} folder
 */
function entriesIn(folder) {
  const targets = /** @type {{ types?: string, default?: string }[]} */ (Object.values(exports));
  return targets.flatMap(({ types, default: file }) => {
    if (!file || !types?.match(`^\\./dist/types/${folder}/[^*]+\\.d\\.ts$`)) return [];
    const name = basename(file, ".js");
    return [{ in: `web/${folder}/${name}.js`, out: name }];
  });
}

/** The path of a Worker's script. @param {string} name */
const workerPath = (name) => `${folders[/** @type {keyof typeof folders} */ (workers[name])]}/${name}.js`;

/** Bundles a Worker's script, with all its imports, into a classic script. @param {string} name */
async function wholeScript(name) {
  const classic = { format: /** @type {const} */ ("iife"), define: { "import.meta.url": "undefined" } };
  const { outputFiles } = await build({
    ...options,
    ...classic,
    entryPoints: [workerPath(name)],
    write: false,
  });
  return outputFiles[0].text;
}

rmSync("dist", { recursive: true, force: true });

// Adapters and widgets import the package's entries from separate files, like any page, so that their own files stay
// small.
/** @type {import("esbuild").Plugin} */
const besideEntry = {
  name: "entry",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^(\.\.\/)+((index|sampler|grammar|train)|models\/\w+)\.js$/ }, ({ path, importer }) =>
      /\/web\/(adapters|widgets)\//.test(importer) ? { path: `./${basename(path)}`, external: true } : undefined,
    ),
};

const api = await build({
  ...shared,
  plugins: [besideEntry, await inChunks(options), leanRegexpp],
  entryPoints: [
    ...["index", "sampler", "grammar", "engine", "train"].map((name) => ({ in: `web/${name}.js`, out: name })),
    ...Object.keys(workers).map((name) => ({ in: workerPath(name), out: name })),
    ...entriesIn("adapters"),
    ...entriesIn("models"),
  ],
  chunkNames: "[hash]",
});

// The widgets' words in other languages are separate files, and so are texts to learn and the code for links and models,
// whoever imports them. Indentation in templates has no meaning.
/** @type {import("esbuild").Plugin} */
const asWidgets = {
  name: "widgets",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/chinese\// }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./chinese-${basename(path)}`, external: true } : undefined,
    );
    onResolve({ filter: /\/(seldom|acquire-model|learning|character-readers)\.js$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./widgets-${basename(path)}`, external: true } : undefined,
    );
    onResolve({ filter: /\/texts\// }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: `./text-${basename(path)}`, external: true } : undefined,
    );
    onLoad({ filter: /\/web\/widgets\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replace(
          /css`([^`]*)`/g,
          // As UTF-8, because a backslash would be an octal escape in a tagged template, which makes all of the
          // template undefined.
          (_, css) => `css\`${transformSync(css, { loader: "css", minify: true, charset: "utf8" }).code.trim()}\``,
        )
        .replace(/\n\s+/g, "\n"),
    }));
  },
};
const files = readdirSync("web/widgets").filter((file) => file.endsWith(".js") && file !== "index.js");
const asElements = {
  plugins: [besideEntry, asWidgets],
  // So that code without a document can import them.
  inject: ["tools/package/no-document.js"],
};

// One file for what nearly every widget needs, because a dozen small ones compress worse.
const base = [
  "bars",
  "check-styles",
  "data",
  "element",
  "field",
  "format",
  "knobs",
  "media-styles",
  "sampling",
  "styles",
  "token-text",
  "words",
];
await build({
  ...options,
  ...asElements,
  stdin: {
    contents: [
      ...base.map((name) => `export * from "./web/widgets/shared/${name}.js";`),
      'export { LitElement, css, html, nothing, svg } from "lit";',
    ].join("\n"),
    resolveDir: ".",
  },
  outdir: undefined,
  outfile: "dist/widgets-base.js",
});
/** What widgets with a model also need. */
const live = ["live", "models", "recording", "rows", "writing"];
/** @type {import("esbuild").Plugin} */
const onBase = {
  name: "base",
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^lit$|^\\./(shared/)?(${base.join("|")})\\.js$`) }, () => ({
      path: "./widgets-base.js",
      external: true,
    }));
    onResolve({ filter: new RegExp(`^\\./(shared/)?(${live.join("|")})\\.js$`) }, ({ importer }) =>
      live.some((name) => importer.endsWith(`/shared/${name}.js`)) || importer.endsWith("<stdin>")
        ? undefined
        : { path: "./widgets-live.js", external: true },
    );
  },
};
await build({
  ...options,
  plugins: [onBase, besideEntry, asWidgets],
  stdin: {
    contents: live.map((name) => `export * from "./web/widgets/shared/${name}.js";`).join("\n"),
    resolveDir: ".",
  },
  outdir: undefined,
  outfile: "dist/widgets-live.js",
});
await build({
  ...shared,
  plugins: [onBase, besideEntry, asWidgets],
  entryPoints: [
    ...["seldom", "acquire-model", "learning", "character-readers"].map((name) => ({
      in: `web/widgets/shared/${name}.js`,
      out: `widgets-${name}`,
    })),
    ...files.map((file) => ({ in: `web/widgets/${file}`, out: `widget-${basename(file, ".js")}` })),
  ],
  // package.json uses this name to say that importing them may define elements.
  chunkNames: "widgets-[hash]",
});
// All of them in one file, which compresses to three quarters of its parts.
const all = await build({
  ...shared,
  ...asElements,
  entryPoints: [{ in: "web/widgets/index.js", out: "widgets" }],
  chunkNames: "widgets-[hash]",
});
await build({
  ...options,
  entryPoints: readdirSync("web/widgets/chinese").map((file) => ({
    in: `web/widgets/chinese/${file}`,
    out: `chinese-${basename(file, ".js")}`,
  })),
});

await build({
  ...options,
  entryPoints: readdirSync("web/widgets/texts")
    .filter((file) => file !== "unpacked.js")
    .map((file) => ({ in: `web/widgets/texts/${file}`, out: `text-${basename(file, ".js")}` })),
});

// One file without import().
await build({ ...options, entryPoints: ["web/model.js"] });

const inlined = [];
for (const [name, files] of Object.entries(modules)) {
  // Deflated, because packages are installed uncompressed, and base64 of the files would be a tenth of the package.
  const texts = files.map((file) => [file, deflateRawSync(readFileSync(`build/wasm/${file}.wasm`), { level: 9 })]);
  const wasm = Object.fromEntries(texts.map(([file, bytes]) => [file, bytes.toString("base64")]));
  const own = Object.keys(workers).filter((worker) => workers[worker] === name);
  const scripts = Object.fromEntries(await Promise.all(own.map(async (worker) => [worker, await wholeScript(worker)])));
  const contents = `import { bringTexts } from "./core/inline-texts.js"; bringTexts(${JSON.stringify(wasm)}, ${JSON.stringify(scripts)});`;
  const stdin = { contents, resolveDir: "web" };
  inlined.push(
    await build({ ...options, metafile: true, stdin, outdir: undefined, outfile: `dist/inline-${name}.js` }),
  );
  for (const file of files) copyFileSync(`build/wasm/${file}.wasm`, `dist/${file}.wasm`);
}
writeFileSync(
  "dist/inline.js",
  Object.keys(modules)
    .map((name) => `import "./inline-${name}.js";\n`)
    .join(""),
);

// Cloudflare Workers cannot compile bytes: an import of a .wasm file is a module there. They have no threads.
const forCloudflare = ["sampler", "decode", "grammar", "model", "model-relaxed"];
await build({
  ...options,
  external: ["*.wasm"],
  stdin: {
    contents: [
      'import { bring } from "./core/inlined.js";',
      ...forCloudflare.map((name, i) => `import wasm${i} from "./${name}.wasm";`),
      `bring({ ${forCloudflare.map((name, i) => `"${name}": () => wasm${i}`).join(", ")} });`,
    ].join("\n"),
    resolveDir: "web",
  },
  outdir: undefined,
  outfile: "dist/inline-cloudflare.js",
});

for (const name of ["storyteller", "draft", "shakespeare", "medusa", "eagle"])
  copyFileSync(`demos/model/${name}.gguf`, `dist/${name}.gguf`);
copyFileSync("demos/model/README.md", "dist/models.md");

await writeTypes(exports);
writeFileSync("dist/types/inline.d.ts", "export {};\n");

const inputs = [api, all, ...inlined].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const packages = new Set(inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []));
const licences = [...packages].sort().map((name) => {
  const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8");
  return `${name}\n${"-".repeat(name.length)}\n\n${text.trim()}\n`;
});
writeFileSync("dist/LICENSES.txt", licences.join("\n\n"));
