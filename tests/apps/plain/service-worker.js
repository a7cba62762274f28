import { compileGrammar, createSampler, loadModel } from "../node_modules/lastinch/dist/model.js";
import { tell } from "../story.js";

async function answer(page) {
  const file = "../node_modules/lastinch/dist/draft.gguf";
  page.postMessage(JSON.stringify(await tell({ compileGrammar, createSampler, loadModel }, file)));
}

addEventListener("message", (event) => event.waitUntil(answer(event.source)));
