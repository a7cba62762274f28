// Short names for what the .wasm files export, in these files and in the scripts that call them. C and web/ keep the long
// ones. A page that samples loads 230 bytes less.

const EXPORTS = 7; // the section's id

/** An unsigned LEB128. @param {number} number */
function leb(number) {
  const bytes = [];
  for (; number > 127; number >>>= 7) bytes.push((number & 127) | 128);
  return [...bytes, number];
}

/** Reads a .wasm file. @param {Uint8Array} bytes */
function readerOf(bytes) {
  let at = 0;
  return {
    isAtEnd: () => at === bytes.length,
    take: (/** @type {number} */ count) => bytes.subarray(at, (at += count)),
    number() {
      let number = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        number += (byte & 127) * 2 ** shift;
        if (byte < 128) return number;
      }
    },
  };
}

/**
 * A .wasm file whose exports have the names that `rename` gives.
 * @param {Uint8Array} file
 * @param {(name: string) => string} rename
 */
function renamed(file, rename) {
  const reader = readerOf(file);
  const parts = [reader.take(8)];
  while (!reader.isAtEnd()) {
    const [id] = reader.take(1);
    const body = reader.take(reader.number());
    const section = id === EXPORTS ? renamedExports(body, rename) : body;
    parts.push(Uint8Array.of(id, ...leb(section.length)), section);
  }
  return Buffer.concat(parts);
}

/**
 * @param {Uint8Array} section
 * @param {(name: string) => string} rename
 */
function renamedExports(section, rename) {
  const reader = readerOf(section);
  const count = reader.number();
  const bytes = leb(count);
  for (let i = 0; i < count; i++) {
    const name = Buffer.from(rename(Buffer.from(reader.take(reader.number())).toString()));
    bytes.push(...leb(name.length), ...name, ...reader.take(1), ...leb(reader.number()));
  }
  return Uint8Array.from(bytes);
}

/**
 * The short names by the long ones, for the exports of all modules.
 * @param {Uint8Array[]} files
 */
export function shortNames(files) {
  /** @type {string[]} */
  const names = [];
  for (const file of files) renamed(file, (name) => names[names.push(name) - 1]);
  // The first file, that of the sampler, has the shortest ones.
  const long = new Set(names.filter((name) => name.startsWith("li_")));
  return new Map([...long].map((name, i) => [name, `l${i.toString(36)}`]));
}

/**
 * A .wasm file whose exports have the short names.
 * @param {Uint8Array} file
 * @param {Map<string, string>} names
 */
export const renamedModule = (file, names) => renamed(file, (name) => names.get(name) ?? name);

/**
 * A script that calls the exports by their short names.
 * @param {string} script
 * @param {Map<string, string>} names
 */
export const renamedScript = (script, names) => script.replace(/\bli_\w+/g, (name) => names.get(name) ?? name);
