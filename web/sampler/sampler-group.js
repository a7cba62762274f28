// Groups: several continuations of one text at once, each on its own random stream, for self-consistency and
// group-relative policy optimisation.
import { checkWhole } from "../core/arguments.js";
import { disposeSymbol } from "../core/dispose.js";
import { rangeError, typeError } from "../core/errors.js";
import { createSampler } from "./create-sampler.js";

/** @typedef {import("./option-table.js").SamplerOptions} SamplerOptions */
/** @typedef {import("./option-table.js").SamplerAliases} SamplerAliases */
/** @typedef {import("./sampler-types.js").Logits} Logits */
/** @typedef {import("./gpu-sampler.js").GpuSampler} GpuSampler */

/**
 * Creates `count` samplers with the same options; member i draws from the seed's stream `stream` + i. A member's
 * choices depend only on its rows and its stream, never on the size of the group.
 * @param {number} count 1 to 65,536
 * @param {SamplerOptions & SamplerAliases} options a grammar needs the method clone
 * @returns {Promise<Group>}
 */
export async function createGroup(count, options) {
  checkWhole("count", count, 1, 65536);
  if (count > 1 && options?.watermark?.scheme === "gumbel")
    throw typeError("conflict", 'With the watermark "gumbel" a key has one text: create samplers with other keys.');
  const first = await createSampler(options);
  const samplers = [first];
  try {
    const { stream = 0 } = options;
    checkWhole("stream", stream, 0, 2 ** 32 - count);
    for (let i = 1; i < count; i++) samplers.push(first.clone({ stream: stream + i }));
  } catch (error) {
    for (const sampler of samplers) sampler.dispose();
    throw error;
  }
  return new Group(samplers);
}

export class Group {
  /** Use createGroup. @internal @param {GpuSampler[]} samplers */
  constructor(samplers) {
    /** The members. `accept` or `reset` of one member changes only that member. @type {readonly GpuSampler[]} */
    this.samplers = Object.freeze(samplers);
  }

  /**
   * Chooses and accepts one token for each member.
   * @param {Logits} logits a row for all of them, or a row for each, one after another
   * @returns {Uint32Array}
   */
  sample(logits) {
    const { samplers } = this;
    const [first] = samplers;
    if (!(logits instanceof Float32Array || logits instanceof Uint16Array))
      throw typeError("bad-type", "Logits must be a Float32Array, or a Uint16Array of float16 bits.");
    const { vocabSize } = first;
    const isOneRow = logits.length === vocabSize;
    if (!isOneRow && logits.length !== samplers.length * vocabSize)
      throw rangeError(
        "wrong-length",
        `There are ${logits.length} logits, but a row has ${vocabSize} and the group ${samplers.length} members.`,
      );
    // All members choose before any accepts: an error in one row leaves the group unchanged.
    const shared = isOneRow ? first.place(logits) : 0;
    const tokens = Uint32Array.from(samplers, (sampler, i) =>
      sampler.chooseAt(shared || sampler.place(logits.subarray(i * vocabSize, (i + 1) * vocabSize))),
    );
    samplers.forEach((sampler, i) => sampler.emit(tokens[i]));
    return tokens;
  }

  /**
   * Every member accepts these tokens.
   * @param {number | readonly number[] | Uint32Array | Int32Array} tokens
   * @param {{ prompt?: boolean }} [options] prompt: the tokens were read, not generated
   */
  accept(tokens, options) {
    for (const sampler of this.samplers) sampler.accept(tokens, options);
  }

  /** Frees the memory. Using the members afterwards throws. */
  dispose() {
    for (const sampler of this.samplers) sampler.dispose();
  }

  [disposeSymbol]() {
    this.dispose();
  }
}
