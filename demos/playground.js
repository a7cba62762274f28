// The playground: joins prompt, settings, the columns of stories, the model and the address.
import { byId, make, setText } from "./dom.js";
import { Column } from "./playground/column.js";
import { Controls } from "./playground/controls.js";
import { examples } from "./playground/examples.js";
import { initialSettings } from "./playground/playground-knobs.js";
import { listenForFiles } from "./playground/file-sources.js";
import { ModelChoice, OWN } from "./playground/model-choice.js";
import { makeLegend } from "./playground/story.js";
import { unknownStep } from "./playground/texts.js";
import { hasState, newSeed, parseNumber, readState, writeState } from "./playground/url-state.js";

/** @typedef {import("../dist/index.js").Model} Model */
/** @typedef {import("./playground/url-state.js").State} State */
/** @typedef {import("./playground/url-state.js").ColumnState} ColumnState */

const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (byId(id));
const form = /** @type {HTMLFormElement} */ (byId("form"));
const promptField = input("prompt");
const seedField = input("seed");
const maxTokensField = input("max-tokens");
const named = (/** @type {string} */ name) =>
  /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(`[name=${name}]`)]);
const generateButton = /** @type {HTMLButtonElement} */ (byId("generate"));

/** @type {State} */
const defaults = {
  model: ModelChoice.usual,
  prompt: "Once upon a time, in a forest far away",
  settings: initialSettings(),
  more: {},
  kept: [],
  seed: null,
  maxTokens: 300,
  second: null,
};

/** The controls' values by column. @type {{ settings: Record<string, number>, more: Record<string, string> }[]} */
const chosen = [{ settings: { ...defaults.settings }, more: {} }];
/** The columns. The controls belong to one of them. @type {Column[]} */
const columns = [];
let active = 0;
/** Where the next messages appear: at the button, or at the text. */
let statusId = "status";

const choice = new ModelChoice(onModel);
const controls = new Controls([byId("first-knob"), byId("knobs")], defaults.settings, turned, saveState);
/** @type {import("./playground/option-finder.js").OptionFinder | undefined} */
let finder;
/** @type {import("./playground/whole-step.js").WholeStep | undefined} */
let wholeStep;
/** @type {import("./playground/conversation-panel.js").Conversation | undefined} */
let conversation;
/** @type {import("./playground/own-file.js").OwnFile | undefined} */
let ownFile;
/** @type {import("./playground/model-panel.js").ModelPanel | undefined} */
let modelPanel;

/** Says one thing at a time. @param {string} text @param {string} [id] */
function say(text, id = statusId) {
  for (const one of ["status", "share-status"]) setText(byId(one), one === id ? text : "");
}

/** @param {string} text empty: none */
function alertPerson(text) {
  const element = byId("alert");
  element.hidden = !text;
  setText(element, text);
  if (text) element.scrollIntoView({ block: "nearest" });
}

/** Shows an error as a sentence that says what to do. @param {any} error */
function explain(error) {
  const { code, message } = error;
  if (/^model-(download|stalled)$/.test(code))
    return `${message} Check that the server still runs and that dist/ has the file, or choose the other model; then press Generate again.`;
  if (code === "no-webassembly") return `${message} Without it this page cannot run its model.`;
  if (code === "conflict") return `${message} Change one of them, or press “Back to the defaults”.`;
  return code ? message : `Something unexpected went wrong: ${message ?? error}. Reload the page to start afresh.`;
}

// ---- State and address ----

/** @param {number} i of the column @returns {ColumnState} */
function columnState(i) {
  const text = columns[i]?.texts.current;
  // The ids would be other words for another model.
  const isKept = text && !text.isRecorded && choice.name !== OWN && text.setup.prompt === promptField.value;
  return { ...chosen[i], kept: isKept ? text.steps.slice(0, text.kept).map(({ id }) => id) : [] };
}

/** @returns {State} */
function currentState() {
  return {
    ...columnState(0),
    model: choice.name,
    prompt: promptField.value,
    seed: parseNumber(seedField.value, 0, Number.MAX_SAFE_INTEGER, true),
    maxTokens: parseNumber(maxTokensField.value, 1, 10_000, true) ?? defaults.maxTokens,
    second: columns[1] ? columnState(1) : null,
  };
}

