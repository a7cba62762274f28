// The playground: joins prompt, settings, story, widgets and address.
import "../dist/widget-failure-modes.js";
import "../dist/widget-inspector.js";
import { acquireModel, loadedModel, modelSize, samplerFor } from "../dist/widgets-base.js";
import { Controls } from "./controls.js";
import { Conversation } from "./conversation.js";
import { byId, make, setText } from "./dom.js";
import { formatCount, formatPercent, formatSize, plural } from "../web/widgets/shared/format.js";
import { describeSettings, initialSettings, knobs } from "./knobs.js";
import { OwnFile } from "./own-file.js";
import { Story, makeLegend } from "./story.js";
import { hasState, newSeed, parseNumber, readState, writeState } from "./url-state.js";

/**
 * A story with what it was written with: what the inspector looks into.
 * @typedef {object} Run
 * @property {import("../dist/index.js").Model} model
 * @property {number[]} ids of the prompt
 * @property {import("./story.js").Step[]} steps
 * @property {Record<string, number>} settings
 */

/** The shipped models that write stories, by their names. @type {Record<string, string>} */
const models = { storyteller: "Storyteller", draft: "Tiny: a tenth of its size" };
/** What stands for a loaded file of the person's own in the list of models. */
const OWN = "own";
/** Bytes of logits that a story may keep for its steps: a large vocabulary takes 0.6 MB a step. */
const MOST_LOGITS = 2 ** 28;
const PROMPTS_THAT_LOOP = 4;

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));
const form = /** @type {HTMLFormElement} */ (byId("form"));
const promptField = input("prompt");
const seedField = input("seed");
const modelField = input("model");
const maxTokensField = input("max-tokens");
const radios = [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[name=mode]"))];
const generateButton = /** @type {HTMLButtonElement} */ (byId("generate"));

/** @type {import("./url-state.js").State} */
const defaults = {
  model: Object.keys(models)[0],
  prompt: "Once upon a time, in a forest far away",
  settings: initialSettings(),
  seed: null,
  maxTokens: 300,
};

/** What runs now, if anything: only one thing does. @type {AbortController | null} */
let running = null;
/** The story on the page. @type {Run | null} */
let run = null;
/** The person's own file, once loaded. @type {{ model: import("../dist/index.js").Model, name: string } | null} */
let own = null;

const controls = new Controls(byId("knobs"), defaults.settings, () => saveState());
const story = new Story(byId("story"), (index) => openStep(index));
const ownFile = new OwnFile(takeOwn);
const conversation = new Conversation(
  () => {
    const { settings, seed, maxTokens } = currentState();
    return { ...settings, seed: seed ?? undefined, maxTokens };
  },
  (error) => alertPerson(error ? explain(error) : ""),
);
/** @type {any} */
const inspector = document.querySelector("lastinch-inspector");
/** @type {any} */
const regimes = document.querySelector("lastinch-failure-modes");

/** @param {string} text */
const say = (text) => setText(byId("status"), text);

/** @param {string} text empty: none */
function alertPerson(text) {
  const element = byId("alert");
  element.hidden = !text;
  setText(element, text);
  if (text) element.scrollIntoView({ block: "nearest" });
}

// ---- State and address ----

/** @returns {import("./url-state.js").State} */
function currentState() {
  return {
    model: modelField.value,
    prompt: promptField.value,
    settings: controls.values,
    seed: parseNumber(seedField.value, 0, Number.MAX_SAFE_INTEGER, true),
    maxTokens: parseNumber(maxTokensField.value, 1, 10_000, true) ?? defaults.maxTokens,
  };
}

function saveState() {
  const state = currentState();
  history.replaceState(null, "", writeState(state, defaults));
}

/** @param {import("./url-state.js").State} state */
function showState(state) {
  promptField.value = state.prompt;
  seedField.value = String(state.seed ?? newSeed());
  modelField.value = state.model;
  maxTokensField.value = String(state.maxTokens);
  controls.set(state.settings);
  fitPrompt();
  showModel();
}

function loadState() {
  const names = [...modelField.options].map(({ value }) => value);
  const { state, ignored } = readState(location.hash, defaults, names);
  showState(state);
  if (new URLSearchParams(location.hash.slice(1)).get("model") === OWN && !own)
    say(
      "The text of this link was written by a file of one's own: choose that file under “Model” to write the text again.",
    );
  else if (ignored.length)
    say(`Part of the link could not be read (${ignored.join(", ")}), so the usual settings stand there.`);
}

/** The prompt's field is as high as its text, where CSS does not do that already. */
function fitPrompt() {
  if (CSS.supports("field-sizing", "content")) return;
  promptField.style.height = "auto";
  promptField.style.height = `${promptField.scrollHeight + 2}px`;
}

/** @param {string} name */
const loadedOne = (name) => (name === OWN ? own?.model : loadedModel(name));

/** Says which model would run, and what it costs to fetch. */
function showModel() {
  const name = modelField.value;
  const config = loadedOne(name)?.config;
  setText(byId("model-name"), modelField.selectedOptions[0].text);
  setText(
    byId("honesty"),
    config
      ? `Live: the model “${config.name ?? name}” (${formatSize(config.size)}, ${config.layers} layers, ` +
          `${formatCount(config.vocabSize)} tokens) computes all of this in this page.`
      : `Generate first loads the model, ${formatSize(modelSize(name))}, from this site; it then runs in this page.`,
  );
  if (name !== OWN) regimes.src = name;
  // Only a file of one's own may have a chat template.
  conversation.model = name === OWN && config?.chatTemplate ? (own?.model ?? null) : null;
  showMode(conversation.model ? undefined : "write");
}

/** Shows one of the two modes, or the one that is chosen. @param {"write" | "chat"} [mode] */
function showMode(mode) {
  byId("modes").hidden = !conversation.model;
  for (const radio of radios) if (mode) radio.checked = radio.value === mode;
  const isChat = radios.some(({ checked, value }) => checked && value === "chat");
  byId("chat").hidden = !isChat;
  for (const id of ["form", "paper", "inspector", "regimes"]) byId(id).hidden = isChat;
}

// ---- Running ----

function showRunning() {
  const isRunning = running !== null;
  setText(generateButton, isRunning ? "Stop" : "Generate");
  generateButton.classList.toggle("is-stop", isRunning);
  byId("another").hidden = isRunning || !run;
}

/** @param {{ loaded: number, total: number }} progress total 0: unknown */
function showProgress({ loaded, total }) {
  byId("progress").hidden = false;
  const bar = /** @type {HTMLProgressElement} */ (byId("progress-bar"));
  if (total) bar.value = loaded / total;
  else bar.removeAttribute("value");
  setText(byId("progress-text"), `Loading the model: ${formatSize(loaded)}${total ? ` of ${formatSize(total)}` : ""}`);
}

/** Writes a story; whatever goes wrong is explained to the person. */
async function generate() {
  saveState();
  const state = currentState();
  const controller = new AbortController();
  const { signal } = controller;
  running = controller;
  alertPerson("");
  showRunning();
  const known = loadedOne(state.model);
  say(known ? "" : "Loading the model …");
  try {
    const model = known ?? (await acquireModel(state.model, { onProgress: showProgress, signal })).model;
    byId("progress").hidden = true;
    showModel();
    await write(model, state, signal);
  } catch (error) {
    say(signal.aborted ? "Stopped." : "");
    if (!signal.aborted) alertPerson(explain(error));
  } finally {
    byId("progress").hidden = true;
    running = null;
    showRunning();
  }
}

/**
 * @param {import("../dist/index.js").Model} model
 * @param {import("./url-state.js").State} state
 * @param {AbortSignal} signal
 */
async function write(model, { prompt, settings, seed, maxTokens }, signal) {
  const ids = await model.tokenize(prompt, { bos: model.config.addBos });
  say("Writing …");
  closeStep();
  story.begin(prompt, model);
  // Steps can be looked at while the story runs, and when the server is gone.
  samplerFor(model.config.vocabSize).catch(() => {});
  run = { model, ids, settings, steps: story.steps };
  const started = performance.now();
  let refreshing = 0;
  /** @type {string | undefined} */
  let reason;
  const most = Math.floor(MOST_LOGITS / (4 * model.config.vocabSize));
  try {
    const options = {
      maxTokens: Math.min(maxTokens, most),
      signal,
      captureLogits: true,
      seed: seed ?? undefined,
      ...settings,
    };
    for await (const { tokens, finishReason } of model.generate(prompt, options)) {
      for (const token of tokens) story.push(token);
      reason = finishReason;
      // The step that is open may have a next one now.
      refreshing ||= requestAnimationFrame(() => {
        refreshing = 0;
        inspector.requestUpdate();
      });
    }
  } finally {
    story.end();
    inspector.requestUpdate();
    const seconds = (performance.now() - started) / 1000;
    const count = story.steps.length;
    const why = {
      eos: "The story is over",
      length: maxTokens > most ? "The page has room for no more steps" : "The token limit is reached",
      context: "The model's context is full",
    };
    const end = signal.aborted ? "Stopped" : (why[/** @type {keyof typeof why} */ (reason)] ?? "Broken off");
    say(`${end}: ${plural(count, "token")}, ${formatCount(Math.round(count / seconds))} a second.`);
  }
}

/**
 * What went wrong, as a sentence that says what to do.
 * @param {any} error
 */
function explain(error) {
  const { code, message } = error;
  if (/^model-(download|stalled)$/.test(code))
    return `${message} Check that the server still runs and that dist/ has the file, or choose the other model; then press Generate again.`;
  if (code === "no-webassembly") return `${message} Without it this page cannot run its model.`;
  return code ? message : `Something unexpected went wrong: ${message ?? error}. Reload the page to start afresh.`;
}

// ---- A file of one's own ----

/**
 * @param {import("../dist/index.js").Model} model takes the place of the file that was loaded before
 * @param {string} name
 */
function takeOwn(model, name) {
  running?.abort();
  conversation.stop();
  own?.model.dispose();
  own = { model, name };
  modelField.querySelector(`[value=${OWN}]`)?.remove();
  modelField.append(make("option", { value: OWN, text: name }));
  modelField.value = OWN;
  saveState();
  showModel();
  alertPerson("");
  say(`${name} is loaded: Generate writes with it.`);
  if (!conversation.model) return generateButton.focus();
  showMode("chat");
  setText(byId("chat-status"), `${name} is loaded.`);
  conversation.focus();
}

// ---- One step ----

/** @param {number} index */
function openStep(index) {
  if (!run?.steps[index]) return;
  byId("step-placeholder").hidden = true;
  byId("close-step").hidden = byId("step").hidden = false;
  if (inspector.written !== run) {
    inspector.written = run;
    useStorysSettings();
  }
  inspector.turn("step", index + 1, true);
  const { top, bottom } = byId("inspector").getBoundingClientRect();
  const isInView = top < innerHeight * 0.7 && bottom > 0;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  if (!isInView) byId("inspector").scrollIntoView({ block: "start", behavior });
}

/** The widget shows another step, or this one under other settings. */
function showStep() {
  if (!run) return;
  const { steps, settings } = run;
  const index = inspector.step - 1;
  story.markOpen(index);
  const drawn =
    settings.temperature === 0
      ? "Taken as the likeliest token"
      : `Drawn with probability ${formatPercent(steps[index].probability)} among those that were left`;
  setText(byId("drawn"), `${drawn}, at ${describeSettings(settings)}.`);
  const isMoved = knobs.some(({ key }) => inspector[key] !== settings[key]);
  for (const id of ["storys", "use"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = !isMoved;
}

function useStorysSettings() {
  Object.assign(inspector, run?.settings);
  showStep();
}

function closeStep() {
  byId("step-placeholder").hidden = false;
  byId("close-step").hidden = byId("step").hidden = true;
  inspector.written = undefined;
  story.markOpen(-1);
}

/** Back to the token from which the step was opened. */
function leaveStep() {
  if (byId("step").hidden) return;
  closeStep();
  story.focusCurrent();
}

// ---- Wiring ----

inspector.texts = {
  title: "What else could have come",
  lead: "The sliders run the sampler again on what the model said at this step; the model rests.",
};
for (const name of ["lastinch-input", "lastinch-change"]) inspector.addEventListener(name, showStep);
byId("close-step").addEventListener("click", leaveStep);
byId("storys").addEventListener("click", useStorysSettings);
byId("use").addEventListener("click", () => {
  controls.set(Object.fromEntries(knobs.map(({ key }) => [key, inspector[key]])));
  saveState();
  say("The next story will use these settings.");
});

modelField.append(...Object.entries(models).map(([value, text]) => make("option", { value, text })));
makeLegend(byId("legend"));
loadState();
addEventListener("hashchange", () => {
  if (hasState(location.hash)) loadState();
});

for (const radio of radios) radio.addEventListener("change", () => showMode());

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else generate();
});
byId("another").addEventListener("click", () => {
  seedField.value = String(newSeed());
  generateButton.focus();
  generate();
});
byId("dice").addEventListener("click", () => {
  seedField.value = String(newSeed());
  saveState();
});
byId("defaults").addEventListener("click", () => {
  controls.set(defaults.settings);
  maxTokensField.value = String(defaults.maxTokens);
  saveState();
});
byId("copy-link").addEventListener("click", async () => {
  saveState();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied: it brings back this prompt, these settings and this seed, so the same story.");
  } catch {
    say("The browser does not let this page copy. The address bar has the link.");
  }
});
for (const field of [promptField, seedField, maxTokensField]) field.addEventListener("change", saveState);
modelField.addEventListener("change", () => {
  saveState();
  showModel();
});
promptField.addEventListener("input", fitPrompt);
seedField.addEventListener("change", () => {
  if (currentState().seed === null) seedField.value = String(newSeed());
});
promptField.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!running) generate();
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  if (running) running.abort();
  else if (conversation.isAnswering) conversation.stop();
  else if (ownFile.isBusy) ownFile.cancel();
  else leaveStep();
});

if (matchMedia("(max-width: 640px)").matches) byId("settings").removeAttribute("open");
generateButton.disabled = false;
suggestLoops().catch(() => {});

/** Prompts on which greedy decoding was recorded to loop, well before the widget stops. */
async function suggestLoops() {
  const { loops } = await (await fetch(new URL("model/prompts.json", import.meta.url))).json();
  const isSeen = (/** @type {{ loopStart: number, period: number }} */ { loopStart, period }) =>
    loopStart + 3 * period < regimes.count;
  const buttons = loops
    .filter(isSeen)
    .slice(0, PROMPTS_THAT_LOOP)
    .map((/** @type {{ prompt: string }} */ { prompt }) =>
      make("button", { type: "button", class: "quiet", text: prompt, onclick: () => (regimes.prompt = prompt) }),
    );
  byId("loops").append(...buttons);
  byId("loops").hidden = false;
}
