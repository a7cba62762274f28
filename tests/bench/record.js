// Keeps what a bench has measured, with its date and machine, for the documentation: results/NAME.json. Then
// `make generate` writes the README's table and picture.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { relative } from "node:path";

/**
 * @typedef {object} Results
 * @property {string} command that measured them
 * @property {string} date
 * @property {string} machine
 * @property {string} unit
 * @property {Record<string, Record<string, number>>} numbers what was measured, for each of the systems
 */

const fileOf = (/** @type {string} */ name) => new URL(`results/${name}.json`, import.meta.url);

/** @param {string} name @returns {Results} */
export const readResults = (name) => JSON.parse(readFileSync(fileOf(name), "utf8"));

/**
 * Adds numbers to the results of that name. Those of another machine or command are replaced.
 * @param {string} name
 * @param {string} unit
 * @param {Results["numbers"]} numbers
 */
export function record(name, unit, numbers) {
  const [script, ...flags] = process.argv.slice(1);
  const command = ["node", relative(process.cwd(), script), ...flags].join(" ");
  const [load] = loadavg();
  // The program itself is a load of about one.
  const busy = load > cpus().length + 0.5 ? `, busy (load ${load.toFixed(0)})` : "";
  const machine = `${cpus().length} cores of ${cpus()[0].model.trim()}${busy}, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  const before = existsSync(fileOf(name)) ? readResults(name) : undefined;
  const kept = before?.machine === machine && before.command === command ? before.numbers : {};
  const rounded = Object.fromEntries(
    Object.entries(numbers).map(([what, values]) => [
      what,
      Object.fromEntries(Object.entries(values).map(([system, value]) => [system, Number(value.toPrecision(3))])),
    ]),
  );
  const results = { command, date, machine, unit, numbers: { ...kept, ...rounded } };
  writeFileSync(fileOf(name), JSON.stringify(results, null, 2) + "\n");
  console.log(`kept in tests/bench/results/${name}.json`);
}
