// Writes chat-templates.json: what Jinja2 makes of templates of our own, which use every construct that those of model
// families use. `node tests/vectors/make-chat-fixtures.js` needs Debian's python3-jinja2.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const call = { id: "call00001", type: "function", function: { name: "look", arguments: { at: "Zürich's <1>", n: 2, o: null } } };
const tool = {
  type: "function",
  function: {
    name: "look",
    description: 'Says "what" is there.',
    parameters: {
      type: "object",
      properties: { at: { type: "string" }, items: { type: "array", items: { type: ["integer", "null"] } } },
      required: ["at"],
    },
  },
};
const talk = [
  { role: "system", content: "Be brief.\n" },
  { role: "user", content: "  Hi 😀 é\t" },
  { role: "assistant", content: "<think>\nHm.\n</think>\n\nHello!", reasoning_content: "\nHm.\n" },
  { role: "user", content: [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }] },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", content: "3", tool_call_id: "call00001", name: "look" },
];
const values = { messages: talk, tools: [tool], add_generation_prompt: true, bos_token: "<s>", eos_token: "</s>" };
const plain = { text: "The quick brown fox", list: [3, 1, 2], names: ["b", "A", "c"], map: { b: 1, A: "x", c: null, items: 4 } };

/** Templates by what they show. @type {Record<string, [template: string, values?: object]>} */
const templates = {
  "a conversation in ChatML": [
    `{%- for message in messages %}
    {%- if message.content is string %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content | trim + '<|im_end|>' + '\\n' }}
    {%- elif message.content is iterable and message.content is not mapping %}
        {%- for part in message.content if part.type == 'text' %}
            {{- part.text }}{% if not loop.last %}, {% endif %}
        {%- else %}none{% endfor %}
    {%- elif message.tool_calls %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' ~ tool_call.name ~ '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}}
</tool_call>
        {%- endfor %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
`,
  ],
  "neighbours of a loop": [
    "{% for m in messages %}{{ loop.index }}/{{ loop.index0 }}/{{ loop.revindex }}/{{ loop.revindex0 }}/{{ loop.length }} " +
      "{{ loop.previtem.role if loop.previtem is defined else '-' }}<{{ m.role }}>{{ loop.nextitem.role if loop.nextitem }} " +
      "{{ loop.first }} {{ loop.last }} {{ loop.cycle('x', 'y') }}\n{% endfor %}",
  ],
  "a namespace keeps what a loop finds, a variable does not": [
    `{%- set ns = namespace(last=messages|length - 1, seen=false) %}{% set seen = 0 %}
{%- for message in messages[::-1] %}
{%- set index = (messages|length - 1) - loop.index0 %}
{%- if not ns.seen and message.role == "user" %}{% set ns.seen = true %}{% set ns.last = index %}{% set seen = 1 %}{% endif %}
{%- if seen is defined %}{{ seen }}{% endif %}
{%- endfor %} {{ ns.last }} {{ ns.seen }} {{ seen }} {{ ns.none is defined }}`,
  ],
  "what a turn sets is gone at the next": [
    "{% for x in [1, 2] %}{% if x == 1 %}{% set y = 'set' %}{% endif %}{{ y is defined }}{% endfor %}",
  ],
  "break and continue": [
    "{% for x in range(9) %}{% if x == 1 %}skip {% continue %}{% endif %}{{ x }} {% if x == 3 %}end{% break %}{% endif %}, {% endfor %}",
  ],
  "thoughts are cut from answers": [
    `{%- for message in messages if message.role == 'assistant' and message.content %}
{%- set content = message.content %}{% set thought = '' %}
{%- if '</think>' in content %}
{%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
{%- set content = content.split('</think>')[-1].lstrip('\\n') %}
{%- endif %}[{{ thought }}|{{ content }}|{{ message.reasoning_content.strip('\\n') }}|{{ content.startswith('He') }}{{ content.endswith(('?', '!')) }}]
{%- endfor %}`,
  ],
  "macros": [
    `{%- macro shown(name, value, indent=0, end='.') -%}
{{ ' ' * indent }}{{ name }}: {% if value is mapping %}{{ '\\n' }}{% for k, v in value.items() %}{{ shown(k, v, indent + 2) }}{% endfor %}
{%- elif value is sequence and value is not string %}{{ value | join(' | ') }}{{ end }}
{% else %}{{ value }}{{ end }}
{% endif %}
{%- endmacro %}
{{- shown('tool', tools[0].function) }}{{ shown('a', 1, end='!') }}{{ shown(name='b', value=none) }}`,
  ],
  "a block that is called with its text": [
    "{% macro box(title) %}[{{ title }}: {{ caller() }}]{% endmacro %}{% call box('t') %}in {{ messages[0].role }}{% endcall %}" +
      "{% macro each(items) %}{% for i in items %}{{ caller(i) }}{% endfor %}{% endmacro %}{% call(x) each([1, 2]) %}<{{ x }}>{% endcall %}",
  ],
  "set blocks and filter blocks": [
    "{% set block %}  a {{ 1 + 1 }} {% endset %}[{{ block | trim }}]{% filter upper %}loud {{ bos_token }}{% endfilter %}",
  ],
  "JSON": [
    "{{ tools | tojson }}\n{{ tools[0] | tojson(indent=4) }}\n{{ messages[4].tool_calls[0].function.arguments | tojson(ensure_ascii=True) }}\n" +
      "{{ map | tojson(sort_keys=True, separators=(',', ':')) }}{{ [] | tojson(indent=2) }}{{ {} | tojson }}{{ [1.5, 0.00001, true, none, 'a/b\\n'] | tojson }}",
    { ...values, ...plain },
  ],
  "values are printed as Python prints them": [
    "{{ true }} {{ none }} {{ 1.5 }} {{ [1, 'a', \"it's\", none, true, {'k': [1.5]}] }} {{ map }} {{ missing }} {{ 'x' ~ none ~ 1 ~ true ~ [1] ~ missing }} {{ 7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }} {{ 'é\\n' | string }} {{ ['é\\n\\\\'] }} {{ (1, 2) }}",
    plain,
  ],
  "parts of texts and lists": [
    "{{ text[4:9] }}|{{ text[:3] }}|{{ text[-3:] }}|{{ text[::-1] }}|{{ list[1:] }}|{{ list[:-1] }}|{{ list[::2] }}|{{ list[-1] }}|{{ list[5] is defined }}|{{ text[0] }}|{{ '😀a'[0] }}|{{ '😀a'|length }}|{{ '😀ab'[1:] }}",
    plain,
  ],
  "methods of texts": [
    "{{ ' a b '.strip() }}|{{ '--a-'.strip('-') }}|{{ 'a,b,c'.split(',', 1) }}|{{ ' a  b '.split() }}|{{ 'a,b,c'.rsplit(',', 1) }}|{{ 'a\\nb\\n'.splitlines() }}|{{ text.upper() }}|{{ text.lower() }}|{{ 'hELLO wORLD'.title() }}|{{ 'hELLO'.capitalize() }}|" +
      "{{ text.replace('quick', 'slow') }}|{{ 'aaa'.replace('a', 'b', 2) }}|{{ 'abc'.find('c') }}|{{ 'abc'.find('x') }}|{{ 'abcb'.count('b') }}|{{ 'a-b-c'.partition('-') | join('+') }}|{{ '{}-{}'.format('a', 1) }}|{{ '12'.isdigit() }}|{{ 'ab'.isalpha() }}|{{ '-'.join(['a', 'b']) }}|{{ 'prefix-x'.removeprefix('prefix-') }}|{{ 'x.py'.removesuffix('.py') }}",
    plain,
  ],
  "methods of mappings": [
    "{% for k, v in map.items() %}{{ k }}={{ v }};{% endfor %}{{ map.get('b') }}{{ map.get('z') }}{{ map.get('z', 'd') }}{{ map.keys() | list }}{{ map.values() | list }}{{ map['items'] }}{{ 'b' in map }}{{ 'z' not in map }}{{ map | length }}{% for k in map %}{{ k }}{% endfor %}{{ {1: 'one'}[1] }}",
    plain,
  ],
  "filters": [
    "{{ names | join('/') }}|{{ names | first }}|{{ names | last }}|{{ names | sort | join }}|{{ list | sort(reverse=true) | join(',') }}|{{ map | dictsort | list }}|{{ names | reverse | list }}|{{ [1, 2, 1] | unique | list }}|{{ 'a\\nb\\n\\nc' | indent }}|{{ 'a\\nb' | indent(2, true) }}|{{ missing | default('d') }}|{{ '' | default('e', true) }}|{{ none | d('f') }}|{{ '42' | int + 1 }}|{{ 'x' | int }}|{{ 3.7 | int }}|{{ '2.5' | float }}|{{ -3 | abs }}|{{ 2.567 | round(2) }}|{{ list | max }}{{ list | min }}{{ list | sum }}|{{ ' x ' | trim }}|{{ 'ab' | upper | lower | capitalize }}|{{ 'ab cd' | title }}|{{ 'ab' | list }}|{{ 'aXb' | replace('X', '-') }}|{{ missing | length }}|{{ 'a' | safe }}|{{ map | items | list }}",
    plain,
  ],
  "choosing and mapping": [
    "{{ messages | selectattr('role', 'equalto', 'user') | list | length }}{{ messages | rejectattr('role', 'equalto', 'user') | map(attribute='role') | join(',') }}{{ messages | selectattr('tool_calls') | list | length }}{{ messages | selectattr('tool_calls', 'defined') | list | length }}{{ ['a', 'b'] | map('upper') | join }}{{ [1, 2, 3] | select('odd') | list }}{{ [1, none] | reject('none') | list }}{{ messages | map(attribute='name', default='-') | list }}",
  ],
  tests: [
    "{{ 1 is number }}{{ 'a' is string }}{{ [] is sequence }}{{ {} is mapping }}{{ 'a' is iterable }}{{ none is none }}{{ missing is undefined }}{{ true is boolean }}{{ true is true }}{{ 1 is integer }}{{ 1.5 is float }}{{ 3 is odd }}{{ 4 is even }}{{ 1 is not none }}{{ missing is not defined }}{{ {} is sequence }}{{ 'a' is mapping }}{{ true is number }}{{ true is integer }}",
  ],
  comparisons: [
    "{{ 1 == 1.0 }}{{ '1' == 1 }}{{ true == 1 }}{{ [1, [2]] == [1, [2]] }}{{ {'a': 1} == {'a': 1} }}{{ none == false }}{{ 'a' < 'b' }}{{ 1 <= 1 }}{{ 2 > 1 >= 1 }}{{ 'b' in 'abc' }}{{ 2 in [1, 2] }}{{ [1] in [[1]] }}{{ 'a' not in ['b'] }}{{ not [] }}{{ [] or 'x' }}{{ 'y' and 0 }}{{ 'a' if false }}|{{ 'a' if 0 else 'b' }}{{ missing == missing }}{{ 1 in missing }}",
  ],
  "dates, ranges and dictionaries": [
    "{{ strftime_now('%d %b %Y') }} {{ strftime_now('%A, %B %-d, %Y %H:%M:%S %p %%') }} {{ range(3) | list }}{{ range(5, 0, -2) | list }}{{ dict(a=1) }}",
  ],
  "what is not there has no items": ["{% for x in missing %}x{% else %}none{% endfor %}{{ missing }}{{ missing | join }}{{ missing is none }}"],
  "white space": [
    "a\n  {% if true %}\n  b\n  {%- endif %}\n{# c #}\n   {{ 'd' }}\n\n{%- set x = 1 -%}   \n e {{- x -}} \n f\n  {# g -#}  \n h\n",
  ],
  "what the assistant says is marked": ["x {% generation %} a {% endgeneration %}\n{%- generation -%} b {%- endgeneration -%} y"],
  "a refusal": ["{% if messages[0].role == 'system' %}{{ raise_exception('No system, please.') }}{% endif %}"],
  "a name that is missing": ["{{ missing.content }}"],
  "a text and none": ["{{ 'a' + none }}"],
  "a text and a number": ["{{ 'a' + 1 }}"],
  "a change of a list": ["{% set _ = messages.append(1) %}"],
  "a filter that is missing": ["{{ 'a' | from_json }}"],
  "a range that is too long": ["{% for x in range(1000000) %}{% endfor %}"],
  "a loop over none": ["{% for x in none %}{% endfor %}"],
};

const cases = Object.entries(templates).map(([name, [template, own = values]]) => ({ name, template, values: own }));
const results = JSON.parse(
  execFileSync("python3", ["tests/vectors/render-jinja.py"], {
    input: JSON.stringify(cases.map((one) => ({ template: one.template, values: one.values }))),
  }).toString(),
);
const fixtures = cases.map((one, i) => ({ ...one, ...results[i] }));
const shared = { values, plain };
const lean = fixtures.map(({ values: own, ...one }) => ({ ...one, values: own === plain ? "plain" : own === values ? "values" : own }));
writeFileSync("tests/vectors/chat-templates.json", `${JSON.stringify({ shared, cases: lean }, null, 1)}\n`);
