// Token healing: a prompt that ends inside a word has tokens that a complete text would not have, so the model takes
// the end of the prompt for the end of the word. We remove the prompt's last token, and the new text must begin with
// its bytes, in any tokens. We only do so if a longer token begins with these bytes.

/**
 * The bytes of the last token if healing removes it. It never removes a control token, or the only token of a prompt.
 * @param {ArrayLike<number>} ids the prompt
 * @param {readonly Uint8Array[]} tokens
 * @returns {Uint8Array | undefined}
 */
export function bytesToHeal(ids, tokens) {
  const bytes = ids.length > 1 ? tokens[ids[ids.length - 1]] : undefined;
  if (!bytes?.length) return undefined;
  return tokens.some((token) => token.length > bytes.length && beginsWith(token, bytes, 0)) ? bytes : undefined;
}

/**
 * Whether a token and the bytes from `at` on agree: one is a prefix of the other.
 * @param {Uint8Array} token
 * @param {Uint8Array} bytes
 * @param {number} at
 */
export function beginsWith(token, bytes, at) {
  const end = Math.min(token.length, bytes.length - at);
  for (let i = 0; i < end; i++) if (token[i] !== bytes[at + i]) return false;
  return true;
}