/** @param {number} i of the column @returns {import("./playground/texts.js").Setup} */
function setupOf(i) {
  const { prompt, seed, maxTokens } = currentState();
  return { prompt, seed: seed ?? 0, maxTokens, settings: { ...chosen[i].settings }, more: { ...chosen[i].more } };
}

function saveState() {
  history.replaceState(null, "", writeState(currentState(), defaults));
}

/** @param {State} state @param {number} seed where the state has none */
function showState(state, seed) {
  promptField.value = state.prompt;
  seedField.value = String(state.seed ?? seed);
  choice.field.value = state.model;
  maxTokensField.value = String(state.maxTokens);
  chosen[0] = { settings: { ...state.settings }, more: { ...state.more } };
  if (state.second) chosen[1] = { settings: { ...state.second.settings }, more: { ...state.second.more } };
  showColumns(state.second ? 2 : 1);
  fitPrompt();
  choice.show();
}

/** Reads the address. A link's story is written at once; without a link the page shows a recorded story. */
async function loadState() {
  const { state, ignored } = readState(location.hash, defaults, choice.names);
  const isLink = hasState(location.hash) && !ignored.includes("v");
  const { setup, steps } = await import("./playground/recorded.js");
  showState(state, isLink ? newSeed() : setup.seed);
  const isOwn = new URLSearchParams(location.hash.slice(1)).get("model") === OWN && !choice.own;
  if (isOwn)
    say(
      "The text of this link was written by a file of one's own: choose that file under “Model” to write the text again.",
    );
  const isWritten = isLink && !isOwn;
  if (isWritten) void generate([state.kept, state.second?.kept ?? []]).finally(showRest);
  if (ignored.length)
    alertPerson(`Part of the link could not be read (${ignored.join(", ")}), so the usual settings stand there.`);
  if (isWritten) return;
  const { expand } = await import("./playground/recorded-steps.js");
  for (const [i, column] of columns.entries()) column.showRecorded({ ...setupOf(i), ...setup }, expand(steps));
  showRest();
}

/** What comes after the story no longer moves. */
const showRest = () => byId("result").classList.remove("waiting");

/** Makes the prompt's field as high as its text, where CSS does not. */
function fitPrompt() {
  if (CSS.supports("field-sizing", "content")) return;
  promptField.style.height = "auto";
  promptField.style.height = `${promptField.scrollHeight + 2}px`;
}

// ---- The model ----

function onModel() {
  // Only the person's own file can have a chat template.
  if (conversation) conversation.model = choice.name === OWN && choice.own?.config.chatTemplate ? choice.own : null;
  showMode(conversation?.model ? undefined : "write");
  void modelPanel?.refresh();
}

/** Shows a mode, or else the chosen one. @param {"write" | "chat"} [mode] */
function showMode(mode) {
  byId("modes").hidden = !conversation?.model;
  for (const radio of named("mode")) if (mode) radio.checked = radio.value === mode;
  const isChat = named("mode").some(({ checked, value }) => checked && value === "chat");
  byId("chat").hidden = !isChat;
  for (const id of ["form", "result"]) byId(id).hidden = isChat;
}

/**
 * @param {Model} model takes the place of the file that was loaded before
 * @param {string} name
 * @param {File | string} source
 */
async function takeOwn(model, name, source) {
  if (model.config.chatTemplate) await makeConversation();
  stop();
  conversation?.stop();
  choice.takeOwn(model, name, source);
  saveState();
  choice.show();
  alertPerson("");
  say(`${name} is loaded: Generate writes with it.`, "status");
  if (!conversation?.model) return generateButton.focus();
  showMode("chat");
  setText(byId("chat-status"), `${name} is loaded.`);
  conversation.focus();
}

async function makeConversation() {
  if (conversation) return;
  const { Conversation } = await import("./playground/conversation-panel.js");
  const { optionsOf } = await import("./playground/writer.js");
  const options = async (/** @type {Model} */ model) => {
    const { sampler, writing } = await optionsOf(model, setupOf(active));
    const { seed, maxTokens } = currentState();
    return { ...sampler, ...writing, seed: seed ?? undefined, maxTokens };
  };
  conversation = new Conversation(options, (error) => alertPerson(error ? explain(error) : ""));
}

async function makeOwnFile() {
  const { OwnFile } = await import("./playground/own-file.js");
  return (ownFile ??= new OwnFile(takeOwn));
}

// ---- Columns ----

