// Where EAGLE's layer for the storyteller is: lastinch/models/eagle.gguf, 0.65 MB. Bundlers copy it for pages that import this.
export default new URL("./eagle.gguf", import.meta.url);
