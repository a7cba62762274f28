// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time there was a", count: 12 };
export const prompt = 8;
export const labels = "␣little|␣girl|␣named|␣Lily|.|␣She|␣loved|␣to|␣play|␣outside|␣in|␣the";
export const shape = {
  layers: 5,
  dim: 192,
  hiddenDim: 512,
  heads: 6,
  kvHeads: 2,
  headDim: 32,
  valueDim: 32,
  vocabSize: 2048,
};
