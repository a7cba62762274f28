// Class mode: a class votes for the next word and sees its votes beside the model's row. The address after the # carries
// all of it: for pupils the text and the row, for the teacher the votes too. Nothing is sent.
import { formatPercent, plural } from "../web/widgets/shared/format.js";
import * as ballot from "./ballot.js";
import { byId, make, setText } from "./dom.js";
import { openStoryteller } from "./storyteller.js";

/** @typedef {import("./ballot.js").Vote} Vote */
/** @typedef {Vote & { counts: number[] }} Counted */

/** The storyteller's words in a vote, and the tokens that are looked at for them. */
const SHOWN = 8;
const LOOKED_AT = 16;

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));
const sumOf = (/** @type {ArrayLike<number>} */ numbers) => Array.from(numbers).reduce((a, b) => a + b, 0);

/** The teacher's vote. @type {Counted} */
let open;
/** After which the address has what was typed. */
let timer = 0;

/** @param {string} text none hides the last one */
function alertOf(text) {
  byId("alert").hidden = !text;
  setText(byId("alert"), text);
  byId("alert").scrollIntoView({ block: "nearest" });
}

/** @param {Float32Array} logits */
function softmax(logits) {
  const top = logits.reduce((a, b) => Math.max(a, b));
  const weights = Float64Array.from(logits, (logit) => Math.exp(logit - top));
  const sum = sumOf(weights);
  return weights.map((weight) => weight / sum);
}

/**
 * The likeliest next words that are one token. A word's share leaves out what goes on with letters, "own" before "er".
 * @param {import("../dist/index.js").Model} model
 * @param {string} prompt
 */
