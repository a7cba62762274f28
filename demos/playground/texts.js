// The texts of a column as a tree. Each begins anew, or leaves another text at a token that a person chose. Only data.

/**
 * A token of a text and what it was drawn from.
 * @typedef {object} Step
 * @property {number} id
 * @property {string} text what it adds, "" while its character is incomplete
 * @property {number} probability of the draw
 * @property {number} rawLogprob the model's own
 * @property {number} bits the model's uncertainty
 * @property {Float32Array} [logits] the raw row; none in a recording, or when memory was short
 * @property {boolean} [isEnd] whether it ends the text
 * @property {import("./alternatives.js").Alternative[]} [top] in a recording
 */

/**
 * The settings that a text is written with.
 * @typedef {object} Setup
 * @property {string} prompt
 * @property {Record<string, number>} settings of the knobs
 * @property {Record<string, string>} more other options, as their fields have them
 * @property {number} seed
 * @property {number} maxTokens
 */

/**
 * @typedef {object} Text
 * @property {number} number from 1, in the order in which texts began
 * @property {Text | null} parent the text that it left
 * @property {number} kept how many of its first tokens stay when it is written again: those of its parent, and the chosen one
 * @property {number[]} ids of the prompt, as the model reads them
 * @property {Step[]} steps
 * @property {Setup} setup of the text, or of the text that is to be written in its place
 * @property {Setup} [written] with which its steps were written
 * @property {import("../../dist/index.js").Loop} [loop] in which it ends
 * @property {boolean} isRecorded
 * @property {import("./object-panel.js").GrowingObject} [object] that its new steps write, with a schema
 */

/** Nobody finds their way among more. The oldest text without branches goes first. */
const MOST_TEXTS = 40;

export class Texts {
  /** @type {Text[]} */
  list = [];
  /** The text that is shown. @type {Text | null} */
  current = null;
  #count = 0;

  /**
   * Adds a text that begins with the prompt.
   * @param {Setup} setup
   * @param {Step[]} [steps] that stay
   * @returns {Text}
   */
  begin(setup, steps = []) {
    return this.#add({ parent: null, kept: steps.length, ids: [], steps, setup });
  }

  /**
   * Adds a text that leaves another one.
   * @param {Text} parent
   * @param {number} at the step at which it leaves
   * @param {Step} step taken there instead
   * @param {Setup} setup
   * @returns {Text}
   */
  branch(parent, at, step, setup) {
    const steps = [...parent.steps.slice(0, at), step];
    return this.#add({ parent, kept: steps.length, ids: parent.ids, steps, setup });
  }

  /**
   * The current text, to be written again. If it has branches it stays, and a twin takes its place.
   * @param {Setup} setup
   * @returns {Text | null} null: there is none
   */
  again(setup) {
    const text = this.current;
    if (!text) return null;
    if (this.childrenOf(text).length) {
      const { parent, kept, ids, steps } = text;
      return this.#add({ parent, kept, ids, steps: steps.slice(0, kept), setup });
    }
    return Object.assign(text, { setup, isRecorded: false });
  }

  /**
   * Removes a text of which nothing was written, unless it is the only one. Shows the text that it left, or else the
   * latest.
   * @param {Text} text
   */
  remove(text) {
    const others = this.list.filter((one) => one !== text);
    if (!others.length) return;
    this.list = others;
    this.current = text.parent ?? others[others.length - 1];
  }

  /** @param {Text | null} parent */
  childrenOf(parent) {
    return this.list.filter((text) => text.parent === parent);
  }

  /** All texts, each below the text that it left. @returns {{ text: Text, depth: number }[]} */
  get rows() {
    const below = (/** @type {Text | null} */ parent, /** @type {number} */ depth) =>
      this.childrenOf(parent).flatMap((/** @type {Text} */ text) => [{ text, depth }, ...below(text, depth + 1)]);
    return /** @type {{ text: Text, depth: number }[]} */ (below(null, 0));
  }

  /**
   * Drops rows of logits from texts that are not shown, oldest first, until at most `most` remain. Rows that the
   * current text shares stay.
   * @param {number} most rows
   */
  trim(most) {
    const shown = new Set(this.current?.steps);
    let count = new Set(this.list.flatMap(({ steps }) => steps.filter(({ logits }) => logits))).size;
    for (const step of this.list.flatMap(({ steps }) => steps)) {
      if (count <= most) return;
      if (!step.logits || shown.has(step)) continue;
      step.logits = undefined;
      count--;
    }
  }

  /** @param {Omit<Text, "number" | "isRecorded">} text */
  #add(text) {
    const added = { ...text, number: ++this.#count, isRecorded: false };
    this.list.push(added);
    this.current = added;
    const isBusy = (/** @type {Text} */ one) => one === added || this.childrenOf(one).length > 0;
    if (this.list.length > MOST_TEXTS) {
      const oldest = this.list.findIndex((one) => !isBusy(one));
      if (oldest >= 0) this.list.splice(oldest, 1);
    }
    return added;
  }
}

/**
 * How many of their first tokens two texts have in common.
 * @param {readonly { id: number }[]} a
 * @param {readonly { id: number }[]} b
 */
export function sharedLength(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length].id === b[length].id) length++;
  return length;
}

/**
 * A step of which only the id is known.
 * @param {number} id
 * @returns {Step}
 */
export const unknownStep = (id) => ({ id, text: "", probability: NaN, rawLogprob: NaN, bits: NaN });
