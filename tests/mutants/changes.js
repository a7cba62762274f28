// The changes that mutation testing makes: one operator, bound, condition or statement at a time.
import ts from "typescript";

/**
 * @typedef {object} Change
 * @property {number} start offset of what is replaced
 * @property {number} end
 * @property {string} text what replaces it
 */

const swapped = new Map(
  [
    ["<", "<="],
    [">", ">="],
    ["==", "!="],
    ["===", "!=="],
    ["&&", "||"],
    ["+", "-"],
    ["+=", "-="],
    ["++", "--"],
    ["true", "false"],
    ["min", "max"],
  ].flatMap(([one, other]) => [
    [one, other],
    [other, one],
  ]),
);

/** The number above a literal, and the number below when there is one of the same sign. @param {string} literal */
function neighbours(literal) {
  const [, digits, suffix] = literal.match(/^(0x[\da-f]+|[\d.]+(?:e[+-]?\d+)?)([uflUL]*)$/i) ?? [];
  const value = Number(digits);
  if (digits === undefined || Number.isNaN(value)) return [];
  const write = (/** @type {number} */ number) =>
    (digits.includes(".") && Number.isInteger(number) ? number.toFixed(1) : String(number)) + suffix;
  return value >= 2 ? [write(value + 1), write(value - 1)] : [write(value + 1)];
}

/** Whether another change negates this condition: of its only operator. @param {string} condition */
function isNegatedAlready(condition) {
  return !/&&|\|\||\?/.test(condition) && /^\(?!|[!=]=/.test(condition);
}

/**
 * The changes of a C or JavaScript file, in the order of the text.
 * @param {string} file
 * @param {string} source
 * @returns {Change[]}
 */
export function changesOf(file, source) {
  const changes = file.endsWith(".c") ? changesOfC(source) : changesOfScript(source);
  const known = new Set();
  return changes
    .filter(({ start, end, text }) => {
      const key = `${start} ${end} ${text}`;
      return source.slice(start, end) !== text && !known.has(key) && known.add(key);
    })
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

// ---- JavaScript, by the parser of typescript -----------------------------------------------------------

/** @param {string} source */
function changesOfScript(source) {
  const tree = ts.createSourceFile("file.js", source, ts.ScriptTarget.Latest, true);
  /** @type {Change[]} */
  const changes = [];
  const replace = (/** @type {ts.Node} */ node, /** @type {string} */ text) =>
    changes.push({ start: node.getStart(), end: node.end, text });
  const isText = (/** @type {ts.Node} */ node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
  const isOne = (/** @type {ts.Node} */ node) => ts.isNumericLiteral(node) && node.text === "1";

  const negate = (/** @type {ts.Node} */ node) => {
    if (!isNegatedAlready(node.getText())) replace(node, `!(${node.getText()})`);
  };

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText();
      const other = swapped.get(operator);
      const isJoin = operator.startsWith("+") && (isText(node.left) || isText(node.right));
      if (other && !isJoin) replace(node.operatorToken, other);
      if (operator === "&&" || operator === "||") {
        replace(node, node.left.getText());
        replace(node, node.right.getText());
      }
      if ((operator === "+" || operator === "-") && isOne(node.right)) replace(node, node.left.getText());
    }
    if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent))
      for (const text of neighbours(node.getText())) replace(node, text);
    if (ts.isPropertyAssignment(node) && ts.isNumericLiteral(node.initializer))
      for (const text of neighbours(node.initializer.getText())) replace(node.initializer, text);
    if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const operator = ts.tokenToString(node.operator) ?? "";
      const isPrefix = ts.isPrefixUnaryExpression(node);
      if (operator === "!") replace(node, node.operand.getText());
      if (operator === "++" || operator === "--") {
        const start = isPrefix ? node.getStart() : node.end - 2;
        changes.push({ start, end: start + 2, text: swapped.get(operator) ?? "" });
      }
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword)
      replace(node, swapped.get(node.getText()) ?? "");
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === "Math" && swapped.has(node.name.text))
      replace(node.name, swapped.get(node.name.text) ?? "");
    if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) replace(node, ";");
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return changes;
}

// ---- C, by a lexer -------------------------------------------------------------------------------------

// Comments, directives (a branch of #ifdef with them: none of their names is defined natively), literals, names, operators.
const lexer =
  /\/\/.*|\/\*[^]*?\*\/|^[ \t]*#ifdef[^]*?\n[ \t]*#(?:else|endif).*|^[ \t]*#(?:.*\\\n)*.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|0x[\w.]+(?:[+-]\d+\w*)?|\.?\d(?:[eEpP][+-]|[\w.])*|[A-Za-z_]\w*|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[^\s\w]/gm;
const type = /^(?:const|unsigned|u?int\d*(?:_t)?|size_t|float|double|char|bool|li_\w+|\*)$/;
const assigns = /^(?:[-+*/%&|^]|<<|>>)?=$/;
const keyword = /^(?:if|for|while|do|else|return|switch|case|default|break|continue|goto|const|static|struct|sizeof)$/;

