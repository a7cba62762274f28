// The row of numbers that runs through the lesson. A figure that stays in view shows what the part being read does to
// the row, and follows that part's controls.
import { formatPercent } from "../web/widgets/shared/format.js";
import { byId, setText } from "./dom.js";

/** @typedef {import("../dist/index.js").Sampler} Sampler */
/** @typedef {Record<string, any>} Settings options of the sampler */
/** @typedef {{ shares: number[], kept: number[] }} View by token; `kept`: ids */

/** mat, sofa, floor, bed, moon, banana. */
const row = Float32Array.of(6, 5, 4.5, 3.5, 2, 0);
/** A smaller model's row for the same text. */
const draftRow = Float32Array.of(5, 5.5, 4, 4, 2.5, 0);

/** The options that readers move, as the figure calls them. @type {Record<string, string>} */
const names = {
  temperature: "T",
  topK: "top-k",
  topP: "top-p",
  minP: "min-p",
  repetitionPenalty: "repetition penalty",
  frequencyPenalty: "frequency penalty",
  presencePenalty: "presence penalty",
};

/** @param {Sampler} sampler @param {Float32Array} [logits] @returns {View} */
function distribution(sampler, logits = row) {
  const { tokens, probabilities } = sampler.distribution(logits);
  const shares = Array(row.length).fill(0);
  tokens.forEach((id, i) => (shares[id] = probabilities[i]));
  return { shares, kept: [...tokens] };
}

/** Greedy takes one token; all keep their shares. @param {Sampler} sampler @returns {View} */
function choose(sampler) {
  const { kept } = distribution(sampler);
  sampler.set({ temperature: 1 });
  return { shares: distribution(sampler).shares, kept };
}

/** The two likeliest beginnings stay; all keep their shares. @param {Sampler} sampler @returns {View} */
function keepBeams(sampler) {
  const { shares, kept } = distribution(sampler);
  return { shares, kept: kept.slice(0, 2) };
}

/** The probability with which the target accepts each token of the draft. @param {Sampler} sampler @returns {View} */
function judge(sampler) {
  const target = distribution(sampler).shares;
  const draft = distribution(sampler, draftRow).shares;
  return { shares: target.map((share, id) => Math.min(1, share / draft[id])), kept: [...target.keys()] };
}

/**
 * What each part does to the row.
 * @type {Record<string, { settings: Settings, says?: string, look?: (sampler: Sampler) => View, isMoved?: boolean }>}
 */
const scenes = {
  row: { settings: {}, says: "as shares" },
  greedy: { settings: { temperature: 0 }, says: "greedy takes one" },
  temperature: { settings: { temperature: 2 } },
  cutoffs: { settings: { topP: 0.9 } },
  order: { settings: { repetitionPenalty: 1.25 } },
  beams: { settings: {}, says: "two beams stay", look: keepBeams },
  hands: { settings: { logitBias: { 4: 4 } }, says: "moon + 4" },
  grammar: { settings: { allowedTokens: [3, 5] }, says: "only words with b" },
  speed: { settings: {}, says: "if drafted, kept with", look: judge },
  mistakes: { settings: { temperature: 0.8, topP: 0.95 } },
};

/** "T = 2, top-p = 0.9" @param {Settings} settings */
const describe = (settings) =>
  Object.entries(settings)
    .filter(([name]) => names[name])
    .map(([name, value]) => `${names[name]} = ${value}`)
    .join(", ");

/** Made once; each view sets all its options again. @type {Promise<Sampler> | undefined} */
let made;
let current = "row";

async function show() {
  const name = current;
  const { settings, isMoved, says, look = settings.temperature === 0 ? choose : distribution } = scenes[name];
  made ??= import("../dist/index.js").then(({ createSampler }) => createSampler({ vocabSize: row.length }));
  const base = await made;
  if (name !== current) return;
  const sampler = base.clone(settings);
  // The penalties need a text: "mat".
  sampler.accept([0]);
  const { shares, kept } = look(sampler);
  sampler.dispose();
  setText(byId("thread-stage"), (!isMoved && says) || describe(settings));
  [...byId("thread-rows").children].forEach((item, id) => {
    item.classList.toggle("cut", !kept.includes(id));
    item.querySelector("rect")?.setAttribute("width", String(100 * shares[id]));
    setText(/** @type {Element} */ (item.querySelector("b")), formatPercent(shares[id]));
  });
}

/** Shows what a part does to the row. Parts without the row do not change the figure. @param {string} name */
export function showPart(name) {
  if (!scenes[name] || name === current) return;
  current = name;
  show();
}

/** The reader has changed the row itself. @param {Float32Array} logits */
export function changeRow(logits) {
  if (logits.length !== row.length) return;
  row.set(logits);
  show();
}

/** The reader has moved a control of this part. @param {string} part @param {string} name @param {unknown} value */
export function followControl(part, name, value) {
  const scene = scenes[part];
  if (!scene || !names[name] || typeof value !== "number") return;
  const isCut = ["topK", "topP", "minP"].includes(name);
  // The three rulers are shown one at a time.
  const kept = Object.entries(scene.settings).filter(([other]) => !(isCut && ["topK", "topP", "minP"].includes(other)));
  scene.isMoved = true;
  scene.settings = { ...Object.fromEntries(kept), [name]: value };
  current = part;
  show();
}
