// An esbuild plugin for @eslint-community/regexpp. A third of that package is tables of what every engine knows: which
// characters identifiers may have, and which Unicode properties exist. We ask the engine for properties anyway
// (web/grammar/readers/regex-class.js), so a property that it lacks is now an error with a position.
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const inIdentifier = (/** @type {string} */ property) =>
  `(cp) { return new RegExp("\\\\p{${property}}", "u").test(String.fromCodePoint(cp)); }`;
const isKnown = (/** @type {string} */ property, /** @type {string} */ flag) =>
  `{ try { return !!new RegExp("\\\\p{" + ${property} + "}", "${flag}"); } catch { return false; } }`;

/** Functions to replace. */
const functions = {
  isLargeIdStart: inIdentifier("ID_Start"),
  isLargeIdContinue: inIdentifier("ID_Continue"),
  isValidUnicodeProperty: `(_, name, value) ${isKnown('name + "=" + value', "u")}`,
  isValidLoneUnicodeProperty: `(_, name) ${isKnown("name", "u")}`,
  isValidLoneUnicodePropertyOfString: `(_, name) ${isKnown("name", "v")}`,
};

/** @param {string} code */
function lean(code) {
  for (const [name, rest] of Object.entries(functions)) {
    const own = RegExp(`^function ${name}\\([^]*?^}$`, "m");
    if (!own.test(code))
      throw new Error(`regexpp has no function ${name}: tools/package/lean-regexpp.js has to follow it.`);
    code = code.replace(own, () => `function ${name}${rest}`);
  }
  return code.replaceAll("= new DataSet(", "= /* @__PURE__ */ new DataSet(");
}

/** @type {import("esbuild").Plugin} */
export const leanRegexpp = {
  name: "lean-regexpp",
  setup({ onLoad }) {
    onLoad({ filter: /regexpp[/\\]index\.mjs$/ }, ({ path }) => {
      // Names that only the package itself uses.
      const mangled = { mangleProps: /^(_|consume|eat|raise|on[A-Z])/ };
      return { contents: transformSync(lean(readFileSync(path, "utf8")), mangled).code };
    });
  },
};
