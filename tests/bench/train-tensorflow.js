// The model of train.js in TensorFlow.js, which comes from npm at an exact version into build/, for the bench alone.
import { installed } from "./peers.js";

const VERSION = "4.22.0";

/** @param {string} name */
const load = async (name) => import(new URL(name, installed("@tensorflow/tfjs", VERSION)).href);

/**
 * A function that takes so many steps.
 * @param {"cpu" | "wasm"} backend
 * @param {Uint16Array} tokens
 * @param {{ vocabSize: number, layers: number, dim: number, hidden: number, heads: number, context: number, batch: number }} shape
 */
export async function tensorflowSteps(backend, tokens, { vocabSize, layers, dim, hidden, heads, context, batch }) {
  const tf = (await load("dist/tf.node.js")).default;
  if (backend === "wasm")
    await import(new URL("dist/tf-backend-wasm.node.js", installed("@tensorflow/tfjs-backend-wasm", VERSION)).href);
  if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js has no backend ${backend} here.`);
  await tf.ready();
  const weight = (...size) => tf.variable(tf.randomNormal(size, 0, 0.07));
  const ones = () => tf.variable(tf.ones([dim]));
  const embedding = weight(vocabSize, dim);
  const last = ones();
  const blocks = Array.from({ length: layers }, () => ({
    norm: ones(),
    mixed: weight(dim, 3 * dim),
    out: weight(dim, dim),
    gatedNorm: ones(),
    gates: weight(dim, hidden),
    values: weight(dim, hidden),
    down: weight(hidden, dim),
  }));
  const width = dim / heads;
  const angles = tf.outerProduct(tf.range(0, context), tf.pow(10000, tf.div(tf.range(0, width, 2), -width)));
  const [cosine, sine] = [tf.cos(angles), tf.sin(angles)];
  const later = tf.mul(tf.sub(1, tf.linalg.bandPart(tf.ones([context, context]), -1, 0)), -1e9);
  const norm = (x, scale) => tf.mul(tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), 1e-5))), scale);
  /** x: (batch, heads, context, width). The pairs are halves here, which costs the same. */
  const turn = (x) => {
    const [a, b] = tf.split(x, 2, -1);
    return tf.concat([tf.sub(tf.mul(a, cosine), tf.mul(b, sine)), tf.add(tf.mul(a, sine), tf.mul(b, cosine))], -1);
  };
  const inHeads = (x) => tf.transpose(tf.reshape(x, [batch, context, heads, width]), [0, 2, 1, 3]);
  const run = (x) => {
    for (const block of blocks) {
      const [q, k, v] = tf.split(tf.matMul(norm(x, block.norm), block.mixed), 3, -1).map(inHeads);
      const scores = tf.add(tf.div(tf.matMul(turn(q), turn(k), false, true), Math.sqrt(width)), later);
      const seen = tf.reshape(tf.transpose(tf.matMul(tf.softmax(scores), v), [0, 2, 1, 3]), [batch * context, dim]);
      x = tf.add(x, tf.matMul(seen, block.out));
      const normed = norm(x, block.gatedNorm);
      const gate = tf.matMul(normed, block.gates);
      const gated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), tf.matMul(normed, block.values));
      x = tf.add(x, tf.matMul(gated, block.down));
    }
    return tf.matMul(norm(x, last), embedding, false, true);
  };
  const optimizer = tf.train.adam(0.003, 0.9, 0.99);
  return (/** @type {number} */ steps) => {
    for (let step = 0; step < steps; step++)
      tf.tidy(() => {
        const first = Array.from({ length: batch }, () => Math.floor(Math.random() * (tokens.length - context)));
        const slice = (/** @type {number} */ by) =>
          tf.tensor1d(
            first.flatMap((at) => [...tokens.subarray(at + by, at + by + context)]),
            "int32",
          );
        const targets = tf.oneHot(slice(1), vocabSize);
        const cost = optimizer.minimize(
          () => tf.losses.softmaxCrossEntropy(targets, run(tf.matMul(tf.oneHot(slice(0), vocabSize), embedding))),
          true,
        );
        if (!Number.isFinite(cost.dataSync()[0])) throw new Error("The loss is not finite.");
      });
  };
}
