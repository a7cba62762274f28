// Writes dist/types, what tsc reads in the comments of web/: one file for each entry, and a few that entries share.
// Leaves out members for the package's own use, and syntax that older compilers cannot read.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";

const WRITTEN = "build/types";
const OUTPUT = "dist/types";

/**
 * Writes the types of entries.
 * @param {Record<string, any>} exports of package.json
 */
export async function writeTypes(exports) {
  rmSync(WRITTEN, { recursive: true, force: true });
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--outDir", WRITTEN], {
    stdio: "inherit",
  });
  for (const file of readdirSync(WRITTEN, { recursive: true }).map(String))
    if (file.endsWith(".d.ts"))
      rewrite(join(WRITTEN, file), (text) =>
        bothSpellings(withOneName(ofLit(withoutTranslations(withoutInternals(text))))),
      );
  const bundle = await rollup({
    input: entriesOf(exports),
    external: (name) => !/^[./]/.test(name),
    plugins: [dts()],
    onwarn: ({ code, message }) => {
      // A type that only a shared file declares has no name for users, and needs none.
      if (code !== "PLUGIN_WARNING" || !message.includes("private shared type")) throw new Error(message);
    },
  });
  const { output } = await bundle.write({
    dir: OUTPUT,
    entryFileNames: "[name].d.ts",
    chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, "")}.d.ts`,
  });
  await bundle.close();
  for (const { fileName } of output) rewrite(join(OUTPUT, fileName), forOlderCompilers);
}

/** Files of types by the entries' names, which are their paths in dist/types. @param {Record<string, any>} exports */
function entriesOf(exports) {
  const names = Object.values(exports).flatMap(
    ({ types }) => types?.match(/^\.\/dist\/types\/(.*)\.d\.ts$/)?.[1] ?? [],
  );
  const all = readdirSync(join(WRITTEN, "widgets")).flatMap((file) => file.match(/^(.*)\.d\.ts$/)?.[1] ?? []);
  const each = names.flatMap((name) => (name.includes("*") ? all.map((one) => name.replace("*", one)) : [name]));
  const made = new Set(readdirSync(WRITTEN, { recursive: true }).map(String));
  return Object.fromEntries(
    each.filter((name) => made.has(`${name}.d.ts`)).map((name) => [name, join(WRITTEN, `${name}.d.ts`)]),
  );
}

/**
 * The compiler names the package that declares a type, but only lit is one of our dependencies.
 * @param {string} text
 */
const ofLit = (text) => text.replaceAll('import("lit-html")', 'import("lit")');

/** @param {string} path @param {(text: string) => string} change */
function rewrite(path, change) {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/**
 * Leaves out everything marked @internal, and the types in comments, which the declarations have already. TypeScript's
 * stripInternal does neither for JavaScript.
 * @param {string} text
 */
function withoutInternals(text) {
  const file = ts.createSourceFile("types.d.ts", text, ts.ScriptTarget.Latest, true);
  /** @type {{ start: number, end: number, text: string }[]} */
  const changes = [];
  const visit = (/** @type {ts.Node} */ node) => {
    const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
    if (comments.some(({ tags }) => tags?.some(({ tagName }) => tagName.text === "internal"))) {
      // A class without a public constructor must not look constructible.
      const replacement = ts.isConstructorDeclaration(node) ? "protected constructor();" : "";
      changes.push({ start: comments[0].pos, end: node.end, text: replacement });
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  for (const { start, end, text: replacement } of changes.reverse())
    text = text.slice(0, start) + replacement + text.slice(end);
  return text;
}

/**
 * A translation has the keys of the widget's words, which are declared beside it.
 * @param {string} text
 */
const withoutTranslations = (text) =>
  text.replace(/typeof import\("\.\/chinese\/[a-z-]+\.js"\)/g, "{ words: Record<string, string> }");

/**
 * Declares a call twice if its options also have other systems' names, because editors offer the names of the first
 * declaration.
 * @param {string} text
 */
function bothSpellings(text) {
  const file = ts.createSourceFile("types.d.ts", text, ts.ScriptTarget.Latest, true);
  /** @type {{ at: number, text: string }[]} */
  const further = [];
  const visit = (/** @type {ts.Node} */ node) => {
    ts.forEachChild(node, visit);
    if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node)) return;
    const whole = node.getText();
    const own = whole.replace(/ & (\w+Aliases)\b/g, "");
    if (own === whole) return;
    const [comment = ""] = ts.getJSDocCommentsAndTags(node).map((one) => one.getText());
    further.push({ at: node.getStart(), text: `${own}\n${comment}\n` });
  };
  visit(file);
  for (const { at, text: more } of further.sort((a, b) => b.at - a.at))
    text = text.slice(0, at) + more + text.slice(at);
  return text;
}

/**
 * Replaces an alias of a type from another file by the type itself, because editors would show the alias.
 * @param {string} text
 */
function withOneName(text) {
  // The same for a function that is fetched when it is called.
  const direct = text.replace(
    /^export const (\w+): typeof import\("([^"]+)"\)\.\1;/gm,
    (_, name, file) => `export { ${name} } from "${file}";`,
  );
  return direct.replace(
    /(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export type (\w+)(?:<[^=]*>)? = import\("([^"]+)"\)\.\1(?:<.*>)?;/g,
    (_, name, file) =>
      new RegExp(`^import {.*\\b${name}\\b.*}`, "m").test(text)
        ? `export { ${name} };`
        : `import { ${name} } from "${file}";\nexport { ${name} };`,
  );
}

/**
 * For TypeScript 5.4: typed arrays have a parameter from 5.7 on, and iterators more than one from 5.6 on.
 * Symbol.dispose needs another library.
 * @param {string} text
 */
function forOlderCompilers(text) {
  const plain = text
    .replace(/\/\*\* (@typedef|@import) [^]*?\*\/\n/g, "")
    // The declarations have the types; comments only keep their meaning.
    .replace(
      /^( *\*|\/\*\*) @(param|returns|type|template|implements) (\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\} ?)/gm,
      "$1 @$2 ",
    )
    .replace(/^ *\* @(returns|type|implements) *\n/gm, "")
    .replace(/((?:Uint|Int|Float)\d+Array)<ArrayBufferLike>/g, "$1")
    // For compilers that tell the difference, slice returns an array with its own memory.
    .replace(/((?:Uint|Int|Float)\d+Array)<ArrayBuffer>/g, 'ReturnType<$1["slice"]>')
    .replace(/AsyncIterableIterator<([\w$]+), undefined>/g, "AsyncIterableIterator<$1>");
  return plain.includes("Symbol.dispose") ? `/// <reference lib="esnext.disposable" />\n${plain}` : plain;
}
