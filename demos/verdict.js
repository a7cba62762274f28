// What the watermark detector says of a p-value, and what several looks make of it.

/** The longest text that the page reads, in UTF-16 units, as text fields count. */
export const LONGEST = 1_000_000;

/**
 * The looks of one visit. The best of n p-values counts n times (Bonferroni), at most 1; the same text with the same
 * mark is one look, however often it is repeated.
 */
export class Looks {
  /** p-values by text, then by mark. @type {Map<string, Map<string, number>>} */
  #texts = new Map();

  /** @param {string} text @param {unknown} mark what the text was looked at with @param {number} pValue */
  add(text, mark, pValue) {
    const marks = this.#texts.get(text) ?? new Map();
    this.#texts.set(text, marks.set(JSON.stringify(mark), pValue));
  }

  get #pValues() {
    return [...this.#texts.values()].flatMap((marks) => [...marks.values()]);
  }

  get count() {
    return this.#pValues.length;
  }

  /** The smallest p-value; 1 before the first look. */
  get best() {
    return Math.min(1, ...this.#pValues);
  }

  /** What a p-value of one of the looks counts as. @param {number} pValue */
  corrected(pValue) {
    return Math.min(1, this.count * pValue);
  }
}

/**
 * The verdict, and what it means.
 * @param {number} pValue @param {number} corrected the same after all looks @param {number} tokensUsed
 * @returns {[verdict: string, meaning: string]}
 */
export function inWords(pValue, corrected, tokensUsed) {
  if (!tokensUsed) return ["Too short to say anything", "A token counts only after a whole window of other tokens."];
  if (corrected <= 0.01) {
    const rare = `${oneIn(pValue)} as much as this one by chance.`;
    return corrected <= 0.001
      ? [
          "A strong sign of this mark",
          `${rare} That is not how probable the mark is: this depends too on how many of the texts that you check ` +
            "are marked. Where hardly any are, most of those found may be chance.",
        ]
      : ["A weak sign of this mark", `${rare} In a pile of texts such a score is nothing special.`];
  }
  const short = tokensUsed < 50 ? " The text is short: even a marked one may score no more." : "";
  return ["No sign of this mark", `${shareOf(pValue)} as much.${short} This says nothing about who wrote the text.`];
}

/** What several looks make of this one. @param {Looks} looks @param {number} pValue of this look */
export function ofLooks(looks, pValue) {
  const { count, best } = looks;
  if (count < 2)
    return "A p-value is for one look. With several keys, passages or moments, multiply the best one by their number.";
  return (
    `You have looked ${count} times, with different texts or marks. The verdict counts that: this p-value, ` +
    `${digits(pValue)}, counts as ${digits(looks.corrected(pValue))}, and the best of the ${count}, ${digits(best)}, ` +
    `as ${digits(looks.corrected(best))}.`
  );
}

/** A p-value in digits. @param {number} pValue */
export const digits = (pValue) =>
  pValue > 0 && pValue < 1e-4 ? pValue.toExponential(1) : String(Number(pValue.toPrecision(2)));

/** @param {number} pValue */
function shareOf(pValue) {
  const percent = 100 * pValue;
  return percent >= 99.5 ? "All or nearly all unmarked texts score" : `${digits(percent)} % of unmarked texts score`;
}

const words = new Intl.NumberFormat("en", { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 2 });

/** How rare a p-value is among unmarked texts. @param {number} pValue */
const oneIn = (pValue) =>
  pValue > 1e-15
    ? `One in ${words.format(1 / pValue).replace(/^1 /, "a ")} unmarked texts scores`
    : "Fewer than one in a million billion unmarked texts score";
