// Turns recordings into what a model would return.

/** Tokens of a text and their surprise in hundredths of a bit. @typedef {{ tokens: string, bits: string }} Recorded */

/** Numbers separated by spaces. @param {string} text */
export const numbersIn = (text) => text.split(" ").map(Number);

/**
 * The tokens of a recorded text. Their ids only tell them apart.
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
 * Whether a widget has the settings of the recording, and the shipped model.
 * @param {import("./element.js").LastInchElement} host
 * @param {Record<string, unknown>} settings
 */
export const isRecorded = (host, settings) =>
  !host.src &&
  !host.model &&
  Object.entries(settings).every(([name, value]) => /** @type {any} */ (host)[name] === value);
