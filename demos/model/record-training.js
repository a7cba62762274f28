// Records what widgets show of models that learn: see record.js.
import { legible } from "../../web/widgets/shared/format.js";
import { readersOf } from "../../web/widgets/shared/character-readers.js";
import { countedLine, Learning } from "../../web/widgets/shared/learning.js";
import { textOf } from "../../web/widgets/shared/text-sources.js";

/** @typedef {import("../../dist/index.js").Model} Model */

/** Steps of the recording. */
const STEPS = 2000;

const hundredths = (/** @type {number} */ number) => Math.round(100 * number);

/** @param {number} [count] steps; a test takes fewer of them */
export async function recordTraining(count = STEPS) {
  const settings = { source: "alice", learningRate: 0.003, steps: STEPS, temperature: 0.8, seed: 1 };
  const { signal } = new AbortController();
  const text = await textOf(settings.source, "");
  const counted = [];
  for (const order of [1, 2, 3, 4, 5]) counted.push(await countedLine(text, order, settings));
  const learning = await Learning.open(text, { ...settings, signal });
  learning.rate = settings.learningRate;
  await learning.run(count, signal, () => {});
  // More of them would look the same.
  const points = learning.points.filter(({ step }) => step <= 200 || step % 80 === 0);
  const samples = learning.samples.map((sample) => ({ ...sample, loss: hundredths(sample.loss) }));
  learning.dispose();
  const curve = [
    points.map(({ step }) => step).join(" "),
    points.map(({ loss }) => hundredths(loss)).join(" "),
    points.map(({ heldOut }) => hundredths(heldOut)).join(" "),
  ];
  return { settings, counted, curve, samples };
}

/** @param {Model} model of single characters */
export async function recordReaders(model) {
  const settings = { passage: "lost her phone.", place: 11, temperature: 0.8, seed: 1 };
  const { signal } = new AbortController();
  const text = await textOf("richard", "");
  const readers = [];
  for await (const { order, line, places } of readersOf(model, text, { ...settings, length: 40, signal })) {
    const list = (/** @type {(place: typeof places[number]) => number | undefined} */ read) =>
      places.map(read).join(" ");
    readers.push({
      ...(order && { order, seen: list(({ seen }) => seen), times: list(({ times }) => times) }),
      line,
      // What may come is not said to come never.
      next: list(({ next }) => next && Math.max(1, Math.round(1e4 * next))),
      top: places
        .map(({ top }) => top.map(([character, share]) => `${legible(character)} ${hundredths(share)}`).join(" "))
        .join("\n"),
    });
  }
  return { settings, readers };
}
