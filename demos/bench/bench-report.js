// What was measured, in words, as a table, and in an address. Nothing here touches the page.
import { isDisturbed, ratioOf, summarise } from "./measuring.js";

/** @typedef {{ name: string, median: number, spread: number, note?: string }} Row */
/** @typedef {{ id: string, rows: Row[] }} Part the first row is lastinch's */
/** @typedef {{ date: string, version: string, device: string, parts: Part[] }} Report */

/** Each part's words. @type {Record<string, { title: string, about: string, unit: string, isFast: boolean }>} */
export const kinds = {
  sampler: {
    title: "One choice by top-p",
    about: "From 128,256 logits, top-p .95 at temperature .8, with the copy into WebAssembly",
    unit: "ms",
    isFast: false,
  },
  transformersTopK: {
    title: "One token in the loop of transformers.js, top-k 50",
    about:
      "Its default, at temperature .8, with our sampler in it and with its own; 128,256 logits stand for the model",
    unit: "ms",
    isFast: false,
  },
  transformers: {
    title: "One token in the loop of transformers.js, without a truncation",
    about: "The same with top_k: 0",
    unit: "ms",
    isFast: false,
  },
  masks: {
    title: "One mask of a JSON Schema",
    about: "The mean of ten schemas, each compiled anew, for 32,768 tokens: the storyteller’s and pairs of them",
    unit: "ms",
    isFast: false,
  },
  model: {
    title: "The storyteller’s tokens a second",
    about:
      "Texts of 100 tokens at temperature .8; a model of 2.6 MB. wllama runs after the others, with the same options",
    unit: "tokens a second",
    isFast: true,
  },
};

/** @param {Record<string, number[]>} samples @param {Record<string, string>} [notes] @returns {Row[]} */
export const rowsOf = (samples, notes = {}) =>
  Object.entries(samples).map(([name, list]) => ({
    name,
    ...summarise(list),
    ...(notes[name] && { note: notes[name] }),
  }));

/** @param {number} value */
export function digits(value) {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(2)));
}

/**
 * How a row compares with the first, or why it cannot be said.
 * @param {Part} part
 * @param {Row} row
 * @returns {string}
 */
export function comparison(part, row) {
  const [own] = part.rows;
  if (row === own) return isDisturbed(own) ? "disturbed" : "";
  const ratio = ratioOf(own, row);
  if (ratio === null) return "no ratio: disturbed";
  const { isFast } = kinds[part.id];
  return `${digits(ratio)} times the ${isFast ? "speed" : "time"} of the first row`;
}

/** Whether other programs disturbed any part. @param {Report} report */
export const wasDisturbed = ({ parts }) => parts.some(({ rows }) => isDisturbed(...rows));

/** The report as text to paste. @param {Report} report */
export function textOf({ date, version, device, parts }) {
  const lines = parts.flatMap((part) => {
    const { title, unit } = kinds[part.id];
    const rows = part.rows.map((row) => {
      const more = [comparison(part, row), row.note].filter(Boolean).join("; ");
      return `  ${row.name}: ${digits(row.median)} ${unit}${more && ` (${more})`}`;
    });
    return [`${title}`, ...rows];
  });
  return [`lastinch ${version}, ${date}, ${device}`, ...lines].join("\n");
}

/** @param {Report} report @returns {string} for the fragment of an address */
export function packReport(report) {
  const bytes = new TextEncoder().encode(JSON.stringify(report));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `#r=${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/**
 * The report in a fragment, or null. Anybody can write one, so nothing of it is trusted.
 * @param {string} hash
 * @returns {Report | null}
 */
export function unpackReport(hash) {
  const [, packed] = /^#r=([\w-]{1,8000})$/.exec(hash) ?? [];
  if (!packed) return null;
  try {
    const text = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const given = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    const short = (/** @type {unknown} */ value) => {
      if (typeof value !== "string" || value.length > 300) throw new TypeError("not a short text");
      return value;
    };
    const number = (/** @type {unknown} */ value) => {
      if (typeof value !== "number" || !Number.isFinite(value) || value < 0) throw new TypeError("not a number");
      return value;
    };
    /** @param {any} row @returns {Row} */
    const rowOf = (row) => ({
      name: short(row.name),
      median: number(row.median),
      spread: number(row.spread),
      ...(row.note !== undefined && { note: short(row.note) }),
    });
    const parts = given.parts.map((/** @type {any} */ part) => {
      if (!Object.hasOwn(kinds, part.id) || !part.rows.length || part.rows.length > 9)
        throw new TypeError("no such part");
      return { id: part.id, rows: part.rows.map(rowOf) };
    });
    return { date: short(given.date), version: short(given.version), device: short(given.device), parts };
  } catch {
    return null;
  }
}
