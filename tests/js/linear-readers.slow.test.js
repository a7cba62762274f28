// Readers of untrusted text take time in proportion to its length, whatever it is, and end with a result or an error
// with a code. The measure is the growth of processor time: the least of several runs at 16n may be 64 times that at n,
// where a linear reader takes 16 times and a quadratic one 256.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Script } from "node:vm";
import { compileGrammar } from "lastinch";
import { readState } from "../../demos/playground/url-state.js";
import { writePrompt } from "../../web/chat/prompt.js";
import { AnswerStream } from "../../web/chat/answer-stream.js";
import { analyzeSchema } from "../../web/grammar/readers/schema/findings.js";
import { FormWriter } from "../../web/grammar/readers/form.js";
import { readGbnf } from "../../web/grammar/readers/gbnf.js";
import { parseJson } from "../../web/grammar/readers/json-text.js";
import { readLark } from "../../web/grammar/readers/lark.js";
import { withPatternTools } from "../../web/grammar/readers/schema/pattern-tools.js";
import { searchExpression } from "../../web/grammar/readers/regex.js";
import { writeSchema } from "../../web/grammar/readers/schema/schema.js";
import { toolCallStyles } from "../../web/grammar/readers/tool-call-styles.js";
import { readToolCalls } from "../../web/grammar/readers/tool-calls.js";
import { StopStrings } from "../../web/decode/stop-strings.js";
import { rounds } from "../rounds.js";

const FACTOR = 16;
const MOST_GROWTH = 64;
/** Microseconds. Less is noise, and even 64 times as long does no harm. */
const FLOOR = 1000;
/** Only a reader that never ends takes this long. */
const TIMEOUT = 60_000;

const script = new Script("hostileRun()");

