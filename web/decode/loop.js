// The loop that generates text with a model. Strategies choose tokens; logit sources give logits.
import { rangeError } from "../core/errors.js";
import { Continuation } from "./continuation.js";
import { bytesToHeal } from "./healing.js";
import { HealingConstraint, HealingMatcher } from "./healing-matcher.js";
import { Contrast } from "./logit-sources/contrast.js";
import { Dola } from "./logit-sources/dola.js";
import { Guidance } from "./logit-sources/classifier-free-guidance.js";
import { BeamStrategy } from "./strategies/beam-strategy.js";
import { ContrastiveStrategy } from "./strategies/contrastive-strategy.js";
import { SamplingStrategy } from "./strategies/sampling-strategy.js";
import { TextClock } from "./text-clock.js";

/** @typedef {import("./decode-types.js").Engine} Engine */
/** @typedef {import("./decode-types.js").Heads} Heads */
/** @typedef {import("./decode-types.js").Chunk} Chunk */
/** @typedef {import("./decode-types.js").GenerateSettings} GenerateSettings */
/** @typedef {import("./constraint.js").TextConstraint} TextConstraint */
/** @typedef {import("./decode-types.js").Sequence} Sequence */
/** @typedef {import("./decode-types.js").Job} Job */

/**
 * The caller of generate.
 * @typedef {object} Caller
 * @property {Job} job
 * @property {(chunk: Chunk) => void} emit
 * @property {(tokens: number, total: number) => void} report how much of the prompt has been read
 * @property {(model: number) => Engine | Heads} find another model of the same thread, or heads, by their number
 */

/**
 * One call of generate, as strategies see it.
 * @typedef {object} Call
 * @property {Engine} engine
 * @property {Uint32Array} ids the prompt, without the token that healing removed
 * @property {Uint32Array} prompt the whole prompt
 * @property {Uint8Array} [heal] bytes of the removed token: the text begins with these bytes, which are not emitted
 * @property {LogitSource} source of the logits
 * @property {GenerateSettings} settings
 * @property {TextConstraint} [constraint] keeps the text to a grammar or to the healed bytes
 * @property {Job} job
 * @property {(chunk: Chunk) => void} emit
 * @property {TextClock} clock
 * @property {Engine} [draft] proposes tokens
 * @property {import("./decode-types.js").AttachedHeads} [heads] propose tokens
 * @property {Engine} [amateur] the weaker model of contrastive decoding
 */

/**
 * A way of choosing tokens.
 * @typedef {object} Strategy
 * @property {() => boolean} isOver whether all texts have ended
 * @property {() => Promise<void>} step runs the model once, and writes the tokens that it chooses
 * @property {() => void} dispose
 */

/**
 * The source of a strategy's logits: the sequences of a model, or an object with the same methods.
 * @typedef {Pick<import("./decode-types.js").Sequences, "open" | "fork" | "truncate" | "drop" | "run" | "contextLength">
 *   & { dispose?: () => void }} LogitSource
 */

/**
 * The tokens of a prompt.
 * @param {Engine} engine
 * @param {string | Uint32Array} prompt
 * @param {boolean} isHealed its last token may become a longer one
 * @returns {{ given: Uint32Array, ids: Uint32Array, heal?: Uint8Array }} ids: without the token that healing removes;
 *   heal: its bytes
 */
export function readPrompt(engine, prompt, isHealed) {
  const given = engine.idsOf(prompt);
  if (!given.length) throw rangeError("out-of-range", "The prompt has no tokens: a model needs at least one.");
  const heal = isHealed ? bytesToHeal(given, engine.tokenizer.tokens) : undefined;
  return { given, ids: heal ? given.subarray(0, -1) : given, heal };
}

/**
 * @param {Engine} engine
 * @param {string | Uint32Array} prompt
 * @param {GenerateSettings} settings
 * @param {Caller} caller
 */
