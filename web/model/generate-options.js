// Checks the options of model.generate in the page, and turns them into the settings that are posted to the model.
import { checkNames, checkNumber, checkObject, checkWhole } from "../core/arguments.js";
import { rangeError, typeError } from "../core/errors.js";
import { ModelError } from "../core/model-errors.js";
import { checkSignal } from "../core/signal.js";
import { checkSearchable, readBeams } from "../decode/beam/beam-options.js";
import { exclusiveOptions, generateTable } from "../decode/generate-option-table.js";
import { readBannedStrings } from "../decode/banned-strings.js";
import { readLoops } from "../decode/loop-options.js";
import { checkOption, spellingsOf } from "../decode/named-options.js";
import { readStops } from "../decode/stop-strings.js";
import { canonicalNames, resolveOptions } from "../sampler/options.js";
import { splitOptions } from "../sampler/split-options.js";
import { readDirectGrammar } from "./direct-grammars.js";

/** @typedef {import("../decode/decode-types.js").GenerateSettings} GenerateSettings */

/** The options under all their names. */
const names = spellingsOf();

/**
 * @typedef {object} Reading what the options need to know of their model
 * @property {number} vocabSize
 * @property {number} tokenCount
 * @property {number[]} eos
 * @property {number[]} suppressed tokens that are never chosen
 * @property {number} layers
 * @property {(name: string, model: unknown) => number} neighbour the number of another model of the same thread, with the
 *   same vocabulary
 * @property {() => void} checkMtp throws if no block of the model predicts later tokens
 * @property {(name: string, prompt: any) => string | Uint32Array} input
 * @property {(grammar: any) => import("../grammar/posted.js").PostedGrammar} grammar
 */

/**
 * @param {object} options
 * @param {Reading} model
 * @returns {{ settings: GenerateSettings, signal?: AbortSignal,
 *   onPrompt?: (progress: { tokens: number, total: number }) => void,
 *   direct?: import("./direct-grammars.js").DirectGrammar, compileBans?: () => Promise<GenerateSettings["bans"]> }}
 *   direct: compile this into settings.grammar; compileBans: gives settings.bans
 */
export function readGenerateOptions(options, model) {
  checkObject("Options", options);
  const { own, others } = splitOptions(options, names);
  const { maxTokens = 2 ** 32 - 1, signal, onPrompt, captureLogits, echo, n = 1, heal } = own;
  checkOption("maxTokens", maxTokens);
  checkSignal(signal);
  if (onPrompt !== undefined && typeof onPrompt !== "function")
    throw typeError("bad-type", "onPrompt must be a function.");
  for (const { name, type } of generateTable) if (type === "boolean") checkOption(name, own[name]);
  checkOption("n", n);
  const stop = readStops(own.stop ?? []);
  for (const { name, needs } of generateTable)
    if (needs && own[name] !== undefined && own[needs] === undefined)
      throw typeError("conflict", `${name} has no effect without ${needs}.`);

  const given = canonicalNames(others);
  if (given.vocabSize !== undefined) throw typeError("conflict", "vocabSize is the model's: leave it out.");
  given.vocabSize = model.vocabSize;
  given.tokenCount ??= model.tokenCount;
  given.eos ??= model.eos;
  if (model.suppressed.length) given.bannedTokens = withSuppressed(given.bannedTokens ?? [], model.suppressed);
  if (given.forcedLast !== undefined) given.maxTokens = own.maxTokens;
  const direct = readDirectGrammar(own, given.grammar);
  const grammar = given.grammar === undefined ? undefined : model.grammar(given.grammar);
  delete given.grammar;
  const sampler = resolveOptions(/** @type {import("../sampler/option-table.js").SamplerOptions} */ (given));

  const beams = own.beams === undefined ? undefined : readBeams(own, n);
  if (beams) checkSearchable(sampler.given);
  const loops = readLoops(own.loops);
  const { bans, compileBans } = readBannedStrings(own.bannedStrings);
  const settings = {
    maxTokens,
    stop,
    loops,
    bans,
    captureLogits: captureLogits ?? false,
    echo: echo ?? false,
    heal: heal ?? false,
    reportsPrompt: onPrompt !== undefined,
    n,
    sampler,
    grammar,
    draft: readDraft(own, model),
    captureDrafts: /** @type {boolean} */ (own.captureDrafts ?? false),
    beams,
    captureBeams: /** @type {boolean} */ (own.captureBeams ?? false),
    guidance: readGuidance(own, model),
    contrast: readContrast(own, model),
    dola: readDola(own.dola, model),
    penaltyAlpha: readPenaltyAlpha(own.penaltyAlpha, sampler.given),
  };
  for (const group of exclusiveOptions) {
    const used = group.filter((name) => settings[/** @type {"draft"} */ (name)]);
    if (used.length > 1) throw typeError("conflict", `${used.join(" and ")} cannot be combined.`);
  }
  const { watermark } = sampler.given;
  // Heads only guess what the sampler will draw.
  if (watermark && typeof settings.draft?.by === "number" && typeof own.draft.config.heads !== "string")
    throw typeError("conflict", "A model as draft shares in the draws, which would spoil the watermark.");
  if (watermark?.scheme === "gumbel" && n > 1)
    throw typeError("conflict", 'With the watermark "gumbel" a key has one text: call once for each, with other keys.');
  if (settings.penaltyAlpha && n > 1) throw typeError("conflict", "penaltyAlpha chooses one text: n must be 1.");
  const search = beams ? "beams" : settings.penaltyAlpha ? "penaltyAlpha" : undefined;
  if (search && (bans.length || compileBans))
    throw typeError("conflict", `bannedStrings takes texts back, which ${search} cannot.`);
  if (loops && (beams || (search && loops.action === "redraw")))
    throw typeError("conflict", `loops "${loops.action}" and ${search} cannot be combined.`);
  return { settings, signal, onPrompt: /** @type {any} */ (onPrompt), direct, compileBans };
}

