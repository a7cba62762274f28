// The watermark detector: reads the form, splits the text with a model's tokenizer, and says in words what was found.
import { byId, make, setText } from "./dom.js";
import { LONGEST, Looks, digits, inWords, ofLooks } from "./verdict.js";
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
const looks = new Looks();

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
  setText(byId("size"), "");
  try {
    const { loadModel } = await import("../dist/index.js");
    const source = files.get(name) ?? (await import("../dist/storyteller.js")).default;
    const model = await loadModel(source, {
      signal,
      onProgress: (progress) => {
        if (progress.total) bar.value = progress.loaded / progress.total;
        // Not in the status: a screen reader would read out each step.
        setText(byId("size"), formatSize(progress.loaded));
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
  if (text.length > LONGEST)
    throw new RangeError(
      `The text has ${formatCount(text.length)} characters, but at most ${formatCount(LONGEST)} are read at once. ` +
        "Nothing was looked at: paste a part of the text.",
    );
  const model = await takeModel(signal);
  const { detectWatermark } = await import("../dist/index.js");
  const detection = await detectWatermark(text, { ...mark, vocabulary: model });
  signal.throwIfAborted();
  // Another file of the same name is another tokenizer.
  const file = files.get(modelField.value);
  const tokenizer = [modelField.value, file?.size, file?.lastModified];
  // Without a token nothing was looked at.
  if (detection.tokensUsed) looks.add(text, [mark, tokenizer], detection.pValue);
  show(detection, mark);
}

/** @param {Detection} detection @param {ReturnType<typeof readMark>} mark */
function show({ pValue, score, tokensUsed }, mark) {
  const corrected = looks.corrected(pValue);
  const [verdict, meaning] = inWords(pValue, corrected, tokensUsed);
  setText(byId("verdict"), verdict);
  setText(byId("meaning"), meaning);
  setText(byId("p-value"), tokensUsed ? digits(pValue) : "–");
  setText(
    byId("score"),
    tokensUsed ? `${score.toFixed(3)} a token (unmarked: about ${usual[mark.scheme](mark)})` : "–",
  );
  setText(byId("used"), formatCount(tokensUsed));
  setText(byId("looks"), tokensUsed ? ofLooks(looks, pValue) : "");
  byId("result").className = tokensUsed && corrected <= 0.001 ? "result found" : "result";
  byId("result").hidden = false;
  setText(byId("status"), "");
  byId("verdict").focus();
}

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
