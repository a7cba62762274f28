// Saves a story as a picture, its text, its numbers, or a program that writes it again.
import { describeSettings } from "./playground-knobs.js";

/** @typedef {import("./column.js").Column} Column */
/** @typedef {import("./url-state.js").State} State */
/** @typedef {import("./texts.js").Text} Text */

/**
 * @param {string} what picture, text, json or code
 * @param {readonly Column[]} columns
 * @param {State} state
 * @returns {Promise<string>} what has been done, as a sentence
 */
export async function save(what, columns, state) {
  const texts = columns.flatMap(({ texts: { current } }) => current ?? []).filter(({ steps }) => steps.length);
  if (!texts.length) return "There is no story yet.";
  if (what === "picture") {
    const { drawPicture } = await import("./story-picture.js");
    return hand(new File([await drawPicture(texts)], "story.png", { type: "image/png" }));
  }
  const files = {
    text: () => new File([texts.map(plain).join("\n\n---\n\n") + "\n"], "story.txt", { type: "text/plain" }),
    json: () =>
      new File([JSON.stringify(texts.map((text) => numbers(text, state.model)))], "story.json", {
        type: "application/json",
      }),
    code: () =>
      new File([texts.map((text) => program(text, state.model)).join("\n")], "story.js", { type: "text/javascript" }),
  };
  return hand(files[/** @type {keyof typeof files} */ (what)]());
}

/** Shares a file if the device can, otherwise saves it. @param {File} file */
async function hand(file) {
  const isTouch = matchMedia("(hover: none) and (pointer: coarse)").matches;
  if (isTouch && navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file] }).catch(() => {});
    return `${file.name} was handed to the device.`;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e4);
  return `${file.name} is saved.`;
}

/** @param {Text} text */
export const plain = ({ setup, steps }) => setup.prompt + steps.map(({ text }) => text).join("");

/** @param {Text} text @param {string} model */
export function numbers({ setup, steps, kept }, model) {
  const { prompt, seed, settings, more, maxTokens } = setup;
  return {
    model,
    prompt,
    seed,
    settings,
    more,
    maxTokens,
    kept: steps.slice(0, kept).map(({ id }) => id),
    steps: steps.map(({ id, text, probability, rawLogprob, bits }) => ({ id, text, probability, rawLogprob, bits })),
  };
}

/**
 * A program that writes the text again with the package.
 * @param {Text} text
 * @param {string} model
 */
export function program({ setup, steps, kept }, model) {
  const { prompt, seed, settings, more, maxTokens } = setup;
  const source = model === "own" ? "your file" : `lastinch/models/${model}`;
  const options = { ...settings, seed, maxTokens: maxTokens - kept };
  const lines = Object.entries(more).map(([name, text]) => `//   ${name}: ${text.replaceAll("\n", " ")}`);
  const ids = steps.slice(0, kept).map(({ id }) => id);
  return `// ${describeSettings(settings)}, seed ${seed}
import { loadModel } from "lastinch";
${model === "own" ? 'const source = "/model.gguf"; // the address of the file' : `import source from "${source}";`}

const model = await loadModel(source);
const prompt = [...(await model.tokenize(${JSON.stringify(prompt)}, { bos: model.config.addBos })), ...${JSON.stringify(ids)}];
const options = ${JSON.stringify(options)};
${lines.length ? `// Options that the playground had as text, to be added in the library's form:\n${lines.join("\n")}\n` : ""}let text = "";
for await (const chunk of model.generate(prompt, options)) text += chunk.text;
console.log(text);
model.dispose();
`;
}
