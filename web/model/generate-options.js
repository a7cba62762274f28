// The options of model.generate: checked in the page, and made into what is posted to where the model lives.
import { checkBoolean, checkNames, checkNumber, checkObject, checkWhole } from "../core/arguments.js";
import { beamNames, checkSearchable, readBeams } from "../decode/beam/options.js";
import { rangeError, typeError } from "../core/errors.js";
import { canonicalNames, resolveOptions } from "../sampler/sampler.js";
import { checkSignal } from "../core/signal.js";
import { splitOptions } from "../sampler/split-options.js";
import { readStops } from "../decode/stop-strings.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./worker/engine.js").GenerateSettings} GenerateSettings */

/**
 * @typedef {object} OwnGenerateOptions
 * @property {number} [maxTokens] default: until the context is full
 * @property {string | string[]} [stop] the text ends before the first of these
 * @property {AbortSignal} [signal] ends the text with finishReason "abort"
 * @property {boolean} [captureLogits] every token comes with its raw row of logits
 * @property {boolean} [echo] the first chunk is the prompt; of several texts it is everyone's, and has no index
 * @property {import("../grammar/compile.js").Grammar} [grammar] what the text must be, compiled with the model's own vocabulary
 * @property {number} [n] continuations of the prompt, side by side: their chunks have an index. Continuation i draws from
 *   the random stream `stream` + i. With beams: how many of them are returned, or
 *   fewer where the options allow no more. Default: 1
 * @property {Model | "lookup" | "lookahead"} [draft] who proposes tokens for the model to verify several at a time: a
 *   smaller model of the same vocabulary, what followed earlier in the text, or the model's own guesses. The text is
 *   distributed as without; greedily, and without a second model, it is the same text
 * @property {number | "auto"} [draftTokens] how many are proposed at a time, from 1 to 32. "auto", the default: as many as
 *   pay, none where none does. Then what a model drafts depends on the clock, and so may the text of a seed
 * @property {number} [beams] beam search of this width, from 1 to 32: the likeliest text that it finds
 * @property {number} [lengthPenalty] a beam's log-probability is divided by its length to this power. Default: 1
 * @property {boolean | "never"} [earlyStopping] when the search ends. true: when there are as many finished texts as
 *   beams; false, the default: when no beam at its present length could be better; "never": when none ever could
 * @property {number} [beamGroups] groups of beams that avoid each other's tokens. Default: 1
 * @property {number} [diversityPenalty] how much a token costs that an earlier group has chosen at the same step
 * @property {boolean} [captureBeams] every step of the search comes as a chunk without text, with the beams as they are
 * @property {number} [guidance] classifier-free guidance: above 1 the text follows the prompt more than negativePrompt.
 *   Default: 1, none
 * @property {string | ArrayLike<number>} [negativePrompt] what guidance leads away from. Default: the token that begins a
 *   sequence or, where the model has none, the prompt's last
 * @property {{ model: Model, weight?: number, plausibility?: number }} [contrast] contrastive decoding: the weight (default
 *   1) with which a weaker model's log-probabilities are subtracted, where a token is at least plausibility (default .1)
 *   times as likely as the likeliest. Where the other options allow none of these the model's own probabilities count
 * @property {"low" | "high" | readonly number[]} [dola] DoLa: subtracts what an earlier layer says, as contrast does: of
 *   the lower or upper half of the layers, or of those given, the one that is farthest from the last
 * @property {number} [penaltyAlpha] contrastive search: of the topK likeliest tokens, the one best by (1 - alpha) times its
 *   probability less alpha times its likeness to what is there. 0 switches it off
 * @property {boolean} [heal] token healing: the prompt's last token is taken back, where longer ones begin with it, and the
 *   first tokens of the text begin with its bytes. The text is what comes after the prompt, as ever
 */

