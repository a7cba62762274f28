// Mutation testing: changes one operator, bound, condition or statement at a time, runs the tests that reach it, and
// lists what no test sees. `make mutants` takes a sample of every room, `folder=src/sample` of one; `seed=2` takes
// others, `change=li_cut` the changes that have this in their names. CONTRIBUTING.md says more.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { changesOf } from "./changes.js";
import { prepareNative } from "./native.js";
import { prepareScripts } from "./scripts.js";
import { filesIn, hash } from "./tests.js";

// What make hands on is meant for makes that it starts itself.
delete process.env.MAKEFLAGS;
delete process.env.MAKELEVEL;

const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const { folder = "", seed = "1", jobs = availableParallelism(), within = "60", change = "" } = given;
const WANTED = 0.95;
const counts = /** @type {Record<string, number>} */ ({ "src/sample": 100, "src/model": 100 });

const foldersIn = (/** @type {string} */ place) =>
  readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${place}/${entry.name}`] : [],
  );
const allRooms = [...foldersIn("src"), ...foldersIn("src/grammar"), ...foldersIn("web")].filter(
  (room) => room !== "src/grammar",
);
const rooms = allRooms.filter((room) => `${room}/`.startsWith(folder && `${folder}/`));
if (!rooms.length) throw new Error(`${folder} is no room: ${allRooms.join(", ")}`);

/**
 * Why a change alters no behaviour, by file and name. A name without a number means all such changes of the function.
 * @type {Record<string, Record<string, string>>}
 */
const marks = JSON.parse(readFileSync(new URL("marks.json", import.meta.url), "utf8"));
const withoutNumber = (/** @type {string} */ name) => name.replace(/ #\d+$/, "");
const isMarked = (/** @type {{ file: string, name: string }} */ { file, name }) =>
  marks[file] !== undefined && (name in marks[file] || withoutNumber(name) in marks[file]);

/**
 * The mutants of a room in the order in which they are tried: by hash, so an edit of one function leaves the sample of
 * the others as it is.
 * @param {string} room
 */
function mutantsOf(room) {
  const mutants = filesIn(room, /\.(?:c|js)$/).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    return changesOf(file, source).map((one) => ({
      ...one,
      file,
      line: source.slice(0, one.start).split("\n").length,
      source: source.slice(0, one.start) + one.text + source.slice(one.end),
      rank: hash(file, one.name, seed),
    }));
  });
  const names = new Set(mutants.flatMap(({ file, name }) => [`${file} ${name}`, `${file} ${withoutNumber(name)}`]));
  for (const file of Object.keys(marks).filter((file) => file.startsWith(`${room}/`)))
    for (const name of Object.keys(marks[file]))
      if (!names.has(`${file} ${name}`)) console.log(`marks.json: no such change: ${file} ${name}`);
  return mutants
    .filter(({ file, name }) => `${file} ${name}`.includes(change))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
}

mkdirSync("build/mutants", { recursive: true });
const work = mkdtempSync("build/mutants/run-");
process.on("exit", () => rmSync(work, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));
const folders = Array.from({ length: Number(jobs) }, (_, job) => `${work}/${job}`);
for (const place of folders) mkdirSync(place);
/** @type {{ native?: ReturnType<typeof prepareNative>, scripts?: ReturnType<typeof prepareScripts> }} */
const judges = {};

/** What kills a mutant. @param {ReturnType<typeof mutantsOf>[0]} mutant @param {string} place of the job */
async function judge(mutant, place) {
  if (mutant.file.startsWith("src/")) {
    judges.native ??= prepareNative(folders.length, Number(within));
    const answer = await (await judges.native)(mutant, place);
    if (answer || !mutant.file.startsWith("src/grammar/")) return answer;
  }
  judges.scripts ??= prepareScripts(folders, Number(within));
  return (await judges.scripts)(mutant, place);
}

/** Tries the sample of a room, and whether its tests see enough of it. @param {string} room */
async function tryRoom(room) {
  const begun = Date.now();
  const waiting = mutantsOf(room);
  const count = Number(given.count ?? counts[room] ?? 30);
  const tally = { tried: 0, killed: 0, "same code": 0, marked: 0, survived: 0 };
  const tryNext = async (/** @type {string} */ place) => {
    while (tally.tried < count) {
      const mutant = waiting.shift();
      if (!mutant) return;
      if (++tally.tried % 10 === 0) console.error(`${room}: ${tally.tried} tried`);
      const answer = isMarked(mutant) ? "marked" : await judge(mutant, place);
      if (answer === "not compiled") tally.tried--;
      else if (answer === "same code" || answer === "marked") tally[answer]++;
      else if (answer) tally.killed++;
      else {
        tally.survived++;
        const [before] = mutant.source.slice(mutant.source.lastIndexOf("\n", mutant.start - 1) + 1).split("\n");
        console.log(`${mutant.file}:${mutant.line}: ${mutant.name}\n    → ${before.trim()}`);
      }
    }
  };
  await Promise.all(folders.map(tryNext));
  const share = 1 - tally.survived / (tally.tried || 1);
  const parts = Object.entries(tally).map(([name, value]) => `${value} ${name}`);
  const seconds = Math.round((Date.now() - begun) / 1000);
  console.log(`${room}, seed ${seed}: ${parts.join(", ")}; ${(100 * share).toFixed(1)} %, ${seconds} s`);
  return share >= WANTED;
}

let isEnough = true;
for (const room of rooms) isEnough = (await tryRoom(room)) && isEnough;
process.exit(isEnough ? 0 : 1);
