// Writes dist/types: what tsc reads in the comments of web/, as one file for each entry and a few that entries share.
// Members for the package's own use are left out, and so is syntax that older compilers cannot read.
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
      // A type that is declared in a shared file and not by an entry has no name for users, and needs none.
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

/** Files of types by the entries' names, which are their places below dist/types. @param {Record<string, any>} exports */
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

/** The compiler names the package that declares a type; only lit is among our dependencies. @param {string} text */
const ofLit = (text) => text.replaceAll('import("lit-html")', 'import("lit")');

/** @param {string} path @param {(text: string) => string} change */
function rewrite(path, change) {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/**
 * Leaves out what is marked @internal, and in comments the types, which the declarations have: TypeScript's stripInternal
 * does neither for declarations of JavaScript.
 * @param {string} text
 */
function withoutInternals(text) {
  const file = ts.createSourceFile("types.d.ts", text, ts.ScriptTarget.Latest, true);
  /** @type {{ start: number, end: number, text: string }[]} */
  const changes = [];
  const visit = (/** @type {ts.Node} */ node) => {
    const comments = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
    if (comments.some(({ tags }) => tags?.some(({ tagName }) => tagName.text === "internal"))) {
      // What cannot be constructed must not look as if it could.
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
 * The translation of a widget's words has the keys of its words, which are declared beside it.
 * @param {string} text
 */
const withoutTranslations = (text) =>
  text.replace(/typeof import\("\.\/chinese\/[a-z-]+\.js"\)/g, "{ words: Record<string, string> }");

/**
 * A call whose options may be spelt as other systems spell them is there twice: editors offer the names of the first.
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
 * A type of another file under its own name is that type and no other, which would get a name that editors show.
 * @param {string} text
 */
function withOneName(text) {
  // So is a function that is fetched when it is called.
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
 * For TypeScript 5.4: typed arrays have a parameter from 5.7 on, and iterators more than one from 5.6 on. Symbol.dispose is
 * in a library of its own.
 * @param {string} text
 */
function forOlderCompilers(text) {
  const plain = text
    .replace(/\/\*\* (@typedef|@import) [^]*?\*\/\n/g, "")
    // The declarations say the types; what a comment says is what they mean.
    .replace(
      /^( *\*|\/\*\*) @(param|returns|type|template|implements) (\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\} ?)/gm,
      "$1 @$2 ",
    )
    .replace(/^ *\* @(returns|type|implements) *\n/gm, "")
    .replace(/((?:Uint|Int|Float)\d+Array)<ArrayBufferLike>/g, "$1")
    // What slice gives is the array's own memory for every compiler that tells the difference.
    .replace(/((?:Uint|Int|Float)\d+Array)<ArrayBuffer>/g, 'ReturnType<$1["slice"]>')
    .replace(/AsyncIterableIterator<([\w$]+), undefined>/g, "AsyncIterableIterator<$1>");
  return plain.includes("Symbol.dispose") ? `/// <reference lib="esnext.disposable" />\n${plain}` : plain;
}
