import { loadModel } from "lastinch";
import storyteller from "lastinch/models/storyteller";

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const story = document.querySelector("#story");
let loading;
let writing;

form.onsubmit = async (event) => {
  event.preventDefault();
  writing?.abort();
  const { signal } = (writing = new AbortController());
  const prompt = form.elements.prompt.value;
  try {
    status.textContent = "Loading the model …";
    const model = await (loading ??= loadModel(storyteller));
    if (signal.aborted) return;
    status.textContent = "Writing …";
    story.textContent = prompt;
    const options = { maxTokens: 100, temperature: 0.7, topP: 0.9, signal };
    for await (const { text } of model.generate(prompt, options)) story.append(text);
    if (!signal.aborted) status.textContent = "Done.";
  } catch (error) {
    loading = undefined;
    status.textContent = error.message;
  }
};
