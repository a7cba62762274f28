// Which files of src/ a C test needs, by the names of functions and tables: so a run builds and measures only the tests
// that can reach the changed folder.
import { basename } from "node:path";

const definition = /^(?!typedef|static (?!inline)|\s).*?\b(li_\w+)(?:\(|\[| =)/gm;
const inlined = /^(?:LI_INLINE|static inline)[^;{]*?\b(li_\w+)\([^;{]*\)\n\{([^]*?)\n\}/gm;
/** The names in a text that are no types. @param {string} text */
const namesOf = (text) => text.match(/\bli_\w+\b(?! ?\*| \w)/g) ?? [];
/** src/model of src/model/cache.c. @param {string} file */
const roomOf = (file) => file.split("/").slice(0, 2).join("/");

/**
 * @param {string[]} sources all .c and .h files of src/
 * @param {string[]} headers those of tests/c/
 * @param {(file: string) => string} read
 * @returns {(test: string) => string[]} the .c files of src/ that a test needs
 */
export function reachOf(sources, headers, read) {
  /** @type {Map<string, string>} the file that defines a name */
  const files = new Map();
  /** @type {Map<string, string[]>} the names in the functions of headers */
  const bodies = new Map();
  for (const file of sources)
    if (file.endsWith(".c")) for (const [, name] of read(file).matchAll(definition)) files.set(name, file);
    else for (const [, name, body] of read(file).matchAll(inlined)) bodies.set(name, namesOf(body));
  /** @type {Map<string, Set<string>>} the rooms whose headers a room includes: only names from these can be functions */
  const below = new Map();
  for (const file of sources) {
    const rooms = below.get(roomOf(file)) ?? new Set([roomOf(file)]);
    for (const [, room] of read(file).matchAll(/#include "(\w+)\//g)) rooms.add(`src/${room}`);
    below.set(roomOf(file), rooms);
  }
  const isUsed = (/** @type {string} */ name, /** @type {string} */ file) =>
    below.get(roomOf(file))?.has(roomOf(files.get(name) ?? file));
  const named = new Map(
    [...new Set(files.values())].map((file) => [file, namesOf(read(file)).filter((name) => isUsed(name, file))]),
  );
  const included = new Map(headers.map((file) => [basename(file), file]));

  /** The names in a test and in the headers that it includes. @param {string} file @returns {string[]} */
  const namesOfTest = (file) => {
    const text = read(file);
    const inner = [...text.matchAll(/#include "(\w+\.h)"/g)].map(([, name]) => included.get(name) ?? "");
    return [...namesOf(text), ...inner.filter(Boolean).flatMap(namesOfTest)];
  };

  return (test) => {
    const needed = new Set();
    const waiting = namesOfTest(test);
    const seen = new Set(waiting);
    for (let name = waiting.pop(); name; name = waiting.pop()) {
      const file = files.get(name);
      const next = [...(bodies.get(name) ?? []), ...(file && !needed.has(file) ? (named.get(file) ?? []) : [])];
      if (file) needed.add(file);
      for (const word of next) if (!seen.has(word)) (waiting.push(word), seen.add(word));
    }
    return [...needed].sort();
  };
}
