// The pages of demos/docs/: their examples run, their links lead somewhere, and what they say of options is true.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { compileGrammar, createSampler, loadModel } from "lastinch";
import presets from "../../src/tables/stages.json" with { type: "json" };
import errors from "../../src/tables/errors.json" with { type: "json" };
import { codesOf, columnOf, examplesOf, tablesOf } from "../markdown.js";
import { openPeer } from "./onnx-tools.js";

const folder = new URL("../../demos/docs/", import.meta.url);
const root = new URL("../../", import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.slice(0, -".md".length));
/** A page as it is built. */
const page = (name) => readFileSync(new URL(`${name}.html`, folder), "utf8");
const column = (name, heading) => columnOf(`demos/docs/${name}.md`, heading);

/** @type {Awaited<ReturnType<typeof openPeer>>} */
let peer;
before(async () => void (peer = await openPeer("draft")));
after(() => void peer?.model.dispose());

/** Runs an example as a module and returns what it logs. The model it downloads is ours. @param {string} example */
async function run(example) {
  Object.assign(globalThis, { location: { href: root.href } });
  const model = readFileSync(`${peer.folder.models}${peer.folder.name}/onnx/model.onnx`);
  Object.assign(globalThis, { onnxModel: model });
  const source = example
    .replace(/ from "([^".][^"]*)"/g, (_, name) => ` from ${JSON.stringify(import.meta.resolve(name))}`)
    .replaceAll("onnx-community/Qwen3-0.6B-ONNX", peer.folder.name)
    .replaceAll('"model.onnx"', "globalThis.onnxModel");
  const lines = [];
  const { log } = console;
  console.log = (...values) => lines.push(values);
  try {
    await import(`data:text/javascript,${encodeURIComponent(source)}`);
  } finally {
    console.log = log;
  }
  return lines;
}

/** The storyteller's text of 8 streams with the highest mean log-probability, by model.score. @param {string} prompt */
async function likeliest(prompt) {
  const model = await loadModel(new URL("demos/model/storyteller.gguf", root), { worker: false });
  const start = [...(await model.tokenize(prompt, { bos: true }))];
  let best = { mean: -Infinity, text: "" };
  for (let stream = 0; stream < 8; stream++) {
    const { text, tokens } = await model.complete(prompt, { stream, seed: 1, maxTokens: 30 });
    const { logprobs } = await model.score([...start, ...tokens.map(({ id }) => id)]);
    const own = logprobs.slice(start.length - 1);
    const mean = own.reduce((a, b) => a + b) / own.length;
    if (mean > best.mean) best = { mean, text };
  }
  model.dispose();
  return best.text;
}

