import { compileGrammar, createSampler, loadModel } from "../node_modules/lastinch/dist/index.js";
import { tell } from "../story.js";

const told = await tell({ compileGrammar, createSampler, loadModel }, "../node_modules/lastinch/dist/draft.gguf");
postMessage(JSON.stringify(told));
