// The bench: measures the sampler, masks and the storyteller on the visitor's device, and shows what it found.
import {
  comparison,
  digits,
  kinds,
  packReport,
  rowsOf,
  textOf,
  unpackReport,
  wasDisturbed,
} from "./bench/bench-report.js";
import { byId, make, setText } from "./dom.js";

/** @typedef {import("./bench/bench-report.js").Report} Report */
/** @typedef {import("../dist/index.js").Model} Model */

const VERSION = "0.2.0";
const TOKENS = 100;
/** A link with #quick measures little, for tests. */
const rounds = location.hash === "#quick" ? 3 : 9;

const start = /** @type {HTMLButtonElement} */ (byId("start"));
const withPeers = /** @type {HTMLInputElement} */ (byId("peers"));
const say = (/** @type {string} */ text) => setText(byId("status"), text);
/** @type {Report | null} */
let report = null;

/** Runs a part in a Worker of its own. @param {string} part @param {object} way @returns {Promise<any>} */
function inWorker(part, way) {
  const worker = new Worker(new URL("./bench/bench-worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) =>
      data.error === undefined ? resolve(data.result) : reject(new Error(data.error)),
    );
    worker.addEventListener("error", ({ message }) => reject(new Error(message || "The Worker did not start.")));
    worker.postMessage({ part, way: { rounds, ...way } });
  }).finally(() => worker.terminate());
}

/**
 * What a peer found, or why it found nothing: a peer that fails does not end the bench.
 * @param {() => Promise<any>} run
 */
async function orWhy(run) {
  try {
    return { found: await run(), why: "" };
  } catch (error) {
    return { found: null, why: /** @type {Error} */ (error).message.split("\n")[0].slice(0, 200) };
  }
}

/** Tokens a second with that many threads. @param {Model} model @param {number} seed */
async function speedOf(model, seed) {
  const options = { maxTokens: TOKENS, temperature: 0.8, seed, bannedTokens: [...model.vocabulary.eos] };
  const { stats } = await model.complete("Once upon a time", options);
  return Number(stats?.textRate);
}

/** @param {boolean} hasPeers @returns {Promise<{ part: Report["parts"][0], vocabulary: object }>} */
async function measureModel(hasPeers) {
  const { loadModel } = await import("../dist/index.js");
  const { default: storyteller } = await import("../dist/storyteller.js");
  const most = crossOriginIsolated ? Math.min(navigator.hardwareConcurrency, 8) : 1;
  const counts = most > 1 ? [1, most] : [1];
  /** @type {Record<string, number[]>} */
  const samples = {};
  /** @type {Record<string, Model>} */
  const models = {};
  for (const threads of counts)
    models[`lastinch, ${threads} ${threads > 1 ? "threads" : "thread"}`] = await loadModel(storyteller, { threads });
  for (let round = -1; round < rounds; round++)
    for (const [name, model] of Object.entries(models)) {
      const speed = await speedOf(model, round + 2);
      if (round >= 0) (samples[name] ??= []).push(speed); // the first is a warm-up
    }
  const [{ vocabulary }] = Object.values(models);
  const copy = { tokens: [...vocabulary.tokens], eos: [...vocabulary.eos] };
  for (const model of Object.values(models)) model.dispose();
  /** @type {Record<string, string>} */
  const notes = {};
  if (hasPeers) {
    say("Measuring wllama …");
    const file = await (await fetch(storyteller)).blob();
    const { found, why } = await orWhy(() => inWorker("wllama", { file, count: TOKENS }));
    if (found) samples["wllama 3.8.1, 1 thread"] = found.samples.wllama;
    else notes[Object.keys(samples)[0]] = `wllama did not run: ${why}`;
  }
  return { part: { id: "model", rows: rowsOf(samples, notes) }, vocabulary: copy };
}

/** @param {boolean} hasPeers @returns {Promise<Report["parts"]>} */
async function measureSampler(hasPeers) {
  const { samples } = await inWorker("sampler", {});
  /** @type {Record<string, string>} */
  const notes = {};
  const loops = [];
  if (hasPeers)
    for (const [id, topK] of Object.entries({ transformersTopK: 50, transformers: 0 })) {
      say(`Measuring transformers.js, top-k ${topK} …`);
      const { found, why } = await orWhy(() => inWorker("transformers", { topK }));
      if (found) loops.push({ id, rows: rowsOf(found.samples) });
      else notes.lastinch = `transformers.js did not run with top-k ${topK}: ${why}`;
    }
  return [{ id: "sampler", rows: rowsOf(samples, notes) }, ...loops];
}