// What each example of a page must log.
const promises = {
  start: [
    ([[token, tokens, probabilities]]) => {
      assert.ok(tokens.includes(token));
      assert.ok(Math.abs(probabilities.reduce((a, b) => a + b) - 1) < 1e-12);
    },
  ],
  transformers: [
    ([[text]]) => assert.match(text, /^Once upon a time.{40}/s),
    (lines) => {
      assert.equal(lines.length, 2);
      for (const [reason, { name, age }] of lines) {
        assert.equal(reason, "eos");
        assert.ok([...name].length <= 12 && age >= 3 && age <= 99);
      }
    },
    ([[score, text]]) => assert.ok(score < 0 && text.length > 20, `${score} ${text}`),
    (lines) => assert.deepEqual(lines, [["Hello"]]),
  ],
  json: [
    ([[{ city, days }]]) => assert.ok(["Oslo", "Lima"].includes(city) && days >= 1 && days <= 14),
    ([[{ hero, animal }]]) => assert.ok(hero.length <= 20 && ["dog", "cat", "frog"].includes(animal)),
    (lines) => {
      const [whole, final, ...growing] = lines.toReversed();
      assert.deepEqual([whole[0], final], ["whole:", ["final:", whole[1].hero]]);
      assert.ok(
        growing.length > 1 && growing.every(([label, hero]) => label === "growing:" && whole[1].hero.startsWith(hero)),
      );
    },
    ([[code, pointer, keyword], [refusals]]) => {
      assert.equal(code, "grammar-unsupported");
      assert.deepEqual([pointer, keyword], ["/properties/twice", "pattern"]);
      assert.deepEqual(
        refusals.map(({ pointer, keyword }) => [pointer, keyword]),
        [["/properties/twice", "pattern"]],
      );
    },
    (lines) => {
      const found = lines.find(([, keyword]) => keyword === "uniqueItems");
      assert.deepEqual(found, ["/", "uniqueItems", "enforced", "high"]);
      assert.ok(lines.every(([, , status]) => status === "enforced"));
    },
    ([empty]) => assert.deepEqual(empty, [false, false]),
  ],
  "structured-output": [
    ([[text]]) => assert.match(text, /^(<mood>"(happy|sad)"<\/mood>|<age>[1-9][0-9]?<\/age>)[^<]*/),
  ],
  gguf: [
    ([[reason, story]]) => {
      assert.equal(reason, "length");
      assert.match(story, /[a-z]+ [a-z]+/);
    },
  ],
  templates: [
    ([[written], ...pieces]) => {
      assert.equal(written, "system: You tell stories.\nuser: Tell one about a cat.\nassistant:");
      assert.match(pieces.join(""), /[a-z]/);
    },
  ],
  "gguf-files": [
    ([[family, types, parameters, bytes, weights, cache]]) => {
      assert.deepEqual([family, types], ["llama", "Q8_0,F32"]);
      const { size } = statSync(new URL("demos/model/storyteller.gguf", root));
      assert.equal(bytes, size);
      assert.ok(parameters > 2e6 && weights > size / 2 && weights < 1.5 * size && cache > 0);
    },
    (lines) => {
      assert.deepEqual(lines[0], [5, "strawberry"]);
      assert.deepEqual(
        lines.slice(1).map(([merged]) => merged),
        ["er", "st", "ra", "ry", "ber"],
      );
    },
  ],
  loading: [
    (lines) => {
      assert.deepEqual(lines.at(-1), ["abort"]);
      assert.deepEqual(lines.at(-2), ["100 %"]);
    },
    // Nothing is kept in Node.
    (lines) => assert.deepEqual(lines, []),
    ([[code, isOurs]]) => assert.deepEqual([code, isOurs], ["gguf-magic", true]),
  ],
  migration: [(lines) => assert.deepEqual(lines, [[1, 4]])],
  places: [([[text]]) => assert.match(text, /[a-z]+ [a-z]+/)],
  prompts: [
    ([[code], [text, cached]]) => {
      assert.equal(code, "prefix-not-kept");
      assert.ok(text.length > 10 && cached === 0, `${cached}`);
    },
    ([[cached, tokens]]) => assert.ok(cached > 8 && cached >= tokens - 1, `${cached} of ${tokens}`),
  ],
  inside: [
    ([[embedding, first], [count, weights], [logits]]) => {
      assert.ok(embedding > 0 && first > embedding);
      assert.equal(weights.length, count);
      assert.ok(logits.length === 2048);
    },
  ],
  chat: [
    ([[answer, cached], [name, city]]) => {
      assert.match(answer, /[a-z]+ [a-z]+/);
      assert.ok(cached > 20, `${cached}`);
      assert.equal(name, "weather");
      assert.ok(["Oslo", "Lima"].includes(city));
    },
    ([[thought, count], [answer]]) => {
      assert.match(thought, /[a-z]{3}.* Enough of that\.$/s);
      assert.ok(count > 40 && count < 70, `${count}`);
      assert.ok(["yes", "no"].includes(answer));
    },
    ([[counted, fits], [isSame]]) => {
      assert.match(counted, /^\d of 512 tokens$/);
      assert.deepEqual([fits, isSame], [true, true]);
    },
    ([[said]]) => assert.match(said, /^\d+ messages from messages\[0\] on, \d+ tokens, are not in the prompt$/),
  ],
  watermarks: [
    ([[byTokens], [byText], [other]]) => {
      assert.ok(byTokens.pValue < 1e-3 && byTokens.tokensUsed > 80, JSON.stringify(byTokens));
      assert.ok(byText.pValue < 1e-2 && other > 1e-3, `${byText.pValue}, another key ${other}`);
    },
    (lines) => {
      const values = lines.map(([p]) => p);
      assert.ok(values.length === 4 && values[3] < 1e-3 && values[3] < values[0], String(values));
    },
  ],
  decoding: [
    ([[beams], [drafted], [guided]]) => {
      assert.equal(beams.length, 2);
      assert.notEqual(beams[0], beams[1]);
      assert.match(drafted[0], /[a-z]+ [a-z]+/);
      assert.match(guided[0], /[a-z]+ [a-z]+/);
    },
    ([[text, kind, tokensOfPass]]) => {
      assert.match(text, /[a-z]+ [a-z]+/);
      assert.equal(kind, "eagle");
      assert.ok(tokensOfPass > 2, `${tokensOfPass}`);
    },
    async ([[best]]) => assert.equal(best, await likeliest("Tim had a red ball.")),
    ([[[answer, weight], count, words]]) => {
      assert.match(answer, /^(red|blue|green|big|small|soft)$/);
      assert.ok(weight > 0 && count > 0 && count < 12, `${count} ${words}`);
    },
    ([[first], [shown]]) => {
      assert.equal(first, " ha");
      assert.ok(shown.startsWith(" ha") && !shown.startsWith(" ha ha"), shown);
    },
    (lines) => assert.deepEqual(lines, [[6, 1, 2, 3]]),
    ([[text]]) => {
      assert.match(text, /[a-z]+ [a-z]+/);
      assert.doesNotMatch(text, /little girl|Lily|Tim\b|once upon/i);
    },
    (lines) => {
      const [speed, [memory, share, ms]] = lines.slice(-2);
      assert.match(speed[0], /^[\d.]+ ms to the first token, then [\d.]+ tokens a second$/);
      assert.ok(memory > 2e6 && share === 0 && ms > 0);
      assert.match(lines[0][0], /^\d of \d tokens of the prompt are read$/);
    },
    ([[token], [guess]]) => {
      assert.ok(token < 6);
      assert.deepEqual([...guess], [4, 1, 5]);
    },
    (results) => {
      assert.deepEqual(
        results.map(([tokens]) => [...tokens]),
        [
          [1, 0],
          [0, 0],
        ],
      );
      assert.ok(Math.abs(results[0][1] - 0.315) < 1e-6 && Math.abs(results[1][1] - 0.2) < 1e-6);
    },
    ([[tokens]]) => {
      assert.equal(tokens.length, 8);
      assert.ok(tokens.every((token) => token < 3));
    },
  ],
  training: [
    (lines) => {
      assert.deepEqual(
        lines.slice(0, 3).map(([step]) => step),
        [20, 40, 60],
      );
      assert.ok(Number(lines[2][2]) < Number(lines[0][2]), "it learns");
      assert.deepEqual(lines[3], [2, 20]);
    },
    (lines) => assert.deepEqual(lines, [["m", 4]]),
  ],
  "same-bits": [
    ([[different], [isTreeSame], [isSame, refused]]) => {
      assert.deepEqual([different, isTreeSame, isSame], [0, true, true]);
      assert.ok(refused > 0, "no wrong guess");
    },
  ],
  providers: [
    ([[story, warnings, reason]]) => {
      assert.match(story, /[a-z]+ [a-z]+/);
      assert.deepEqual([warnings, reason], [[], "length"]);
    },
    ([[story]]) => assert.match(story, /[a-z]+ [a-z]+/),
    ([[animal], [story]]) => {
      assert.equal(typeof animal, "boolean");
      assert.match(story, /[a-z]+ [a-z]+/);
    },
    ([[answer]]) => assert.ok(answer.length > 0),
  ],
  settings: [
    (lines) => {
      assert.deepEqual(
        lines.map(([name]) => name),
        ["mask", "temperature", "top_k", "min_p"],
      );
      assert.deepEqual(lines[2].slice(1), [6, 4]);
    },
  ],
  rules: [
    (lines) =>
      assert.deepEqual(lines, [
        ["default", 5],
        ["llamacpp", 3],
      ]),
  ],
};

