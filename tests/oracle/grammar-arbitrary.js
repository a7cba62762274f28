// Random context-free grammars as trees, how GBNF and Lark spell them, and which texts they have.
import fc from "fast-check";

/**
 * @typedef {{ kind: "text", text: string } | { kind: "class", characters: string[], isNot: boolean } | { kind: "rule", rule: number } |
 *   { kind: "sequence" | "choice", parts: Node[] } | { kind: "repeat", body: Node, least: number, most: number }} Node
 */
/** @typedef {{ rules: Node[], isSpaced: boolean }} Rules rule 0 is the start; isSpaced: spaces are ignored (Lark) */

const texts = fc.constantFrom("a", "b", "ab", "(", ")", ",", "if", "é", "😀", '"', "\\", "\n", "let ", "0", "xyz");
const characters = fc.uniqueArray(fc.constantFrom("a", "b", "c", "z", "0", "9", "é", "-", "]", "^"), {
  minLength: 1,
  maxLength: 3,
});

/** @param {number} count of rules @param {boolean} hasEmpty whether a text may be empty */
function nodes(count, hasEmpty) {
  const { node } = fc.letrec((tie) => {
    const inner = tie("node");
    const size = { maxDepth: 3, withCrossShrink: true, depthIdentifier: "grammar" };
    return {
      node: fc.oneof(
        size,
        { weight: 5, arbitrary: texts.map((text) => ({ kind: "text", text })) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("class"), characters, isNot: fc.boolean() }) },
        { weight: 3, arbitrary: fc.nat(count - 1).map((rule) => ({ kind: "rule", rule })) },
        {
          weight: 4,
          arbitrary: fc
            .array(inner, { minLength: hasEmpty ? 0 : 1, maxLength: 4 })
            .map((parts) => ({ kind: "sequence", parts })),
        },
        {
          weight: 3,
          arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map((parts) => ({ kind: "choice", parts })),
        },
        {
          weight: 3,
          arbitrary: fc
            .tuple(
              inner,
              fc.constantFrom([0, Infinity], [1, Infinity], [0, 1], [2, 2], [1, 3], [0, 12], [10, 11], [2, Infinity]),
            )
            .map(([body, [least, most]]) => ({ kind: "repeat", body, least, most })),
        },
      ),
    };
  });
  return /** @type {fc.Arbitrary<any>} */ (node);
}

/** @param {boolean} isSpaced @returns {fc.Arbitrary<Rules>} */
const grammars = (isSpaced) =>
  fc
    .integer({ min: 1, max: 4 })
    .chain((count) => fc.array(nodes(count, true), { minLength: count, maxLength: count }))
    .map((rules) => ({ rules, isSpaced }));

export const gbnf = grammars(false);
export const lark = fc.boolean().chain(grammars);

const quoted = (/** @type {string} */ text) => JSON.stringify(text);
const times = (/** @type {number} */ least, /** @type {number} */ most) =>
  most === Infinity && least < 2 ? "*+"[least] : least === 0 && most === 1 ? "?" : undefined;
/** @param {any} node @param {(character: string) => string} escape of those that mean something in a class */
const classText = ({ characters, isNot }, escape) =>
  `[${isNot ? "^" : ""}${characters.map((/** @type {string} */ one) => (/[-\]^]/.test(one) ? escape(one) : one)).join("")}]`;
