// The models that come with lastinch. A page that has them inside puts a module of its own in the place of this one.

/** Their bytes. @type {Record<string, number>} */
export const sizes = { storyteller: 2563840, draft: 345312, shakespeare: 933952 };

/**
 * What loadModel takes.
 * @param {string} name
 * @returns {string | Promise<ArrayBuffer>}
 */
export function openFile(name) {
  // In this literal form bundlers find the files.
  if (name === "storyteller") return new URL("./storyteller.gguf", import.meta.url).href;
  if (name === "draft") return new URL("./draft.gguf", import.meta.url).href;
  return new URL("./shakespeare.gguf", import.meta.url).href;
}