/** @param {number} count */
function showColumns(count) {
  while (columns.length > count) {
    columns.pop()?.remove();
    chosen.length = count;
  }
  while (columns.length < count) addColumn(columns.length);
  byId("whose").hidden = count === 1;
  byId("columns").setAttribute("aria-pressed", String(count > 1));
  byId("papers").classList.toggle("two", count > 1);
  for (const column of columns) column.showName(count > 1);
  activate(Math.min(active, count - 1));
}

/** @param {number} i */
function addColumn(i) {
  chosen[i] ??= { settings: { ...chosen[0].settings }, more: { ...chosen[0].more } };
  const column = new Column("AB"[i], {
    takeModel: (signal) => choice.take(signal),
    loadedModel: () => choice.loaded,
    setup: () => setupOf(i),
    say,
    explain: (error) => (say(""), alertPerson(explain(error))),
    onRunning: showRunning,
    onText: () => {
      wholeStep?.refresh();
      compare();
    },
    onOpen: (one) => wholeStep?.isOpen && wholeStep.show(one),
    onWholeStep: (one) => void openWholeStep(one),
    onBan: (_, id) => toggleBan(i, "bannedTokens", ",", String(id)),
    onBanPhrase: (_, text) => toggleBan(i, "bannedStrings", "\n", text),
  });
  columns.push(column);
  byId("papers").append(column.element);
}

/** Marks where the texts of two columns part. */
function compare() {
  if (columns.length < 2 || columns.some(({ isRunning }) => isRunning)) return;
  const [a, b] = columns;
  b.markDifference(a);
  a.markDifference(b);
}

/** Gives the controls to a column. @param {number} i */
function activate(i) {
  active = i;
  for (const radio of named("whose")) radio.checked = Number(radio.value) === i;
  controls.set(chosen[i].settings);
  void finder?.show(chosen[i].more);
  const count = Object.keys(chosen[i].more).length;
  if (count) void openFinder();
}

async function openFinder() {
  if (!finder) {
    const { OptionFinder } = await import("./playground/option-finder.js");
    finder ??= new OptionFinder(byId("finder"), (more) => {
      chosen[active].more = more;
      turned();
      saveState();
    });
  }
  await finder.show(chosen[active].more);
}

/** A control of the active column has moved: if the model is loaded, the text is written again at once. */
function turned() {
  const column = columns[active];
  if (!column) return;
  chosen[active].settings = controls.values;
  statusId = "share-status";
  alertPerson("");
  if (choice.loaded && !column.texts.current?.isRecorded) column.rewriteSoon(() => setupOf(active));
  else if (column.texts.current?.isRecorded) say("The recorded story stays as it is: press Generate, and it is live.");
}

/**
 * Bans a token or a phrase in a column, or allows it again.
 * @param {number} i of the column
 * @param {"bannedTokens" | "bannedStrings"} name
 * @param {string} between those that are banned
 * @param {string} item
 */
function toggleBan(i, name, between, item) {
  const { more } = chosen[i];
  const items = (more[name] ?? "").split(between).filter((part) => part.trim());
  const at = items.findIndex((part) => part.trim() === item);
  if (at < 0) items.push(item);
  else items.splice(at, 1);
  if (items.length) more[name] = items.join(between);
  else delete more[name];
  activate(i);
  saveState();
  const column = columns[i];
  const text = column.texts.again({ ...setupOf(i), prompt: column.texts.current?.setup.prompt ?? "" });
  if (text) void column.write(text);
}

// ---- Running ----

function showRunning() {
  const isRunning = columns.some((column) => column.isRunning);
  setText(generateButton, isRunning ? "Stop" : "Generate");
  generateButton.classList.toggle("is-stop", isRunning);
  byId("another").hidden = isRunning || columns[0].texts.list.every(({ isRecorded }) => isRecorded);
  if (!isRunning) {
    saveState();
    compare();
  }
}

/**
 * Writes a story in every column, and explains any error.
 * @param {number[][]} [kept] ids with which the stories begin
 */
async function generate(kept = []) {
  statusId = "status";
  alertPerson("");
  wholeStep?.close();
  if (choice.loaded) say("Writing …");
  // On a phone the story begins below the window. The first slider stays in view.
  const papers = byId("papers");
  if (papers.getBoundingClientRect().top > innerHeight * 0.7) papers.scrollIntoView({ behavior: "instant" });
  await Promise.all(columns.map((column, i) => column.begin(setupOf(i), (kept[i] ?? []).map(unknownStep))));
}

