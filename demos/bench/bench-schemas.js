// Ten schemas as pages have them, each with a text that satisfies it, and the vocabulary that the masks are for.

const text = { type: "string" };
/** @param {Record<string, object>} properties */
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** @type {{ name: string, schema: object, text: string }[]} */
export const cases = [
  ["a choice", { enum: ["positive", "negative", "neutral"] }, "neutral"],
  [
    "a person",
    object({ name: text, age: { type: "integer", minimum: 0, maximum: 130 } }),
    { name: "Ada Lovelace", age: 36 },
  ],
  [
    "a tool call",
    object({ tool: { const: "weather" }, city: text, days: { type: "integer" } }),
    { tool: "weather", city: "Oslo", days: 3 },
  ],
  [
    "a list of words",
    { type: "array", items: { type: "string", maxLength: 12 }, maxItems: 8 },
    ["red", "green", "blue"],
  ],
  ["a date by a pattern", { type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" }, "2026-11-28"],
  [
    "numbers in bounds",
    object({ x: { type: "number", minimum: -1, maximum: 1 }, y: { type: "number" } }),
    { x: 0.25, y: -12.5 },
  ],
  ["either of two", { anyOf: [object({ error: text }), object({ value: { type: "integer" } })] }, { value: 42 }],
  [
    "a nested order",
    object({ id: text, lines: { type: "array", items: object({ sku: text, count: { type: "integer" } }) } }),
    {
      id: "a-17",
      lines: [
        { sku: "x1", count: 2 },
        { sku: "y2", count: 1 },
      ],
    },
  ],
  [
    "a tree",
    {
      $ref: "#/$defs/node",
      $defs: { node: object({ name: text, children: { type: "array", items: { $ref: "#/$defs/node" } } }) },
    },
    { name: "root", children: [{ name: "leaf", children: [] }] },
  ],
  ["a map", { type: "object", additionalProperties: { type: "boolean" } }, { dark: true, sound: false }],
].map(([name, schema, value]) => ({
  name: /** @type {string} */ (name),
  schema: /** @type {object} */ (schema),
  text: JSON.stringify(value),
}));

/**
 * A vocabulary of that size: the model's tokens, and pairs of them, since large models have longer tokens.
 * @param {Uint8Array[]} tokens of the model
 * @param {number} size
 */
export function vocabularyOf(tokens, size) {
  const words = tokens.filter((bytes) => bytes.length > 1);
  const all = [...tokens];
  for (let i = 0; all.length < size; i++) {
    const [one, other] = [words[i % words.length], words[(7 * i + Math.floor(i / words.length)) % words.length]];
    const pair = new Uint8Array(one.length + other.length);
    pair.set(one);
    pair.set(other, one.length);
    all.push(pair);
  }
  return all;
}

/**
 * The tokens of a text: at each place the longest that fits.
 * @param {string} written
 * @param {Uint8Array[]} tokens
 */
export function tokensOf(written, tokens) {
  const bytes = new TextEncoder().encode(written);
  const decoder = new TextDecoder("latin1");
  /** @type {Map<string, number>} */
  const ids = new Map();
  tokens.forEach((token, id) => {
    const key = decoder.decode(token);
    if (token.length && !ids.has(key)) ids.set(key, id);
  });
  const longest = tokens.reduce((most, { length }) => Math.max(most, length), 0);
  const found = [];
  for (let at = 0; at < bytes.length;) {
    let length = Math.min(longest, bytes.length - at);
    while (length > 1 && !ids.has(decoder.decode(bytes.subarray(at, at + length)))) length--;
    const id = ids.get(decoder.decode(bytes.subarray(at, at + length)));
    if (id === undefined) throw new Error(`No token begins at byte ${at} of ${written}`);
    found.push(id);
    at += length;
  }
  return found;
}
