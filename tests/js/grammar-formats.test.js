// Formats against small tables, exhaustive counts, the engine's own checks and the official suite.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { domainToASCII } from "node:url";
import { formatExpression, formatNames, formatPattern } from "../../web/grammar/readers/schema/formats.js";

const expressions = new Map(
  formatNames.map((name) => {
    const { source, flags } = formatPattern(name);
    return [name, new RegExp(`^(?:${source})$`, flags)];
  }),
);
/** @param {string} name @param {string} text */
const accepts = (name, text) => expressions.get(name).test(text);

const names =
  "date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference " +
  "uuid uri-template json-pointer relative-json-pointer regex";

test("the formats are exactly those of JSON Schema", () => {
  assert.deepEqual([...formatNames].sort(), names.split(" ").sort());
  for (const name of formatNames) assert.ok(formatExpression(name), name);
  for (const name of ["", "int32", "url", "toString", "__proto__", "Date"]) {
    assert.equal(formatExpression(name), undefined);
    assert.equal(formatPattern(name), undefined);
  }
});

/** @type {Record<string, { right: string[], wrong: string[] }>} */
const table = {
  "date-time": {
    right: ["2024-02-29T00:00:00Z", "2016-12-31t23:59:60.5z", "2017-01-01T00:59:60+01:00"],
    wrong: ["2023-02-29T00:00:00Z", "2024-01-01 00:00:00Z", "2024-01-01T00:00:00", "2024-01-01"],
  },
  time: {
    right: ["00:00:00Z", "23:59:59.999+14:00", "05:29:60+05:30", "05:44:60+05:45"],
    wrong: ["24:00:00Z", "12:00Z", "05:30:60+05:30", "12:00:60Z", "12:00:00.Z"],
  },
  duration: { right: ["P1Y2M3DT4H5M6S", "PT5M", "P3W"], wrong: ["P", "PT", "P1YT", "P1H", "PT1H1S", "P1.5D", "p1d"] },
  email: {
    right: ["a@b", "a.b+c@d-e.fr", '"a b"@c.de', '"\\""@c', '""@x', "a@[1.2.3.4]", "a@[IPv6:::1]", "a@xn--p1ai"],
    wrong: ["a", "a@", "@a", "a@b@c", "a@-b", "a@b-", "a..b@c", "a b@c", "a@b_c", "ä@b.de", "a@[1.2.3]", "a@b."],
  },
  "idn-email": {
    right: ["ä@ö.de", "a@b", '"ü "@x', "实例@实例.测试"],
    wrong: ["ä", "a@＠", "a b@ö", "ä@-ö", "ä@☃.de"],
  },
  hostname: {
    right: ["a", "a.b-c.d", "1.2", "A--B.c"],
    wrong: ["", "a.", "-a", "a-", "ab--c", "a_b", "ä", "xn--p1ai"],
  },
  "idn-hostname": {
    right: ["bücher.example", "例え.テスト", "a。b", "россия", "שלום.com", "faß", "ไทย", "हिन्दी", "تست۱"],
    wrong: ["Bücher", "☃.net", "ab--ü", "ü-", "-ü", "aש", "1.שלום", "ﬁ", "e\u0301", "〇..a", "a\u00adb", "ａ"],
  },
  ipv4: { right: ["0.0.0.0", "255.249.199.99"], wrong: ["256.0.0.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.4 "] },
  ipv6: { right: ["::", "1::", "::1.2.3.4", "1:2:3:4:5:6:7::"], wrong: [":::", "1:2", "::1::", "1:2:3:4:5:6:7:8:9"] },
  uri: {
    right: ["a:", "a:b", "http://a:80/b?c#d", "http://[::1]:8080/", "urn:x:y", "file:///etc", "a://@:/?#", "x:%41"],
    wrong: ["", "a", "/a", "//a", "1a:b", "a:b c", "a:%4", "http://[::1", "http://a:b", "a:#b#c", "a:ä", "a:[b]"],
  },
  "uri-reference": {
    right: ["", "a", "/a", "//a", "?a", "#a", "./a:b", "a/b:c"],
    wrong: ["1:b", "a b", "\\a", "%", ":a"],
  },
  iri: { right: ["http://ä.de/ö?ü#ß", "a:😀", "a:?\ue000"], wrong: ["ä", "a: ", "a:\ue000", "a:\ufffe", "ä:b"] },
  "iri-reference": { right: ["ä", "", "//ö/ü", "#ß"], wrong: ["a b", "ä:b", "\\"] },
  uuid: { right: ["01234567-89ab-CDEF-0123-456789abcdef"], wrong: ["0123456789abcdef0123456789abcdef", "{}"] },
  "uri-template": {
    right: ["", "a", "{a}", "{+a,b*}/{?c:3}", "%20", "{a.b_c}", "ä"],
    wrong: ["{", "}", "{}", "{a b}", "{a:0}", "{a:10000}", "{a*:1}", "%2", "{=a}", "a b", "<"],
  },
  "json-pointer": { right: ["", "/", "/a~0b/~1", "/\n"], wrong: ["a", "/~", "/~2", "#/a"] },
  "relative-json-pointer": { right: ["0", "1#", "12/a/b"], wrong: ["", "01", "-1", "a", "1##", "1#/a", "1a"] },
  regex: {
    right: ["", "^a+b*?c{2,3}$", "(a|(?:b))+", "[^a-z\\d.-]", "(?=a)b", "(?<!a)b", "\\u0041\\.", "a{2,}", "[]"],
    wrong: ["(", "a**", "[b-a]", "a{3,2}", "(?<n>a)(?<n>b)", "\\", "^*", "(?=a)*", "\\b+", "[\\w-a]", "{", "]", "\\c"],
  },
};

