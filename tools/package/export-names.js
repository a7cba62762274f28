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
 * The short names by the long ones, for the exports of all modules.
 * @param {Uint8Array<ArrayBuffer>[]} files
 */
export function shortNames(files) {
  const exports = files.flatMap((bytes) => WebAssembly.Module.exports(new WebAssembly.Module(bytes)));
  const names = new Set(exports.map(({ name }) => name).filter((name) => name.startsWith("li_")));
  return new Map([...names].sort().map((name, i) => [name, `l${i.toString(36)}`]));
}

/**
 * A .wasm file whose exports have the short names.
 * @param {Uint8Array} file
 * @param {Map<string, string>} names
 */
export function renamedModule(file, names) {
  const reader = readerOf(file);
  const parts = [reader.take(8)];
  while (!reader.isAtEnd()) {
    const [id] = reader.take(1);
    const body = reader.take(reader.number());
    const renamed = id === EXPORTS ? renamedExports(body, names) : body;
    parts.push(Uint8Array.of(id, ...leb(renamed.length)), renamed);
  }
  return Buffer.concat(parts);
}

/**
 * @param {Uint8Array} section
 * @param {Map<string, string>} names
 */
function renamedExports(section, names) {
  const reader = readerOf(section);
  const count = reader.number();
  const bytes = leb(count);
  for (let i = 0; i < count; i++) {
    const name = Buffer.from(reader.take(reader.number())).toString();
    const short = Buffer.from(names.get(name) ?? name);
    bytes.push(...leb(short.length), ...short, ...reader.take(1), ...leb(reader.number()));
  }
  return Uint8Array.from(bytes);
}

/**
 * A script that calls the exports by their short names.
 * @param {string} script
 * @param {Map<string, string>} names
 */
export const renamedScript = (script, names) => script.replace(/\bli_\w+/g, (name) => names.get(name) ?? name);
