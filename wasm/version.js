// Writes the version of the package for JavaScript, which tells versions apart that meet in a browser.
import { readFileSync } from "node:fs";
import { notice } from "./source.js";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

export const versionFiles = {
  "web/core/version.js": `${notice("package.json")}
/** Of the package. */
export const version = ${JSON.stringify(version)};
`,
};
