// Left recursion, rewritten: the matcher reads from the left and would never get past it.
//
// Of rules that begin with each other, each is a sum A_i = B_i | A_j T_ji | ...; such a system has the solution
// A_i = B_j W_ji with W_ji = (empty if j is i) | T_jk W_ki (Rosenkrantz 1967): the same language, right-recursive.
import { GrammarError } from "./errors.js";
import { choice, empty, nothing, repeat, sequence } from "./form.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {{ head: number | undefined, rest: Expression }[]} Split what an expression may begin with: a rule of the cycle and a rest, or a rest that begins otherwise */

const RULES_LIMIT = 10_000;
/** Of rules that begin with each other: there will be as many as its square. */
const CYCLE_LIMIT = 100;

/**
 * @param {Expression[]} rules
 */
function findNullable(rules) {
  const nullable = rules.map(() => false);
  for (let changed = true; changed;) {
    changed = false;
    rules.forEach((rule, index) => {
      if (nullable[index] || !isNullable(rule, nullable)) return;
      nullable[index] = changed = true;
    });
  }
  return nullable;
}

/**
 * Whether the empty text satisfies it. Of lookaheads and intersections no rule is a part.
 * @param {Expression} node
 * @param {boolean[]} nullable of each rule
 * @returns {boolean}
 */
function isNullable(node, nullable) {
  switch (node.kind) {
    case "text":
      return node.bytes.length === 0;
    case "sequence":
    case "both":
      return node.parts.every((part) => isNullable(part, nullable));
    case "choice":
      return node.parts.some((part) => isNullable(part, nullable));
    case "repeat":
      return node.least === 0 || isNullable(node.body, nullable);
    case "strings":
      return node.texts.some((bytes) => bytes.length === 0);
    case "pattern":
      return isNullable(node.body, nullable);
    case "not":
      return !isNullable(node.body, nullable);
    case "rule":
      return nullable[node.index];
    default:
      return node.kind === "empty" || node.kind === "ahead" || node.kind === "start" || node.kind === "end";
  }
}

/**
 * The rules that an expression may begin with.
 * @param {Expression} node
 * @param {boolean[]} nullable
 * @param {Set<number>} found
 */
function addFirstRules(node, nullable, found) {
  if (node.kind === "rule") found.add(node.index);
  else if (node.kind === "choice") for (const part of node.parts) addFirstRules(part, nullable, found);
  else if (node.kind === "repeat") addFirstRules(node.body, nullable, found);
  else if (node.kind === "sequence")
    for (const part of node.parts) {
      addFirstRules(part, nullable, found);
      if (!isNullable(part, nullable)) break;
    }
}

/**
 * Groups of rules that may begin with each other: strongly connected components (Tarjan 1972), without recursion.
 * @param {Set<number>[]} firsts
 */
function findCycles(firsts) {
  const order = new Int32Array(firsts.length).fill(-1);
  const low = new Int32Array(firsts.length);
  const isOpen = new Uint8Array(firsts.length);
  /** @type {number[]} */
  const open = [];
  /** @type {number[][]} */
  const cycles = [];
  let count = 0;
  /** @param {number} rule */
  const enter = (rule) => {
    order[rule] = low[rule] = count++;
    isOpen[rule] = 1;
    open.push(rule);
    return { rule, next: firsts[rule].values() };
  };
  for (let start = 0; start < firsts.length; start++) {
    const path = order[start] < 0 ? [enter(start)] : [];
    while (path.length) {
      const { rule, next } = path[path.length - 1];
      const { value: other, done } = next.next();
      if (!done) {
        if (order[other] < 0) path.push(enter(other));
        else if (isOpen[other]) low[rule] = Math.min(low[rule], order[other]);
        continue;
      }
      path.pop();
      const before = path.at(-1)?.rule;
      if (before !== undefined) low[before] = Math.min(low[before], low[rule]);
      if (low[rule] < order[rule]) continue;
      const members = open.splice(open.lastIndexOf(rule));
      for (const member of members) isOpen[member] = 0;
      if (members.length > 1 || firsts[rule].has(rule)) cycles.push(members.sort((a, b) => a - b));
    }
  }
  return cycles;
}

/**
 * The same without the empty text.
 * @param {Expression} node
 * @param {boolean[]} nullable
 * @returns {Expression}
 */
function withoutEmpty(node, nullable) {
  if (!isNullable(node, nullable)) return node;
  if (node.kind === "choice") return choice(node.parts.map((part) => withoutEmpty(part, nullable)));
  if (node.kind === "repeat")
    return sequence([
      withoutEmpty(node.body, nullable),
      repeat(node.body, Math.max(node.least - 1, 0), Math.max(node.most - 1, 0)),
    ]);
  if (node.kind === "sequence")
    return choice(
      node.parts.map((part, index) => sequence([withoutEmpty(part, nullable), ...node.parts.slice(index + 1)])),
    );
  if (node.kind === "empty" || node.kind === "text") return nothing;
  throw new GrammarError("grammar-unsupported", "Left recursion behind a rule that may be empty.");
}

