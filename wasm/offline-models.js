// In the place of web/widgets/shared/model-files.js: the models that are packed in the page.
export { sizes } from "../web/widgets/shared/model-files.js";

/** @param {string} name @returns {Promise<ArrayBuffer>} */
export const openFile = (name) => /** @type {any} */ (globalThis).unpack(name);
