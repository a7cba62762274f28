// Lists as a person types them: ids and words in quotes, with commas between.

/**
 * Reads `" dog" 2, 17` as [[" dog", 2], [17]].
 * @param {string} text
 * @returns {(string | number)[][]}
 */
export function readItems(text) {
  /** @type {(string | number)[][]} */
  const items = [[]];
  for (let at = 0; at < text.length;) {
    const last = items[items.length - 1];
    if (text[at] === ",") {
      items.push([]);
      at++;
    } else if (/\s/.test(text[at])) at++;
    else if (text[at] === '"') {
      const end = closingQuote(text, at);
      last.push(JSON.parse(text.slice(at, end + 1)));
      at = end + 1;
    } else {
      let end = at;
      while (end < text.length && !/[\s,"]/.test(text[end])) end++;
      const word = text.slice(at, end);
      if (Number.isNaN(Number(word))) throw new Error(`words stand in quotes: "${word}", or " ${word}" after a space.`);
      last.push(Number(word));
      at = end;
    }
  }
  return items.filter((item) => item.length);
}

/** @param {string} text @param {number} from its opening quote */
function closingQuote(text, from) {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  throw new Error("a quotation mark is missing.");
}
