const form = document.querySelector("form");
const button = document.querySelector("button");
const status = document.querySelector("[role=status]");
const story = document.querySelector("#story");

/** Resolves when the service worker sees what this page fetches. */
async function controlled() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return; // as in private windows of some browsers: the page works, but keeps nothing
  const controlling = new Promise((resolve) => serviceWorker.addEventListener("controllerchange", resolve));
  const { active } = await serviceWorker.register("service-worker.js");
  // A page that was loaded past an active service worker is never controlled.
  if (!serviceWorker.controller && !active) await controlling;
}

let writing;
try {
  await controlled();
  // Imported only now, so that the first visit keeps every file that it needs. The model has a copy of lastinch's own.
  const { loadModel } = await import("lastinch");
  const { default: storyteller } = await import("lastinch/models/storyteller");
  const model = await loadModel(storyteller);
  form.onsubmit = async (event) => {
    event.preventDefault();
    writing?.abort();
    const { signal } = (writing = new AbortController());
    const prompt = form.elements.prompt.value;
    status.textContent = "Writing …";
    story.textContent = prompt;
    const options = { maxTokens: 100, temperature: 0.7, topP: 0.9, signal };
    for await (const { text } of model.generate(prompt, options)) story.append(text);
    if (!signal.aborted) status.textContent = "Done.";
  };
  status.textContent = "";
  button.disabled = false;
} catch (error) {
  status.textContent = error.message;
}