test("formats accept valid texts and refuse invalid texts", () => {
  for (const [name, { right, wrong }] of Object.entries(table)) {
    for (const text of right) assert.ok(accepts(name, text), `${name} takes ${JSON.stringify(text)}`);
    for (const text of wrong) assert.ok(!accepts(name, text), `${name} does not take ${JSON.stringify(text)}`);
  }
});

const two = (number) => String(number).padStart(2, "0");

test("the dates accepted are those of the calendar", () => {
  for (let year = 0; year < 10000; year += year < 2400 ? 1 : 99)
    for (let month = 0; month <= 13; month++)
      for (const day of [0, 1, 9, 10, 19, 20, 28, 29, 30, 31, 32]) {
        const date = new Date(Date.UTC(2000, month - 1, day));
        date.setUTCFullYear(year, month - 1, day);
        const isRight = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
        assert.equal(accepts("date", text), isRight, text);
      }
});

test("leap seconds end a day in UTC, whatever the offset", () => {
  let count = 0;
  for (let minute = 0; minute < 1440; minute++)
    for (let offset = -1439; offset < 1440; offset++) {
      const [size, sign] = offset < 0 ? [-offset, "-"] : [offset, "+"];
      const hours = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
      const isLast = (minute - offset + 2880) % 1440 === 1439;
      // Leap seconds occur only with offsets of whole quarters of an hour.
      if (isLast !== (minute % 15 === 14 && offset % 15 === 0) || isLast) {
        const isTaken = accepts("time", `${hours(minute)}:60${sign}${hours(size)}`);
        assert.equal(isTaken, isLast && offset % 15 === 0, `${hours(minute)}:60${sign}${hours(size)}`);
        count += +isTaken;
      }
    }
  assert.equal(count, 191);
});

test("the IP addresses accepted are those that Node accepts", () => {
  const groups = ["", "0", "f", "fFfF", "12345", "1.2.3.4", "g"];
  let count = 0;
  /** @param {string[]} parts */
  const visit = (parts) => {
    const text = parts.join(":");
    assert.equal(accepts("ipv6", text), isIP(text) === 6, text);
    count += isIP(text) === 6 ? 1 : 0;
    if (parts.length < 5) for (const group of groups) visit([...parts, group]);
  };
  for (const group of groups) visit([group]);
  for (let length = 6; length < 12; length++)
    for (let at = 0; at < length; at++)
      for (const end of ["1", "1.2.3.4", ""]) {
        const parts = Array.from({ length }, (_, index) => (index === at ? "" : "a"));
        visit([...parts.slice(0, -1), end]);
        visit([...Array.from({ length: length - 1 }, () => "a"), end]);
      }
  assert.ok(count > 100);
});

