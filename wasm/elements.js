// Describes the elements in dist/custom-elements.json: what the analyzer reads from their comments, with the attributes that
// they really observe, and the bytes that a page with one of them loads before its reader asks for anything live.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const OUTPUT = "dist/custom-elements.json";

/** A file of dist/ and all that it imports before it runs. @param {string} file @param {Set<string>} [seen] */
export function loadedWith(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(`dist/${file}`, "utf8");
  for (const [, other] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loadedWith(other, seen);
  return seen;
}

/** Bytes, as brotli sends them, of a page that loads a script of dist/ and samples. @param {string} file */
export function pageSize(file) {
  const sizes = [...loadedWith(file), "sampler.wasm"].map(
    (name) => brotliCompressSync(readFileSync(`dist/${name}`)).length,
  );
  return sizes.reduce((a, b) => a + b);
}

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url)) await describeElements();

async function describeElements() {
  const globs = ["--globs", "web/widgets/*.js", "web/widgets/shared/element.js"];
  const flags = ["analyze", "--litelement", "--quiet", ...globs, "--outdir", "dist"];
  execFileSync(process.execPath, ["node_modules/@custom-elements-manifest/analyzer/cem.js", ...flags], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const manifest = JSON.parse(readFileSync(OUTPUT, "utf8"));
  // Lit builds a sheet when it reads the properties of a class.
  Object.assign(globalThis, { CSSStyleSheet: class {} });
  const classes = await import(new URL("../dist/widgets.js", import.meta.url).href);
  for (const { declarations } of manifest.modules)
    for (const declaration of declarations) {
      const element = classes[declaration.name];
      if (!declaration.customElement || !element) continue;
      // Asking for them makes Lit read the properties.
      const observed = new Set(element.observedAttributes);
      const fields = new Map(declaration.attributes?.map((one) => [one.fieldName ?? one.name, one]));
      declaration.attributes = [...element.elementProperties]
        .map(([name, { attribute }]) => ({
          ...fields.get(name),
          fieldName: name,
          name: attribute || name.toLowerCase(),
        }))
        .filter(({ name }) => observed.has(name));
      if (fields.has("theme")) declaration.attributes.push(fields.get("theme"));
      declaration.members = declaration.members?.filter(
        ({ kind, privacy, inheritedFrom }) => kind === "field" && privacy !== "private" && !inheritedFrom,
      );
      if (declaration.tagName)
        declaration.pageSize = pageSize(`widget-${declaration.tagName.replace("lastinch-", "")}.js`);
    }
  writeFileSync(OUTPUT, JSON.stringify(manifest, null, 1) + "\n");
}
