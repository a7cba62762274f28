// Rewrites left recursion, because the matcher reads from the left and would recurse without end.
//
// Rules that begin with each other form a system A_i = B_i | A_j T_ji | ..., which has the solution
// A_i = B_j W_ji with W_ji = (empty if j is i) | T_jk W_ki (Rosenkrantz 1967): the same language, right-recursive.
import { GrammarError } from "../grammar-errors.js";
import { checkDepth, choice, empty, nothing, repeat, sequence } from "./form.js";

/** @typedef {import("./form.js").Expression} Expression */
/** @typedef {{ head: number | undefined, rest: Expression }[]} Split the beginnings of an expression: a rule of the cycle and a rest, or a rest that begins with no rule of the cycle */

const RULES_LIMIT = 10_000;
/** The limit of rules that begin with each other. Rewriting squares their number. */
const CYCLE_LIMIT = 100;
/** The limit of all alternatives of these rules. */
const WAYS_LIMIT = 1_000_000;
/** The limit of possibly empty parts before a left recursion: each adds an alternative with the rest. */
const EMPTY_LIMIT = 100;

/** @param {string} what there are too many of @returns {never} */
const failTooLarge = (what) => {
  throw new GrammarError("grammar-fuel", `${what}.`);
};

/**
 * The rules that the empty text satisfies. Each such rule notifies the rules that wait for it, so each part of a rule is
 * visited once.
 * @param {Expression[]} rules
 */
function findNullable(rules) {
  const nullable = rules.map(() => false);
  const waiting = rules.map(() => /** @type {(() => void)[]} */ ([]));
  /** @type {number[]} */
  const found = [];
  /** @param {Expression} node @param {() => void} tell called once if the node is nullable */
  const watch = (node, tell) => {
    if (node.kind === "rule") waiting[node.index].push(tell);
    else if (node.kind === "choice") {
      let isTold = false;
      const tellOnce = () => (isTold ? undefined : ((isTold = true), tell()));
      for (const part of node.parts) watch(part, tellOnce);
    } else if (node.kind === "sequence") {
      let left = node.parts.length;
      for (const part of node.parts) watch(part, () => --left || tell());
    } else if (node.kind === "repeat" && node.least > 0) watch(node.body, tell);
    else if (isNullable(node, nullable)) tell();
  };
  rules.forEach((rule, index) => watch(rule, () => found.push(index)));
  for (const index of found) {
    nullable[index] = true;
    for (const tell of waiting[index]) tell();
  }
  return nullable;
}

/**
 * Whether the empty text satisfies an expression. Lookaheads and intersections contain no rules.
 * @param {Expression} node
 * @param {boolean[]} nullable of each rule
 * @returns {boolean}
 */
function isNullable(node, nullable) {
  switch (node.kind) {
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
 * The expression without the empty text.
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
  if (node.kind === "sequence" && node.parts.length > EMPTY_LIMIT)
    failTooLarge(`more than ${EMPTY_LIMIT} parts that may be empty begin a left recursion`);
  if (node.kind === "sequence")
    return choice(
      node.parts.map((part, index) => sequence([withoutEmpty(part, nullable), ...node.parts.slice(index + 1)])),
    );
  if (node.kind === "empty") return nothing;
  throw new GrammarError("grammar-unsupported", "It has left recursion after a rule that may be empty.");
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
    throw new GrammarError("grammar-unsupported", "It has left recursion that cannot be rewritten.");
  /** @type {Split} */
  const ways = [];
  for (let at = 0; ; at++) {
    const first = node.parts[at];
    if (at === node.parts.length - 1) return ways.concat(split(first, cycle, nullable));
    if (at > EMPTY_LIMIT) failTooLarge(`more than ${EMPTY_LIMIT} parts that may be empty begin a left recursion`);
    const after = sequence(node.parts.slice(at + 1));
    for (const { head, rest } of split(withoutEmpty(first, nullable), cycle, nullable))
      ways.push({ head, rest: sequence([rest, after]) });
    if (!isNullable(first, nullable)) return ways;
    const next = new Set();
    addFirstRules(after, nullable, next);
    if (![...next].some((rule) => cycle.has(rule))) return [...ways, { head: undefined, rest: after }];
  }
}

/**
 * The member, and the members of its cycle that have it as a whole alternative, directly or not.
 * @param {number} start
 * @param {Set<number>[]} units for each member, the members of which it is an alternative
 */
function alike(start, units) {
  const found = new Set([start]);
  for (const j of found) for (const k of units[j]) found.add(k);
  return found;
}

/** @param {number} index @returns {Expression} */
const ruleNode = (index) => ({ kind: "rule", index });

/**
 * Rules that generate the same texts and never begin with themselves; the given rules keep their indexes.
 * @param {Expression[]} rules
 * @param {string[]} names for errors
 */
export function removeLeftRecursion(rules, names) {
  if (rules.length > RULES_LIMIT) failTooLarge(`${rules.length} rules; at most ${RULES_LIMIT} are taken`);
  for (const rule of rules) checkDepth(rule);
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
      failTooLarge(`${members.length} rules begin with each other; at most ${CYCLE_LIMIT} are taken`);
    const cycle = new Set(members);
    const splits = members.map((member) => split(rules[member], cycle, nullable));
    const base = result.length;
    /** Index of W_ji. @type {(j: number, i: number) => number} */
    const tailIndex = (j, i) => base + j * members.length + i;
    const places = new Map(members.map((member, j) => [member, j]));
    /** By j, T_jk: what follows if rule k begins with rule j. @type {{ k: number, step: Expression }[][]} */
    const steps = members.map(() => []);
    /** @type {Set<number>[]} */
    const units = members.map(() => new Set());
    splits.forEach((parts, k) => {
      for (const { head, rest } of parts) {
        const j = head === undefined ? undefined : places.get(head);
        if (j === undefined) continue;
        if (rest.kind === "empty") units[j].add(k);
        else steps[j].push({ k, step: rest });
      }
    });
    const same = members.map((_, j) => alike(j, units));
    let count = 0;
    for (const parts of splits) count += parts.length;
    for (const all of same) for (const from of all) count += steps[from].length;
    if (count * members.length > WAYS_LIMIT)
      failTooLarge(`${members.length} rules that begin with each other have more than ${WAYS_LIMIT} alternatives`);
    members.forEach((member, j) => {
      if (steps[j].some(({ step }) => isNullable(step, nullable)))
        throw new GrammarError(
          "grammar-unsupported",
          `Rule ${names[member]} is left-recursive, and what follows the recursion may be empty.`,
        );
      const all = [...same[j]].flatMap((from) => steps[from]);
      members.forEach((_, i) => {
        const ways = all.map(({ k, step }) => sequence([step, ruleNode(tailIndex(k, i))]));
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
