// Writes demos/docs/api.md, the reference of everything that the package exports, from the types in dist/: `node
// tools/docs/reference.js`, after `make build`. With --check it only says whether the page is stale.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { writeOutputs } from "../../wasm/outputs.js";

const types = resolve("dist/types");

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
/** Files of types by entry, without widgets, which the gallery describes, and entries that export nothing. */
const entries = Object.entries(exports).flatMap(([subpath, target]) => {
  const file = target.types;
  if (!file || file.includes("widgets") || /inline|(react|preact|vue|svelte)\.d\.ts$/.test(file)) return [];
  const alike = Object.keys(exports).filter((other) => exports[other].types === file);
  // Entries with the same types share a section, at the place of the first.
  if (subpath !== alike[0]) return [];
  return [{ name: alike.map((one) => one.replace(".", "lastinch")).join(", "), file: resolve(file) }];
});

const program = ts.createProgram(
  entries.map(({ file }) => file),
  {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.esnext.disposable.d.ts"],
    skipLibCheck: true,
    strict: true,
    types: [],
  },
);
const checker = program.getTypeChecker();

/** Escapes text for Markdown. @param {string} text */
const escape = (text) => text.replace(/[\\*[\]<]|\b_|_\b/g, "\\$&");
/** @param {string} text */
const code = (text) => `\`${text.replace(/\s+/g, " ")}\``;

/**
 * The prose of a comment: joins its paragraphs, keeps `code`, replaces links by their text, and drops examples.
 * @param {string} text
 */
function prose(text) {
  const plain = text
    .replace(/```[\s\S]*?```/g, "")
    .replace(/\{@link ([^}]*)\}/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return plain
    .split("`")
    .map((part, i) => (i % 2 ? code(part) : escape(part)))
    .join("");
}

/** @param {ts.Symbol} symbol */
const commentOf = (symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker));

/** @param {ts.Symbol} symbol */
const isInternal = (symbol) => symbol.getJsDocTags(checker).some(({ name }) => name === "internal");

/** Whether to document a symbol: not if it comes from a library. @param {ts.Symbol} symbol */
const isOurs = (symbol) =>
  (symbol.declarations ?? []).some((one) => resolve(one.getSourceFile().fileName).startsWith(types));

const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
/** Removes parts of no use to readers. @param {string} text */
const tidy = (text) =>
  text
    .replace(/import\("[^"]*"\)\./g, "")
    .replace(/<ArrayBufferLike>/g, "")
    .replace(/([})]) \| undefined(?=[,)])/g, "$1")
    .replace(/(\?: (?:\([^()]*\)|[^,;:()]|=>)+?) \| undefined(?=[,;)]|$)/g, "$1");
/** @param {ts.Type} type */
const typeText = (type) => tidy(checker.typeToString(type, undefined, flags));
/** @param {ts.Symbol} symbol */
const typeOf = (symbol) =>
  checker.getTypeOfSymbolAtLocation(
    symbol,
    /** @type {ts.Node} */ (symbol.valueDeclaration ?? symbol.declarations?.[0]),
  );

/** @param {string} name @param {ts.Signature} signature */
const signatureText = (name, signature) => tidy(name + checker.signatureToString(signature, undefined, flags));

/** @param {ts.JSDocTagInfo[]} tags @param {string} name */
const tagTexts = (tags, name) =>
  tags.filter((tag) => tag.name === name).map((tag) => ts.displayPartsToString(tag.text).replace(/^\{[^}]*\}\s*/, ""));

/** Arguments and errors, from the comment. @param {ts.Signature} signature */
function callNotes(signature) {
  const tags = signature.getJsDocTags();
  const given = tagTexts(tags, "param")
    .map((text) => /^\[?(\w+)(?:=[^\]]*)?\]?\s*-?\s*([\s\S]*)$/.exec(text))
    .filter((match) => match?.[2])
    .map((match) => `${code(match?.[1] ?? "")}: ${prose(match?.[2] ?? "")}.`);
  const thrown = tagTexts(tags, "throws").map((text) => `Throws ${prose(text)}.`);
  return [...given, ...thrown].map((text) => text.replace(/([.:])\.$/, "$1"));
}

/** A function, or a method. @param {string} name @param {ts.Symbol} symbol @param {ts.Signature} signature */
function callText(name, symbol, signature) {
  const said = ts.displayPartsToString(signature.getDocumentationComment(checker)) || commentOf(symbol);
  return { head: code(signatureText(name, signature)), text: prose(said), notes: callNotes(signature) };
}

