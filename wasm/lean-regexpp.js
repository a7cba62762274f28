// esbuild's plugin for @eslint-community/regexpp, a third of which is tables of what every engine knows itself: which
// characters are in identifiers, and which Unicode properties there are. Properties are looked up in the engine later in
// any case (web/grammar/regex-class.js), so one that it does not know is an error with a place now.
import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";

const inIdentifier = (/** @type {string} */ property) =>
  `return new RegExp("\\\\p{${property}}", "u").test(String.fromCodePoint(cp));`;
const isKnown = (/** @type {string} */ property, /** @type {string} */ flag) =>
  `try { return !!new RegExp("\\\\p{" + ${property} + "}", "${flag}"); } catch { return false; }`;

/** What the bodies of its functions become. */
const bodies = {
  "isLargeIdStart(cp)": inIdentifier("ID_Start"),
  "isLargeIdContinue(cp)": inIdentifier("ID_Continue"),
  "isValidUnicodeProperty(version, name, value)": isKnown('name + "=" + value', "u"),
  "isValidLoneUnicodeProperty(version, value)": isKnown("value", "u"),
  "isValidLoneUnicodePropertyOfString(version, value)": isKnown("value", "v"),
};

/** @param {string} code */
function withoutTables(code) {
  for (const [head, body] of Object.entries(bodies)) {
    const start = code.indexOf(`\nfunction ${head} {\n`);
    const end = code.indexOf("\n}\n", start);
    if (start < 0 || end < 0)
      throw new Error(`regexpp has no function ${head}: wasm/lean-regexpp.js has to follow it.`);
    code = `${code.slice(0, start)}\nfunction ${head} { ${body} ${code.slice(end + 1)}`;
  }
  return code.replaceAll("= new DataSet(", "= /* @__PURE__ */ new DataSet(");
}

/** @type {import("esbuild").Plugin} */
export const leanRegexpp = {
  name: "lean-regexpp",
  setup({ onLoad }) {
    onLoad({ filter: /regexpp[/\\]index\.mjs$/ }, ({ path }) => {
      const code = withoutTables(readFileSync(path, "utf8"));
      // The names of what only it calls.
      return { contents: transformSync(code, { mangleProps: /^(_|consume|eat|raise|on[A-Z])/ }).code };
    });
  },
};
