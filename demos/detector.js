// The watermark detector: reads the form, splits the text with a model's tokenizer, and says in words what was found.
import { byId, make, setText } from "./dom.js";
import { formatCount, formatSize } from "../web/widgets/shared/format.js";

/** @typedef {import("../dist/index.js").Model} Model */
/** @typedef {import("../dist/index.js").Detection} Detection */

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));
const schemeField = /** @type {HTMLSelectElement} */ (byId("scheme"));
const modelField = /** @type {HTMLSelectElement} */ (byId("model"));
const buttons = /** @type {HTMLButtonElement[]} */ ([byId("look"), byId("write-text")]);

/** What unmarked tokens score on average. @type {Record<string, (mark: { gamma?: number }) => string>} */
const usual = {
  gumbel: () => "1",
  green: ({ gamma }) => String(gamma),
  synthid: () => "0.5",
};

/** The files of the person's own, by their names in the list. @type {Map<string, File>} */
const files = new Map();
/** The model that is loaded, and its name in the list. @type {{ name: string, model: Model } | undefined} */
let loaded;
/** The present work, if any. @type {AbortController | undefined} */
let work;
/** How often the reader has looked, with whatever key and text. */
let looks = 0;

/** The mark of the form. */
function readMark() {
  const scheme = /** @type {"gumbel" | "green" | "synthid"} */ (schemeField.value);
  const number = (/** @type {string} */ id) => input(id).valueAsNumber;
  const own = { gumbel: {}, green: { gamma: number("gamma") }, synthid: { depth: number("depth") } };
  return { scheme, key: input("key").value, window: number("window"), ...own[scheme] };
}

/** Shows the fields of the scheme. The others are switched off, so that the form does not check them. */
function showScheme() {
  for (const label of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-scheme]"))) {
    label.hidden = label.dataset.scheme !== schemeField.value;
    const field = label.querySelector("input");
    if (field) field.disabled = label.hidden;
  }
}

/** The chosen model, fetched when it is first needed. @param {AbortSignal} signal */
async function takeModel(signal) {
  const name = modelField.value;
  if (loaded?.name === name) return loaded.model;
  setText(byId("status"), "Loading the model …");
  byId("progress").hidden = false;
  const bar = /** @type {HTMLProgressElement} */ (byId("bar"));
  bar.removeAttribute("value");
  try {
    const { loadModel } = await import("../dist/index.js");
    const source = files.get(name) ?? (await import("../dist/storyteller.js")).default;
    const model = await loadModel(source, {
      signal,
      onProgress: (progress) => {
        if (progress.total) bar.value = progress.loaded / progress.total;
        setText(byId("status"), `Loading the model: ${formatSize(progress.loaded)}`);
      },
    });
    loaded?.model.dispose();
    loaded = { name, model };
    return model;
  } finally {
    byId("progress").hidden = true;
  }
}

/**
 * Runs one piece of work at a time, and says what went wrong.
 * @param {(signal: AbortSignal) => Promise<void>} task
 */
async function run(task) {
  work?.abort();
  const controller = (work = new AbortController());
  const { signal } = controller;
  byId("alert").hidden = true;
  byId("stop").hidden = false;
  for (const button of buttons) button.disabled = true;
  try {
    await task(signal);
  } catch (/** @type {any} */ error) {
    setText(byId("status"), signal.aborted ? "Stopped." : "");
    if (signal.aborted) return;
    setText(byId("alert"), error.message ?? String(error));
    byId("alert").hidden = false;
    byId("alert").scrollIntoView({ block: "nearest" });
  } finally {
    if (work === controller) {
      work = undefined;
      byId("stop").hidden = true;
      for (const button of buttons) button.disabled = false;
    }
  }
}

/** Looks for the mark. @param {AbortSignal} signal */
async function look(signal) {
  const mark = readMark();
  const text = input("text").value;
  const model = await takeModel(signal);
  const { detectWatermark } = await import("../dist/index.js");
  const detection = await detectWatermark(text, { ...mark, vocabulary: model });
  signal.throwIfAborted();
  looks++;
  show(detection, mark);
}

