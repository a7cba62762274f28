// What the C headers say of themselves: the numbers of enumerators and macros, the places of struct fields in wasm32, and
// the parameters of functions.
import { readFileSync, readdirSync } from "node:fs";

/** All headers as one text without comments, so a declaration is found whatever its header. */
const headers = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".h"))
  .map((name) => readFileSync(`src/${name}`, "utf8").replace(/\/\/.*|\/\*[^]*?\*\//g, ""))
  .join("\n");

/**
 * The enumerators of one enum, without the prefix, and their numbers.
 * @param {string} first enumerator, with its prefix
 * @param {string} prefix
 * @returns {Map<string, number>}
 */
export function enumerators(first, prefix) {
  const body = headers.match(new RegExp(`enum(?: \\w+)? \\{\\s*(${first}\\b[^}]*)\\}`))?.[1];
  if (!body) throw new Error(`No header has an enum that begins with ${first}.`);
  const numbers = new Map();
  let next = 0;
  for (const [, name, value] of body.matchAll(/(\w+)(?:\s*=\s*(\d+))?\s*(?:,|$)/g)) {
    if (!name.startsWith(prefix)) throw new Error(`${name} does not begin with ${prefix}.`);
    if (value !== undefined) next = Number(value);
    numbers.set(name.slice(prefix.length), next++);
  }
  return numbers;
}

/** The number of a macro, which may be shifted to the left. @param {string} name */
export function macro(name) {
  const [, value, shift] = headers.match(new RegExp(`#define ${name}\\s+\\(?(-?\\d+)u?\\b(?: << (\\d+)\\))?`)) ?? [];
  if (!value) throw new Error(`No header defines ${name} as a number.`);
  return Number(value) * 2 ** Number(shift ?? 0);
}

const sizes = { uint32_t: 4, int32_t: 4, float: 4, double: 8 };

/**
 * The fields of a struct, each with its place, that is, its offset in elements of its own size. An array has `count`.
 * @param {string} name
 * @returns {{ size: number, fields: { name: string, place: number, size: number, count: number }[] }} size: in bytes
 */
export function struct(name) {
  const body = headers.match(new RegExp(`typedef struct ${name} \\{([^}]*)\\} ${name};`))?.[1];
  if (!body) throw new Error(`No header has a struct ${name}.`);
  const fields = [];
  let offset = 0;
  let largest = 1;
  for (const declaration of body.split(";").map((text) => text.trim())) {
    if (!declaration) continue;
    const [, type, declarators] = declaration.match(/^(?:const\s+)?(\w+)\s+([^]*)$/) ?? [];
    for (const declarator of (declarators ?? "").split(",")) {
      const [, star, field, array] = declarator.trim().match(/^(\*?)\s*(\w+)((?:\[\w+\])*)$/) ?? [];
      const size = star ? 4 : sizes[type];
      if (!field || !size) throw new Error(`${name}: this field is not understood: ${declaration}`);
      offset = Math.ceil(offset / size) * size;
      const lengths = [...array.matchAll(/\w+/g)].map(([length]) => Number(length) || macro(length));
      const count = lengths.reduce((product, length) => product * length, 1);
      fields.push({ name: field, place: offset / size, size, count });
      offset += size * count;
      largest = Math.max(largest, size);
    }
  }
  return { size: Math.ceil(offset / largest) * largest, fields };
}

const numbers = new Set([
  ...["bool", "float", "double", "size_t", "uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t"],
  ...[...headers.matchAll(/typedef enum (\w+) \{/g)].map(([, name]) => name),
]);

/** What JavaScript gives or gets for a type of C. @param {string} type without const; "*" at its end: a pointer */
function javaScriptType(type) {
  if (type === "void") return "void";
  if (type.endsWith("*") || numbers.has(type)) return "number";
  if (/^u?int64_t$/.test(type)) return "bigint";
  throw new Error(`What is ${type} in JavaScript?`);
}

/**
 * A function as JavaScript calls it.
 * @param {string} name
 * @returns {{ result: string, parameters: { name: string, type: string }[] }} with types of JavaScript
 */
export function signature(name) {
  const [, returned, list] = headers.match(new RegExp(`^([\\w ]+?[ *]+)${name}\\(([^()]*)\\);`, "m")) ?? [];
  if (!returned) throw new Error(`No header declares the function ${name}.`);
  const plain = (/** @type {string} */ type) => type.replace(/\bconst\b/g, "").replace(/\s+/g, "");
  const parameters = list === "void" ? [] : list.split(",");
  return {
    result: javaScriptType(plain(returned)),
    parameters: parameters.map((parameter) => {
      const [, type, own, array] = parameter.trim().match(/^([^]*[ *])(\w+)(\[\d*\])?$/) ?? [];
      if (!own) throw new Error(`${name}: this parameter is not understood: ${parameter}`);
      return { name: own, type: javaScriptType(plain(array ? `${type}*` : type)) };
    }),
  };
}
