// Where the shipped storyteller is: lastinch/models/storyteller.gguf, 2.6 MB. Bundlers copy it for pages that import this.
export default new URL("./storyteller.gguf", import.meta.url);
