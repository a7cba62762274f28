// The end of the plays, which training never saw, for whoever has the text (see demos/model/README.md).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const data = join(process.env.LASTINCH_TEST_DATA ?? "", "text/tinyshakespeare.txt");

/** Why there is none: a reason to skip; or false. */
export const lacksPlays =
  process.env.LASTINCH_TEST_DATA && existsSync(data)
    ? false
    : "set LASTINCH_TEST_DATA to the folder that has text/tinyshakespeare.txt";

/** The last tenth. */
export function heldOutPlays() {
  const text = readFileSync(data, "utf8");
  return text.slice(Math.floor(text.length * 0.9));
}