/** @param {string} source */
function changesOfC(source) {
  // What LI_ASSERT says changes no behaviour.
  source = source.replace(/\bLI_ASSERT\([^;]*;/g, (statement) => " ".repeat(statement.length));
  const tokens = [...source.matchAll(lexer)]
    .filter(([text]) => !/^(?:\/\/|\/\*|\s*#)/.test(text))
    .map(({ 0: text, index: start }) => ({ text, start, end: start + text.length }));
  const texts = tokens.map(({ text }) => text);
  const { partner, opener, isBody } = brackets(texts);
  /** @type {Change[]} */
  const changes = [];
  const between = (/** @type {number} */ from, /** @type {number} */ to) =>
    source.slice(tokens[from].start, tokens[to].end);
  /** Tokens from .. to are replaced. @type {(from: number, to: number, text: string) => void} */
  const replace = (from, to, text) => changes.push({ start: tokens[from].start, end: tokens[to].end, text });
  const isName = (/** @type {number} */ at) => /^[A-Za-z_]/.test(texts[at] ?? "") && !keyword.test(texts[at]);
  const endsOperand = (/** @type {number} */ at) => {
    if (texts[at] === ")") return !texts.slice(partner[at] + 1, at).every((text) => type.test(text));
    return isName(at) || /^[\d.']|^\]$/.test(texts[at]);
  };
  /** The last token of an operand in a direction, before which any of `stops` stands. */
  const reach = (/** @type {number} */ from, /** @type {1 | -1} */ step, /** @type {RegExp} */ stops) => {
    let at = from;
    for (;;) {
      const next = at + step;
      if (/^[?:,;{}]$|^return$/.test(texts[next]) || assigns.test(texts[next]) || stops.test(texts[next])) return at;
      if ((step > 0 ? /^[)\]]$/ : /^[([]$/).test(texts[next])) return at;
      at = (step > 0 ? /^[([]$/ : /^[)\]]$/).test(texts[next]) ? partner[next] : next;
    }
  };
  const isStatementStart = (/** @type {number} */ at) => {
    const before = texts[at - 1];
    const block = opener[at];
    const isLiteral = texts[block - 1] === ")" && !/^\w/.test(texts[partner[block - 1] - 1]);
    if (texts[block] !== "{" || isLiteral) return false;
    return (
      /^(?:[;{}]|else|do)$/.test(before) || (before === ")" && /^(?:if|for|while)$/.test(texts[partner[at - 1] - 1]))
    );
  };

  for (let at = 0; at < tokens.length; at++) {
    if (!isBody[at]) continue;
    const text = texts[at];
    const other = swapped.get(text);
    const isBinary = endsOperand(at - 1);
    if (/^(?:[<>]=?|[=!]=|&&|\|\|)$/.test(text) && other) replace(at, at, other);
    if (/^[+-]$/.test(text) && isBinary) {
      replace(at, at, other ?? "");
      if (/^1u?$/.test(texts[at + 1]) && !/^[*/%]$/.test(texts[at + 2])) replace(at, at + 1, "");
    }
    if (/^(?:[+-]=|\+\+|--|true|false)$/.test(text)) replace(at, at, other ?? "");
    if (text === "!") replace(at, at, "");
    if (text === "&&" || text === "||") {
      const stops = text === "&&" ? /^(?:&&|\|\|)$/ : /^\|\|$/;
      replace(at, reach(at, 1, stops), "");
      const left = reach(at, -1, stops);
      if (texts[left - 1] !== text) replace(left, at, "");
    }
    if (text === "?") {
      const from = reach(at, -1, /^\?$/);
      const condition = between(from, at - 1);
      if (!isNegatedAlready(condition)) replace(from, at - 1, `!(${condition})`);
    }
    if (/^(?:if|while)$/.test(text) && texts[at + 1] === "(") {
      const to = partner[at + 1];
      const condition = between(at + 1, to);
      if (!isNegatedAlready(condition)) replace(at + 1, to, `(!${condition})`);
    }
    // The size of an array that is declared changes nothing when it grows.
    const isSize = texts[at - 1] === "[" && (isName(at - 3) || texts[at - 3] === "*");
    if (/^[\d.]/.test(text) && !isSize) for (const literal of neighbours(text)) replace(at, at, literal);
    if (isStatementStart(at) && (isName(at) || text === "*") && !isName(at + 1)) {
      const isDeclaration = isName(at) && texts[at + 1] === "*";
      const isLoop = texts[at + 1] === "{" || (texts[at + 1] === "(" && texts[partner[at + 1] + 1] === "{"); // a macro
      let to = at;
      while (!isLoop && texts[to] !== ";") to = /^[([{]$/.test(texts[to]) ? partner[to] + 1 : to + 1;
      if (!isDeclaration && !isLoop && texts[at + 1] !== ":") replace(at, to, ";");
    }
  }
  return changes;
}

/**
 * Of every token: the bracket that a bracket belongs to, the bracket that it stands in, whether it is of a function's body.
 * @param {string[]} texts
 */
function brackets(texts) {
  /** @type {number[]} */
  const open = [];
  const partner = texts.map(() => -1);
  const opener = texts.map(() => -1);
  const isBody = texts.map(() => false);
  for (let at = 0; at < texts.length; at++) {
    if (/^[)\]}]$/.test(texts[at])) {
      const start = open.pop() ?? -1;
      partner[at] = start;
      partner[start] = at;
    }
    opener[at] = open.at(-1) ?? -1;
    isBody[at] = open.length > 0 && texts[open[0]] === "{" && texts[open[0] - 1] === ")";
    if (/^[([{]$/.test(texts[at])) open.push(at);
  }
  return { partner, opener, isBody };
}
