// The models of an adapter by their ids.
import { typeError } from "../engine.js";

/** @typedef {import("../index.js").Model} Model */
/** @typedef {Model | ((modelId: string) => Model | Promise<Model>)} Models a model, or what gives the model of an id */

/**
 * The models of an adapter. Calls a function that loads models once for each id, and again only if it fails or returns
 * none.
 * @param {string} call
 * @param {Models} source
 * @returns {{ usual: string, known: () => string[], find: (modelId: string) => Promise<Model> }} usual: the default id
 */
export function openModels(call, source) {
  const isModel = typeof source === "object" && typeof source?.generate === "function";
  if (!isModel && typeof source !== "function")
    throw typeError("bad-type", `${call} takes a model of loadModel, or a function that loads one.`);
  const usual = (typeof source === "object" && source.config.name) || "default";
  /** @type {Map<string, Promise<Model>>} */
  const models = new Map();
  /** @param {string} modelId */
  const find = (modelId) => {
    let model = models.get(modelId);
    if (!model) {
      model = (async () => {
        const given = await (typeof source === "function" ? source(modelId) : source);
        if (given && typeof given.generate !== "function")
          throw typeError("bad-type", `The function of ${call} must give a model of loadModel.`);
        return given;
      })();
      models.set(modelId, model);
      const forget = () => models.delete(modelId);
      model.then((given) => given || forget(), forget);
    }
    return model;
  };
  return { usual, known: () => (isModel ? [usual] : [...models.keys()]), find };
}