/** Microseconds of the processor that a run takes. @param {() => unknown} run */
function cost(run) {
  const before = process.cpuUsage();
  /** @type {any} */ (globalThis).hostileRun = () => {
    try {
      run();
    } catch (error) {
      const { code, message } = /** @type {any} */ (error);
      assert.ok(typeof code === "string" && !/call stack/.test(message), /** @type {any} */ (error).stack);
    }
  };
  script.runInThisContext({ timeout: TIMEOUT });
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** @param {string} name @param {(n: number) => () => unknown} prepare @param {number} n */
function growsLinearly(name, prepare, n) {
  const [small, large] = [prepare(n), prepare(FACTOR * n)];
  let [one, many] = [Infinity, Infinity];
  const isTooMuch = () => many > MOST_GROWTH * (one === Infinity ? FLOOR : Math.max(one, FLOOR));
  for (let i = 0; i < 6 && (i === 0 || isTooMuch()); i++) {
    many = Math.min(many, cost(large));
    if (isTooMuch()) one = Math.min(one, cost(small));
  }
  assert.ok(many <= MOST_GROWTH * Math.max(one, FLOOR), `${name}: ${one} µs for ${n}, ${many} for ${FACTOR * n}`);
}

/** @param {string} text @param {number} n */
const fill = (text, n) => text.repeat(Math.ceil(n / text.length));

/** Texts hostile to readers of marks, names and strings. @type {Record<string, (n: number) => string>} */
const bodies = Object.fromEntries(
  [
    ...[
      '"',
      '\\"',
      "'",
      "\\",
      "#",
      "/",
      "//",
      "(",
      "[",
      "{",
      "((",
      "()",
      ")",
      "|",
      "*",
      "?",
      "+?",
      "~",
      "<",
      ">",
      "<a",
      "a<",
    ],
    ...[
      "a",
      "a ",
      "a|",
      "1",
      "1.",
      "-",
      "e",
      "0,",
      " ",
      "\t",
      "\n",
      "\r\n",
      " \n",
      "\ud83d",
      "é",
      "😀",
      "&",
      "=",
      "%",
      "%41",
    ],
    ...[
      '"a" ',
      '"a" | ',
      '["',
      '{"a":',
      "[[],",
      "(a|",
      "[a-",
      "a{1,2}",
      "{1,",
      "# a\n",
      "#\n|",
      "// http://a\n",
      "\n|",
      "\n\n#",
    ],
    ...[
      '"a',
      "a\n",
      'a: "b"\n',
      'a ::= "b"\n',
      "%json {",
      "%ignore ",
      "->",
      "..",
      "x{",
      "{number}",
      "{name}",
      "\\u0061",
      "_",
    ],
  ].map((part) => [JSON.stringify(part), (n) => fill(part, n)]),
);
bodies["an unterminated string of escaped quotes"] = (n) => `"${fill('\\"', n)}`;
bodies["a string"] = (n) => `"${fill("a", n)}"`;
bodies["nested parentheses"] = (n) => fill("(", n / 2) + "a" + fill(")", n / 2);
bodies["nested brackets"] = (n) => fill("[", n / 2) + fill("]", n / 2);
bodies["nested braces"] = (n) => fill('{"a":', n) + "1" + fill("}", n / 5);
bodies["a count of spaces"] = (n) => `a{1,${fill(" ", n)}x`;
bodies["a banner and a definition"] = (n) => `${fill("#", n)}\nb: "c"\n`;

/**
 * Reads each body within each frame; without CHECK_LONG within every second frame, alternating from body to body.
 * @param {((text: string) => unknown)} read
 * @param {((body: string) => string)[]} frames
 * @param {number} n
 * @param {Record<string, (n: number) => string>} [others]
 */
function readsLinearly(read, frames, n, others = {}) {
  for (const [at, frame] of frames.entries())
    for (const [i, [name, make]] of Object.entries(bodies).entries()) {
      if ((i + at) % Math.min(frames.length, rounds(1, 2))) continue;
      growsLinearly(
        `${name} in frame ${at}`,
        (size) => {
          const text = frame(make(size));
          return () => read(text);
        },
        n,
      );
    }
  for (const [name, make] of Object.entries(others))
    growsLinearly(
      name,
      (size) => {
        const text = make(size);
        return () => read(text);
      },
      n,
    );
}

/** @param {{ rules: import("../../web/grammar/readers/form.js").Expression[], root: import("../../web/grammar/readers/form.js").Expression }} read */
function write({ rules, root }) {
  const writer = new FormWriter();
  for (const rule of [...rules, root]) writer.expression(rule);
}

/** @param {number} count @param {(i: number) => string} make */
const lines = (count, make) => Array.from({ length: count }, (_, i) => make(i)).join("\n");
/** The name of a terminal. @param {number} i */
const letters = (i) => `T${String(i).replace(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)])}`;

const frames = {
  lark: [
    (/** @type {string} */ body) => body,
    (/** @type {string} */ body) => `start: ${body}`,
    (/** @type {string} */ body) => `start: A\nA: (${body}\n)`,
    (/** @type {string} */ body) => `start: "x"\n${body}\n  | "y"\n`,
    (/** @type {string} */ body) => `start: %json {"a": ${body}}\n`,
  ],
  gbnf: [
    (/** @type {string} */ body) => body,
    (/** @type {string} */ body) => `root ::= ${body}`,
    (/** @type {string} */ body) => `root ::= "x"\n${body}\na ::= "b"`,
    (/** @type {string} */ body) => `root ::= [${body}]`,
  ],
};

test("Lark is read in linear time", () => {
  const schemas = new Map();
  /** @param {string} text */
  const read = (text) =>
    write(
      readLark(
        text,
        () => undefined,
        (schema) => (parseJson(schema), schemas.size),
      ),
    );
  readsLinearly(read, frames.lark, 2000, {
    "rules that name the next": (n) => `start: a0\n${lines(n / 20, (i) => `a${i}: a${i + 1} "x"?`)}\na${n / 20}: "y"?`,
    "rules that name the one before": (n) =>
      `start: a${n / 20}\na0: "y"?\n${lines(n / 20, (i) => `a${i + 1}: a${i}?`)}`,
    "a rule of many that may be empty": (n) => `start: ${fill("a? ", n)}\na: start "x" | "y"`,
    "left recursion of many alternatives": (n) => `start: ${fill('start "a" | ', n)} "b"`,
    "terminals that name others twice": (n) =>
      `start: ${letters(0)}\n${lines(n / 100, (i) => `${letters(i)}: ${letters(i + 1)} ${letters(i + 1)}`)}\n${letters(n / 100)}: "x"`,
    "what is ignored, behind many terminals": (n) => `%ignore /${fill("a", n)}/\nstart: ${fill('"b" ', n)}`,
    "tokens by number": (n) => `start: <[${fill("0-9999,", n)}1]>`,
    schemas: (n) => `start: ${fill("%json {} ", n)}`,
    "a terminal of many negations": (n) => `start: A\nA: ${fill("~", n)}"x"`,
    "comments between alternatives": (n) => `start: "a"\n${fill("# // | \n\n", n)}\n  | "b"\n`,
  });
});

test("GBNF is read in linear time", () => {
  readsLinearly((text) => write(readGbnf(text, () => undefined)), frames.gbnf, 2000, {
    "rules that name the next": (n) =>
      `root ::= a0\n${lines(n / 20, (i) => `a${i} ::= a${i + 1} "x"?`)}\na${n / 20} ::= "y"?`,
    "rules that name the one before": (n) =>
      `root ::= a${n / 20}\na0 ::= "y"?\n${lines(n / 20, (i) => `a${i + 1} ::= a${i}?`)}`,
    "a rule of many that may be empty": (n) => `root ::= ${fill("a? ", n)}\na ::= root "x" | "y"`,
    "left recursion of many alternatives": (n) => `root ::= ${fill('root "a" | ', n)} "b"`,
    "a cycle of rules": (n) =>
      `root ::= a0\n${lines(50, (i) => `a${i} ::= a${(i + 1) % 50} | ${fill('"x" | ', n / 50)} "y"`)}`,
    "repetitions of repetitions": (n) => `root ::= "a"${fill("*?+", n)}`,
    "a class of ranges": (n) => `root ::= [${fill("a-z", n)}]`,
    "groups before a left recursion": (n) => `root ::= ${fill('("a"? "b"?) ', n)} root`,
  });
});

test("regular expressions are read in linear time", () => {
  for (const flags of ["u", "v", "iu", ""]) {
    /** @param {string} pattern */
    const read = (pattern) => write({ rules: [], root: searchExpression(pattern, flags) });
    readsLinearly(read, flags === "u" ? [(body) => body] : [], 2000, {
      "alternatives in groups": (n) => fill("(a|", n / 2) + fill(")", n / 6),
      "names of groups": (n) => lines(n / 10, (i) => `(?<a${i}>)`),
      "one name in alternatives": (n) => `${fill("(?<a>b)|", n)}c`,
      references: (n) => `(?<a>)${fill("\\k<a>", n)}`,
      "references by number": (n) => fill("()", n / 2) + fill("\\1", n / 2),
      classes: (n) => fill("[^\\p{Ll}a]", n),
      "classes that differ": (n) => lines(n / 12, (i) => `[^\\p{Ll}${i}]`),
      "letters of other scripts": (n) =>
        Array.from({ length: n }, (_, i) => String.fromCharCode(0x3400 + (i % 0x6000))).join(""),
      "letters with other cases": (n) =>
        Array.from({ length: n }, (_, i) => String.fromCharCode(0xc0 + (i % 0x500))).join(""),
      "flags of groups": (n) => fill("(?s:a)", n),
      subtractions: (n) => `[\\w${fill("--a", n)}]`,
      intersections: (n) => `[\\w${fill("&&\\w", n)}]`,
      "strings of a class": (n) => `[\\q{${fill("ab|", n)}}]`,
      "one string of a class": (n) => `[\\q{${fill("ab", n)}}]`,
      "classes in classes": (n) => fill("[", n / 2) + fill("]", n / 2),
      lookaheads: (n) => fill("(?=a)", n),
      "needless escapes": (n) => fill("\\-\\_", n),
    });
  }
});

test("JSON text is read in linear time", () => {
  readsLinearly(parseJson, [(body) => body, (body) => `{"a": ${body}`, (body) => `["${body}"]`], 5000, {
    keys: (n) => `{${lines(n / 10, (i) => `"k${i}":${i},`)}"z":0}`,
    "escapes in keys": (n) => `{"${fill("\\u0061", n)}":1}`,
    "arrays in arrays": (n) => fill("[", Math.min(n, 900)) + fill("]", Math.min(n, 900)),
  });
});

/** @param {number} count @param {(i: number) => [string, any]} make */
const object = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)));

