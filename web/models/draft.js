// Where the shipped draft model is: lastinch/models/draft.gguf, 0.35 MB. Bundlers copy it for pages that import this.
export default new URL("./draft.gguf", import.meta.url);
