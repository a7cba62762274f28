// GET /story?prompt=…: the same story, written by the server.
import { loadModel } from "lastinch";
import storyteller from "lastinch/models/storyteller";

export const prerender = false;

let loading;

export async function GET({ url, request }) {
  const prompt = url.searchParams.get("prompt") ?? "Once upon a time";
  const model = await (loading ??= loadModel(storyteller));
  const options = { maxTokens: 100, temperature: 0.7, topP: 0.9, signal: request.signal };
  const { text, finishReason } = await model.complete(prompt, options);
  return Response.json({ story: prompt + text, finishReason });
}
