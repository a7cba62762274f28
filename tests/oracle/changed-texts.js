// Texts near to sentences of a language, for oracles that judge single texts.

/**
 * Reads sentences with up to two changes each, then texts of letters alone, and returns the valid ones, each once.
 * @param {import("./reader.js").Reader} reader
 * @param {object} from
 * @param {() => string[]} from.sentence a new one, as characters
 * @param {number} from.count of sentences
 * @param {number[]} from.lengths of the texts of letters alone
 * @param {string[]} from.letters
 * @param {() => number} from.random
 * @param {(text: string) => boolean | undefined} from.judge undefined: leave the text out
 */
export function readChanged(reader, { sentence, count, lengths, letters, random, judge }) {
  const letter = () => letters[Math.floor(random() * letters.length)];
  const valid = new Set();
  for (let time = 0; time < count + lengths.length; time++) {
    let points = sentence();
    for (let change = Math.floor(random() * 3); change > 0; change--)
      points.splice(
        Math.floor(random() * (points.length + 1)),
        Math.floor(random() * 2),
        ...(random() < 0.6 ? [letter()] : []),
      );
    if (time >= count) points = Array.from({ length: lengths[time - count] }, letter);
    const text = points.join("");
    const isValid = judge(text);
    if (isValid === undefined) continue;
    reader.read(text, isValid);
    if (isValid) valid.add(text);
  }
  return [...valid];
}
