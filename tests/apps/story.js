// What every app of this folder does: a token, a story, and JSON.

/**
 * @param {typeof import("../../web/index.js")} lastinch what the app has imported
 * @param {string | URL} file address of a .gguf
 */
export async function tell({ compileGrammar, createSampler, loadModel }, file) {
  const sampler = await createSampler({ vocabSize: 6, temperature: 0.8, topP: 0.95, seed: 7 });
  const token = sampler.sample(Float32Array.of(6, 5, 4.5, 3.5, 2, 0));

  let model = await loadModel(file, { threads: 2 });
  // A helper that starts late, as on a busy machine, is left out.
  for (let tries = 1; tries < 5 && model.threads < 2 && globalThis.crossOriginIsolated !== false; tries++) {
    model.dispose();
    model = await loadModel(file, { threads: 2 });
  }
  let story = "";
  for await (const { text } of model.generate("Once upon a time", { maxTokens: 20, seed: 1 })) story += text;

  const age = { type: "integer", minimum: 1, maximum: 120 };
  const jsonSchema = { type: "object", properties: { age }, required: ["age"], additionalProperties: false };
  const grammar = await compileGrammar({ vocabulary: model.vocabulary, jsonSchema, whitespace: "compact" });
  let json = "";
  for await (const { text } of model.generate("How old?", { grammar, maxTokens: 60, seed: 1 })) json += text;

  return { token, story, json, threads: model.threads };
}