/** @type {Record<string, (n: number) => any>} */
const schemas = {
  properties: (n) => ({ properties: object(n, (i) => [`k${i}`, { type: "string" }]), required: ["k1"] }),
  "words that are none": (n) => object(n, (i) => [`word${i}`, i]),
  "a long word that is none": (n) => ({ [fill("properties", 10 * n)]: {} }),
  "subschemas in subschemas": (n) => {
    let schema = {};
    for (let i = 0; i < n; i++) schema = { item: {}, not: schema };
    return schema;
  },
  "a chain of references": (n) => ({
    properties: object(n, (i) => [`k${i}`, { $ref: `#/$defs/a${i}` }]),
    $defs: object(n + 1, (i) => [`a${i}`, i === n ? {} : { $ref: `#/$defs/a${i + 1}` }]),
  }),
  "references to one that has much beside it": (n) => ({
    properties: object(n, (i) => [`k${i}`, { $ref: "#/$defs/a" }]),
    $defs: { a: { $ref: "#/$defs/b", ...object(n, (i) => [`word${i}`, i]) }, b: {} },
  }),
  "references that lead nowhere": (n) => ({ properties: object(n, (i) => [`k${i}`, { $ref: `https://a/${i}` }]) }),
  "a reference of many steps": (n) => ({ $ref: `#${fill("/a", 10 * n)}` }),
  "a reference of many escapes": (n) => ({ $ref: `#/${fill("~1%41", 10 * n)}` }),
  anchors: (n) => ({
    allOf: Array.from({ length: n }, (_, i) => ({ $ref: `#a${i}` })),
    $defs: object(n, (i) => [`k${i}`, { $anchor: `a${i}` }]),
  }),
  "addresses in each other": (n) => {
    let schema = {};
    for (let i = 0; i < Math.min(n, 300); i++) schema = { $id: "a/", items: schema };
    return schema;
  },
  "dynamic anchors, each in its resource": (n) => ({
    $ref: "r0",
    $defs: object(n, (i) => [
      `k${i}`,
      { $id: `r${i}`, $dynamicAnchor: `a${i}`, items: { $ref: `r${i + 1}` }, not: { $dynamicRef: "#a0" } },
    ]),
  }),
  "all of many": (n) => ({ allOf: Array.from({ length: 20 * n }, () => true) }),
  "one of many": (n) => ({ oneOf: Array.from({ length: n }, (_, i) => ({ const: i })) }),
  values: (n) => ({ enum: Array.from({ length: n }, (_, i) => ({ a: [`v${i}`] })) }),
  "a value in a value": (n) => ({ const: JSON.parse(fill("[", n) + fill("]", n)) }),
  "names that are required": (n) => ({ required: Array.from({ length: n }, (_, i) => `k${i}`) }),
  patterns: (n) => ({ patternProperties: object(n, (i) => [`^a${i}$`, {}]) }),
  "one pattern": (n) => ({ properties: object(n, (i) => [`k${i}`, { pattern: fill("a?", 1000) }]) }),
  dependencies: (n) => ({ dependencies: object(n, (i) => [`k${i}`, i % 2 ? {} : ["a"]]) }),
  "a long number": (n) => ({
    minimum: 1,
    multipleOf: Number("1".repeat(300)),
    maxLength: 10 ** 300,
    pattern: fill("a", n),
  }),
  "addresses that are none": (n) => ({ items: object(n, (i) => [`k${i}`, { $id: "http://[" }]) }),
};