for (const name of names) {
  const found = examplesOf(`demos/docs/${name}.md`);
  test(`${name}: the ${found.length} examples run and do what the page says`, async () => {
    const expected = promises[name] ?? [];
    assert.equal(found.length, expected.length, "an example that nothing runs");
    for (const [i, example] of found.entries()) expected[i](await run(example));
  });

  test(`${name}: every link leads to a file and an id`, () => {
    const targets = [
      ...page(name)
        .replace(/<pre>[\s\S]*?<\/pre>/g, "")
        .matchAll(/ (?:href|src)="([^"]+)"/g),
    ].map((match) => match[1]);
    assert.ok(targets.length > names.length);
    for (const target of targets) {
      assert.ok(!/^[a-z]+:/.test(target), `${target} is another site's`);
      const [path, anchor] = target.split("#");
      const file = new URL(path || `${name}.html`, folder);
      assert.ok(existsSync(file), target);
      assert.ok(!/^[a-z-]+\.md$/.test(path), `${target} leads to the text of a page`);
      if (anchor) assert.ok(readFileSync(file, "utf8").includes(`id="${anchor}"`), target);
    }
  });

  test(`${name}: the navigation is that of all pages, with this page marked`, () => {
    const nav = (html) =>
      /<nav class="pages"[^>]*>([\s\S]*?)<\/nav>/.exec(html)?.[1].replace(/ aria-current="page"/, "");
    const flat = (html) => nav(html)?.replace(/\s+/g, "");
    assert.equal(flat(page(name)), flat(page("index")));
    assert.match(page(name), new RegExp(`href="${name}.html"\\s+aria-current="page"`));
    assert.ok(page("index").includes(`href="${name}.html"`));
    const ids = [...page(name).matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    assert.equal(new Set(ids).size, ids.length, "an id that is there twice");
  });
}

