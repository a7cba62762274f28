// Chat templates: rendered as Jinja2 does (tests/vectors/make-chat-fixtures.js), within limits, and seeing only the
// values.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { StandIns } from "../../web/chat/stand-ins.js";
import { openTemplate } from "../../web/chat/template.js";

const { shared, cases } = JSON.parse(readFileSync(new URL("../vectors/chat-templates.json", import.meta.url), "utf8"));
const date = new Date(2026, 6, 4, 9, 5, 6);

/** @param {string} source @param {object} [values] @param {object} [options] */
const render = async (source, values = {}, options = {}) =>
  (await openTemplate(source)).render(values, { date, ...options });

for (const { name, template, values: given, text, error } of cases) {
  const values = typeof given === "string" ? shared[given] : given;
  test(`${error ? "refused" : "rendered"} as by Jinja2: ${name}`, async () => {
    if (error) await assert.rejects(render(template, values), { code: /^template-/ });
    else assert.equal(await render(template, values), text);
  });
  if (text !== undefined)
    test(`the same with stand-ins for what begins control tokens: ${name}`, async () => {
      const standIns = new StandIns(["<|im_end|>", "[INST]", "{x}", "😀"]);
      assert.equal(standIns.remove(await render(template, values, { standIns })), text);
    });
}

test("the error of a template that refuses has the template's message", async () => {
  const refusal = { code: "template-refused", message: /No system\./ };
  await assert.rejects(render("{{ raise_exception('No system.') }}"), refusal);
});

test("a template reaches nothing but the values: no constructors, prototypes or globals of JavaScript", async () => {
  const names = ["constructor", "__proto__", "prototype", "__class__", "toString", "valueOf", "hasOwnProperty"];
  const owners = [
    "''",
    "[]",
    "{}",
    "1",
    "none",
    "true",
    "messages",
    "messages[0]",
    "range",
    "namespace()",
    "'a'.upper",
    "loop",
  ];
  for (const name of names) {
    for (const owner of owners) {
      const loop = "{% for loop_ in [1] %}";
      const text = await render(
        `${loop}{{ ${owner}.${name} is defined }}{{ ${owner}['${name}'] is defined }}{% endfor %}`,
        {
          messages: [{ role: "user" }],
        },
      );
      assert.equal(text, "FalseFalse", `${owner}.${name}`);
    }
    assert.equal(await render(`{{ ${name} is defined }}{{ {}.get('${name}') }}`), "FalseNone");
    await assert.rejects(render(`{{ 'a' | ${name} }}`), { code: "template-invalid" });
    await assert.rejects(render(`{{ 'a' is ${name} }}`), { code: "template-invalid" });
  }
  for (const name of ["globalThis", "process", "window", "fetch", "Function", "this"])
    assert.equal(await render(`{{ ${name} is defined }}`), "False");
});

test("a template cannot change the caller's values, and gets no functions", async () => {
  const messages = [{ role: "user", content: "a" }];
  await assert.rejects(render("{% set messages[0].role = 'x' %}", { messages }), { code: "template-invalid" });
  await assert.rejects(render("{{ messages.pop() }}", { messages }), { code: "template-invalid" });
  assert.deepEqual(messages, [{ role: "user", content: "a" }]);
  assert.equal(await render("{{ f is defined }}", { f: () => 1 }), "False");
  assert.equal(await render("{{ m.a }}{{ m.constructor is defined }}", { m: { a: 1, constructor: 2 } }), "1True");
});

