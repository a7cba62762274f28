// The playground: joins prompt, settings, story, step inspector, regimes and address.
import { Controls } from "./controls.js";
import { byId, make, setText } from "./dom.js";
import { formatCount, formatSize, plural } from "../web/widgets/shared/format.js";
import { initialSettings } from "./knobs.js";
import { explain, getModel, isLoaded, models, modelSize, recordedPrompts } from "./models.js";
import { Regimes } from "./regimes.js";
import { StepInspector } from "./step-inspector.js";
import { Story, makeLegend } from "./story.js";
import { hasState, newSeed, parseNumber, readState, writeState } from "./url-state.js";

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));
const form = /** @type {HTMLFormElement} */ (byId("form"));
const promptField = input("prompt");
const seedField = input("seed");
const modelField = input("model");
const maxTokensField = input("max-tokens");
const generateButton = /** @type {HTMLButtonElement} */ (byId("generate"));

/** @type {import("./url-state.js").State} */
const defaults = {
  model: models[0].name,
  prompt: "Once upon a time, in a forest far away",
  settings: initialSettings(),
  seed: null,
  maxTokens: 300,
};

/** What runs now, if anything: only one thing does. @type {AbortController | null} */
let running = null;
/** The story on the page. @type {import("./step-inspector.js").Run | null} */
let run = null;

const controls = new Controls(byId("knobs"), { name: "next", values: defaults.settings, onChange: () => saveState() });
const story = new Story(byId("story"), (index) => openStep(index));
const inspector = new StepInspector(byId("inspector"), {
  onMove: (index) => openStep(index, false),
  onClose: () => {
    story.markOpen(-1);
    story.focusCurrent();
  },
  onUse: (settings) => {
    controls.set(settings);
    saveState();
    say("The next story will use these settings.");
  },
});
const regimes = new Regimes(byId("regimes"), () => (running ? running.abort() : runRegimes()));

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
  const { state, ignored } = readState(
    location.hash,
    defaults,
    models.map(({ name }) => name),
  );
  showState(state);
  if (ignored.length)
    say(`Part of the link could not be read (${ignored.join(", ")}), so the usual settings stand there.`);
}

/** The prompt's field is as high as its text, where CSS does not do that already. */
function fitPrompt() {
  if (CSS.supports("field-sizing", "content")) return;
  promptField.style.height = "auto";
  promptField.style.height = `${promptField.scrollHeight + 2}px`;
}

/** Says which model would run, and what it costs to fetch. */
async function showModel() {
  const name = modelField.value;
  const model = isLoaded(name) ? await getModel(name, {}).catch(() => null) : null;
  if (model) {
    const { config } = model;
    setText(
      byId("honesty"),
      `Live: the model “${config.name ?? name}” (${formatSize(config.size)}, ${config.layers} layers, ` +
        `${formatCount(config.vocabSize)} tokens) computes all of this in this page.`,
    );
    return;
  }
  const size = await modelSize(name);
  if (modelField.value !== name) return;
  setText(
    byId("honesty"),
    size === null
      ? `The file demos/model/${name}.gguf is not there. Choose the other model.`
      : `Generate first loads the model, ${formatSize(size)}, from this site; it then runs in this page.`,
  );
}

// ---- Running ----

/**
 * Runs a task with the chosen model, alone; whatever it throws is explained to the person.
 * @param {(text: string) => void} tell where the task's status stands
 * @param {(model: import("../dist/index.js").Model, signal: AbortSignal) => Promise<void>} task
 */
async function withModel(tell, task) {
  const controller = new AbortController();
  running = controller;
  alertPerson("");
  showRunning();
  tell(isLoaded(modelField.value) ? "" : "Loading the model …");
  try {
    const model = await getModel(modelField.value, { onProgress: showProgress, signal: controller.signal });
    byId("progress").hidden = true;
    showModel();
    await task(model, controller.signal);
  } catch (error) {
    tell(controller.signal.aborted ? "Stopped." : "");
    if (!controller.signal.aborted) alertPerson(explain(error));
  } finally {
    byId("progress").hidden = true;
    running = null;
    showRunning();
  }
}

function showRunning() {
  const isRunning = running !== null;
  setText(generateButton, isRunning ? "Stop" : "Generate");
  generateButton.classList.toggle("is-stop", isRunning);
  regimes.showRunning(isRunning);
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

function generate() {
  saveState();
  const { prompt, settings, seed, maxTokens } = currentState();
  return withModel(say, async (model, signal) => {
    const promptIds = await model.tokenize(prompt, { bos: model.config.addBos });
    say("Writing …");
    inspector.clear();
    story.begin(prompt, model);
    // Steps can be looked at while the story runs, and when the server is gone.
    inspector.prepare(model).catch(() => {});
    run = { model, prompt, promptIds, settings, steps: story.steps };
    const started = performance.now();
    let refreshing = 0;
    /** @type {string | undefined} */
    let reason;
    try {
      const options = { maxTokens, signal, captureLogits: true, seed: seed ?? undefined, ...settings };
      for await (const { tokens, finishReason } of model.generate(prompt, options)) {
        for (const token of tokens) story.push(token);
        reason = finishReason;
        if (inspector.isOpen)
          refreshing ||= requestAnimationFrame(() => {
            refreshing = 0;
            inspector.refresh();
          });
      }
    } finally {
      story.end();
      inspector.refresh();
      const seconds = (performance.now() - started) / 1000;
      const count = story.steps.length;
      const why = {
        eos: "The story is over",
        length: "The token limit is reached",
        context: "The model's context is full",
      };
      const end = signal.aborted ? "Stopped" : (why[/** @type {keyof typeof why} */ (reason)] ?? "Broken off");
      say(`${end}: ${plural(count, "token")}, ${formatCount(Math.round(count / seconds))} a second.`);
    }
  });
}

function runRegimes() {
  const seed = currentState().seed ?? 0;
  return withModel(
    (text) => regimes.say(text),
    async (model, signal) => {
      regimes.say("Writing …");
      await regimes.run(model, seed, signal);
      regimes.say(signal.aborted ? "Stopped." : regimes.summary());
    },
  );
}

/**
 * @param {number} index
 * @param {boolean} [scrolls]
 */
async function openStep(index, scrolls = true) {
  if (!run || !run.steps[index]) return;
  const shown = run;
  story.markOpen(index);
  try {
    await inspector.prepare(shown.model);
  } catch (error) {
    return alertPerson(explain(error));
  }
  if (run !== shown) return;
  inspector.open(shown, index);
  const { top, bottom } = byId("inspector").getBoundingClientRect();
  const isInView = top < innerHeight * 0.7 && bottom > 0;
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  if (scrolls && !isInView) byId("inspector").scrollIntoView({ block: "start", behavior });
}

// ---- Wiring ----

modelField.append(...models.map(({ name, label }) => make("option", { value: name, text: label })));
makeLegend(byId("legend"));
loadState();
addEventListener("hashchange", () => {
  if (hasState(location.hash)) loadState();
});

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
  else inspector.close();
});

if (matchMedia("(max-width: 640px)").matches) byId("settings").removeAttribute("open");
generateButton.disabled = false;
regimes.enable();
recordedPrompts().then((recorded) => regimes.suggest(recorded));