test("every text that the format regex accepts is a regular expression, with and without u", () => {
  const alphabet = [
    "a",
    "b",
    "0",
    "1",
    "9",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "?",
    "*",
    "|",
    "^",
    "\\",
    "-",
    ",",
    ":",
    "=",
    "<",
    "d",
  ];
  let count = 0;
  /** @param {string} text */
  const check = (text) => {
    if (!accepts("regex", text)) return;
    count++;
    for (const flags of ["", "u"])
      assert.doesNotThrow(() => new RegExp(text, flags), `${JSON.stringify(text)} with ${flags || "no flags"}`);
  };
  /** @param {string} text */
  const visit = (text) => {
    check(text);
    if (text.length < 4) for (const character of alphabet) visit(text + character);
  };
  visit("");
  let state = 7;
  const below = (number) => (state = (state * 48271) % 2147483647) % number;
  const parts = [
    ...alphabet,
    "(?:",
    "(?=",
    "(?<!",
    "\\d",
    "\\b",
    "\\u0041",
    "[a-",
    "{1,",
    "{2}",
    "[^",
    "c}",
    "$",
    ".",
    "+",
  ];
  for (let round = 0; round < 200000; round++)
    check(Array.from({ length: 1 + below(9) }, () => parts[below(parts.length)]).join(""));
  assert.ok(count > 5000, `${count} were taken`);
});

test("labels of idn-hostname are in normal form, and short enough in ASCII", () => {
  let state = 11;
  const below = (number) => (state = (state * 48271) % 2147483647) % number;
  const blocks = [
    0x61, 0xe0, 0x100, 0x3b1, 0x430, 0x5d0, 0x628, 0x660, 0x6f0, 0x915, 0x94d, 0xe01, 0x1e00, 0x200c, 0x3041,
  ];
  const others = [0xb7, 0x375, 0x5f3, 0x30fb, 0x4e00, 0xac00, 0x2d, 0x30, 0x300, 0x302e, 0x10400, 0x1e900, 0x20000];
  let count = 0;
  for (let round = 0; round < 300000; round++) {
    const block = [...blocks, ...others][below(blocks.length + others.length)];
    const codePoints = Array.from({ length: 1 + below(6) }, () =>
      below(4) ? block + below(40) : [...blocks, ...others][below(blocks.length + others.length)] + below(3),
    );
    const text = String.fromCodePoint(...codePoints);
    if (!accepts("idn-hostname", text) || /^[\0-\x7f]*$/.test(text)) continue;
    count++;
    assert.deepEqual([...text.normalize("NFC")].sort(), [...text].sort(), JSON.stringify(text));
    const ascii = domainToASCII(`${text}.com`); // a last label of digits would mean an IPv4 address
    assert.ok(ascii !== "" && ascii.split(".").every(({ length }) => length <= 63), JSON.stringify(text));
  }
  assert.ok(count > 10000, `${count} were taken`);
});

const folder =
  process.env.LASTINCH_TEST_DATA && join(process.env.LASTINCH_TEST_DATA, "jsonschema/JSON-Schema-Test-Suite/tests");
const skip = folder && existsSync(folder) ? false : "set LASTINCH_TEST_DATA to the folder with jsonschema/";

for (const [draft, right] of /** @type {const} */ ([
  ["draft2020-12", 746],
  ["draft7", 658],
]))
  test(`${draft}: at least ${right} of the official suite right, no invalid instance accepted`, { skip }, () => {
    let count = 0;
    for (const file of readdirSync(join(folder, draft, "optional/format")))
      for (const { schema, tests } of JSON.parse(readFileSync(join(folder, draft, "optional/format", file), "utf8")))
        for (const { data, valid } of tests) {
          const isTaken = typeof data !== "string" || !expressions.has(schema.format) || accepts(schema.format, data);
          assert.ok(valid || !isTaken, `${schema.format} takes ${JSON.stringify(data)}`);
          count += +(valid === isTaken);
        }
    assert.ok(count >= right, `${count} are right`);
  });