const endless = {
  "a range": "{% for i in range(1000000000) %}{% endfor %}",
  "loops in loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
  "a macro that calls itself": "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
  "macros that double": "{% macro a(n) %}{% if n %}{{ a(n - 1) }}{{ a(n - 1) }}{% endif %}{% endmacro %}{{ a(40) }}",
  "a text that doubles": "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
  "an output that grows": "{% for i in range(99999) %}{{ 'aaaaaaaaaa' * 100 }}{% endfor %}",
  "a repeated text": "{{ 'ab' * 1000000000 }}",
  "a repeated list": "{{ [1] * 1000000000 }}",
  "a list that doubles": "{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
  "JSON of a list in itself":
    "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x | tojson }}",
  "a print of a list in itself":
    "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
  "a comparison of lists in themselves":
    "{% set n = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}",
  "JSON of a deep list":
    "{% set n = namespace(x=[1]) %}{% for i in range(9999) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x | tojson }}",
  "replacements that multiply": "{{ ('a' * 90000).replace('a', 'b' * 90000) }}",
  "replacements of nothing": "{{ ('a' * 90000).replace('', 'b' * 90000) }}",
  "a wide indentation": "{{ 'a' | indent(1000000000, true) }}",
  "JSON with a wide indentation": "{{ [1] | tojson(indent=1000000000) }}",
  "lists that are joined": "{{ (['a' * 90000] * 90000) | join }}",
  "items of a long text": "{{ ('a' * 4000000) | list | length }}",
  "searches in long texts": "{% set x = 'a' * 4000000 %}{% for i in range(99999) %}{{ 'b' in x }}{% endfor %}",
  "sorts of long lists": "{% for i in range(99999) %}{% set x = range(99999) | sort %}{% endfor %}",
  "a sort of long texts": "{{ (['a' * 4000000] * 99999) | sort | length }}",
  "what is unique of long texts": "{{ (['a' * 4000000] * 99999) | unique | length }}",
  "searches by a test": "{% set x = 'a' * 4000000 %}{{ (['b'] * 99999) | select('in', x) | list | length }}",
  "tests of long texts": "{{ (['a' * 4000000] * 99999) | select('lower') | list | length }}",
  "attributes by a long path": "{{ ([{}] * 99999) | map(attribute='a.' * 2000000) | list | length }}",
  "comparisons of long texts": "{% set x = 'a' * 3999999 %}{{ (x ~ 'b') in ([x ~ 'c'] * 99999) }}",
  "places in a long text": "{% set x = 'a' * 4000000 %}{% for i in range(99999) %}{{ 'x' if x[i] == 'b' }}{% endfor %}",
  "many rows of spaces": `{{ 1 }}${`${" ".repeat(1990)}x`.repeat(130)}`,
  "parentheses in parentheses": `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`,
  "conditions in conditions": `${"{% if 1 %}".repeat(20_000)}${"{% endif %}".repeat(20_000)}`,
  "a template of a million characters": "a".repeat(1_000_000),
  "a template of spaces": `{{ 1 }}${" ".repeat(200_000)}{{ 2 }}`,
};

for (const [name, template] of Object.entries(endless))
  test(`a template that would not end gives an error: ${name}`, { timeout: 300_000 }, async () => {
    await assert.rejects(render(template), { name: "LastInchError", code: "template-limit" });
  });

test("values that are too deep are refused", async () => {
  let deep = {};
  for (let i = 0; i < 1000; i++) deep = { deep };
  await assert.rejects(render("", { deep }), { code: "template-limit" });
});

test("a value that occurs in many places is written a bounded number of times", { timeout: 300_000 }, async () => {
  let many = [1];
  for (let i = 0; i < 60; i++) many = [many, many];
  await assert.rejects(render("", { many }), { code: "template-limit" });
});

test("only numbers become numbers, and errors do not write out lists", { timeout: 300_000 }, async () => {
  const many = "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}";
  for (const end of ["{{ n.x | abs }}", "{{ n.x | round }}", "{{ [n.x] | sum }}", "{{ missing[n.x] }}"])
    await assert.rejects(render(many + end), { code: "template-invalid" });
  assert.equal(await render("{{ 3.7 | round(0, 'constructor') }}"), await render("{{ 3.7 | round }}"));
});

test("a template that is not Jinja gives an error", async () => {
  for (const template of [
    "{% if %}",
    "{{ a",
    "{% for %}",
    "{% unknown %}",
    "{{ 'a }}",
    "{% endif %}",
    "{{ a | }}",
    "{#",
    "{{ @ }}",
  ])
    await assert.rejects(render(template), { code: "template-invalid" });
});

test("a recently opened template is not parsed again", async () => {
  const first = await openTemplate("{{ 1 }}");
  assert.equal(await openTemplate("{{ 1 }}"), first);
  for (let i = 0; i < 9; i++) await openTemplate(`{{ ${i} }}`);
  assert.notEqual(await openTemplate("{{ 1 }}"), undefined);
});

test("numbers are written as Python writes them", async () => {
  const numbers = [0, -1, 1e20, 1e21, 1.5e-5, 0.0001, 123456.789, 1e-7];
  const text = "0 -1 100000000000000000000 1e+21 1.5e-05 0.0001 123456.789 1e-07";
  assert.equal(await render("{{ numbers | join(' ') }}", { numbers }), text);
});
