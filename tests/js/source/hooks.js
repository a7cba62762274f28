// Node's hooks with which tests run web/ as it is written. Whatever is imported from the package, or from dist/, comes
// from its source, so a change can be tested without a bundle.
import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";

export const root = new URL("../../../", import.meta.url).href;
/** @type {{ exports: Record<string, string | { types: string, default: string }> }} */
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

/** The folders of files that lie beside the scripts in dist/. @type {Record<string, string>} */
export const folders = { ".wasm": "build/wasm/", ".gguf": "demos/model/", ".js": "web/model/worker/" };
/** @param {string} url of the module that names a file @param {string} ending */
const folderOf = (url, ending) =>
  url.startsWith(`${root}web/train/`) && ending === ".js" ? "web/train/" : folders[ending];

/**
 * What the star of a pattern matches in a text; undefined if the text does not match.
 * @param {string} pattern with at most one star
 * @param {string} text
 */
function starOf(pattern, text) {
  const [before, after] = pattern.split("*");
  if (after === undefined) return text === pattern ? "" : undefined;
  return text.startsWith(before) && text.endsWith(after) ? text.slice(before.length, -after.length) : undefined;
}

/**
 * The file in dist/ of an entry of the package.
 * @param {string} entry as package.json has it: "./sampler"
 */
function builtOf(entry) {
  for (const [pattern, target] of Object.entries(exports)) {
    const star = starOf(pattern, entry);
    if (star !== undefined) return (typeof target === "string" ? target : target.default).replace("*", star);
  }
  return undefined;
}

/** A module with the address of a model. Threads can run it too, without hooks. @param {string} name */
const modelOf = (name) =>
  `data:text/javascript,export default new URL(${JSON.stringify(`${root}${folders[".gguf"]}${name}.gguf`)})`;

/**
 * The address of the source of a file in dist/. The place of an entry's types says which folder has the source.
 * @param {string} built "./dist/sampler.js"
 */
function sourceOf(built) {
  if (built === "./package.json") return root + "package.json";
  const { base, ext, name } = posix.parse(built);
  if (ext !== ".js") return root + folders[ext] + base;
  for (const target of Object.values(exports)) {
    if (typeof target === "string") continue;
    const star = starOf(target.default, built);
    if (star === undefined) continue;
    const described = posix.parse(target.types.replace("*", star).replace(/^.*\/types\//, ""));
    const folder = posix.join("web", described.dir);
    // Entries of one kind may share their types. Then the script's own name says which one it is.
    for (const file of [name, described.name.replace(".d", "")].map((own) => `${folder}/${own}.js`))
      if (existsSync(new URL(file, root))) return folder === "web/models" ? modelOf(name) : root + file;
  }
  // Sources find the .wasm files through the hook below, so there is nothing to inline.
  if (name.startsWith("inline")) return "data:text/javascript,";
  throw new Error(`${built} has no source: a test that needs it is named *.package.test.js`);
}

/**
 * @param {string} specifier
 * @param {{ parentURL?: string }} context
 * @param {Function} next
 */
export function resolve(specifier, context, next) {
  let built;
  if (/^lastinch($|\/)/.test(specifier)) built = builtOf("." + specifier.slice("lastinch".length));
  else if (/^(\.|file:).*\bdist\//.test(specifier)) {
    const { href } = new URL(specifier, context.parentURL);
    if (href.startsWith(`${root}dist/`)) built = "./" + href.slice(root.length);
  }
  return next(built ? sourceOf(built) : specifier, context);
}

/**
 * A bundled module finds the files that it names beside itself, a source where they are made. Both names have 15
 * characters, because coverage, which mutants are tested by, counts characters.
 * @param {string} url
 * @param {{}} context
 * @param {Function} next
 */
export function load(url, context, next) {
  if (!url.startsWith(`${root}web/`)) return next(url, context);
  let source = readFileSync(new URL(url), "utf8");
  const [, ending] = /new URL\("\.\/[\w-]+(\.\w+)", import\.meta\.url\)/.exec(source) ?? [];
  if (ending) {
    source = source.replace(/(new URL\("\.\/[\w.-]+", )import\.meta\.url\)/g, "$1folderOfFiles())");
    source += `\nfunction folderOfFiles() {\n  return ${JSON.stringify(root + folderOf(url, ending))};\n}\n`;
  }
  return { format: "module", source, shortCircuit: true };
}
