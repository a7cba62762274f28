// Renamed functions: the old names work for one more version, with a warning.

/** @type {Set<string>} */
const told = new Set();

/**
 * Warns once about an old name.
 * @param {string} old
 * @param {string} name the new one
 */
export function warnOfName(old, name) {
  if (told.has(old)) return;
  told.add(old);
  console.warn(`lastinch: ${old} is now ${name}; the next version drops the old name.`);
}
