// The options of createTransformersSampler beside the sampler's, and those of generate that a call may not change.
import { checkWhole, isSamplerOption, typeError } from "../engine.js";

/** @typedef {import("../index.js").SamplerOptions} SamplerOptions */

/**
 * Switches off generate's own edits, which many generation_configs have and which would change the logits first.
 * generate does not read undefined options.
 */
export const plain = {
  do_sample: false,
  num_beams: 1,
  temperature: 1,
  repetition_penalty: 1,
  no_repeat_ngram_size: 0,
  bad_words_ids: null,
  min_length: 0,
  min_new_tokens: null,
  forced_bos_token_id: null,
  forced_eos_token_id: null,
  suppress_tokens: null,
  begin_suppress_tokens: null,
  guidance_scale: null,
  top_k: undefined,
  top_p: undefined,
  min_p: undefined,
  typical_p: undefined,
  seed: undefined,
  stop_strings: undefined,
  signal: undefined,
};

/** Its own options, under all their names. */
export const ownNames = {
  seeds: "seeds",
  stop: "stop",
  stop_strings: "stop",
  grammar: "grammar",
  loops: "loops",
  signal: "signal",
  logprobs: "logprobs",
  device: "device",
  wake: "wake",
  stoppingCriteria: "stoppingCriteria",
  stopping_criteria: "stoppingCriteria",
};

const inCall = "give it to the call, beside the sampler: generator(prompt, { max_new_tokens: 60, ...lastinch }).";
const inGrammar =
  "compile it first, and give the result as grammar: await compileGrammar({ vocabulary: vocabularyOf(generator), … }).";
const inSession = "beams need the session alone: openSession of lastinch/onnxruntime.";
const inBatch = "several texts are a batch: give the prompt as many times, generator([prompt, prompt], …).";
/** Options of generate that people may look for here, and where they belong. @type {Record<string, string>} */
export const elsewhere = {
  max_new_tokens: inCall,
  maxNewTokens: inCall,
  max_length: inCall,
  streamer: inCall,
  return_full_text: inCall,
  return_dict_in_generate: inCall,
  do_sample: "the sampler always draws; temperature: 0 takes the likeliest token.",
  num_beams: inSession,
  beams: inSession,
  early_stopping: inSession,
  length_penalty: inSession,
  num_return_sequences: inBatch,
  n: inBatch,
  min_length: "give minTokens to createTransformersSampler, which counts without the prompt.",
  guidance_scale: "leave it out, the sampler sees one row for each text.",
  jsonSchema: inGrammar,
  regex: inGrammar,
  choice: inGrammar,
  ebnf: inGrammar,
  lark: inGrammar,
  toolCalls: inGrammar,
  structuralTags: inGrammar,
  logits_processor: "give it to the call, before the sampler's: [yours, ...lastinch.logits_processor].",
};
const inSampler = "give it to createTransformersSampler.";

/** Stopping criteria: one, or a list. @param {any} given */
export function criteriaIn(given) {
  const list = typeof given?.[Symbol.iterator] === "function" ? [...given] : [given];
  if (!list.every((one) => typeof one === "function"))
    throw typeError("bad-type", "stoppingCriteria takes what generate takes as stopping_criteria: functions.");
  return list;
}

/**
 * @param {unknown} seeds
 * @param {SamplerOptions} given
 */
export function readSeeds(seeds, given) {
  if (!Array.isArray(seeds)) throw typeError("bad-type", "seeds must be a list of numbers.");
  for (const seed of seeds) checkWhole("A seed", seed, 0, 2 ** 53 - 1);
  if (given.seed !== undefined) throw typeError("conflict", "Give seed or seeds, not both.");
}

/**
 * Refuses a call's options that come after the sampler's and replace them.
 * @param {any} options
 * @param {Function} processor
 * @param {Function} criterion
 * @param {number[] | null} eos
 */
export function refuseChanges(options, processor, criterion, eos) {
  /** @param {string} name @param {string} where @returns {never} */
  const refuse = (name, where) => {
    throw typeError("conflict", `${name} stands after ...lastinch: ${where}`);
  };
  for (const [name, value] of Object.entries(plain))
    if (options[name] !== value)
      refuse(name, elsewhere[name] ?? (isSamplerOption(name) || name in ownNames ? inSampler : "leave it out."));
  if (options.num_return_sequences > 1) refuse("num_return_sequences", inBatch);
  if ([...(options.logits_processor ?? [])].at(-1) !== processor)
    refuse("logits_processor", elsewhere.logits_processor);
  if (!criteriaIn(options.stopping_criteria ?? []).includes(criterion))
    refuse("stopping_criteria", "give yours to createTransformersSampler, as stoppingCriteria.");
  if (String(options.eos_token_id) !== String(eos))
    refuse("eos_token_id", "give it to createTransformersSampler, as eos.");
}