test("schemas are read in linear time", async () => {
  await withPatternTools(() => writeSchema({ pattern: "a" }));
  const remotes = object(4000, (i) => [`https://remote/${i}`, { $id: `https://b/${i}` }]);
  for (const [i, [name, make]] of Object.entries(schemas).entries())
    for (const [j, [how, read]] of Object.entries({
      read: (/** @type {any} */ schema) => writeSchema(schema),
      "read leniently": (/** @type {any} */ schema) => writeSchema(schema, { lenient: true, remotes }),
      analysed: (/** @type {any} */ schema) => analyzeSchema(schema),
    }).entries()) {
      // Each schema is read in one of the three ways; with CHECK_LONG in all of them.
      if ((i + j) % rounds(1, 3)) continue;
      growsLinearly(
        `${name}, ${how}`,
        (n) => {
          const schema = make(n);
          return () => read(schema);
        },
        250,
      );
    }
});

test("tool calls are read in linear time", () => {
  /** @param {object} style @param {object[]} [tools] */
  const read = (style, tools = [{ name: "look" }]) =>
    write(
      readToolCalls(
        /** @type {any} */ ({ tools, style: { trigger: "<call>", begin: "{name}", end: "", ...style } }),
        /** @type {any} */ ({ specialToken: () => undefined, addSchema: () => 0, propertyIndex: () => 0, eos: [] }),
      ),
    );
  const frames = [(/** @type {string} */ body) => body];
  readsLinearly((body) => read({ begin: `{name}${body}` }), frames, 2000);
  readsLinearly((body) => read({ trigger: `x${body}`, separator: body, close: body }), frames, 2000);
  growsLinearly(
    "tools",
    (n) => {
      const tools = Array.from({ length: n }, (_, i) => ({ name: `tool${i}` }));
      return () => read({}, tools);
    },
    2000,
  );
  /** Keys of arguments that are written one by one. @type {Record<string, (i: number) => string>} */
  const keys = {
    "keys with one beginning": (i) => `${fill("key", 30)}${i}`,
    "keys of which each begins the next": (i) => `k${fill("=k", 2 * Math.min(i, 200))}${i < 200 ? "" : i}`,
  };
  for (const style of /** @type {const} */ (["qwen3Coder", "lfm2"]))
    for (const [name, keyOf] of Object.entries(keys))
      growsLinearly(
        `${name}, ${style}`,
        (n) => {
          const properties = object(n, (i) => [keyOf(i), { type: i % 2 ? "string" : "integer" }]);
          const tools = [{ name: "look", parameters: { properties, required: Object.keys(properties) } }];
          return () => read(toolCallStyles[style], tools);
        },
        250,
      );
});

