// The chat templates of real models, rendered here and by Jinja2 as transformers sets it up (Debian's python3-jinja2).
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { StandIns } from "../../web/chat/stand-ins.js";
import { openTemplate } from "../../web/chat/template.js";
import { conversations } from "./conversations.js";
import { pathOf } from "./llama.js";

/** Where what is written here is not what Jinja2 writes, and why: [conversations that differ, reason]. */
const unequal = {
  // `map` of Jinja2 gives a generator, which tojson refuses; here it gives a list. With tools Jinja2 fails.
  "llama-cpp-deepseek-r1": "Jinja2 fails",
  // `'…' | safe + text` escapes the text for HTML in Jinja2: &#34; for a quotation mark. Here `safe` changes nothing.
  "meetkai-functionary-medium-v3.1": "Jinja2 writes HTML",
};

/** Templates that fail with every conversation, here and in Jinja2, and why. */
const failing = {
  "fireworks-ai-llama-3-firefunction-v2": "it wants functions as a text in `functions`",
  "firefunction-v2-70b": "the same",
  "ai-sage-GigaChat-20B-A3B-instruct": "it wants a list additional_special_tokens",
};

const folders = ["vocabularies/templates", "templates", "templates/listed"].map(pathOf);
const hasJinja = spawnSync("python3", ["-c", "import jinja2"]).status === 0;
const missing = folders.every(existsSync) ? !hasJinja && "needs python3-jinja2" : "make models gets the templates";

const date = new Date(2026, 6, 4, 9, 5, 6);
const script = new URL("../vectors/render-jinja.py", import.meta.url).pathname;

function templates() {
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".jinja"))
      .map((name) => ({ name: name.slice(0, -6), template: readFileSync(`${folder}/${name}`, "utf8") })),
  );
}

/** @param {string} template */
const casesOf = (template) =>
  Object.entries(conversations).flatMap(([name, given]) =>
    [true, false].map((isOpen) => ({
      name: `${name}${isOpen ? ", and an answer begins" : ""}`,
      template,
      values: { tools: null, ...given, add_generation_prompt: isOpen, bos_token: "<s>", eos_token: "</s>" },
    })),
  );

const byJinja = (/** @type {object[]} */ cases) =>
  JSON.parse(execFileSync("python3", [script], { input: JSON.stringify(cases), maxBuffer: 2 ** 28 }).toString());

test("real chat templates are rendered as by Jinja2", { skip: missing }, async () => {
  const standIns = new StandIns(["<|im_end|>", "[INST]", "{x}"]);
  const differing = new Map();
  const refusing = [];
  let [equal, whole] = [0, 0];
  for (const { name, template } of templates()) {
    const cases = casesOf(template);
    const parsed = await openTemplate(template);
    const expected = byJinja(cases);
    let failures = 0;
    let differences = 0;
    for (const [i, { name: conversation, values }] of cases.entries()) {
      let written;
      try {
        written = parsed.render(values, { date });
      } catch (error) {
        assert.match(error.code, /^template-/);
        failures++;
      }
      if (written !== undefined)
        assert.equal(standIns.remove(parsed.render(values, { date, standIns })), written, `${name}: ${conversation}`);
      if (expected[i].text === written) continue;
      differences++;
      if (!unequal[name]) assert.equal(written, expected[i].text ?? expected[i].error, `${name}: ${conversation}`);
    }
    if (differences) differing.set(name, differences);
    else equal++;
    if (failures === cases.length) refusing.push(name);
    whole++;
  }
  console.log(
    `${equal} of ${whole} templates are equal in ${2 * Object.keys(conversations).length} conversations each`,
  );
  assert.ok(whole >= 198);
  assert.deepEqual([...differing.keys()].sort(), Object.keys(unequal).sort());
  assert.deepEqual(refusing.sort(), Object.keys(failing).sort());
});
