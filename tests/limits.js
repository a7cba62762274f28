// The bytes that a page may load, Brotli, from limits.json: the tests hold them, the documentation says those with words.
// The last ones are of the site: each page as it opens, and what a first visit keeps, by gzip.
import { readdirSync } from "node:fs";
import limits from "./limits.json" with { type: "json" };

/** The limit of that name in bytes. @param {string} name */
export function limitOf(name) {
  const found = limits.find((limit) => limit.name === name);
  if (!found) throw new Error(`tests/limits.json has no ${name}`);
  return found.kilobytes * 1024;
}

/** Widgets that open with a recording, or with a picture that is drawn beside the bars, or may run a model beside it. */
const drawn = [
  ...readdirSync(new URL("../web/widgets/recorded", import.meta.url)).map((file) => file.replace(".js", "")),
  ...["beam-tree", "die", "funnel", "hands", "nucleus", "peaked-flat", "same-zero", "speculation"],
];

/** The limit of a widget's page in bytes. @param {string} widget */
export const limitOfWidget = (widget) => limitOf(drawn.includes(widget) ? "drawn" : "widget");