/**
 * Other systems' spellings of the options.
 * @typedef {object} GenerateAliases
 * @property {number} [max_tokens] maxTokens
 * @property {number} [max_new_tokens] maxTokens
 * @property {number} [max_completion_tokens] maxTokens
 * @property {boolean} [capture_logits] captureLogits
 * @property {number} [num_return_sequences] n
 * @property {OwnGenerateOptions["draft"]} [assistant_model] draft
 * @property {OwnGenerateOptions["draftTokens"]} [num_assistant_tokens] draftTokens
 * @property {OwnGenerateOptions["draftTokens"]} [num_speculative_tokens] draftTokens
 * @property {number} [num_beams] beams
 * @property {number} [length_penalty] lengthPenalty
 * @property {OwnGenerateOptions["earlyStopping"]} [early_stopping] earlyStopping
 * @property {number} [num_beam_groups] beamGroups
 * @property {number} [diversity_penalty] diversityPenalty
 * @property {boolean} [capture_beams] captureBeams
 * @property {OwnGenerateOptions["guidance"]} [guidance_scale] guidance
 * @property {OwnGenerateOptions["negativePrompt"]} [negative_prompt] negativePrompt
 * @property {OwnGenerateOptions["dola"]} [dola_layers] dola
 * @property {number} [penalty_alpha] penaltyAlpha
 * @property {boolean} [token_healing] heal
 */

/** Names of the options, and other systems' spellings of them. @type {Record<string, string>} */
const names = {
  maxTokens: "maxTokens",
  max_tokens: "maxTokens",
  max_new_tokens: "maxTokens",
  max_completion_tokens: "maxTokens",
  stop: "stop",
  stop_strings: "stop",
  signal: "signal",
  captureLogits: "captureLogits",
  capture_logits: "captureLogits",
  echo: "echo",
  n: "n",
  num_return_sequences: "n",
  draft: "draft",
  assistant_model: "draft",
  draftTokens: "draftTokens",
  num_assistant_tokens: "draftTokens",
  num_speculative_tokens: "draftTokens",
  ...beamNames,
  captureBeams: "captureBeams",
  capture_beams: "captureBeams",
  guidance: "guidance",
  guidance_scale: "guidance",
  negativePrompt: "negativePrompt",
  negative_prompt: "negativePrompt",
  contrast: "contrast",
  dola: "dola",
  dola_layers: "dola",
  penaltyAlpha: "penaltyAlpha",
  penalty_alpha: "penaltyAlpha",
  heal: "heal",
  token_healing: "heal",
};

/** Options that mean nothing without another one. */
const needs = {
  draftTokens: "draft",
  lengthPenalty: "beams",
  earlyStopping: "beams",
  beamGroups: "beams",
  diversityPenalty: "beamGroups",
  captureBeams: "beams",
  negativePrompt: "guidance",
};

/** Ways of choosing that exclude each other. */
const ways = ["draft", "beams", "penaltyAlpha"];
const sources = ["guidance", "contrast", "dola", "penaltyAlpha"];

/**
 * @typedef {object} Reading of the model whose options they are
 * @property {number} vocabSize
 * @property {number} tokenCount
 * @property {number[]} eos
 * @property {number} layers
 * @property {(name: string, model: unknown) => number} neighbour the number of another model that lives in the same
 *   place and has the same vocabulary
 * @property {(name: string, prompt: any) => string | Uint32Array} input
 * @property {(grammar: any) => import("../grammar/compile.js").PostedGrammar} grammar
 */

/**
 * @param {object} options
 * @param {Reading} model
 * @returns {{ settings: GenerateSettings, signal?: AbortSignal }}
 */
export function readGenerateOptions(options, model) {
  checkObject("Options", options);
  const { own, others } = splitOptions(options, names);
  const { maxTokens = 2 ** 32 - 1, signal, captureLogits, echo, n = 1, heal } = own;
  checkWhole("maxTokens", maxTokens, 0, 2 ** 32 - 1);
  checkSignal(signal);
  checkBoolean("captureLogits", captureLogits);
  checkBoolean("echo", echo);
  checkBoolean("heal", heal);
  checkBoolean("captureBeams", own.captureBeams);
  checkWhole("n", n, 1, 64);
  const stop = readStops(own.stop ?? []);
  for (const [name, other] of Object.entries(needs))
    if (own[name] !== undefined && own[other] === undefined)
      throw typeError("conflict", `${name} means nothing without ${other}.`);

  const given = canonicalNames(others);
  if (given.vocabSize !== undefined) throw typeError("conflict", "vocabSize is the model's own and cannot be given.");
  given.vocabSize = model.vocabSize;
  given.tokenCount ??= model.tokenCount;
  given.eos ??= model.eos;
  if (given.forcedLast !== undefined) given.maxTokens = own.maxTokens;
  const grammar = given.grammar === undefined ? undefined : model.grammar(given.grammar);
  delete given.grammar;
  const sampler = resolveOptions(/** @type {import("../sampler/option-table.js").SamplerOptions} */ (given));

  const beams = own.beams === undefined ? undefined : readBeams(own, n);
  if (beams) checkSearchable(sampler.given);
  const settings = {
    maxTokens,
    stop,
    captureLogits: captureLogits ?? false,
    echo: echo ?? false,
    heal: heal ?? false,
    n,
    sampler,
    grammar,
    draft: readDraft(own, model),
    beams,
    captureBeams: /** @type {boolean} */ (own.captureBeams ?? false),
    guidance: readGuidance(own, model),
    contrast: readContrast(own, model),
    dola: readDola(own.dola, model),
    penaltyAlpha: readPenaltyAlpha(own.penaltyAlpha, sampler.given),
  };
  for (const group of [ways, sources]) {
    const used = group.filter((name) => settings[/** @type {"draft"} */ (name)]);
    if (used.length > 1) throw typeError("conflict", `${used.join(" and ")} cannot be combined.`);
  }
  if (settings.penaltyAlpha && n > 1) throw typeError("conflict", "penaltyAlpha chooses one text: n must be 1.");
  return { settings, signal };
}

