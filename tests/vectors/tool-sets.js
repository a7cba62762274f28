// Sets of tools like those that agents are given: names of two words, three to six parameters each, with enums, lists
// and nested objects.
const verbs = ["get", "list", "create", "update", "delete", "search", "send", "book", "convert", "schedule", "find"];
const nouns = [
  ...["weather", "order", "flight", "invoice", "calendar_event", "user_profile", "ticket", "document", "payment"],
  ...["route", "hotel", "stock_price", "reminder", "repository", "message"],
];
const keys = [
  ...["location", "query", "start_date", "end_date", "limit", "user_id", "currency", "language", "format", "priority"],
  ...["status", "category", "tags", "amount", "description", "page", "address", "options", "recipients", "timezone"],
];
const words = [
  ["celsius", "fahrenheit"],
  ["low", "normal", "high", "urgent"],
  ["open", "closed", "pending"],
  ["usd", "eur", "gbp", "jpy", "cny"],
  ["json", "csv", "xml"],
];

/**
 * The same tools for the same seed.
 * @param {number} count
 * @param {number} [seed]
 * @returns {{ name: string, description: string, parameters: object }[]}
 */
export function toolSet(count, seed = 1) {
  const next = (/** @type {number} */ n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const pick = (/** @type {any[]} */ list) => list[next(list.length)];
  /** @param {string} key @param {number} depth @returns {object} */
  const value = (key, depth) => {
    const description = `The ${key.replaceAll("_", " ")} of the request.`;
    switch (next(depth ? 6 : 8)) {
      case 0:
      case 1:
        return { type: "string", description };
      case 2:
        return { type: "integer", minimum: 0, maximum: pick([10, 100, 1000]), description };
      case 3:
        return { type: "string", enum: pick(words), description };
      case 4:
        return { type: "boolean", description };
      case 5:
        return { type: "number", description };
      case 6:
        return { type: "array", items: { type: "string" }, maxItems: 10, description };
      default:
        return object(2 + next(3), depth + 1);
    }
  };
  /** @param {number} size @param {number} depth */
  const object = (size, depth) => {
    /** @type {string[]} */
    const own = [];
    while (own.length < size) {
      const key = pick(keys);
      if (!own.includes(key)) own.push(key);
    }
    const properties = Object.fromEntries(own.map((key) => [key, value(key, depth)]));
    return { type: "object", properties, required: own.filter(() => next(2)), additionalProperties: false };
  };
  const taken = new Set();
  return Array.from({ length: count }, (_, i) => {
    let name = `${pick(verbs)}_${pick(nouns)}`;
    if (taken.has(name)) name += `_${i}`;
    taken.add(name);
    return { name, description: `Tool ${i}.`, parameters: object(3 + next(4), 0) };
  });
}

/** Structural tags for calls of the tools. @param {{ name: string, parameters: object }[]} tools */
export const tagsOf = (tools) => ({
  type: "structural_tag",
  format: {
    type: "triggered_tags",
    triggers: ["<function="],
    tags: tools.map(({ name, parameters }) => ({
      type: "tag",
      begin: `<function=${name}>`,
      content: { type: "json_schema", json_schema: parameters },
      end: "</function>",
    })),
  },
});
