// Gets a widget's numbers: from a table that the author put inside it, or from the example that a page's widgets share.

/**
 * @typedef {object} Row
 * @property {string[]} tokens
 * @property {Float32Array} logits
 */

/** As much as a browser can draw and a reader can see. */
const LIMIT = 5000;

/**
 * An error whose words are in seldom.js.
 * @param {string} key of the words
 * @param {Record<string, string | number>} values
 */
export const refusal = (key, values = {}) => Object.assign(new RangeError(key), { values });

/**
 * Reads the first table inside an element: tokens in the first column, numbers in the second, or another. If the
 * heading says "probability", the logits are the logarithms of the numbers.
 * @param {Element} element the table, or an element around it
 * @param {number} [column] of the numbers
 * @returns {Row | null} null: there is no table
 * @throws {RangeError} a refusal
 */
export function readTable(element, column = 1) {
  const table = element instanceof HTMLTableElement ? element : element.querySelector("table");
  if (!table) return null;
  const rows = [...table.rows].filter((row) => row.cells.length > column);
  const heads = rows[0] && [...rows[0].cells].every((cell) => cell.localName === "th") ? rows.shift() : undefined;
  const isProbability = /prob|概率|^p$|%/i.test(heads?.cells[column].textContent?.trim() ?? "");
  if (!rows.length) throw refusal("noRows");
  if (rows.length > LIMIT) throw refusal("manyRows", { count: rows.length, most: LIMIT });
  const tokens = rows.map((row) => row.cells[0].textContent ?? "");
  const logits = Float32Array.from(rows, (row, i) => {
    const text = (row.cells[column].textContent ?? "").trim().replace("−", "-");
    const number = text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
    const isBad = !text || !Number.isFinite(number) || (isProbability && (number < 0 || number > 1));
    if (isBad) throw refusal("badRow", { row: i + 1, token: tokens[i], text });
    return isProbability ? Math.log(number) : number;
  });
  if (logits.every((logit) => logit === -Infinity)) throw refusal("allZero");
  return { tokens, logits };
}

/** Called on every change of the shared example. */
export const exampleChanges = new EventTarget();

const cat = { tokens: ["mat", "sofa", "floor", "bed", "moon", "banana"], logits: [6, 5, 4.5, 3.5, 2, 0] };
/** @type {Row | undefined} */
let changed;

/**
 * "The cat sat on the …", unless a widget has changed it.
 * @returns {Row}
 */
export function sharedExample() {
  const { tokens, logits } = changed ?? cat;
  return { tokens: [...tokens], logits: Float32Array.from(logits) };
}

/** Changes the example for all widgets of the page that have no own numbers. @param {Row} row */
export function changeExample(row) {
  changed = { tokens: [...row.tokens], logits: Float32Array.from(row.logits) };
  exampleChanges.dispatchEvent(new Event("change"));
}