test("model output with tool calls is read in linear time", async () => {
  /** @param {(text: string) => unknown} push @param {string} text @param {number} size */
  const inPieces = (push, text, size) => {
    for (let at = 0; at < text.length; at += size) push(text.slice(at, at + size));
  };
  /** @param {string[]} stops */
  const stopping = (stops) => {
    const strings = new StopStrings(stops);
    return (/** @type {string} */ text) => strings.push(text);
  };
  for (const size of [1, 7, Infinity]) {
    /** @type {Record<string, (n: number) => () => void>} */
    const shapes = {
      "nearly a stop string": (n) => () => inPieces(stopping([`${fill("a", n)}b`]), `${fill("a", n - 1)}c`, size),
      "nearly a stop string, again and again": (n) => () =>
        inPieces(stopping([`${fill("a", n / 2)}b`]), fill("a", n), size),
      "a stop string with borders": (n) => () => inPieces(stopping([`${fill("ab", n / 2)}c`]), fill("ab", n), size),
    };
    const marks = { begin: "<think>", end: "</think>", isTrimmed: true, isAnswerTrimmed: true };
    const [unopened, opened] = [false, true].map((isOpened) => ({ thought: { ...marks, isOpened } }));
    const { hermes: style, json } = toolCallStyles;
    const names = ["look"];
    /** @type {Record<string, (n: number) => string>} */
    const marked = {
      newlines: (n) => `${fill("\n", n)}a`,
      spaces: (n) => fill(" ", n),
      mark: (n) => fill("</thin", n),
    };
    const all = { ...bodies, ...marked, mark: (/** @type {number} */ n) => fill("<tool_cal", n) };
    for (const [name, open, how, those] of /** @type {const} */ ([
      ["text", "", { style, names }, all],
      ["the input of a call", '<tool_call>\n{"name": "look", "arguments": ', { style, names }, all],
      ["text that may be a call", "", { style: json, names }, marked],
      ["what may be a thought", "", unopened, marked],
      ["a thought", "", opened, marked],
      ["what follows a thought", "</think>", { ...opened, style, names }, marked],
    ]))
      for (const [body, make] of Object.entries(those))
        shapes[`${body} as ${name}`] = (n) => {
          const text = open + make(n);
          return () => {
            const stream = new AnswerStream(/** @type {any} */ (how));
            inPieces((piece) => [...stream.push(piece)], text, size);
          };
        };
    for (const [name, prepare] of Object.entries(shapes)) growsLinearly(`${name} in pieces of ${size}`, prepare, 2000);
  }
});