async function rowAfter(model, prompt) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const texts = model.vocabulary.tokens.map((bytes) => (bytes ? decoder.decode(bytes) : ""));
  const ids = await model.tokenize(prompt);
  const read = async (/** @type {number[]} */ more) =>
    softmax(await model.forward([...ids, ...more], { rows: "last" }));
  const row = await read([]);
  const likeliest = [...row.keys()].filter((id) => /^ [a-z]+$/i.test(texts[id])).sort((a, b) => row[b] - row[a]);
  const words = [];
  for (const id of likeliest.slice(0, LOOKED_AT)) {
    const goesOn = sumOf((await read([id])).filter((_, next) => /^[a-z']/i.test(texts[next])));
    words.push({ word: texts[id].trim(), tenths: Math.round(1000 * row[id] * (1 - goesOn)) });
  }
  return words.sort((a, b) => b.tenths - a.tenths).slice(0, SHOWN);
}

/** Writes the storyteller's row into the form. */
async function ask() {
  input("ask").disabled = true;
  alertOf("");
  setText(byId("asked"), "Loading the model …");
  try {
    const row = await rowAfter(await openStoryteller(), input("text").value.trim());
    input("row").value = ballot.writeRow(row);
    setText(byId("asked"), "This is the storyteller’s row.");
  } catch (/** @type {any} */ error) {
    setText(byId("asked"), "");
    alertOf(error.message);
  }
  input("ask").disabled = false;
}

function begin() {
  try {
    const row = ballot.readRow(input("row").value);
    const vote = ballot.checkVote({ prompt: input("text").value, seed: input("seed").valueAsNumber, row });
    history.pushState(null, "", `#${ballot.writeVote({ ...vote, counts: Array(row.length + 1).fill(0) })}`);
    show();
    byId("vote-title").focus();
  } catch (/** @type {any} */ error) {
    alertOf(error.message);
  }
}

/** Draws the QR code of an address. @param {string} address */
async function drawCode(address) {
  byId("qr-path").removeAttribute("d"); // never the code of another vote
  const { generate } = await import("../dist/qr.js");
  if (address !== /** @type {HTMLAnchorElement} */ (byId("link")).href) return;
  const code = generate(address);
  let path = "";
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  byId("qr-path").setAttribute("d", path);
  byId("qr").setAttribute("viewBox", `-4 -4 ${code.size + 8} ${code.size + 8}`); // with its quiet zone
}

/** @param {Counted} vote */
function showTeacher(vote) {
  open = vote;
  // Nothing of the vote before, least of all its open answer.
  /** @type {HTMLDetailsElement} */ (byId("reveal")).open = false;
  input("codes").value = "";
  for (const id of ["added", "copied"]) setText(byId(id), "");
  input("text").value = vote.prompt;
  input("seed").value = String(vote.seed);
  input("row").value = ballot.writeRow([...vote.row].sort((a, b) => b.tenths - a.tenths));
  const link = /** @type {HTMLAnchorElement} */ (byId("link"));
  link.hash = ballot.writeVote({ ...vote, counts: undefined });
  setText(link, link.href);
  drawCode(link.href).catch(() =>
    alertOf("There is no QR code: the link is too long, or the code’s script did not load. Copy the link."),
  );
  const fields = ballot.namesOf(vote).map((name, at) => {
    const field = make("input", { type: "number", min: 0, max: ballot.MOST_VOTES, value: vote.counts[at] });
    field.addEventListener("input", () => {
      if (!field.reportValidity()) return;
      recount(open.counts.map((old, i) => (i === at ? field.valueAsNumber || 0 : old)));
      clearTimeout(timer);
      timer = setTimeout(keep, 500); // a browser refuses an address for every key
    });
    return make("label", {}, make("b", { text: ballot.codeOf(vote, at) }), make("span", { text: name }), field);
  });
  byId("counts").replaceChildren(...fields);
  void showResult();
}

/** @param {number[]} counts */
function recount(counts) {
  open = { ...open, counts };
  void showResult();
}

/** Writes the votes into the address. */
function keep() {
  history.replaceState(null, "", `#${ballot.writeVote(open)}`);
}

function addCodes() {
  const { counts, unknown } = ballot.countCodes(open, input("codes").value);
  const before = sumOf(open.counts);
  recount(counts.map((count, at) => Math.min(open.counts[at] + count, ballot.MOST_VOTES)));
  byId("counts")
    .querySelectorAll("input")
    .forEach((field, at) => (field.value = String(open.counts[at])));
  keep();
  input("codes").value = unknown.join(" ");
  const rest = unknown.length ? ` Not codes of this vote: ${unknown.join(", ")}.` : "";
  setText(byId("added"), `${plural(sumOf(open.counts) - before, "vote")} added.${rest}`);
}

/** How many draws of the model's own row fall on each word. @param {Vote} vote @param {number} count */
async function draw(vote, count) {
  const { createSampler } = await import("../dist/sampler.js");
  const logits = Float32Array.from(ballot.sharesOf(vote), Math.log);
  const sampler = await createSampler({ vocabSize: logits.length, seed: vote.seed });
  const counts = Array(logits.length).fill(0);
  for (let i = 0; i < count; i++) counts[sampler.sample(logits)]++;
  sampler.dispose();
  return counts;
}

async function showResult() {
  const vote = open;
  const total = sumOf(vote.counts);
  byId("bars").hidden = !total;
  if (!total) return setText(byId("verdict"), "No votes yet.");
  const drawn = await draw(vote, total);
  if (vote !== open) return; // counted again meanwhile
  const model = ballot.sharesOf(vote);
  const own = vote.counts.map((count) => count / total);
  const draws = drawn.map((count) => count / total);
  const [far, chance] = [own, draws].map((shares) => ballot.distance(shares, model));
  setText(
    byId("verdict"),
    `Of every 100 votes, ${Math.round(100 * far)} would have to go to another word before the class’s shares were the ` +
      `model’s (total variation ${far.toFixed(2)}). Chance alone is not 0: ${plural(total, "draw")} from the model’s own ` +
      `row with seed ${vote.seed} ${total === 1 ? "differs" : "differ"} from it by ${Math.round(100 * chance)} of 100. ` +
      `The class differs by ${far > chance ? "more" : "no more"} than that.`,
  );
  const names = ballot.namesOf(vote);
  const most = Math.max(...own, ...model, ...draws);
  const kinds = Object.entries({ Class: own, Model: model, Draws: draws });
  // The tail stays last.
  const order = vote.row.map((_, at) => at).sort((a, b) => model[b] - model[a]);
  const words = [...order, names.length - 1].map((at) =>
    make(
      "tbody",
      {},
      ...kinds.map(([kind, shares], i) => {
        const bar = make("td", { class: "bar" }, make("span", { class: kind.toLowerCase() }));
        bar.style.setProperty("--share", String(shares[at] / most));
        const word = make("th", { scope: "rowgroup", rowspan: kinds.length, text: names[at] });
        const cells = [make("th", { scope: "row", text: kind }), bar, make("td", { text: formatPercent(shares[at]) })];
        return make("tr", {}, ...(i ? [] : [word]), ...cells);
      }),
    ),
  );
  byId("bars").replaceChildren(make("caption", { text: `Shares of ${plural(total, "vote")}` }), ...words);
}

async function copyLink() {
  const said = await navigator.clipboard.writeText(/** @type {HTMLAnchorElement} */ (byId("link")).href).then(
    () => "The link is copied.",
    () => "The browser did not let this page copy.",
  );
  setText(byId("copied"), said);
}

/** @param {Vote} vote */
function showPupil(vote) {
  setText(byId("prompt"), `${vote.prompt} …`);
  /** @param {number} [at] the word; none asks again */
  const choose = (at) => {
    byId("choices").hidden = at !== undefined;
    byId("told").hidden = at === undefined;
    if (at === undefined) return;
    setText(byId("chosen"), `You chose “${names[at]}”. Tell your teacher this code:`);
    setText(byId("own-code"), ballot.codeOf(vote, at));
    byId("told").focus();
  };
  const names = ballot.namesOf(vote);
  byId("choices").replaceChildren(
    ...names.map((text, at) => make("button", { type: "button", text, onclick: () => choose(at) })),
  );
  byId("again").onclick = () => {
    choose();
    byId("choices").querySelector("button")?.focus();
  };
  choose();
}

/** Shows what the address says. */
function show() {
  clearTimeout(timer);
  const fragment = location.hash === "#main" ? "" : location.hash.slice(1);
  let vote;
  let refusal = "";
  try {
    vote = fragment ? ballot.readVote(fragment) : undefined;
  } catch (/** @type {any} */ error) {
    refusal = `This link is not whole, or it was changed. ${error.message}`;
  }
  alertOf(refusal);
  byId("refused").hidden = !refusal;
  byId("setup").hidden = Boolean(refusal || (vote && !vote.counts));
  /** @type {HTMLDetailsElement} */ (byId("setup")).open = !vote;
  byId("vote").hidden = !vote?.counts;
  byId("pupil").hidden = !vote || Boolean(vote.counts);
  if (vote?.counts) showTeacher({ ...vote, counts: vote.counts });
  else if (vote) showPupil(vote);
}

for (const [id, task] of Object.entries({ form: begin, "codes-form": addCodes }))
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    task();
  });
byId("ask").addEventListener("click", () => void ask());
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // the address carries the vote
  byId("main").focus();
});
byId("copy").addEventListener("click", () => void copyLink());
addEventListener("hashchange", show);
show();
for (const id of ["ask", "begin"]) input(id).disabled = false;
