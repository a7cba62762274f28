/**
 * A new id of nine letters and digits, which every chat template accepts. (Pages without https have no
 * crypto.randomUUID.)
 */
export function newId() {
  const words = crypto.getRandomValues(new Uint32Array(3));
  return Array.from(words, (word) => word.toString(36).padStart(7, "0").slice(-3)).join("");
}
