// The game of the lesson: the reader picks five words, then sees their surprise beside that of other texts.
import { surpriseClass } from "../web/widgets/shared/format.js";
import { byId, make, setText } from "./dom.js";
import { others, prompt, rows } from "./recorded/game.js";

const ROUNDS = 5;
const CHOICES = 5;

/** @typedef {{ text: string, bits: number }} Word */

/** @type {Word[]} */
let picked = [];
/** Where the reader is in the tree of words. */
let place = 0;

/** The words of one row of the tree: "a 15,what 56". @param {string} text @returns {Word[]} */
const wordsOf = (text) =>
  text.split(",").map((one) => ({ text: one.split(" ")[0], bits: Number(one.split(" ")[1]) / 10 }));

/** " a|15| little|36" @param {string} text @returns {Word[]} */
const othersWords = (text) => {
  const parts = text.split("|");
  return Array.from({ length: parts.length / 2 }, (_, i) => ({
    text: parts[2 * i],
    bits: Number(parts[2 * i + 1]) / 10,
  }));
};

/** @param {Word} word */
const tinted = ({ text, bits }) =>
  make("span", { class: "token", "data-surprise": surpriseClass(2 ** -bits), text: text.trim() });

/** @param {Word[]} words */
const sumOf = (words) => words.reduce((sum, { bits }) => sum + bits, 0);

/** Tinted words with the spaces between them. @param {Word[]} words @returns {(Node | string)[]} */
const sentence = (words) => words.flatMap((word) => [/^[.,!?]/.test(word.text.trim()) ? "" : " ", tinted(word)]);

/** Shows the words to choose from. @param {string[]} tree its rows */
function showChoices(tree) {
  byId("game-text").replaceChildren(prompt, ...sentence(picked), " ", make("span", { class: "gap", text: "…" }));
  const choices = wordsOf(tree[place]).map((word, at) => ({ word, at }));
  choices.sort((a, b) => (a.word.text < b.word.text ? -1 : 1));
  byId("game-choices").replaceChildren(
    ...choices.map(({ word, at }) =>
      make("button", { type: "button", text: word.text, onclick: () => pick(word, at, tree) }),
    ),
  );
  const [last] = picked.slice(-1);
  const meaning = picked.length === 1 ? ", one for each halving of the probability" : "";
  const verdict = last ? `“${last.text}”: ${last.bits.toFixed(1)} bits of surprise${meaning}. ` : "";
  setText(byId("game-hint"), `${verdict}Pick the next word: ${picked.length + 1} of ${ROUNDS}.`);
}

/** @param {Word} word @param {number} at @param {string[]} tree */
function pick(word, at, tree) {
  picked.push(word);
  place = CHOICES * place + 1 + at;
  if (picked.length === ROUNDS) showResult(tree);
  else {
    showChoices(tree);
    byId("game-choices").querySelector("button")?.focus();
  }
}

/** @param {string[]} tree */
function showResult(tree) {
  /** @type {[string, Word[]][]} */
  const results = [
    ["You", picked],
    ["Greedy: always the likeliest", othersWords(others.greedy)],
    ["A die, at temperature 1", othersWords(others.die)],
    ["A person", othersWords(others.person)],
  ];
  const most = Math.max(...results.map(([, words]) => sumOf(words)));
  const lines = results.map(([who, words]) => {
    const bar = make("span", { class: "bits" });
    bar.style.setProperty("--share", String(sumOf(words) / most));
    return make(
      "tr",
      {},
      make("th", { scope: "row", text: who }),
      make("td", {}, ...sentence(words), bar),
      make("td", { text: sumOf(words).toFixed(1) }),
    );
  });
  const heads = ["Who picked", "Words", "Bits"].map((text) => make("th", { scope: "col", text }));
  const again = make("button", { type: "button", text: "Pick again" });
  again.addEventListener("click", () => {
    picked = [];
    place = 0;
    byId("game-result").hidden = true;
    showChoices(tree);
    byId("game-choices").querySelector("button")?.focus();
  });
  byId("game-text").replaceChildren(prompt, ...sentence(picked), " …");
  byId("game-choices").replaceChildren(again);
  byId("game-result").replaceChildren(
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines)),
    make("p", {
      class: "hint",
      text: "Measured by the shipped model, recorded. One bit is one halving of the probability; part 2 explains why people sit above greedy.",
    }),
  );
  byId("game-result").hidden = false;
  const [mine, greedy, , person] = results.map(([, words]) => sumOf(words));
  const nearer = Math.abs(mine - greedy) < Math.abs(mine - person) ? "closer to greedy" : "closer to a person";
  setText(byId("game-hint"), `Your five words: ${mine.toFixed(1)} bits of surprise, ${nearer}.`);
  again.focus();
}

/** The reader has picked the first word, which is in the page. @param {string} text */
export function begin(text) {
  const tree = rows.split(";");
  const words = wordsOf(tree[0]);
  const at = words.findIndex((word) => word.text === text);
  pick(words[at], at, tree);
}