/**
 * @param {Expression} node
 * @param {Set<number>} cycle
 * @param {boolean[]} nullable
 * @returns {Split}
 */
function split(node, cycle, nullable) {
  if (node.kind === "rule" && cycle.has(node.index)) return [{ head: node.index, rest: empty }];
  if (node.kind === "choice") return node.parts.flatMap((part) => split(part, cycle, nullable));
  /** @type {Set<number>} */
  const firsts = new Set();
  addFirstRules(node, nullable, firsts);
  if (![...firsts].some((rule) => cycle.has(rule))) return [{ head: undefined, rest: node }];
  if (node.kind === "repeat") {
    const more = repeat(node.body, Math.max(node.least - 1, 0), Math.max(node.most - 1, 0));
    const once = split(sequence([node.body, more]), cycle, nullable);
    return node.least === 0 ? [{ head: undefined, rest: empty }, ...once] : once;
  }
  if (node.kind !== "sequence")
    throw new GrammarError("grammar-unsupported", "Left recursion that cannot be rewritten.");
  const [first, ...rest] = node.parts;
  if (rest.length === 0) return split(first, cycle, nullable);
  const after = sequence(rest);
  const begun = split(withoutEmpty(first, nullable), cycle, nullable);
  const parts = begun.map((part) => ({ head: part.head, rest: sequence([part.rest, after]) }));
  return isNullable(first, nullable) ? [...parts, ...split(after, cycle, nullable)] : parts;
}

/**
 * The members of a cycle that a member is an alternative of by itself, directly or not, and it.
 * @param {number} start
 * @param {number[]} members
 * @param {Split[]} splits
 */
function alike(start, members, splits) {
  const found = new Set([start]);
  for (const j of found)
    splits.forEach((parts, k) => {
      if (parts.some((part) => part.head === members[j] && part.rest.kind === "empty")) found.add(k);
    });
  return found;
}

/** @param {number} index @returns {Expression} */
const ruleNode = (index) => ({ kind: "rule", index });

/**
 * Rules that generate the same texts and never begin with themselves; the given ones keep their indexes.
 * @param {Expression[]} rules
 * @param {string[]} names for errors
 */
export function removeLeftRecursion(rules, names) {
  if (rules.length > RULES_LIMIT)
    throw new GrammarError("grammar-fuel", `(${rules.length} rules; at most ${RULES_LIMIT} are taken)`);
  const nullable = findNullable(rules);
  const firsts = rules.map((rule) => {
    /** @type {Set<number>} */
    const found = new Set();
    addFirstRules(rule, nullable, found);
    return found;
  });
  const result = [...rules];
  for (const members of findCycles(firsts)) {
    if (members.length > CYCLE_LIMIT)
      throw new GrammarError(
        "grammar-fuel",
        `(${members.length} rules begin with each other; at most ${CYCLE_LIMIT} are taken)`,
      );
    const cycle = new Set(members);
    const splits = members.map((member) => split(rules[member], cycle, nullable));
    const base = result.length;
    /** Index of W_ji. @type {(j: number, i: number) => number} */
    const tailIndex = (j, i) => base + j * members.length + i;
    /** T_jk: what follows where rule k begins with rule j. @type {(j: number, k: number) => Expression[]} */
    const steps = (j, k) =>
      splits[k].filter((part) => part.head === members[j] && part.rest.kind !== "empty").map((part) => part.rest);
    const same = members.map((_, j) => alike(j, members, splits));
    members.forEach((member, j) => {
      if (members.some((_, k) => steps(j, k).some((step) => isNullable(step, nullable))))
        throw new GrammarError(
          "grammar-unsupported",
          `Rule ${names[member]} is left-recursive before what may be empty.`,
        );
      members.forEach((_, i) => {
        const ways = [...same[j]].flatMap((from) =>
          members.flatMap((__, k) => steps(from, k).map((step) => sequence([step, ruleNode(tailIndex(k, i))]))),
        );
        if (same[j].has(i)) ways.unshift(empty);
        result.push(ways.length ? choice(ways) : nothing);
      });
    });
    members.forEach((member, i) => {
      const ways = splits.flatMap((parts, j) =>
        parts.filter((part) => part.head === undefined).map((part) => sequence([part.rest, ruleNode(tailIndex(j, i))])),
      );
      result[member] = ways.length ? choice(ways) : nothing;
    });
  }
  return result;
}
