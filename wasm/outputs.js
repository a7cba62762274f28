// Writes or checks committed files, for every maker.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const root = new URL("..", import.meta.url);

/**
 * Writes the files that have changed. With the program's argument --check it only lists them, and the program fails.
 * @param {Record<string, string>} outputs texts by path
 */
export function writeOutputs(outputs) {
  for (const [path, text] of Object.entries(outputs)) {
    const url = new URL(path, root);
    if (existsSync(url) && readFileSync(url, "utf8") === text) continue;
    if (process.argv.includes("--check")) {
      console.error(`${path} is stale: run \`make generate\``);
      process.exitCode = 1;
    } else {
      writeFileSync(url, text);
      console.log(`wrote ${path}`);
    }
  }
}
