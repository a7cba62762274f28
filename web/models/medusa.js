// Where Medusa's heads for the storyteller are: lastinch/models/medusa.gguf, 0.32 MB. Bundlers copy it for pages that import this.
export default new URL("./medusa.gguf", import.meta.url);