/**
 * @param {any} banned a value that is not a list is refused later
 * @param {number[]} suppressed
 */
function withSuppressed(banned, suppressed) {
  if (typeof banned === "number") return [banned, ...suppressed];
  return Array.isArray(banned) || ArrayBuffer.isView(banned)
    ? [.../** @type {number[]} */ (banned), ...suppressed]
    : banned;
}

/**
 * @param {Record<string, any>} own
 * @param {Reading} model
 */
function readDraft({ draft, draftTokens = "auto" }, model) {
  if (draft === undefined) return undefined;
  if (draftTokens !== "auto") checkOption("draftTokens", draftTokens);
  if (typeof draft === "string" && !["auto", "lookup", "lookahead", "mtp"].includes(draft))
    throw rangeError("out-of-range", `draft must be a model, "auto", "lookup", "lookahead" or "mtp", not "${draft}".`);
  if (draft === "mtp") model.checkMtp();
  const by = typeof draft === "string" ? draft : model.neighbour("draft", draft);
  return {
    by: /** @type {number | import("../decode/decode-types.js").DraftWord} */ (by),
    tokens: /** @type {number | "auto"} */ (draftTokens),
  };
}

/**
 * @param {Record<string, any>} own
 * @param {Reading} model
 */
function readGuidance({ guidance, negativePrompt }, model) {
  if (guidance === undefined) return undefined;
  checkOption("guidance", guidance);
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
    // The last layer is the reference.
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
function readPenaltyAlpha(alpha, { topK, temperature, mirostat, watermark, adaptiveTarget = -1 }) {
  if (alpha === undefined) return undefined;
  checkOption("penaltyAlpha", alpha);
  if (!alpha) return undefined;
  if (!topK || topK < 2 || topK > 64)
    throw rangeError("out-of-range", "penaltyAlpha chooses among the topK likeliest tokens: give topK from 2 to 64.");
  if (temperature === 0)
    throw typeError("conflict", "penaltyAlpha chooses among several tokens, but temperature 0 leaves one.");
  if (mirostat || adaptiveTarget >= 0)
    throw typeError("conflict", "mirostat and adaptiveTarget learn from draws, but penaltyAlpha draws no token.");
  if (watermark) throw typeError("conflict", "watermark decides draws, but penaltyAlpha draws no token.");
  return /** @type {number} */ (alpha);
}

/**
 * Refuses heads of another model: with a hash those of another file, otherwise those of another shape.
 * @param {import("./worker/engine.js").ModelInfo} heads
 * @param {import("./worker/engine.js").ModelInfo} model
 */
export function checkHeads({ base, config: { dim, vocabSize } }, { hash, config }) {
  const reasons = [];
  if (base?.name) reasons.push(`They belong to "${base.name}", and this is "${config.name}".`);
  const { length } = reasons;
  if (base?.hash && base.hash !== hash)
    reasons.push(`The hash of their model's file is ${base.hash}, and of this one ${hash}: another quantisation?`);
  if (dim !== config.dim) reasons.push(`They are ${dim} wide, and this model is ${config.dim} wide.`);
  if (vocabSize && vocabSize !== config.vocabSize)
    reasons.push(`They know ${vocabSize} tokens, and this model ${config.vocabSize}.`);
  if (reasons.length > length) throw new ModelError("model-heads-foreign", reasons.join(" "));
}