/** @param {ts.Type} type */
function members(type) {
  const row = (/** @type {string} */ head, /** @type {string} */ text) =>
    text ? `- ${head}\\\n  ${text}` : `- ${head}`;
  const rows = type
    .getProperties()
    .filter((one) => isOurs(one) && !isInternal(one) && !/^(#|__@|_)/.test(one.name) && !one.name.includes("#private"))
    .filter(
      (one) =>
        !(
          ts.getCombinedModifierFlags(/** @type {any} */ (one.valueDeclaration ?? one.declarations?.[0])) &
          ts.ModifierFlags.Private
        ),
    )
    .map((one) => {
      const own = typeOf(one);
      const [signature] = own.getCallSignatures();
      const isMethod = signature && one.flags & ts.SymbolFlags.Method;
      if (isMethod) {
        const { head, text } = callText(one.name, one, signature);
        return row(head, text);
      }
      const isOptional = one.flags & ts.SymbolFlags.Optional;
      const written = typeText(own).replace(isOptional ? / \| undefined$/ : /$^/, "");
      return row(code(`${one.name}${isOptional ? "?" : ""}: ${written}`), prose(commentOf(one)));
    });
  return rows.join("\n");
}

/** The symbols that a file exports. @param {string} file */
function exportsOf(file) {
  const module = checker.getSymbolAtLocation(/** @type {ts.SourceFile} */ (program.getSourceFile(file)));
  return checker
    .getExportsOfModule(/** @type {ts.Symbol} */ (module))
    .map((one) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one));
}

/** Signatures with a comment, by function name, because some entries only wrap functions and have no comment. */
const commentedSignatures = new Map(
  entries.flatMap(({ file }) =>
    exportsOf(file).flatMap((symbol) => {
      const [signature] = symbol.declarations ? typeOf(symbol).getCallSignatures() : [];
      return signature?.getDocumentationComment(checker).length ? [[symbol.name, signature]] : [];
    }),
  ),
);

/** Where each name is documented: once, where it comes first. @type {Map<string, string>} */
const documented = new Map();

/**
 * @param {ts.Symbol} symbol
 * @param {string} entry its id
 */
function describe(symbol, entry) {
  const name = symbol.name === "_default" ? "default" : symbol.name;
  const id = `${entry}-${name}`;
  /** @param {string} kind @param {string[]} paragraphs */
  const written = (kind, ...paragraphs) =>
    [`### <a id="${id}"></a>${escape(name)} <small>${kind}</small>`, ...paragraphs].filter(Boolean).join("\n\n");
  if (documented.has(name)) return "";
  documented.set(name, id);
  if (symbol.flags & ts.SymbolFlags.Class)
    return written("class", prose(commentOf(symbol)), members(checker.getDeclaredTypeOfSymbol(symbol)));
  if (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable)) {
    const own = typeOf(symbol);
    const [signature] = own.getCallSignatures();
    if (!signature) return written("value", code(`${name}: ${typeText(own)}`), prose(commentOf(symbol)));
    const { head } = callText(name, symbol, signature);
    const { text, notes } = callText(name, symbol, commentedSignatures.get(name) ?? signature);
    return written("function", head, text, ...notes);
  }
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const isForeign = (type.aliasSymbol ?? type.symbol) && !isOurs(type.aliasSymbol ?? type.symbol);
  if (isForeign) return "";
  const declared = type.symbol ?? type.aliasSymbol;
  const said = commentOf(symbol) || (declared ? commentOf(declared) : "");
  // The table of options has the names in other systems.
  if (name.endsWith("Aliases")) return written("type", prose(said));
  const isObject = !type.isUnion() && type.getProperties().some(isOurs);
  return written("type", prose(said), isObject ? members(type) : code(typeText(type)));
}

/** @param {ts.Symbol} symbol functions before classes before types */
const rankOf = (symbol) =>
  symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Variable) ? 0 : symbol.flags & ts.SymbolFlags.Class ? 1 : 2;

const sections = entries.map(({ name, file }) => {
  const id = name.split(", ")[0].replace(/\W+/g, "-");
  const found = exportsOf(file).sort((a, b) => rankOf(a) - rankOf(b));
  const known = found
    .filter((symbol) => rankOf(symbol) < 2 && documented.has(symbol.name))
    .map((symbol) => symbol.name);
  const links = known.map((one) => `[${code(one)}](#${documented.get(one)})`).join(", ");
  const parts = found.map((symbol) => describe(symbol, id)).filter(Boolean);
  return { name, id, parts: [...parts, ...(links ? [`Also, as above: ${links}.`] : [])] };
});

const page = `# API reference

Every function, class and type of each entry of the package, with the comments of their types. Generated: change the
comments in web/, and run make generate.

Widgets are in the [gallery](../gallery.html), with their attributes. Options of the sampler are in [a table](options.md) and
below, under SamplerOptions.

${sections.map(({ name, id }) => `- [${name}](#${id})`).join("\n")}

${sections.map(({ name, id, parts }) => [`## <a id="${id}"></a>${name}`, ...parts].join("\n\n")).join("\n\n")}
`;

writeOutputs({ "demos/docs/api.md": page });