/**
 * @param {Record<string, any>} own
 * @param {Reading} model
 */
function readDraft({ draft, draftTokens = "auto" }, model) {
  if (draft === undefined) return undefined;
  if (draftTokens !== "auto") checkWhole("draftTokens", draftTokens, 1, 32);
  if (typeof draft === "string" && draft !== "lookup" && draft !== "lookahead")
    throw rangeError("out-of-range", `draft must be a model, "lookup" or "lookahead", not "${draft}".`);
  const by = typeof draft === "string" ? draft : model.neighbour("draft", draft);
  return {
    by: /** @type {number | "lookup" | "lookahead"} */ (by),
    tokens: /** @type {number | "auto"} */ (draftTokens),
  };
}

/**
 * @param {Record<string, any>} own
 * @param {Reading} model
 */
function readGuidance({ guidance, negativePrompt }, model) {
  if (guidance === undefined) return undefined;
  checkNumber("guidance", guidance, 0, 1000);
  const negative = negativePrompt === undefined ? undefined : model.input("negativePrompt", negativePrompt);
  return guidance === 1 ? undefined : { scale: /** @type {number} */ (guidance), negative };
}

/**
 * @param {Record<string, any>} own
 * @param {Reading} model
 */
function readContrast({ contrast }, model) {
  if (contrast === undefined) return undefined;
  checkObject("contrast", contrast);
  checkNames("contrast", contrast, ["model", "weight", "plausibility"]);
  const { weight = 1, plausibility = 0.1 } = contrast;
  checkNumber("contrast.weight", weight, 0, 100);
  checkNumber("contrast.plausibility", plausibility, 0, 1);
  return { model: model.neighbour("contrast.model", contrast.model), weight, plausibility };
}

/**
 * @param {any} dola
 * @param {Reading} model
 * @returns {number[] | undefined} layers
 */
function readDola(dola, { layers }) {
  if (dola === undefined) return undefined;
  if (layers < 2) throw rangeError("conflict", "dola needs an earlier layer, but the model has only one.");
  if (dola === "low" || dola === "high") {
    // The last layer is what they are compared to.
    const middle = Math.max(1, Math.floor(layers / 2));
    const [first, end] = dola === "low" || layers === 2 ? [0, middle] : [middle, layers - 1];
    return Array.from({ length: end - first }, (_, i) => first + i);
  }
  if (!Array.isArray(dola) || !dola.length)
    throw typeError("bad-type", 'dola must be "low", "high" or a list of layers.');
  for (const layer of dola) checkWhole("A layer of dola", layer, 0, layers - 2);
  return [...new Set(dola)].sort((a, b) => a - b);
}

/**
 * @param {any} alpha
 * @param {import("../sampler/option-table.js").SamplerOptions} given
 */
function readPenaltyAlpha(alpha, { topK, temperature, mirostat, adaptiveTarget = -1 }) {
  if (alpha === undefined) return undefined;
  checkNumber("penaltyAlpha", alpha, 0, 1);
  if (!alpha) return undefined;
  if (!topK || topK < 2 || topK > 64)
    throw rangeError("out-of-range", "penaltyAlpha chooses among the topK likeliest: give topK from 2 to 64.");
  if (temperature === 0)
    throw typeError("conflict", "penaltyAlpha chooses among several tokens, but temperature 0 leaves one.");
  if (mirostat || adaptiveTarget >= 0)
    throw typeError("conflict", "mirostat and adaptiveTarget learn from draws, but penaltyAlpha draws none.");
  return /** @type {number} */ (alpha);
}
