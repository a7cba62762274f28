// The story of the landing page. A recording plays. The slider's first move fetches the model, which then rewrites the
// text of the same seed at every move.
import { formatPercent, formatSize, surpriseClass } from "../web/widgets/shared/format.js";
import { byId, make, setText } from "./dom.js";
import { options, prompt } from "./hero-settings.js";
import { bars, texts } from "./recorded/hero.js";
import { openStoryteller, storytellerSize } from "./storyteller.js";

/** Milliseconds for each recorded token: slow enough to watch the bars. */
const PACE = 260;

/** @typedef {{ text: string, surprise: number }} Token */
/** @typedef {{ text: string, probability: number }} Share */

const slider = /** @type {HTMLInputElement} */ (byId("temperature"));
const playButton = /** @type {HTMLButtonElement} */ (byId("play"));
const story = byId("text");
const temperature = () => Number(slider.value);

// ---- What is shown ----

/** Shows a text whose first `count` tokens are written. @param {Token[]} tokens @param {number} [count] */
function showText(tokens, count = tokens.length) {
  const parts = tokens.flatMap(({ text, surprise }, i) => {
    const state = i >= count ? " later" : i === count - 1 && count < tokens.length ? " newest" : "";
    // The space stays outside, so that marks hug the words.
    const space = /^ (?=.)/.exec(text)?.[0] ?? "";
    const properties = { class: "token" + state, "data-surprise": surprise, text: text.slice(space.length) };
    return [space, make("span", properties)];
  });
  story.replaceChildren(make("span", { class: "prompt", text: prompt }), ...parts);
}

const rows = [.../** @type {NodeListOf<HTMLTableRowElement>} */ (document.querySelectorAll("#bars tr"))];

/** @param {Share[]} shares the likeliest first @param {string} [drawn] */
function showBars(shares, drawn) {
  rows.forEach((row, i) => {
    const { text, probability } = shares[i] ?? { text: "", probability: 0 };
    const [head, bar, number] = row.cells;
    setText(head, text.trim() || (text ? "⏎" : "–"));
    /** @type {HTMLElement} */ (bar.firstElementChild).style.setProperty("--share", String(probability));
    setText(number, text ? formatPercent(probability) : "");
    row.classList.toggle("drawn", text !== "" && text.trim() === drawn?.trim());
  });
}

/** @param {string} lead @param {string} text */
const saySource = (lead, text) => byId("source").replaceChildren(make("b", { text: lead }), " ", text);

// ---- The recording ----

/** @param {typeof texts[number]} recorded @returns {Token[]} */
const tokensOf = ({ tokens, tints }) => tokens.split("|").map((text, i) => ({ text, surprise: Number(tints[i]) }));
const opening = tokensOf(texts.find((one) => one.temperature === options.temperature) ?? texts[0]);

/** @param {number} step @returns {Share[]} */
function recordedShares(step) {
  const parts = bars[step].split("|");
  return Array.from({ length: parts.length / 2 }, (_, i) => ({
    text: parts[2 * i],
    probability: Number(parts[2 * i + 1]),
  }));
}

/** How many tokens of the recording are written. */
let written = 0;
let timer = 0;

function playStep() {
  timer = 0;
  if (written >= opening.length) written = 0;
  showText(opening, written + 1);
  showBars(recordedShares(written), opening[written].text);
  written++;
  if (written < opening.length) timer = setTimeout(playStep, PACE);
  showButton();
}

function stopPlaying() {
  clearTimeout(timer);
  timer = 0;
  showButton();
}

function showButton() {
  setText(playButton, timer ? "Pause" : written < opening.length ? "Play" : "Play again");
}

playButton.addEventListener("click", () => (timer ? stopPlaying() : playStep()));

// ---- The model ----

/** @type {import("../dist/index.js").Model | undefined} */
let model;
/** @type {import("../dist/index.js").Sampler | undefined} */
let sampler;
/** The row after the prompt. @type {Float32Array | undefined} */
let first;
let isLoading = false;
let isWriting = false;

/** Without a model, shows the recording nearest to the slider. */
function showNearest() {
  const at = temperature();
  const distance = (/** @type {{ temperature: number }} */ one) => Math.abs(one.temperature - at);
  const nearest = texts.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  showText(tokensOf(nearest));
  return nearest.temperature;
}

async function load() {
  isLoading = true;
  byId("alert").hidden = true;
  try {
    const api = import("../dist/index.js");
    const opened = await openStoryteller({
      onProgress: ({ loaded, total }) =>
        setText(byId("cost"), `Loading the model: ${formatSize(loaded)} of ${formatSize(total)}.`),
    });
    const tokens = opened.vocabulary.tokens;
    sampler = await (await api).createSampler({ vocabSize: tokens.length });
    first = await opened.forward(await opened.tokenize(prompt), { rows: "last" });
    model = opened;
    setText(byId("cost"), "The model is here. Same seed, same luck: only the temperature changes.");
    byId("said").textContent = "The model is loaded.";
  } catch (/** @type {any} */ error) {
    const alert = byId("alert");
    alert.hidden = false;
    alert.textContent = `The model could not be loaded. ${error.message} Move the slider to try again.`;
  } finally {
    isLoading = false;
  }
}

/** Shows the shares of the token after the prompt. */
function showFirstRow() {
  if (!model || !sampler || !first) return;
  sampler.set({ temperature: temperature() });
  const { tokens, probabilities } = sampler.distribution(first);
  const text = (/** @type {number} */ id) => new TextDecoder().decode(model?.vocabulary.tokens[id]);
  showBars(
    Array.from(tokens.slice(0, rows.length), (id, i) => ({ text: text(id), probability: probabilities[i] })),
    story.querySelector(".token")?.textContent ?? "",
  );
}

/** Writes the text at the slider's temperature, until the slider rests. */
async function rewrite() {
  if (!model || isWriting) return;
  isWriting = true;
  for (let at = NaN; at !== temperature();) {
    at = temperature();
    /** @type {Token[]} */
    const tokens = [];
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for await (const chunk of model.generate(prompt, { ...options, temperature: at }))
      for (const { id, rawLogprob } of chunk.tokens)
        tokens.push({
          text: decoder.decode(model.vocabulary.tokens[id], { stream: true }),
          surprise: surpriseClass(Math.exp(rawLogprob)),
        });
    showText(tokens);
    showFirstRow();
    story.dataset.live = String(at);
    saySource("Live.", `Written on your machine at temperature ${at}, with seed ${options.seed}.`);
  }
  isWriting = false;
  tell();
}

/** Whether the slider was let go, so that a screen reader tells the text when it is written. */
let isAwaited = false;

function tell() {
  if (!model || isWriting || !isAwaited) return;
  isAwaited = false;
  byId("said").textContent = `Rewritten at temperature ${slider.value}: ${story.textContent}`;
}

async function follow() {
  isAwaited = false;
  setText(byId("shown"), slider.value);
  stopPlaying();
  playButton.hidden = true;
  if (model) showFirstRow();
  else {
    const recorded = showNearest();
    saySource("Recorded", `at temperature ${recorded}, until the model is here.`);
    if (!isLoading) await load();
  }
  await rewrite();
}

slider.addEventListener("input", follow);
// A finger on the slider counts before it moves.
slider.addEventListener("pointerdown", () => !model && !isLoading && follow());
slider.addEventListener("change", () => {
  isAwaited = true;
  tell();
});

setText(byId("size"), formatSize(storytellerSize));
slider.disabled = false;
playButton.disabled = false;
if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
  written = opening.length;
  showText(opening);
  showBars(recordedShares(0), opening[0].text);
  showButton();
} else playStep();
