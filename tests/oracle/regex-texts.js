// Texts that a regular expression probably matches. A judge looks at them afterwards: look-aheads, edges and anchors are
// not kept to.
import { RegExpParser } from "@eslint-community/regexpp";

const parser = new RegExpParser({ ecmaVersion: 2025 });
const common = [..."ab01 zZ_-.é\nK😀"];

/** Characters of a set, found by asking RegExp. @type {Map<string, string[]>} */
const members = new Map();

/** @param {string} source of one character @param {string} flags */
function membersOf(source, flags) {
  const key = `${flags}/${source}`;
  let found = members.get(key);
  if (!found) {
    const expression = new RegExp(`^(?:${source})$`, flags);
    const points = [...Array(0x250).keys(), 0x2028, 0x212a, 0x3b1, 0x4e2d, 0xfeff, 0x1f600, 0x1f601, 0x1d400, 0x10ffff];
    const all = points.map((point) => String.fromCodePoint(point)).filter((character) => expression.test(character));
    members.set(key, (found = all.length > 40 ? [...common.filter((one) => all.includes(one)), ...all] : all));
  }
  return found;
}

/**
 * @param {string} source
 * @param {string} flags
 * @param {() => number} random
 */
export function textFor(source, flags, random) {
  const modes = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const pick = (/** @type {any} */ list) => list[Math.floor(random() * list.length)];
  const write = (/** @type {any} */ node) => {
    switch (node.type) {
      case "Alternative":
        return node.elements.map(write).join("");
      case "Group":
      case "CapturingGroup":
      case "Pattern":
        return write(pick(node.alternatives));
      case "Quantifier": {
        const most = Math.min(node.max, node.min + (random() < 0.1 ? 12 : 3));
        let text = "";
        for (
          let count = node.min + Math.floor(random() * (most - node.min + 1));
          count > 0 && text.length < 400;
          count--
        )
          text += write(node.element);
        return text;
      }
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return pick(membersOf(node.raw, flags)) ?? "";
      default:
        return "";
    }
  };
  return write(parser.parsePattern(source, 0, source.length, modes));
}