/** Functions that tell whether an option's name is known: each refuses unknown names before anything else. */
async function knowers() {
  const model = await loadModel(new URL("demos/model/draft.gguf", root), { worker: false });
  const knows = async (use) => {
    try {
      await use();
    } catch (error) {
      return error.code !== "unknown-option";
    }
    return true;
  };
  return {
    dispose: () => model.dispose(),
    generate: (name) => knows(() => model.generate("a", { [name]: undefined })),
    sampler: (name) => knows(async () => (await createSampler({ vocabSize: 8, [name]: undefined })).dispose()),
    grammar: (name) => knows(() => compileGrammar({ [name]: undefined })),
    load: (name) => knows(() => loadModel(new ArrayBuffer(1), { [name]: undefined, worker: false })),
    /** Whether two names mean one option: giving both is refused. */
    async areOne(one, other) {
      try {
        model.generate("a", { [one]: 1, [other]: 1 });
      } catch (error) {
        return error.code === "conflict" && /given twice/.test(error.message);
      }
      return false;
    },
  };
}

const isName = (code) => /^[a-z]\w*$/i.test(code);

test("every option that the pages name exists", async (t) => {
  const { generate, sampler, grammar, load, areOne, dispose } = await knowers();
  t.after(dispose);
  assert.equal(await generate("topQ"), false);
  assert.equal(await sampler("beams"), false);
  assert.equal(await grammar("topK"), false);
  assert.equal(await load("topK"), false);
  for (const name of column("settings", "Option").flatMap(codesOf)) assert.ok(await generate(name), name);
  for (const page of ["json", "structured-output"])
    for (const name of column(page, "Option").flatMap(codesOf)) assert.ok(await grammar(name), name);
  for (const name of column("decoding", "Option").flatMap(codesOf)) assert.ok(await generate(name), name);
  for (const name of column("options", "option").flatMap(codesOf)) assert.ok(await sampler(name), name);
  for (const name of column("loading", "Option").flatMap(codesOf)) assert.ok(await load(name), name);

  const here = column("migration", "Here").map(codesOf);
  const also = column("migration", "Also accepted").map(codesOf);
  assert.ok(here.length > 100 && here.length === also.length);
  const isOption = async (name) => (await generate(name)) || (await sampler(name)) || (await grammar(name));
  for (const [i, [name, ...others]] of here.entries()) {
    for (const one of [name, ...others].filter(isName)) assert.ok(await isOption(one), one);
    for (const alias of also[i]) assert.ok(await areOne(name, alias), `${alias} is not ${name}`);
  }
});

test("the migration page lists every name of another system that is accepted here", async (t) => {
  const { generate, areOne, dispose } = await knowers();
  t.after(dispose);
  const there = column("migration", "There").map(codesOf);
  const here = column("migration", "Here").map(codesOf);
  const also = column("migration", "Also accepted").map(codesOf);
  for (const [i, [name]] of there.entries()) {
    if (!isName(name) || !(await generate(name)) || name === here[i][0]) continue;
    if (await areOne(name, here[i][0])) assert.ok(also[i].includes(name), `${name} is accepted for ${here[i][0]}`);
  }
});

test("the starting points are options that a sampler takes", async () => {
  const found = column("settings", "Options").flatMap(codesOf);
  assert.ok(found.length >= 5);
  for (const code of found) {
    const options = Function(`return ${code}`)();
    const sampler = await createSampler({ vocabSize: 8, ...options });
    sampler.dispose();
  }
});

