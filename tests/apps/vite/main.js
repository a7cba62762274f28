import { compileGrammar, createSampler, loadModel } from "lastinch";
import draft from "lastinch/models/draft";
import "lastinch/widgets/nucleus";
import { tell } from "../story.js";

const told = await tell({ compileGrammar, createSampler, loadModel }, draft);
document.querySelector("main").textContent = JSON.stringify(told);
