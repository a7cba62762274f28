// What is recorded, as it would come from a model.

/** Tokens of a text and their surprise in hundredths of a bit. @typedef {{ tokens: string, bits: string }} Recorded */

/** Numbers with spaces between. @param {string} text */
export const numbersIn = (text) => text.split(" ").map(Number);

/**
 * The tokens of a recorded text. Their ids are numbers that only tell them apart.
 * @param {Recorded} recorded
 * @returns {{ id: number, text: string, rawLogprob: number, probability: number }[]}
 */
export function tokensOf({ tokens, bits }) {
  const texts = tokens.split("|");
  const surprises = numbersIn(bits);
  return texts.map((text, i) => {
    const probability = 2 ** (-surprises[i] / 100);
    return { id: texts.indexOf(text), text, rawLogprob: Math.log(probability), probability };
  });
}

/**
 * Whether a widget's settings are those that were recorded, and the model is the shipped one.
 * @param {import("./element.js").LastInchElement} host
 * @param {Record<string, unknown>} settings
 */
export const isRecorded = (host, settings) =>
  !host.src && Object.entries(settings).every(([name, value]) => /** @type {any} */ (host)[name] === value);
