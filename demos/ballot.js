// A vote on the next word of a text: the model's row, the address that carries it, and the pupils' codes.

/** Without I and O, which look like 1 and 0. The last one in use is that of "another word". */
const LETTERS = "ABCDEFGHJKLMN";
const MOST_WORDS = LETTERS.length - 1;
/** Of one word. */
export const MOST_VOTES = 999;
const WHOLE = 1000;

/**
 * @typedef {object} Vote
 * @property {string} prompt
 * @property {number} seed of the model's own draws
 * @property {{ word: string, tenths: number }[]} row by the alphabet, so that no place tells a share. Shares are in
 *   tenths of a percent; what is missing from 100 % is the tail
 * @property {number[]} [counts] votes for each word and for the tail; only the teacher's address has them
 */

/** The words and "another word", as pupils see them. @param {Vote} vote */
export const namesOf = ({ row }) => [...row.map(({ word }) => word), "another word"];

/** The model's shares of the words and of the tail. @param {Vote} vote */
export function sharesOf({ row }) {
  const tail = row.reduce((rest, { tenths }) => rest - tenths, WHOLE);
  return [...row.map(({ tenths }) => tenths), tail].map((tenths) => tenths / WHOLE);
}

/**
 * The total variation distance.
 * @param {number[]} shares
 * @param {number[]} others
 */
export const distance = (shares, others) => shares.reduce((sum, share, i) => sum + Math.abs(share - others[i]), 0) / 2;

/** @param {unknown} isFine @param {string} complaint */
function check(isFine, complaint) {
  if (!isFine) throw new RangeError(complaint);
}

/** @param {number} value @param {number} most */
const isCount = (value, most) => Number.isSafeInteger(value) && value >= 0 && value <= most;

/** Refuses, with a sentence, what is no vote. @param {Vote} vote @returns {Vote} with its words in order */
export function checkVote({ prompt, seed, row, counts }) {
  check(prompt.trim(), "The beginning of the text is missing.");
  check(prompt.length <= 300, "The beginning of the text has more than 300 characters.");
  check(isCount(seed, Number.MAX_SAFE_INTEGER), "The seed has to be a whole number, 0 or more.");
  check(row.length >= 2 && row.length <= MOST_WORDS, `A row has 2 to ${MOST_WORDS} words; this one has ${row.length}.`);
  for (const { word, tenths } of row) {
    check(
      word.trim() && word.length <= 30,
      "Every line of a row has a word of at most 30 characters, then its percentage.",
    );
    check(isCount(tenths, WHOLE), `“${word}” has no percentage from 0 to 100.`);
  }
  check(new Set(row.map(({ word }) => word)).size === row.length, "A word is in the row twice.");
  const sum = row.reduce((total, { tenths }) => total + tenths, 0);
  check(sum <= WHOLE, `The row adds up to ${sum / 10} %, more than 100 %.`);
  const areCounts = counts?.length === row.length + 1 && counts.every((count) => isCount(count, MOST_VOTES));
  check(!counts || areCounts, "The votes do not fit the row.");
  return { prompt: prompt.trim(), seed, row: [...row].sort((a, b) => (a.word < b.word ? -1 : 1)), counts };
}

/** A number of an address: nothing else than digits counts as one. @param {string | null} text */
const numberIn = (text) => (/^\d{1,16}$/.test(text ?? "") ? Number(text) : NaN);

/** @param {string} fragment of an address, without # @returns {Vote} */
export function readVote(fragment) {
  const given = new URLSearchParams(fragment);
  const row = given.getAll("w").map((text) => {
    const [tenths, ...word] = text.split(" ");
    return { word: word.join(" "), tenths: numberIn(tenths) };
  });
  const counts = given.get("votes")?.split(".").map(numberIn);
  return checkVote({ prompt: given.get("text") ?? "", seed: numberIn(given.get("seed")), row, counts });
}

/** @param {Vote} vote @returns {string} the fragment, without # */
export function writeVote({ prompt, seed, row, counts }) {
  const words = row.map(({ word, tenths }) => ["w", `${tenths} ${word}`]);
  const votes = counts ? [["votes", counts.join(".")]] : [];
  return String(new URLSearchParams([["text", prompt], ["seed", String(seed)], ...words, ...votes]));
}

/** The row as a teacher writes it: a word and its percentage on each line. @param {string} text */
export const readRow = (text) =>
  text
    .split("\n")
    .filter((line) => line.trim())
    .map((line) => {
      const parts = line.replace("%", "").trim().split(/\s+/);
      const share = Number(parts.pop()?.replace(",", "."));
      return { word: parts.join(" "), tenths: Math.round(10 * share) };
    });

/** @param {Vote["row"]} row */
export const writeRow = (row) => row.map(({ word, tenths }) => `${word} ${(tenths / 10).toFixed(1)}`).join("\n");

/**
 * What a pupil says to the teacher: a letter for the word, and a digit that catches most slips, and most codes of
 * another vote.
 * @param {Vote} vote
 * @param {number} at
 */
export function codeOf({ prompt, seed, row }, at) {
  let sum = 0;
  for (const char of [at, seed, prompt, ...row.map(({ word }) => word)].join(" "))
    sum = (31 * sum + (char.codePointAt(0) ?? 0)) % 9973;
  return `${LETTERS[at]}${sum % 10}`;
}

/**
 * Reads codes as pupils write them.
 * @param {Vote} vote
 * @param {string} text
 */
export function countCodes(vote, text) {
  const codes = namesOf(vote).map((_, at) => codeOf(vote, at));
  const found = text.toUpperCase().match(/[^\s,;]+/g) ?? [];
  const unknown = found.filter((code) => !codes.includes(code));
  return { counts: codes.map((code) => found.filter((one) => one === code).length), unknown };
}
