// The reader of objects while they arrive, beside a reference that parses every prefix from its beginning.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileGrammar, createSampler } from "lastinch";
import { ObjectReader } from "../../web/grammar/object-reader.js";
import { isAbsent, readMaskBench } from "../bench/grammar-data.js";
import { rounds } from "../rounds.js";

/**
 * What is certain of a beginning of JSON: the value, and every pointer in the order of the text, with whether its value
 * is complete. Slow and obvious.
 * @param {string} text @param {boolean} isWhole
 */
function certain(text, isWhole) {
  const places = new Map();
  let at = 0;
  const space = () => {
    while (/[ \t\n\r]/.test(text[at] ?? "")) at++;
  };
  const escaped = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");
  // A string's characters so far, and whether it is closed.
  const string = () => {
    let closed = false;
    let end = ++at;
    while (end < text.length && !closed)
      if (text[end] === '"') closed = true;
      else end += text[end] === "\\" ? (text[end + 1] === "u" ? 6 : 2) : 1;
    let raw = text.slice(at, end);
    at = end + 1;
    if (!closed) raw = raw.replace(/^((?:[^\\]|\\[^u]|\\u.{4})*)\\(u.{0,3})?$/su, "$1");
    let value = JSON.parse(`"${raw}"`);
    if (!closed && /[\ud800-\udbff]$/.test(value)) value = value.slice(0, -1);
    return { value, closed };
  };
  /** @returns {{ value: any, closed: boolean } | undefined} */
  const value = (pointer) => {
    space();
    const mark = text[at];
    if (mark === undefined) return undefined;
    places.set(pointer, false);
    let read;
    if (mark === '"') read = string();
    else if (mark === "{") read = object(pointer);
    else if (mark === "[") read = array(pointer);
    else if (/[a-z]/.test(mark)) {
      const [word] = /^[a-z]+/.exec(text.slice(at));
      at += word.length;
      read = { value: { t: true, f: false, n: null }[mark], closed: true };
    } else {
      const [digits] = /^[-+.\deE]+/.exec(text.slice(at));
      at += digits.length;
      if (at === text.length && !(isWhole && pointer === "")) {
        places.delete(pointer);
        return undefined;
      }
      read = { value: JSON.parse(digits), closed: true };
    }
    places.set(pointer, read.closed);
    return read;
  };
  const object = (pointer) => {
    const result = {};
    for (at++; ; at++) {
      space();
      if (text[at] === undefined) return { value: result, closed: false };
      if (text[at] === "}") break;
      const key = string();
      space();
      if (text[at] !== ":") return { value: result, closed: false };
      at++;
      const member = value(`${pointer}/${escaped(key.value)}`);
      if (!member) return { value: result, closed: false };
      Object.defineProperty(result, key.value, {
        value: member.value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
      space();
      if (text[at] !== ",") break;
    }
    return { value: result, closed: text[at++] === "}" };
  };
  const array = (pointer) => {
    const result = [];
    for (at++; ; at++) {
      space();
      if (text[at] === undefined) return { value: result, closed: false };
      if (text[at] === "]") break;
      const item = value(`${pointer}/${result.length}`);
      if (!item) return { value: result, closed: false };
      result.push(item.value);
      space();
      if (text[at] !== ",") break;
    }
    return { value: result, closed: text[at++] === "]" };
  };
  return { value: value("")?.value, places };
}

/** The value that a pointer names. */
function valueAt(value, pointer) {
  let found = value;
  for (const name of pointer.split("/").slice(1)) {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    assert.ok(Object.hasOwn(found, key), pointer);
    found = found[key];
  }
  return found;
}

/** Reads a text in pieces, and compares each item with the reference. */
function checkRead(text, ends) {
  const reader = new ObjectReader();
  let former = certain("", false);
  let at = 0;
  for (const end of [...ends, text.length, "end"]) {
    const isWhole = end === "end";
    const item = isWhole ? reader.end() : reader.push(text.slice(at, end));
    if (!isWhole) at = end;
    const now = certain(text.slice(0, at), isWhole);
    assert.deepEqual(item.value, now.value);
    const isString = (pointer) => typeof valueAt(now.value, pointer) === "string";
    const began = [...now.places.keys()].filter(
      (pointer) =>
        !former.places.has(pointer) ||
        (isString(pointer) && valueAt(now.value, pointer) !== valueAt(former.value, pointer)),
    );
    const done = [...now.places].filter(([pointer, closed]) => closed && !former.places.get(pointer));
    assert.deepEqual(item.changed, began);
    assert.deepEqual(item.done.toSorted(), done.map(([pointer]) => pointer).toSorted());
    former = structuredClone(now);
  }
  const { value } = reader.push("");
  const whole = JSON.parse(text);
  assert.deepEqual(value, whole);
  assert.equal(JSON.stringify(value), JSON.stringify(whole));
}

const allEnds = (text) => Array.from({ length: text.length }, (_, i) => i);

test("after every character of a text the value, what changed and what is done are those of the reference", () => {
  for (const text of [
    '{"hero":"Lily","age":7,"friends":["Tom",{"name":"Max"}],"isBrave":true,"wish":null}',
    ' { "a" : [ ] , "b" : { } , "" : "" , "a/b~c" : [ 1 , -2.50e+3 , [ [ ] ] ] } \n',
    '"\\u00e9 \\ud83d\\ude00 \\"\\\\\\/\\b\\f\\n\\r\\t 😀"',
    '["\\ud83d","\\ud83dx","\\ude00","\\ud83d\\ud83d\\ude00","\\ud83d\\n"]',
    "12",
    "-0",
    " [1e999,-0,12345678901234567890,0.1,5e-324,1E2] ",
    "false",
    '{"__proto__":{"x":"yes"},"constructor":"no","toString":1,"10":"b","2":"a"}',
  ])
    checkRead(text, allEnds(text));
});

const spelt = fc.json({ maxDepth: 6, stringUnit: "binary" }).chain((text) =>
  fc.record({
    // Escapes and white space that JSON.stringify does not write.
    text: fc.constantFrom(
      text,
      JSON.stringify(JSON.parse(text), null, " "),
      text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ),
    cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
  }),
);

test("random JSON in random pieces is read as the reference reads it", () => {
  const property = fc.property(spelt, ({ text, cuts }) =>
    checkRead(
      text,
      cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b),
    ),
  );
  fc.assert(property, { numRuns: rounds(2000, 200), seed: 35 });
});

test("characters of raw text that come in halves are shown whole", () => {
  const reader = new ObjectReader();
  assert.equal(reader.push('"a\ud83d').value, "a");
  assert.deepEqual(reader.push('\ude00"'), { value: "a😀", changed: [""], done: [""] });
});

test("__proto__ is a key like others, and changes no prototype", () => {
  const reader = new ObjectReader();
  reader.push('{"__proto__":"pol');
  const { value } = reader.push('luted"}');
  assert.deepEqual(Object.entries(value), [["__proto__", "polluted"]]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal({}.polluted, undefined);
});

test("a key that may come again is done when the outermost object closes, and its last value counts", () => {
  const reader = new ObjectReader({ mayRepeat: true });
  assert.deepEqual(reader.push('[{"a":{"b":1},'), {
    value: [{ a: { b: 1 } }],
    changed: ["", "/0", "/0/a", "/0/a/b"],
    done: [],
  });
  assert.deepEqual(reader.push('"a":"x'), { value: [{ a: "x" }], changed: ["/0/a"], done: [] });
  assert.deepEqual(reader.push('y"},2,'), { value: [{ a: "xy" }, 2], changed: ["/0/a", "/1"], done: ["/0", "/1"] });
  // What a later value of the same piece has replaced is not listed.
  assert.deepEqual(reader.push('{"c":[1,2],"d":1,"c":3}]').changed, ["/2", "/2/d", "/2/c"]);
});

test("10,000 levels are read without recursion, in time that grows with the text", () => {
  const depth = 10_000;
  const reader = new ObjectReader();
  for (let i = 0; i < depth; i++) reader.push(i % 2 ? '{"k":' : "[");
  let last = reader.push('"deep"');
  assert.equal(last.changed[0].length, (depth / 2) * 4);
  for (let i = depth; i-- > 0;) last = reader.push(i % 2 ? "}" : "]");
  assert.deepEqual(last.done, [""]);
});

test("a text that is not JSON is refused where it leaves JSON", () => {
  for (const [text, at] of [
    ["[1,]", 3],
    ["{,", 1],
    ['{"a" 1', 5],
    ['{"a":1 "', 7],
    ["[1}", 2],
    ["tru ", 3],
    ["01,", 2],
    ["[1.]", 3],
    ['"\u0001', 1],
    ['"\\x', 2],
    ['"\\u00g', 5],
    ["{} {", 3],
    ["<think>", 0],
    ["[constructor]", 1],
  ]) {
    const reader = new ObjectReader();
    reader.push(text.slice(0, at));
    assert.throws(() => reader.push(text[at]), { code: "grammar-refused" }, text);
  }
});

const tokens = Array.from({ length: 257 }, (_, id) => (id < 256 ? Uint8Array.of(id) : new Uint8Array()));
const vocabulary = { tokens, eos: [256] };
const story = {
  type: "object",
  properties: {
    hero: { type: "string", maxLength: 6 },
    animal: { enum: ["elephant", "eland", "dog"] },
    age: { type: "integer", minimum: 10, maximum: 12 },
    friends: { type: "array", items: { type: "object", properties: { name: { const: "Tom" } }, required: ["name"] } },
  },
  required: ["hero", "animal", "age", "friends"],
};

test("a reader of a grammar reads what must follow before it comes", async () => {
  for (const uniqueKeys of [false, true]) {
    const grammar = await compileGrammar({ vocabulary, jsonSchema: story, whitespace: "compact", uniqueKeys });
    let early = 0;
    for (let seed = 1; seed <= rounds(60, 12); seed++) {
      const matcher = grammar.matcher();
      const sampler = await createSampler({
        vocabSize: 257,
        grammar: matcher,
        seed,
        logitBias: { 34: 3, 93: 3, 125: 3 },
      });
      const readers = await Promise.all([true, false].map((ahead) => grammar.objectReader({ ahead })));
      const plain = new ObjectReader({ mayRepeat: !uniqueKeys });
      const done = new Set();
      let read = 0;
      let text = "";
      for (let id = 0; (id = sampler.sample(new Float32Array(257))) !== 256;) {
        const before = JSON.stringify(plain.push("").value);
        const [ahead, same] = readers.map((reader) => reader.push(Uint8Array.of(id)));
        // Bytes of a character come one by one: the reference reads whole text.
        text += String.fromCharCode(id);
        const whole = new TextDecoder().decode(
          Uint8Array.from(text, (unit) => unit.charCodeAt(0)),
          { stream: true },
        );
        const expected = plain.push(whole.slice(read));
        read = whole.length;
        assert.deepEqual(same, expected);
        assert.ok(JSON.stringify(ahead.value ?? null).length >= (before ?? "null").length);
        for (const pointer of ahead.done) {
          assert.ok(!done.has(pointer));
          done.add(pointer);
        }
        early += ahead.changed.length && !same.changed.length ? 1 : 0;
      }
      const value = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (unit) => unit.charCodeAt(0))));
      for (const reader of [...readers, plain]) assert.deepEqual(reader.end().value, value);
      assert.ok(done.has(""));
      assert.equal(done.has("/hero"), uniqueKeys);
      for (const one of [sampler, matcher, ...readers]) one.dispose();
    }
    assert.ok(early > 10);
    grammar.dispose();
  }
});

