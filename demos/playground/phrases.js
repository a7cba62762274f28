// The words at a token, for bans of phrases: the word that it belongs to, and that word with the next.

/**
 * @param {readonly { text: string, isEnd?: boolean }[]} steps
 * @param {number} index
 * @returns {string[]} without the space before them; none at a space or a sign
 */
export function phrasesAt(steps, index) {
  const isEdge = (/** @type {number} */ i) =>
    i >= steps.length || steps[i].isEnd || !/^[\p{L}\p{N}]/u.test(steps[i].text);
  let start = index;
  while (start > 0 && !isEdge(start)) start--;
  let end = index + 1;
  while (!isEdge(end)) end++;
  const text = steps
    .slice(start, end + 12)
    .map(({ text: one }) => one)
    .join("");
  const found = /^\s*([\p{L}\p{N}'’-]+)(\s+[\p{L}\p{N}'’-]+)?/u.exec(text);
  if (!found) return [];
  const [, word, next] = found;
  return next ? [word, word + next] : [word];
}
