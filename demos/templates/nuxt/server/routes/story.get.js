// GET /story?prompt=…: the same story, written by the server.
import { loadModel } from "lastinch";
import storyteller from "lastinch/models/storyteller";

let loading;

export default defineEventHandler(async (event) => {
  const { prompt = "Once upon a time" } = getQuery(event);
  const model = await (loading ??= loadModel(storyteller));
  const { text, finishReason } = await model.complete(prompt, { maxTokens: 100, temperature: 0.7, topP: 0.9 });
  return { story: prompt + text, finishReason };
});