test("what the masks leave no choice is known at once", async () => {
  const grammar = await compileGrammar({ vocabulary, jsonSchema: story, whitespace: "compact", uniqueKeys: true });
  const reader = await grammar.objectReader();
  assert.deepEqual(reader.push("{"), { value: { hero: "" }, changed: ["", "/hero"], done: [] });
  assert.deepEqual(reader.push('"hero":"Lily","animal":"ele').done, ["/hero", "/animal"]);
  const { value, done } = reader.push('phant","age":1');
  assert.deepEqual([value.animal, value.age, done], ["elephant", undefined, []]);
  assert.deepEqual(reader.push('2,"friends":[').value, { hero: "Lily", animal: "elephant", age: 12, friends: [] });
  assert.deepEqual(reader.push("{").done, ["/friends/0/name"]);
  assert.throws(() => reader.push('"n\\u0061me":"Tom"'), { code: "grammar-refused", message: /ahead/ });
  const patient = await grammar.objectReader({ ahead: false });
  patient.push('{"hero":"","\\u0061nimal":"dog","age":10,"friends":[{"n\\u0061me":"\\u0054om');
  assert.equal(patient.push("").value.friends[0].name, "Tom");
  assert.throws(() => patient.push('","name"'), { code: "grammar-refused" });
  patient.dispose();
  assert.throws(() => patient.push("}"), { code: "disposed" });
  await assert.rejects(grammar.objectReader(/** @type {any} */ ({ forced: true })), { code: "unknown-option" });
  await assert.rejects(grammar.objectReader(/** @type {any} */ ({ ahead: 1 })), { code: "bad-type" });
  grammar.dispose();
  await assert.rejects(grammar.objectReader(), { code: "disposed" });
});

test("a text of a grammar that is not JSON is refused", async () => {
  const grammar = await compileGrammar({ vocabulary, regex: "[1-9]+|a" });
  const reader = await grammar.objectReader();
  assert.deepEqual(reader.push("12"), { value: undefined, changed: [], done: [] });
  assert.deepEqual(reader.end(), { value: 12, changed: [""], done: [""] });
  await assert.rejects(async () => (await grammar.objectReader()).push("a"), { code: "grammar-refused" });
});

test("instances of MaskBench's schemas are read as the reference reads them", { skip: isAbsent }, () => {
  for (const { tests } of readMaskBench({ every: rounds(5, 50) }))
    for (const { text, valid } of tests) {
      if (!valid || text.length > 3000) continue;
      checkRead(
        text,
        Array.from({ length: 12 }, (_, i) => Math.floor((i * text.length) / 12)),
      );
    }
});