const stop = () => columns.forEach((column) => column.stop());

// ---- One step ----

/** @param {Column} column */
async function openWholeStep(column) {
  const { WholeStep } = await import("./playground/whole-step.js");
  wholeStep ??= new WholeStep({
    loadedModel: () => choice.loaded,
    onUse: (settings) => {
      activate(columns.indexOf(/** @type {Column} */ (wholeStep?.column)));
      controls.set(settings);
      turned();
      saveState();
    },
  });
  wholeStep.show(column);
  byId("inspector").scrollIntoView({ block: "nearest", behavior: "instant" });
}

/** @param {import("./playground/examples.js").Example} example */
function tryOut({ prompt = defaults.prompt, settings, more = {}, say: words }) {
  showColumns(1);
  chosen[0] = { settings: { ...defaults.settings, ...settings }, more: { ...more } };
  promptField.value = prompt;
  fitPrompt();
  activate(0);
  byId("papers").scrollIntoView({ block: "nearest" });
  void generate().then(() => say(`${words} ${byId("status").textContent}`));
}

// ---- Wiring ----

makeLegend(byId("legend"));
byId("tries").append(
  ...examples.map((example) =>
    make("button", { type: "button", class: "quiet", text: example.name, onclick: () => tryOut(example) }),
  ),
);
const isOpened = loadState();
addEventListener("hashchange", () => {
  if (hasState(location.hash)) void loadState();
});

for (const radio of named("mode")) radio.addEventListener("change", () => showMode());
for (const radio of named("whose")) radio.addEventListener("change", () => activate(Number(radio.value)));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (columns.some((column) => column.isRunning)) stop();
  else void generate();
});
byId("another").addEventListener("click", () => {
  seedField.value = String(newSeed());
  generateButton.focus();
  void generate();
});
byId("dice").addEventListener("click", () => {
  seedField.value = String(newSeed());
  turned();
  saveState();
});
byId("columns").addEventListener("click", () => {
  showColumns(columns.length === 1 ? 2 : 1);
  if (columns.length === 2) {
    activate(1);
    void generate();
  }
  saveState();
});
byId("defaults").addEventListener("click", () => {
  maxTokensField.value = String(defaults.maxTokens);
  chosen[active] = { settings: { ...defaults.settings }, more: {} };
  activate(active);
  turned();
  saveState();
});
byId("all-options").addEventListener("toggle", () => void openFinder());
byId("copy-link").addEventListener("click", async () => {
  saveState();
  try {
    await navigator.clipboard.writeText(location.href);
    say(
      "The link is copied: it brings back this prompt, these settings and this seed, so the same story.",
      "share-status",
    );
  } catch {
    say("The browser does not let this page copy. The address bar has the link.", "share-status");
  }
});
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-save]")))
  button.addEventListener("click", async () => {
    const { save } = await import("./playground/save.js");
    say(await save(button.dataset.save ?? "", columns, currentState()).catch(explain), "share-status");
  });
for (const field of [promptField, seedField, maxTokensField]) field.addEventListener("change", saveState);
choice.field.addEventListener("change", () => {
  saveState();
  choice.show();
});
promptField.addEventListener("input", fitPrompt);
seedField.addEventListener("change", () => {
  if (currentState().seed === null) seedField.value = String(newSeed());
});
promptField.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!columns.some((column) => column.isRunning)) void generate();
});
byId("models")
  .querySelector("summary")
  ?.addEventListener("click", () => void makeOwnFile().then((file) => file.offer()), { once: true });
byId("at-work").addEventListener("toggle", async () => {
  const { ModelPanel } = await import("./playground/model-panel.js");
  modelPanel ??= new ModelPanel(choice);
  await modelPanel.refresh();
});
listenForFiles((source) => {
  if (ownFile) return void ownFile.look(source); // at once, so that nothing shows the previous file
  void makeOwnFile().then((file) => file.look(source));
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  if (columns.some((column) => column.isRunning)) stop();
  else if (conversation?.isAnswering) conversation.stop();
  else if (ownFile?.isBusy) ownFile.cancel();
  else wholeStep?.leave();
});

if (matchMedia("(max-width: 63.99rem)").matches) byId("settings").removeAttribute("open");
isOpened
  .catch((error) => {
    alertPerson(explain(error));
    showRest();
  })
  .finally(() => (generateButton.disabled = false));