test("messages are searched for control tokens in linear time", async () => {
  const special = object(300, (i) => [`<|reserved_special_token_${i}|>`, i]);
  const model = /** @type {any} */ ({
    config: { chatTemplate: "{{ messages[0].content }}", bos: null, addBos: false },
    vocabulary: { special, eos: [0] },
    tokenize: async (/** @type {(string | number)[]} */ parts) => [parts.length],
  });
  const nested = JSON.parse(`${fill('{"a":', 50_000)}1${fill("}", 10_000)}`);
  const tools = [{ name: "f", parameters: nested }];
  const options = { code: "bad-type" };
  await assert.rejects(writePrompt(model, [{ role: "user", content: "" }], { tools }), options);
  /** @param {string} content */
  const time = async (content) => {
    const before = process.cpuUsage();
    await writePrompt(model, [{ role: "user", content }]);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  for (const part of ["<", "<|", "<|reserved_special_token_", "a", "<|reserved_special_token_7|>", " "]) {
    const sizes = [4000, 4000 * FACTOR].map((n) => fill(part, n));
    let [one, many] = [Infinity, Infinity];
    for (let i = 0; i < 4; i++) {
      one = Math.min(one, await time(sizes[0]));
      many = Math.min(many, await time(sizes[1]));
    }
    assert.ok(many <= MOST_GROWTH * Math.max(one, FLOOR), `${part}: ${one} µs, then ${many}`);
  }
});

test("the state in an address is read in linear time", async (t) => {
  const defaults = { model: "a", prompt: "", settings: {}, seed: null, maxTokens: 5 };
  readsLinearly(
    (text) => readState(text, /** @type {any} */ (defaults), ["a"]),
    [(body) => `#v=1&prompt=${body}`, (body) => `#v=1&top-p=${body}&seed=${body}`, (body) => `#${body}`],
    2000,
  );

  const page = /** @type {any} */ (globalThis);
  t.after(() => delete page.location);
  const { applyLink } = await import("../../web/widgets/shared/share.js");
  const elementProperties = new Map([["topP", { share: true, attribute: "top-p", type: Number, knob: "topP" }]]);
  const element = { kind: { widget: "nucleus", elementProperties }, updateComplete: Promise.resolve() };
  /** @param {string} hash */
  const apply = (hash) => {
    page.location = { hash };
    return applyLink(/** @type {any} */ (element));
  };
  assert.deepEqual(apply("#v=1&w=nucleus&top-p=2&x=1"), ["top-p", "x"]);
  readsLinearly(apply, [(body) => `#v=1&w=nucleus&top-p=${body}`, (body) => `#v=1&w=nucleus&${body}`], 5000, {
    settings: (n) => `#v=1&w=nucleus${fill("&a=1", n)}`,
  });
});

test("a text is matched against a reader's pattern in linear time", async () => {
  const vocabulary = { tokens: Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), eos: [] };
  const { readForm } = await import("../../web/widgets/shared/structured.js");
  for (const regex of ["(a|a)*b", "(a*)*b", "a*a*a*b"]) {
    const grammar = await compileGrammar({ vocabulary, regex });
    assert.equal(readForm("regex", /** @type {any} */ (grammar), "aab"), "aab");
    assert.equal(readForm("regex", /** @type {any} */ (grammar), "aaba"), undefined);
    growsLinearly(
      regex,
      (n) => {
        const text = fill("a", n);
        return () => readForm("regex", /** @type {any} */ (grammar), text);
      },
      2000,
    );
    grammar.dispose();
  }
});

test("a table inside a widget is read in linear time", async (t) => {
  class HTMLTableElement {
    /** @param {string[][]} rows */
    constructor(rows) {
      this.rows = rows.map((row) => ({ cells: row.map((textContent) => ({ textContent, localName: "td" })) }));
    }
  }
  const page = /** @type {any} */ (globalThis);
  page.HTMLTableElement = HTMLTableElement;
  t.after(() => delete page.HTMLTableElement);
  const { readTable } = await import("../../web/widgets/shared/data.js");
  /** @param {string[][]} rows */
  const read = (rows) => {
    try {
      return readTable(/** @type {any} */ (new HTMLTableElement(rows)));
    } catch (error) {
      // The widget has its own words for what is wrong.
      assert.ok("values" in /** @type {any} */ (error), String(error));
    }
  };
  assert.deepEqual(read([["cat", "1"]])?.tokens, ["cat"]);
  readsLinearly((body) => read([[body, body]]), [(body) => body, (body) => `${body}%`, (body) => ` ${body}−1`], 5000);
  growsLinearly("rows", (n) => () => read(Array.from({ length: n }, (_, i) => [`t${i}`, String(i)])), 600);
});