/** @param {Detection} detection @param {ReturnType<typeof readMark>} mark */
function show({ pValue, score, tokensUsed }, mark) {
  const [verdict, meaning] = inWords(pValue, tokensUsed);
  setText(byId("verdict"), verdict);
  setText(byId("meaning"), meaning);
  setText(byId("p-value"), tokensUsed ? shown(pValue) : "–");
  setText(
    byId("score"),
    tokensUsed ? `${score.toFixed(3)} a token (unmarked: about ${usual[mark.scheme](mark)})` : "–",
  );
  setText(byId("used"), formatCount(tokensUsed));
  setText(
    byId("looks"),
    looks > 1
      ? `You have looked ${looks} times. A p-value is for one look: count the best of ${looks} as ` +
          `${shown(Math.min(1, looks * pValue))}, not as ${shown(pValue)}.`
      : "A p-value is for one look. Whoever tries several keys, passages or moments must multiply it by their number.",
  );
  byId("result").className = pValue <= 0.001 ? "result found" : "result";
  byId("result").hidden = false;
  setText(byId("status"), "");
  byId("verdict").focus();
}

/**
 * The verdict, and what it means.
 * @param {number} pValue @param {number} tokensUsed
 * @returns {[verdict: string, meaning: string]}
 */
function inWords(pValue, tokensUsed) {
  if (!tokensUsed) return ["Too short to say anything", "A token counts only after a whole window of other tokens."];
  const rare = `${oneIn(pValue)} as much as this one by chance.`;
  const short = tokensUsed < 50 ? " The text is short: even a marked one may score no more." : "";
  if (pValue <= 0.001) return ["This mark is very probably there", rare];
  if (pValue <= 0.01)
    return ["A weak sign of this mark", `${rare} In a pile of texts such a score is nothing special.`];
  return [
    "No sign of this mark",
    `${percent(pValue)} of unmarked texts score as much.${short} This says nothing about who wrote the text.`,
  ];
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toPrecision(2)} %`;

const words = new Intl.NumberFormat("en", { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 2 });

/** How rare a p-value is among unmarked texts, in words. @param {number} pValue */
const oneIn = (pValue) =>
  pValue > 1e-15
    ? `One in ${words.format(1 / pValue)} unmarked texts scores`
    : "Fewer than one in a million billion unmarked texts score";

/** @param {number} pValue */
const shown = (pValue) => (pValue < 1e-4 ? pValue.toExponential(1) : String(Number(pValue.toPrecision(2))));

/** Writes a marked text into the field. @param {AbortSignal} signal */
async function write(signal) {
  const mark = readMark();
  const watermark = mark.scheme === "green" ? { ...mark, delta: input("delta").valueAsNumber } : mark;
  const model = await takeModel(signal);
  const maxTokens = input("tokens").valueAsNumber;
  const options = {
    temperature: input("temperature").valueAsNumber,
    maxTokens,
    minTokens: maxTokens,
    watermark,
    signal,
  };
  setText(byId("status"), "Writing …");
  input("text").value = "";
  for await (const { text } of model.generate(input("prompt").value, options)) input("text").value += text;
  setText(byId("status"), signal.aborted ? "Stopped." : "Written: now look for the mark.");
}

/** @param {string} id of the form @param {(signal: AbortSignal) => Promise<void>} task */
function onSubmit(id, task) {
  byId(id).addEventListener("submit", (event) => {
    event.preventDefault();
    // The mark's fields are in the first form, and both need them.
    if (/** @type {HTMLFormElement} */ (byId("form")).reportValidity()) void run(task);
  });
}

onSubmit("form", look);
onSubmit("write-form", write);
schemeField.addEventListener("change", showScheme);
byId("stop").addEventListener("click", () => work?.abort());
input("file").addEventListener("change", () => {
  const [file] = input("file").files ?? [];
  if (!file) return;
  if (!files.has(file.name)) modelField.append(make("option", { value: file.name, text: file.name }));
  if (loaded?.name === file.name) {
    loaded.model.dispose();
    loaded = undefined;
  }
  files.set(file.name, file);
  modelField.value = file.name;
});
showScheme();
for (const button of buttons) button.disabled = false;
