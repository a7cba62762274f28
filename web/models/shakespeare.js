// Where the model of single characters is: lastinch/models/shakespeare.gguf, 0.9 MB. Bundlers copy it for pages that import this.
export default new URL("./shakespeare.gguf", import.meta.url);
