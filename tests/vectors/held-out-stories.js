// The stories that training never saw, for whoever has the text (see demos/model/README.md).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const data = join(process.env.LASTINCH_TEST_DATA ?? "", "text/tinystories_5m.txt");

/** Why there are none: a reason to skip; or false. */
export const lacksStories =
  process.env.LASTINCH_TEST_DATA && existsSync(data)
    ? false
    : "set LASTINCH_TEST_DATA to the folder that has text/tinystories_5m.txt";

/** 32-bit FNV-1a. */
const hash = (bytes) => bytes.reduce((h, byte) => Math.imul(h ^ byte, 16777619), 2166136261 | 0) >>> 0;

/** Those whose hash is divisible by 28. */
export function heldOutStories() {
  const stories = readFileSync(data, "utf8")
    .split("<|endoftext|>")
    .map((story) => story.trim())
    .filter(Boolean);
  return [...new Set(stories.filter((story) => hash(Buffer.from(story)) % 28 === 0))];
}
