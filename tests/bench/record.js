// Keeps what a bench has measured, with its date and machine, for the documentation: results/NAME.json. Then
// `make generate` writes the README's table and picture.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { relative } from "node:path";

/**
 * What was measured, for each of the systems, and when and where.
 * @typedef {object} Entry
 * @property {string} date
 * @property {string} machine
 * @property {number} [load] of the machine in the last minute, where it was measured; the bench itself makes about one
 * @property {string} [source] where the numbers stand, if no bench has written them here
 * @property {Record<string, number>} values
 */
/** @typedef {{ command: string, unit: string, entries: Record<string, Entry> }} Results */

const fileOf = (/** @type {string} */ name) => new URL(`results/${name}.json`, import.meta.url);

/** @param {string} name @returns {Results} */
export const readResults = (name) => JSON.parse(readFileSync(fileOf(name), "utf8"));

/**
 * The entry of that name, which must be there.
 * @param {string} name of the results
 * @param {string} what of the entry
 */
export function entryOf(name, what) {
  const entry = readResults(name).entries[what];
  if (!entry) throw new Error(`tests/bench/results/${name}.json has no ${what}: run its command`);
  return entry;
}

/**
 * Results with new numbers in the place of the old ones of the same names. The others keep their dates.
 * @param {Results | undefined} before
 * @param {Results} measured
 * @returns {Results}
 */
export const merged = (before, measured) => ({ ...measured, entries: { ...before?.entries, ...measured.entries } });

/**
 * Whether the clock can be believed. A bench makes a load of one by itself, a browser beside it a little more.
 * @param {number} load of the last minute
 * @param {number} cores
 */
export const isQuiet = (load, cores) => load <= Math.max(cores, 2);

/**
 * Keeps numbers under a name. Times by the clock are kept only from a quiet machine; processor time and counts always.
 * @param {string} name
 * @param {string} unit
 * @param {Record<string, Record<string, number>>} numbers what was measured, for each of the systems
 * @param {{ place?: string, byClock?: boolean, load?: number }} [how] place: what ran it, if not this Node; load: of the
 *   machine while it was measured, if that is not the last minute
 */
export function record(
  name,
  unit,
  numbers,
  { place = `Node ${process.versions.node}`, byClock = false, load: measured = loadavg()[0] } = {},
) {
  const command = ["node", relative(process.cwd(), process.argv[1]), ...process.argv.slice(2)].join(" ");
  const machine = `${cpus().length} cores of ${cpus()[0].model.trim()}, ${place}`;
  const date = new Date().toISOString().slice(0, 10);
  const load = Number(measured.toFixed(1));
  const entries = Object.fromEntries(
    Object.entries(numbers).map(([what, values]) => {
      const rounded = Object.entries(values).map(([system, value]) => [system, Number(value.toPrecision(4))]);
      return [what, { date, machine, load, values: Object.fromEntries(rounded) }];
    }),
  );
  const file = `tests/bench/results/${name}.json`;
  if (!Object.keys(entries).length) return void console.log(`nothing to keep in ${file}`);
  if (byClock && !isQuiet(load, cpus().length)) {
    console.log(`not kept in ${file}, because other programs ran (load ${load}): ${Object.keys(entries).join(", ")}`);
    return;
  }
  const before = existsSync(fileOf(name)) ? readResults(name) : undefined;
  writeFileSync(fileOf(name), JSON.stringify(merged(before, { command, unit, entries }), null, 2) + "\n");
  console.log(`kept in ${file}: ${Object.keys(entries).join(", ")}`);
}
