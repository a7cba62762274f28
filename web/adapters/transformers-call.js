// A model of transformers.js as one call of generate sees it. generate widens halves in JavaScript, and reads rows whole
// before it asks a processor, which cannot wait for a GPU. So tokens are chosen where the forward pass ends.
import { DeviceTensors } from "./device-tensors.js";

/** @typedef {import("../index.js").Device} Device */
/** @typedef {import("./device-tensors.js").DeviceRow} DeviceRow */
/** @typedef {import("./onnx-session.js").OnnxTensor} OnnxTensor */
/** @typedef {readonly bigint[][]} Texts */

/**
 * @typedef {object} Taker
 * @property {(texts: Texts, rows: (Uint16Array | DeviceRow)[], device?: DeviceTensors) => Promise<number[]>} choose a token
 *   for each text
 * @property {number} vocabSize
 * @property {Device} [device] where logits stay
 */

/**
 * The classes of sessions' own tensors: sessions take no other outputs, and those that transformers.js makes are of another
 * copy. So the first pass of a session is read as ever. @type {WeakMap<object, any>}
 */
const classes = new WeakMap();

/** The tokens that have been chosen, in what takes the place of logits. */
export const chosenTokens = Symbol("tokens");

/**
 * @param {any} model
 * @param {Taker} taker
 * @returns {{ view: any, end: () => void }} a stand-in for the model, and what frees its buffers
 */
export function viewOfCall(model, { choose, vocabSize, device }) {
  /** @type {DeviceTensors | undefined} */
  let tensors;
  /** @type {Texts} */
  let texts = [];

  /** @param {any} session @param {Record<string, OnnxTensor>} feeds */
  const run = async (session, feeds) => {
    const inputs = feeds.input_ids ?? feeds.inputs_embeds;
    const metadata = session.outputMetadata.find((/** @type {any} */ { name }) => name === "logits");
    const Tensor = classes.get(session);
    if (!device || !inputs || !metadata || !Tensor) {
      const results = await session.run(feeds);
      if (results.logits) classes.set(session, results.logits.constructor);
      return results;
    }
    tensors ??= new DeviceTensors(device, Tensor);
    const [count, length] = inputs.dims;
    const kept = Number(feeds.num_logits_to_keep?.data[0] ?? 0) || length;
    const logits = tensors.make(metadata.type, [count, kept, vocabSize]);
    const outputs = Object.fromEntries(session.outputNames.map((/** @type {string} */ name) => [name, null]));
    try {
      const results = await session.run(feeds, { ...outputs, logits });
      await tensors.endPass();
      return results;
    } catch (cause) {
      logits.dispose();
      throw tensors.explain(cause);
    }
  };

  /** @type {any} */
  const view = new Proxy(model, {
    get(target, name) {
      if (name === "sessions" && device) return withRun(target.sessions, run);
      if (name === "prepare_inputs_for_generation")
        return (/** @type {Texts} */ given, /** @type {any[]} */ ...others) => {
          texts = given;
          return target.prepare_inputs_for_generation.call(view, given, ...others);
        };
      if (name !== "forward") return Reflect.get(target, name);
      return async (/** @type {any} */ inputs) => {
        const outputs = await target.forward.call(view, inputs);
        const rows = rowsOf(outputs.logits);
        if (!rows) return outputs;
        const tokens = await choose(texts, rows, tensors);
        if (outputs.logits.location === "gpu-buffer") outputs.logits.dispose();
        /** @type {any} */
        const chosen = {
          [chosenTokens]: tokens,
          dims: [tokens.length, vocabSize],
          slice: () => chosen,
          to: () => chosen,
        };
        outputs.logits = chosen;
        return outputs;
      };
    },
  });
  return { view, end: () => tensors?.end() };
}

/**
 * Sessions that run otherwise.
 * @param {any} sessions
 * @param {(session: any, feeds: any) => Promise<any>} run
 */
function withRun(sessions, run) {
  return new Proxy(sessions, {
    get(all, name) {
      const session = Reflect.get(all, name);
      if (!session?.run) return session;
      return new Proxy(session, {
        get: (target, member) => (member === "run" ? run.bind(undefined, target) : Reflect.get(target, member)),
      });
    },
  });
}

/**
 * The last rows of each text, if they are on a GPU or halves.
 * @param {any} logits a Tensor of transformers.js
 * @returns {(Uint16Array | DeviceRow)[] | undefined}
 */
function rowsOf({ type, location, dims: [count, length, size], ort_tensor: tensor }) {
  const isFar = location === "gpu-buffer";
  if (!isFar && type !== "float16") return undefined;
  const starts = Array.from({ length: count }, (_, i) => (i * length + length - 1) * size);
  if (isFar)
    return starts.map((start) => ({
      buffer: tensor.gpuBuffer,
      offset: (type === "float16" ? 2 : 4) * start,
      type,
      size,
    }));
  const { buffer, byteOffset } = tensor.data;
  return starts.map((start) => new Uint16Array(buffer, byteOffset + 2 * start, size));
}
