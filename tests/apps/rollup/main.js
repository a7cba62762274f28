import { compileGrammar, createSampler, loadModel } from "lastinch";
import "lastinch/inline";
import { tell } from "../story.js";

const told = await tell({ compileGrammar, createSampler, loadModel }, "draft.gguf");
document.querySelector("main").textContent = JSON.stringify(told);
