// The end of the lesson: a story with the settings that the reader chose, to keep as a picture or continue in the
// playground.
import { formatSize, surpriseClass } from "../web/widgets/shared/format.js";
import { byId, make, setText } from "./dom.js";
import { paintStory } from "./picture.js";
import { openStoryteller } from "./storyteller.js";

const prompt = "The cat sat on the";
const MAX_TOKENS = 60;
const WAIT = 2000;

/** @typedef {import("./picture.js").Word} Word */

const form = /** @type {HTMLFormElement} */ (byId("ending-form"));
const writeButton = /** @type {HTMLButtonElement} */ (byId("ending-write"));
const pictureButton = /** @type {HTMLButtonElement} */ (byId("ending-picture"));
// The lesson as one file has no other page to link to.
const linkButton = /** @type {HTMLButtonElement | null} */ (document.getElementById("ending-link"));
const playLink = /** @type {HTMLAnchorElement | null} */ (document.getElementById("ending-play"));

/** Few digits are easy to read out. */
const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 100_000;

/** @type {Word[]} */
let words = [];
let seed = 0;

const settings = () => {
  const fields = new FormData(form);
  return { temperature: Number(fields.get("temperature")), topP: Number(fields.get("topP")) };
};

/** The playground's address of the story. */
function playHash() {
  const { temperature, topP } = settings();
  const numbers = { T: temperature, p: topP, tokens: MAX_TOKENS, seed };
  const params = new URLSearchParams({ v: "1", prompt });
  for (const [name, value] of Object.entries(numbers)) params.set(name, String(value));
  return String(params);
}

/** Writes a story with the settings of the form. */
export async function write() {
  writeButton.disabled = true;
  const say = (/** @type {string} */ text) => setText(byId("ending-status"), text);
  try {
    const model = await openStoryteller({
      onProgress: ({ loaded, total }) => say(`Loading the model: ${formatSize(loaded)} of ${formatSize(total)}.`),
    });
    seed = newSeed();
    const options = { ...settings(), seed, maxTokens: MAX_TOKENS };
    if (playLink) playLink.hash = playHash();
    words = [];
    const story = byId("ending-story");
    story.replaceChildren(make("span", { class: "prompt", text: prompt }));
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    for await (const chunk of model.generate(prompt, options))
      for (const { id, rawLogprob } of chunk.tokens) {
        const text = decoder.decode(model.vocabulary.tokens[id], { stream: true });
        const surprise = surpriseClass(Math.exp(rawLogprob));
        words.push({ text, surprise });
        const space = /^ /.exec(text)?.[0] ?? "";
        story.append(
          space,
          make("span", { class: "token", "data-surprise": surprise, text: text.slice(space.length) }),
        );
      }
    say(`Live, with seed ${seed}. Another press writes another story.`);
    setText(writeButton, "Write another story");
    pictureButton.disabled = false;
    if (linkButton) linkButton.disabled = false;
  } catch (/** @type {any} */ error) {
    say(`The story could not be written. ${error.message}`);
  } finally {
    writeButton.disabled = false;
  }
}

/** Shares the picture if the device can, otherwise downloads it. */
async function keepPicture() {
  const { temperature, topP } = settings();
  const facts = `temperature ${temperature} · top-p ${topP} · seed ${seed}`;
  const blob = await paintStory(prompt, words, facts);
  const file = new File([blob], "my-story.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [file] }) && matchMedia("(pointer: coarse)").matches)
    return void navigator.share({ files: [file] }).catch(() => {});
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(address), WAIT);
  setText(byId("ending-status"), "Saved as my-story.png.");
}

async function copyLink() {
  const link = /** @type {HTMLAnchorElement} */ (playLink).href;
  const isCopied = await navigator.clipboard.writeText(link).then(
    () => true,
    () => false,
  );
  setText(byId("ending-status"), isCopied ? "Copied: the link opens this story in the playground." : link);
}

pictureButton.addEventListener("click", keepPicture);
linkButton?.addEventListener("click", copyLink);
