// Records what a real model answers when its thought is cut at several budgets: node demos/model/record-thinking.js (after
// make build and make models; some minutes).
import { writeFileSync } from "node:fs";
import "../../dist/inline.js";
import { loadModel } from "../../dist/index.js";
import { knobs } from "../../web/widgets/shared/knobs.js";
import { folder, sourceOf } from "./record.js";

/** @typedef {import("../../dist/index.js").Model} Model */
/** @typedef {{ text: string, thought: string, right: string, places: string[] }} Question thought: as a person would write it */

export const FILE = "TinyLlama-1.1B-Chat-Q8_0.gguf";
const COUNT = 4;
const EXAMPLES = 2;
const budgets = knobs.budget.stops ?? [];
const CLOSING = "\n</think>\n\n";

/** TinyLlama's own template, with a thought before each answer. */
export const chatTemplate = `{% for message in messages %}<|{{ message.role }}|>
{% if message.role == "assistant" %}<think>
{{ message.reasoning_content }}
</think>

{% endif %}{{ message.content }}{{ eos_token }}
{% endfor %}{% if add_generation_prompt %}<|assistant|>
<think>
{% endif %}`;

/** All shuffles follow the digits of pi, so that nobody has picked the questions. */
const PI =
  "31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679" +
  "82148086513282306647093844609550582231725359408128481117450284102701938521105559644622948954930381964428810975" +
  "66593344612847564823378678316527120190914564856692346034861045432664821339360726024914127372458700660631558817" +
  "48815209209628292540917153643678925903600113305305488204665213841469519415116094330572703657595919530921861173";

/** Words of the examples, and others of the questions: a word has one place only, or the model reads the wrong one. */
const SHOWN_WORDS = "ring key box bag car cup hat bed coin ball desk boat pen bank lake hall".split(" ");
const ASKED_WORDS = "stone glass book house tree ship shop room bus park table train".split(" ");

/** What is where: two chains. Only following one of them step by step finds its end. */
function* questions() {
  let at = 0;
  const shuffle = (/** @type {string[]} */ list) => {
    const left = [...list];
    return list.map(() => left.splice(Number(PI[at++ % PI.length]) % left.length, 1)[0]);
  };
  for (let i = 0; ; i++) {
    const words = i < EXAMPLES ? SHOWN_WORDS.slice(8 * i, 8 * i + 8) : ASKED_WORDS;
    const names = shuffle(words).slice(0, 8);
    const chain = (/** @type {number} */ from) =>
      [0, 1, 2].map((step) => `The ${names[from + step]} is in the ${names[from + step + 1]}.`);
    const text = shuffle([...chain(0), ...chain(4)]).join(" ");
    const places = [...names.slice(1, 4), ...names.slice(5)].sort();
    yield {
      text: `${text} Where is the ${names[0]} in the end?`,
      thought: chain(0).join(" "),
      right: names[3],
      places,
    };
  }
}

/** The first `count` questions after the examples, with the messages that show the examples. @param {number} count */
export function conversations(count) {
  const all = questions();
  const next = () => /** @type {Question} */ (all.next().value);
  const examples = Array.from({ length: EXAMPLES }, next);
  const shown = examples.flatMap(({ text, thought, right }) => [
    { role: "user", content: text },
    { role: "assistant", reasoning: thought, content: right },
  ]);
  const asked = Array.from({ length: count }, next).map((question) => ({
    question,
    messages: [...shown, { role: "user", content: question.text }],
  }));
  return { examples, asked };
}

/** Ids of a text in the middle of a line: at its beginning a text gets a space. @param {Model} model @param {string} text */
async function idsOf(model, text) {
  const [before, whole] = [await model.tokenize("\n"), await model.tokenize("\n" + text)];
  return whole.slice(before.length);
}

/**
 * The thought of the largest budget, and what follows each of its beginnings: the likeliest of the six places, and the
 * probability of the right one among them.
 * @param {Model} model
 * @param {ReturnType<typeof conversations>["asked"][0]} conversation
 */
async function think(model, { question: { text, right, places }, messages }) {
  const budget = budgets[budgets.length - 1];
  const greedy = { temperature: 0, choice: places };
  const { reasoning = "", tokens } = await model.answer(messages, { ...greedy, chatTemplate, reasoning: { budget } });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const pieces = [];
  // The newline that ends a thought belongs to the closing.
  const { length: whole } = reasoning.trimEnd();
  for (let length = 0; length < whole; length += pieces[pieces.length - 1].length)
    pieces.push(decoder.decode(model.vocabulary.tokens[tokens[pieces.length].id], { stream: true }));
  const prompt = await model.applyTemplate(messages, { chatTemplate, tokens: true });
  const closing = await idsOf(model, CLOSING);
  const firsts = [];
  for (const place of places) firsts.push((await idsOf(model, place))[0]);
  if (new Set(firsts).size < places.length) throw new Error("Two places begin with the same token.");
  const answers = [];
  for (const count of budgets) {
    const thought = tokens.slice(0, Math.min(count, pieces.length)).map(({ id }) => id);
    const before = [...prompt, ...thought, ...closing];
    const { text: place, tokens: written } = await model.complete(before, { ...greedy, captureLogits: true });
    const row = /** @type {Float32Array} */ (written[0].logits);
    const weights = firsts.map((id) => Math.exp(row[id] - row[firsts[0]]));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    answers.push({ place, chance: weights[places.indexOf(right)] / total });
  }
  return { text, right, pieces, answers };
}

/**
 * @param {Model} model
 * @param {number} [count] questions; a test takes fewer of them
 */
export async function recordThinking(model, count = COUNT) {
  const { examples, asked } = conversations(count);
  const recorded = [];
  for (const one of asked) recorded.push(await think(model, one));
  return {
    settings: { date: new Date().toISOString().slice(0, 10) },
    examples: examples.map(({ text, thought, right }) => ({ text, thought, right })),
    questions: recorded.map(({ text, right, pieces, answers }) => ({
      text,
      right,
      thought: pieces.join("|"),
      answers: answers.map(({ place }) => place).join(" "),
      chances: answers.map(({ chance }) => Math.round(1000 * chance)).join(" "),
    })),
  };
}

if (process.argv[1] === import.meta.filename) {
  const path = new URL(`../../build/models/${FILE}`, import.meta.url);
  const model = await loadModel(path.pathname, { contextLength: 1024, cache: false });
  const recorded = await recordThinking(model);
  model.dispose();
  writeFileSync(new URL("thinking.js", folder), await sourceOf(recorded, "record-thinking.js"));
}
