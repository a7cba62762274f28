// Words in the reader's language. English comes with each widget; a Chinese page fetches the Chinese words.

/** Texts by key; a value replaces `{name}`. @typedef {Record<string, string>} Words */

/** Words of all widgets. @type {Words} */
export const sharedWords = {
  range: "{min} to {max}",
  table: "The author's numbers",
  exact: "Worked example: computed here by lastinch's sampler from the numbers shown.",
  live: "Live: a real model computes this in your browser. Nothing is scripted.",
  both: "The worked example is computed here from the numbers shown; the rest by real models, in your browser.",
  copyLink: "Copy link",
  copyCode: "Copy embed code",
  atMost: "at most {count} characters",
  comma: ", ",
  colon: ": ",
  token: "Token",
  logit: "Logit",
  probability: "Probability",
  temperature: "Temperature",
  topK: "Top-k",
  topP: "Top-p",
  minP: "Min-p",
  repetitionPenalty: "Repetition penalty",
  seed: "Seed",
  badSeed: "A seed is a whole number, 0 or more.",
  newSeed: "New seed",
  greedy: "greedy",
  off: "off",
  kept: "kept",
  cut: "cut",
  everythingElse: "everything else ({count} tokens)",
  load: "{label} (loads {size})",
  loadAny: "{label} (loads the model)",
  loading: "Loading: {loaded} of {total}",
  cancel: "Cancel",
  stop: "Stop",
  step: "Step",
  play: "Play",
  pause: "Pause",
  reset: "Start again",
  recorded: "Recorded from the shipped model, with the settings shown.",
  pressLive: "This is a recording. Press “{press}” to run it live.",
  replay: "Replay",
  pace: "Speed",
  slow: "slow",
  medium: "medium",
  fast: "fast",
  atOnce: "all at once",
  endOfText: "end of text",
  tints: "How likely each token was:",
  startOfText: "start of text",
};

/**
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/**
 * Words in the page's language, unless that is the widget's own.
 * @param {import("./element.js").LastInchElement} element
 * @returns {Promise<Words | undefined>}
 */
export async function loadWords(element) {
  const { chinese } = element.kind;
  if (!chinese || !/^zh\b/i.test(languageOf(element))) return;
  try {
    const [shared, own] = await Promise.all([import("../chinese/shared.js"), chinese()]);
    return { ...shared.words, ...own.words };
  } catch {
    // English is better than nothing: the page may be offline.
  }
}

/** @param {Element} element */
export const languageOf = (element) =>
  element.closest("[lang]")?.getAttribute("lang") || document.documentElement.lang || "en";

/** What went wrong, as a sentence. @param {unknown} error */
export const explain = (error) => (error instanceof Error ? error.message : String(error));
