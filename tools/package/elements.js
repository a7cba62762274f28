// Writes dist/custom-elements.json. The analyzer reads the elements' comments; we add the attributes that they observe, with
// ranges and defaults, and the bytes that a page with one element loads before its reader asks for anything live. The types
// of the elements come from the same table.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { writeElementTypes } from "./element-types.js";
import { knobs } from "../../web/widgets/shared/knobs.js";

const OUTPUT = "dist/custom-elements.json";

/** A file of dist/, and all files that it imports before it runs. @param {string} file @param {Set<string>} [seen] */
export function loadedWith(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(`dist/${file}`, "utf8");
  for (const [, other] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loadedWith(other, seen);
  return seen;
}

/** Bytes, with Brotli, of a page that loads a script of dist/ and samples. @param {string} file */
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
  const options = JSON.parse(readFileSync("src/tables/options.json", "utf8"));
  const manifest = JSON.parse(readFileSync(OUTPUT, "utf8"));
  // Lit builds a sheet when it reads the properties of a class.
  Object.assign(globalThis, { CSSStyleSheet: class {} });
  const classes = await import(new URL("../../dist/widgets.js", import.meta.url).href);
  for (const { declarations } of manifest.modules)
    for (const declaration of declarations) {
      const element = classes[declaration.name];
      if (!declaration.customElement || !element) continue;
      // This makes Lit read the properties.
      const observed = new Set(element.observedAttributes);
      const made = new element();
      const fields = new Map(
        [...(declaration.members ?? []), ...(declaration.attributes ?? [])].map((one) => [
          one.fieldName ?? one.name,
          one,
        ]),
      );
      const properties = [...element.elementProperties].filter(([, { state }]) => !state);
      /** Describes a property, from its comment or from the sampler's option that its knob turns. */
      const describe = ([name, { knob, oneOf }]) => {
        const { kind, privacy, attribute, reflects, ...field } = fields.get(name) ?? {};
        return {
          ...field,
          name,
          description: field.description ?? options.find((option) => option.name === knob)?.help,
          default: JSON.stringify(made[name]),
          ...(oneOf && {
            type: {
              text: oneOf
                .filter(Boolean)
                .map((one) => JSON.stringify(one))
                .join(" | "),
            },
          }),
          ...(knob && { range: { min: knobs[knob].min, max: knobs[knob].max } }),
        };
      };
      declaration.members = properties
        .filter(([, { attribute }]) => attribute === false)
        .map((property) => ({ kind: "field", ...describe(property) }));
      declaration.attributes = properties
        .map((property) => ({
          ...describe(property),
          fieldName: property[0],
          name: property[1].attribute || property[0].toLowerCase(),
        }))
        .filter(({ name }) => observed.has(name));
      // The analyzer cannot read a computed event name, so comments give it.
      declaration.events = declaration.events?.filter(({ name }) => name);
      if (declaration.tagName)
        declaration.pageSize = pageSize(`widget-${declaration.tagName.replace("lastinch-", "")}.js`);
    }
  // All of them in one page.
  manifest.pageSize = pageSize("widgets.js");
  writeElementTypes(manifest);
  // The manifest has the base class too, which lists its parts, properties and fields once.
  for (const { declarations } of manifest.modules)
    for (const declaration of declarations)
      for (const list of ["cssParts", "cssProperties", "members"])
        if (declaration[list])
          declaration[list] = declaration[list].filter((/** @type {any} */ one) => !one.inheritedFrom);
  // The package has no such module.
  const shorten = (/** @type {string} */ key, /** @type {any} */ value) =>
    key === "inheritedFrom" ? { name: value.name } : value;
  writeFileSync(OUTPUT, JSON.stringify(manifest, shorten) + "\n");
}
