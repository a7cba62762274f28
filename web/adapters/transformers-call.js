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
 * @property {Device} [device] where logits stay
 * @property {boolean} [wake]
 */

/**
 * Of sessions that have run with a device: the first pass shows the class of a session's own tensors, without which it
 * takes no outputs. Those that transformers.js makes are of another copy.
 * @type {WeakMap<object, DeviceTensors>}
 */
const ofSessions = new WeakMap();

/** The tokens that have been chosen, in what takes the place of logits. */
export const chosenTokens = Symbol("tokens");

/**
 * @param {any} model
 * @param {Taker} taker
 * @returns {{ view: any, end: () => void }} a stand-in for the model, and what frees its buffers
 */
export function viewOfCall(model, { choose, device, wake }) {
  /** @type {DeviceTensors | undefined} of this call */
  let tensors;
  /** @type {Texts} */
  let texts = [];

  /** @param {any} session @param {Record<string, OnnxTensor>} feeds */
  const run = async (session, feeds) => {
    const inputs = feeds.input_ids ?? feeds.inputs_embeds;
    const logits = session.outputMetadata?.find((/** @type {any} */ { name }) => name === "logits");
    const vocabSize = logits?.shape.at(-1);
    tensors = ofSessions.get(session);
    if (tensors?.device !== device || !inputs || typeof vocabSize !== "number") {
      const results = await session.run(feeds);
      if (!results.logits) return results;
      tensors = new DeviceTensors(/** @type {Device} */ (device), results.logits.constructor, wake);
      ofSessions.set(session, tensors);
      return results;
    }
    const far = /** @type {DeviceTensors} */ (tensors);
    const [count, length] = inputs.dims;
    const kept = Number(feeds.num_logits_to_keep?.data[0] ?? 0) || length;
    const [made] = await far.make([{ type: logits.type, dims: [count, kept, vocabSize], isOnce: kept > 1 }]);
    const outputs = Object.fromEntries(session.outputNames.map((/** @type {string} */ name) => [name, null]));
    try {
      const results = await session.run(feeds, { ...outputs, logits: made });
      far.endPass();
      return results;
    } catch (cause) {
      made.dispose();
      throw await far.explain(cause);
    }
  };

  const sessions = device && withRun(model.sessions, run);
  /** @type {any} */
  const view = new Proxy(model, {
    get(target, name) {
      if (name === "sessions" && sessions) return sessions;
      if (name === "prepare_inputs_for_generation")
        return (/** @type {Texts} */ given, /** @type {any[]} */ ...others) => {
          texts = given;
          return target.prepare_inputs_for_generation.call(view, given, ...others);
        };
      if (name !== "forward") return Reflect.get(target, name);
      return async (/** @type {any} */ inputs) => {
        const outputs = await target.forward.call(view, inputs);
        const { logits } = outputs;
        const rows = logits && rowsOf(logits);
        if (!rows) return outputs;
        try {
          const tokens = await choose(texts, rows, tensors);
          const size = logits.dims[2];
          /** @type {any} */
          const chosen = { [chosenTokens]: tokens, dims: [tokens.length, size], slice: () => chosen, to: () => chosen };
          outputs.logits = chosen;
        } finally {
          if (logits.location === "gpu-buffer") logits.dispose();
        }
        return outputs;
      };
    },
  });
  return { view, end: () => tensors?.end() };
}

/**
 * Sessions that run otherwise.
 * @param {Record<string, any>} sessions
 * @param {(session: any, feeds: any) => Promise<any>} run
 */
function withRun(sessions, run) {
  const entries = Object.entries(sessions).map(([name, session]) => [
    name,
    new Proxy(session, {
      get: (target, member) => (member === "run" ? run.bind(undefined, target) : Reflect.get(target, member)),
    }),
  ]);
  return Object.fromEntries(entries);
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
