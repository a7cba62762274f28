// The changes that mutation testing makes: one operator, bound, condition or statement at a time.
import ts from "typescript";

/**
 * @typedef {object} Change
 * @property {number} start offset of what is replaced
 * @property {number} end
 * @property {string} text what replaces it
 * @property {string} scope the function that changes: "li_cut_top_p", "Sampler.pick"
 * @property {string} operator
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

/**
 * The numbers beside a literal that have its sign, each after the name of the change.
 * @param {string} literal
 * @returns {[string, string][]}
 */
function neighbours(literal) {
  const [, digits, suffix] = literal.match(/^(0x[\da-f]+|[\d.]+(?:e[+-]?\d+)?)([uflUL]*)$/i) ?? [];
  const value = Number(digits);
  if (digits === undefined || Number.isNaN(value)) return [];
  const write = (/** @type {number} */ number) =>
    (digits.includes(".") && Number.isInteger(number) ? number.toFixed(1) : String(number)) + suffix;
  const above = /** @type {[string, string]} */ (["one more", write(value + 1)]);
  return value >= 2 ? [above, ["one less", write(value - 1)]] : [above];
}

/** Whether another change negates this condition: of its only operator. @param {string} condition */
function isNegatedAlready(condition) {
  return !/&&|\|\||\?/.test(condition) && /^\(?!|[!=]=/.test(condition);
}

/**
 * The changes of a C or JavaScript file, in the order of the text. Each has a name that edits of other functions keep:
 * "li_cut_top_p: < #2" is the second such change in this function.
 * @param {string} file
 * @param {string} source
 * @returns {(Change & { name: string })[]}
 */
export function changesOf(file, source) {
  const changes = file.endsWith(".c") ? changesOfC(source) : changesOfScript(source);
  const known = new Set();
  /** @type {Map<string, number>} */
  const counts = new Map();
  return changes
    .filter(({ start, end, text }) => {
      const key = `${start} ${end} ${text}`;
      return source.slice(start, end) !== text && !known.has(key) && known.add(key);
    })
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((change) => {
      const kind = `${change.scope}: ${change.operator}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return { ...change, name: `${kind} #${counts.get(kind)}` };
    });
}

// ---- JavaScript, by the parser of typescript -----------------------------------------------------------

/** The name that a node gives to the changes in it: a function, a class, what a file declares. @param {ts.Node} node */
function nameOf(node) {
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isClassLike(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isPropertyDeclaration(node) ||
    (ts.isVariableDeclaration(node) &&
      (ts.isSourceFile(node.parent.parent.parent) || (node.initializer && ts.isFunctionLike(node.initializer))));
  return ts.isConstructorDeclaration(node) ? "constructor" : isNamed ? node.name?.getText() : undefined;
}

/** @param {string} source */
function changesOfScript(source) {
  const tree = ts.createSourceFile("file.js", source, ts.ScriptTarget.Latest, true);
  /** @type {Change[]} */
  const changes = [];
  /** @type {string[]} the names of the functions and classes around */
  const scopes = [];
  /** @type {(start: number, end: number, text: string, operator: string) => void} */
  const add = (start, end, text, operator) =>
    changes.push({ start, end, text, scope: scopes.join(".") || "(file)", operator });
  const replace = (/** @type {ts.Node} */ node, /** @type {string} */ text, /** @type {string} */ operator) =>
    add(node.getStart(), node.end, text, operator);
  const isText = (/** @type {ts.Node} */ node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
  const isOne = (/** @type {ts.Node} */ node) => ts.isNumericLiteral(node) && node.text === "1";

  const negate = (/** @type {ts.Node} */ node) => {
    if (!isNegatedAlready(node.getText())) replace(node, `!(${node.getText()})`, "negate");
  };

  /** @param {ts.Node} node */
  const change = (node) => {
    if (ts.isBinaryExpression(node)) {
      const operator = node.operatorToken.getText();
      const other = swapped.get(operator);
      const isJoin = operator.startsWith("+") && (isText(node.left) || isText(node.right));
      if (other && !isJoin) replace(node.operatorToken, other, operator);
      if (operator === "&&" || operator === "||") {
        replace(node, node.left.getText(), `left of ${operator}`);
        replace(node, node.right.getText(), `right of ${operator}`);
      }
      if ((operator === "+" || operator === "-") && isOne(node.right))
        replace(node, node.left.getText(), `no ${operator} 1`);
    }
    if (ts.isNumericLiteral(node)) for (const [name, text] of neighbours(node.getText())) replace(node, text, name);
    if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const operator = ts.tokenToString(node.operator) ?? "";
      const start = ts.isPrefixUnaryExpression(node) ? node.getStart() : node.end - 2;
      if (operator === "!") replace(node, node.operand.getText(), "no !");
      if (operator === "++" || operator === "--") add(start, start + 2, swapped.get(operator) ?? "", operator);
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword)
      replace(node, swapped.get(node.getText()) ?? "", node.getText());
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === "Math" && swapped.has(node.name.text))
      replace(node.name, swapped.get(node.name.text) ?? "", node.name.text);
    if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) replace(node, ";", "no statement");
  };

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return;
    const name = nameOf(node);
    if (name) scopes.push(name);
    change(node);
    ts.forEachChild(node, visit);
    if (name) scopes.pop();
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
  const { partner, opener, functions } = brackets(texts);
  /** @type {Change[]} */
  const changes = [];
  const between = (/** @type {number} */ from, /** @type {number} */ to) =>
    source.slice(tokens[from].start, tokens[to].end);
  /** Tokens from .. to are replaced. @type {(from: number, to: number, text: string, operator: string) => void} */
  const replace = (from, to, text, operator) =>
    changes.push({ start: tokens[from].start, end: tokens[to].end, text, scope: functions[from], operator });
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
    if (!functions[at]) continue;
    const text = texts[at];
    const other = swapped.get(text);
    const isBinary = endsOperand(at - 1);
    if (/^(?:[<>]=?|[=!]=|&&|\|\|)$/.test(text) && other) replace(at, at, other, text);
    if (/^[+-]$/.test(text) && isBinary) {
      replace(at, at, other ?? "", text);
      if (/^1u?$/.test(texts[at + 1]) && !/^[*/%]$/.test(texts[at + 2])) replace(at, at + 1, "", `no ${text} 1`);
    }
    if (/^(?:[+-]=|\+\+|--|true|false)$/.test(text)) replace(at, at, other ?? "", text);
    if (text === "!") replace(at, at, "", "no !");
    if (text === "&&" || text === "||") {
      const stops = text === "&&" ? /^(?:&&|\|\|)$/ : /^\|\|$/;
      replace(at, reach(at, 1, stops), "", `left of ${text}`);
      const left = reach(at, -1, stops);
      if (texts[left - 1] !== text) replace(left, at, "", `right of ${text}`);
    }
    if (text === "?") {
      const from = reach(at, -1, /^\?$/);
      const condition = between(from, at - 1);
      if (!isNegatedAlready(condition)) replace(from, at - 1, `!(${condition})`, "negate");
    }
    if (/^(?:if|while)$/.test(text) && texts[at + 1] === "(") {
      const to = partner[at + 1];
      const condition = between(at + 1, to);
      if (!isNegatedAlready(condition)) replace(at + 1, to, `(!${condition})`, "negate");
    }
    // The size of an array that is declared changes nothing when it grows.
    const isSize = texts[at - 1] === "[" && (isName(at - 3) || texts[at - 3] === "*");
    if (/^[\d.]/.test(text) && !isSize) for (const [name, literal] of neighbours(text)) replace(at, at, literal, name);
    if (isStatementStart(at) && (isName(at) || text === "*") && !isName(at + 1)) {
      const isDeclaration = isName(at) && texts[at + 1] === "*";
      const isLoop = texts[at + 1] === "{" || (texts[at + 1] === "(" && texts[partner[at + 1] + 1] === "{"); // a macro
      let to = at;
      while (!isLoop && texts[to] !== ";") to = /^[([{]$/.test(texts[to]) ? partner[to] + 1 : to + 1;
      if (!isDeclaration && !isLoop && texts[at + 1] !== ":") replace(at, to, ";", "no statement");
    }
  }
  return changes;
}

/**
 * Of every token: the bracket that a bracket belongs to, the bracket that it stands in, the function that it is of.
 * @param {string[]} texts
 */
function brackets(texts) {
  /** @type {number[]} */
  const open = [];
  const partner = texts.map(() => -1);
  const opener = texts.map(() => -1);
  const functions = texts.map(() => "");
  for (let at = 0; at < texts.length; at++) {
    if (/^[)\]}]$/.test(texts[at])) {
      const start = open.pop() ?? -1;
      partner[at] = start;
      partner[start] = at;
    }
    opener[at] = open.at(-1) ?? -1;
    if (texts[open[0]] === "{" && texts[open[0] - 1] === ")") functions[at] = texts[partner[open[0] - 1] - 1];
    if (/^[([{]$/.test(texts[at])) open.push(at);
  }
  return { partner, opener, functions };
}