export async function decode(engine, prompt, settings, { job, emit: send, report, find }) {
  const { given, ids, heal } = readPrompt(engine, prompt, settings.heal);
  if (given.length > engine.config.contextLength) throw engine.sequences.contextError(given.length);
  const by = settings.draft?.by;
  const drafter = typeof by === "number" ? find(by) : undefined;
  const hasHeads = typeof drafter?.config.heads === "string";
  const draft = hasHeads ? undefined : /** @type {Engine | undefined} */ (drafter);
  const amateur = settings.contrast && /** @type {Engine} */ (find(settings.contrast.model));
  const engines = [engine, draft, amateur].filter((other) => other !== undefined);
  const constraint = await openConstraint(engine, settings, heal);
  const clock = new TextClock(ids.length, settings.reportsPrompt ? report : undefined);
  job.onPass = (sequences, position) => {
    if (sequences === engine.sequences) clock.read(position);
    if (clock.isPromptRead) job.onPass = undefined;
  };
  const emit = (/** @type {Chunk} */ chunk) => {
    const { usage } = chunk;
    if (!usage) return send(chunk);
    const { length: memory } = engine.instance.views().bytes;
    send({ ...chunk, stats: { firstTokenMs: 0, ...clock.speed(usage.cachedTokens), memory } });
  };
  const rest = { settings, constraint, job, emit, clock, draft, amateur };
  /** @type {Call} */
  const call = { engine, ids, prompt: given, heal, source: engine.sequences, ...rest };
  /** @type {Strategy | undefined} */
  let strategy;
  await takeTurns(engines);
  clock.start();
  try {
    for (const one of engines) one.checkWanted(job);
    if (settings.echo) {
      const stream = engine.tokenizer.stream();
      emit({ text: Array.from(given, (id) => stream.push(id)).join(""), tokens: [] });
    }
    if (settings.maxTokens === 0) return endAtOnce(call);
    if (hasHeads) call.heads = engine.attach(/** @type {Heads} */ (drafter));
    for (const one of new Set(engines)) await one.recall(ids, job);
    call.source = openSource(call);
    strategy = await openStrategy(call);
    while (!strategy.isOver()) {
      if (!job.hasRoom) {
        // While the reader pauses, other calls may run.
        leaveTurns(engines);
        clock.stop();
        await job.waitForRoom();
        await takeTurns(engines);
        clock.start();
      }
      await strategy.step();
    }
  } finally {
    strategy?.dispose();
    if (call.source !== engine.sequences) call.source.dispose?.();
    constraint?.dispose();
    leaveTurns(engines);
  }
}

/**
 * Ends all texts at once, without a token.
 * @param {Call} call
 */
function endAtOnce(call) {
  const { n, beams } = call.settings;
  for (let index = 0; index < n; index++) {
    const { usage } = new Continuation(call);
    const chunk = { text: "", tokens: [], finishReason: /** @type {const} */ ("length"), usage };
    call.emit(n > 1 || beams ? { ...chunk, index } : chunk);
  }
}

/**
 * In a fixed order: two calls must not wait for each other.
 * @param {Engine[]} engines
 */
async function takeTurns(engines) {
  for (const engine of new Set([...engines].sort((a, b) => a.number - b.number))) await engine.turns.take();
}

/** @param {Engine[]} engines */
function leaveTurns(engines) {
  for (const engine of new Set(engines)) engine.turns.leave();
}

/**
 * Makes the constraint of a text: a grammar, otherwise the bytes of the token that healing removed.
 * @param {Engine} engine
 * @param {GenerateSettings} settings
 * @param {Uint8Array} [heal]
 * @returns {Promise<TextConstraint | undefined>}
 */
async function openConstraint(engine, { grammar }, heal) {
  if (grammar) return engine.openConstraint(grammar, heal);
  return heal && new HealingConstraint(new HealingMatcher(heal, engine.tokenizer.tokens));
}

/**
 * @param {Call} call
 * @returns {LogitSource}
 */
function openSource(call) {
  const { engine, amateur, settings } = call;
  const { guidance, contrast, dola } = settings;
  if (guidance) return new Guidance(call, guidance);
  if (contrast && amateur) return new Contrast(call, amateur, contrast);
  return dola ? new Dola(call, dola) : engine.sequences;
}

/**
 * @param {Call} call
 * @returns {Promise<Strategy>}
 */
async function openStrategy(call) {
  const { beams, penaltyAlpha } = call.settings;
  if (penaltyAlpha) return ContrastiveStrategy.open(call);
  return beams ? BeamStrategy.open(call) : SamplingStrategy.open(call);
}