/** @param {object} vocabulary { tokens, eos } of the storyteller @param {boolean} hasPeer */
async function measureMasks(vocabulary, hasPeer) {
  let { found, why } = await orWhy(() => inWorker("masks", { ...vocabulary, hasPeer }));
  if (!found && !hasPeer) throw new Error(why);
  /** @type {Record<string, string>} */
  const notes = {};
  if (!found) notes.lastinch = `web-xgrammar did not run: ${why}`;
  found ??= await inWorker("masks", { ...vocabulary, hasPeer: false });
  for (const row of rowsOf(found.compile)) {
    const wrong = found.wrong[row.name];
    const said = [
      notes[row.name],
      `compiles a schema in ${digits(row.median)} ms`,
      wrong && `refuses ${wrong} of 10 texts`,
    ];
    notes[row.name] = said.filter(Boolean).join("; ");
  }
  return { id: "masks", rows: rowsOf(found.samples, notes) };
}

function deviceOf() {
  const cores = `${navigator.hardwareConcurrency} cores`;
  const threads = crossOriginIsolated ? "isolated" : "not isolated, so one thread";
  return `${navigator.userAgent.slice(0, 200)}, ${cores}, ${threads}`;
}

async function measure() {
  start.disabled = true;
  withPeers.disabled = true;
  byId("result").hidden = true;
  byId("alert").hidden = true;
  try {
    const hasPeers = withPeers.checked;
    say("Measuring the sampler …");
    const choices = await measureSampler(hasPeers);
    say("Loading the storyteller, then measuring it …");
    const { part, vocabulary } = await measureModel(hasPeers);
    say("Measuring masks …");
    const masks = await measureMasks(vocabulary, hasPeers);
    const date = new Date().toISOString().slice(0, 10);
    const parts = [...choices, masks, part];
    show({ date, version: VERSION, device: deviceOf(), parts });
    history.replaceState(null, "", packReport(/** @type {Report} */ (report)));
    say("Done.");
  } catch (error) {
    setText(byId("alert"), `The bench has stopped: ${/** @type {Error} */ (error).message}`);
    byId("alert").hidden = false;
    say("");
  }
  start.disabled = false;
  withPeers.disabled = false;
}

/** @param {Report["parts"][0]} part */
function tableOf(part) {
  const { title, about, unit } = kinds[part.id];
  const most = Math.max(...part.rows.map(({ median }) => median));
  const rows = part.rows.map((row) => {
    const bar = make("span", { class: row.name.startsWith("lastinch") ? "bar own" : "bar" });
    bar.style.width = `${((100 * row.median) / most).toFixed(1)}%`;
    const more = [comparison(part, row), row.note].filter(Boolean).join("; ");
    return make(
      "tr",
      {},
      make("th", { scope: "row", text: row.name }),
      make("td", { class: "drawn" }, bar),
      make("td", { class: "number", text: `${digits(row.median)} ${unit}` }),
      make("td", { class: "more", text: more }),
    );
  });
  const caption = make("caption", {}, make("b", { text: title }), ` ${about}.`);
  return make("table", {}, caption, make("tbody", {}, ...rows));
}

/** @param {Report} found */
function show(found) {
  report = found;
  byId("tables").replaceChildren(...found.parts.map(tableOf));
  setText(byId("device"), `lastinch ${found.version}, ${found.date}, ${found.device}`);
  byId("disturbed").hidden = !wasDisturbed(found);
  byId("result").hidden = false;
}

/** @param {() => string} text @param {string} done */
async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text());
    say(done);
  } catch {
    say("The browser did not let this page copy.");
  }
}

start.addEventListener("click", () => void measure());
byId("copy-text").addEventListener(
  "click",
  () => void copy(() => (report ? textOf(report) : ""), "The text is copied."),
);
byId("copy-link").addEventListener("click", () => void copy(() => location.href, "The link is copied."));
const given = unpackReport(location.hash);
if (given) {
  show(given);
  say("These numbers came with the link. Measure to see those of this device.");
}
start.disabled = false;