const asHex = (/** @type {string} */ character) => `\\x${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** @param {Rules} grammar @returns {string} */
export function asGbnf({ rules }) {
  const write = (/** @type {any} */ node) => {
    if (node.kind === "text") return quoted(node.text);
    if (node.kind === "class") return classText(node, asHex);
    if (node.kind === "rule") return node.rule ? `r${node.rule}` : "root";
    if (node.kind === "sequence") return node.parts.length ? `(${node.parts.map(write).join(" ")})` : '""';
    if (node.kind === "choice") return `(${node.parts.map(write).join(" | ")})`;
    const { least, most } = node;
    const count = least === most ? `{${least}}` : `{${least},${most === Infinity ? "" : most}}`;
    return `(${write(node.body)})${times(least, most) ?? count}`;
  };
  return rules.map((rule, at) => `${at ? `r${at}` : "root"} ::= ${write(rule)}`).join("\n");
}

/** @param {Rules} grammar @returns {string} */
export function asLark({ rules, isSpaced }) {
  const write = (/** @type {any} */ node) => {
    if (node.kind === "text") return quoted(node.text);
    if (node.kind === "class") return `/${classText(node, (one) => `\\${one}`)}/`;
    if (node.kind === "rule") return node.rule ? `r${node.rule}` : "start";
    if (node.kind === "sequence") return node.parts.length ? `(${node.parts.map(write).join(" ")})` : '""';
    if (node.kind === "choice") return `(${node.parts.map(write).join(" | ")})`;
    const { least, most } = node;
    const mark = times(least, most);
    if (mark) return `(${write(node.body)})${mark}`;
    if (most === Infinity) return `(${Array(least).fill(write(node.body)).join(" ")} (${write(node.body)})*)`;
    return `(${write(node.body)}) ~ ${least === most ? least : `${least}..${most}`}`;
  };
  const lines = rules.map((rule, at) => `${at ? `r${at}` : "start"}: ${write(rule)}`);
  return [...lines, ...(isSpaced ? ['%ignore " "'] : [])].join("\n");
}

/**
 * Whether the text is in the language: the ends that each rule has from each place are grown until nothing is added,
 * so that left recursion and empty rules need no thought.
 * @param {Rules} grammar
 * @param {string} text
 */
export function isSentence({ rules, isSpaced }, text) {
  const points = [...text];
  /** @type {Map<string, Set<number>>} */
  const found = new Map();
  let hasGrown = true;
  const skip = (/** @type {Iterable<number>} */ places) => {
    const all = new Set(places);
    if (isSpaced) for (const place of all) if (points[place] === " ") all.add(place + 1);
    return all;
  };
  /** @returns {Set<number>} */
  const ends = (/** @type {any} */ node, /** @type {number} */ from) => {
    const after = (/** @type {Set<number>} */ places, /** @type {any} */ next) =>
      new Set([...places].flatMap((place) => [...ends(next, place)]));
    switch (node.kind) {
      case "text": {
        const wanted = [...node.text];
        if (!wanted.length) return new Set([from]);
        const starts = [...skip([from])].filter((at) => wanted.every((point, i) => points[at + i] === point));
        return new Set(starts.map((at) => at + wanted.length));
      }
      case "class": {
        const fits = (/** @type {number} */ at) =>
          at < points.length && node.characters.includes(points[at]) !== node.isNot;
        return new Set([...skip([from])].filter(fits).map((at) => at + 1));
      }
      case "rule": {
        const key = `${node.rule}:${from}`;
        if (!found.has(key)) {
          found.set(key, new Set());
          hasGrown = true;
        }
        return /** @type {Set<number>} */ (found.get(key));
      }
      case "sequence":
        return node.parts.reduce(after, new Set([from]));
      case "choice":
        return new Set(node.parts.flatMap((/** @type {any} */ part) => [...ends(part, from)]));
      default: {
        let places = new Set([from]);
        const all = new Set(node.least === 0 ? [from] : []);
        const seen = new Set();
        for (let count = 1; count <= node.most && places.size; count++) {
          places = after(places, node.body);
          if (count >= node.least) places.forEach((place) => all.add(place));
          const key = [...places].sort((a, b) => a - b).join();
          if (count >= node.least && seen.has(key)) break;
          if (count >= node.least) seen.add(key);
        }
        return all;
      }
    }
  };
  found.set("0:0", new Set());
  while (hasGrown) {
    hasGrown = false;
    for (const [key, known] of found) {
      const [rule, from] = key.split(":").map(Number);
      for (const end of ends(rules[rule], from))
        if (!known.has(end)) {
          known.add(end);
          hasGrown = true;
        }
    }
  }
  return skip(/** @type {Set<number>} */ (found.get("0:0"))).has(points.length);
}

/**
 * A text that the grammar has, unless it gives up.
 * @param {Rules} grammar
 * @param {() => number} random
 */
export function sentence({ rules, isSpaced }, random) {
  const pick = (/** @type {any} */ list) => list[Math.floor(random() * list.length)];
  let steps = 0;
  const space = () => (isSpaced && random() < 0.2 ? "  ".slice(random() * 2) : "");
  /** @returns {string} */
  const write = (/** @type {any} */ node, /** @type {number} */ depth) => {
    if (++steps > 300 || depth > 30) return "";
    if (node.kind === "text") return (node.text && space()) + node.text;
    if (node.kind === "class") return space() + pick(node.isNot ? ["x", "中", "7"] : node.characters);
    if (node.kind === "rule") return write(rules[node.rule], depth + 1);
    if (node.kind === "sequence") return node.parts.map((/** @type {any} */ part) => write(part, depth + 1)).join("");
    if (node.kind === "choice") return write(pick(depth > 8 ? node.parts.slice(-1) : node.parts), depth + 1);
    const most = Math.min(node.most, node.least + (depth > 8 ? 0 : 3));
    let text = "";
    for (let left = node.least + Math.floor(random() * (most - node.least + 1)); left > 0; left--)
      text += write(node.body, depth + 1);
    return text;
  };
  return write(rules[0], 0) + space();
}