test("the table of temperatures has the tokens that the sampler keeps of the storyteller's row", async () => {
  const { rows } = tablesOf("demos/docs/settings.md").find(({ caption }) => caption === "Tokens kept, by temperature");
  const table = rows.map((row) => row.map(Number));
  const model = await loadModel(new URL("demos/model/storyteller.gguf", root), { worker: false });
  const logits = await model.forward(await model.tokenize("Once upon a time, there was a", { bos: true }));
  model.dispose();
  const kept = async (options) => {
    const sampler = await createSampler({ vocabSize: logits.length, ...options });
    const { tokens } = sampler.distribution(logits);
    sampler.dispose();
    return tokens.length;
  };
  assert.equal(table.length, 5);
  for (const [temperature, ...counts] of table) {
    const cuts = [{ topP: 0.9 }, { minP: 0.1 }, { topK: 40 }];
    assert.deepEqual(await Promise.all(cuts.map((cut) => kept({ temperature, ...cut }))), counts);
  }
});

test("the orders of the presets are those of the table they come from", () => {
  const orderRows = tablesOf("demos/docs/rules.md").find(({ head }) => head.includes("Stages, in order")).rows;
  const given = orderRows.flatMap(([name]) => codesOf(name));
  const orders = orderRows.map(([, order]) => codesOf(order));
  assert.deepEqual(given, Object.keys(presets.presets));
  for (const [i, name] of given.entries()) assert.deepEqual(orders[i], presets.presets[name].order);
});

test("each lesson plan fills 45 minutes, and the citation is that of CITATION.cff", () => {
  const plans = tablesOf("demos/docs/teaching.md").filter(({ head }) => head[0] === "Minutes");
  assert.equal(plans.length, 3);
  for (const { caption, rows } of plans) {
    const spans = rows.map(([minutes]) => minutes.split("–"));
    assert.deepEqual(spans.map(([from]) => from).concat("45"), ["0", ...spans.map(([, to]) => to)], caption);
  }
  const cited = readFileSync(new URL("CITATION.cff", root), "utf8");
  const [bibtex] = examplesOf("demos/docs/teaching.md", "bibtex");
  for (const [, key, value] of cited.matchAll(/^(title|version|license): "?([^"\n]+)/gm))
    assert.ok(bibtex.includes(`${key} = {${value}}`), key);
});

test("the errors that the pages list exist", () => {
  const known = errors.map(({ code }) => code);
  const found = ["loading", "prompts", "templates"].flatMap((name) => column(name, "Code")).flatMap(codesOf);
  assert.ok(found.length > 8);
  assert.deepEqual(
    found.filter((code) => !known.includes(code)),
    [],
  );
});

test("the table of files names exactly the families and tensor types that the forward pass computes", () => {
  const source = (path) => readFileSync(new URL(path, root), "utf8");
  const cell = (head) =>
    tablesOf("demos/docs/gguf-files.md")
      .flatMap(({ rows }) => rows)
      .find(([first]) => first.startsWith(head))[1];
  const [table] = source("src/model/families.c").match(/families\[\] = \{[\s\S]*?\n\};/);
  const families = [...table.matchAll(/\.name = "([\w-]+)"/g)].map(([, family]) => family);
  assert.ok(families.includes("llama"));
  assert.deepEqual([...cell("Family").matchAll(/`([\w-]+)`:/g)].map(([, family]) => family).sort(), families.sort());
  const types = [...source("src/model/weight_type.c").matchAll(/\[LI_WEIGHT_(\w+)\] = (?!UNKNOWN)/g)].map(
    ([, type]) => type,
  );
  assert.ok(types.includes("Q4_K"));
  assert.deepEqual(cell("Types of tensors").split(", ").sort(), types.sort());
});

test("the API reference is up to date, and names every function of the package's entry", async () => {
  execFileSync(process.execPath, ["tools/docs/reference.js", "--check"], { cwd: root, stdio: "inherit" });
  for (const name of Object.keys(await import("lastinch")))
    assert.match(page("api"), new RegExp(`<h3 id="lastinch-${name}">`));
  const sections = page("api").split("<h2").slice(1);
  assert.ok(sections.length > 8);
  for (const section of sections) assert.match(section, /<h3 id=|Also, as above/, section.slice(0, 80));
});
