// A text as it stands in a module: lines of code end where a space was, and “|” stands for the end of a line.

/** @param {string} lines after an empty one */
export const unpacked = (lines) => lines.trimStart().replaceAll("\n", " ").replaceAll("|", "\n");
