// The texts that a model has read and written, for guesses of what comes next (Oliaro et al., "SuffixDecoding", 2024, has
// a suffix tree of them). The last 262,144 tokens are kept in their order. Each place names the place before it that ends
// in the same tokens, as in a compressor with hash chains; so memory is bounded, and a search looks at a bounded number
// of places.

/** Places that are kept, a power of two. */
const SIZE = 2 ** 18;
const HEADS = 2 ** 16;
/** Tokens of a key: shorter matches are rarely right, since the texts differ. */
const KEY = 3;
/** Places that a search looks at. */
const TRIES = 16;
/** Stands between texts. */
const GAP = -1;

export class TextMemory {
  #tokens = new Int32Array(0);
  /** For each place 1 + the one before it with the same key. */
  #before = new Int32Array(0);
  /** For each hash of a key 1 + its last place. */
  #heads = new Int32Array(0);
  #end = 0;

  /**
   * Learns the tokens of a text from `start` on. Those before it are known.
   * @param {ArrayLike<number>} ids
   * @param {number} start
   */
  learn(ids, start) {
    if (start >= ids.length) return;
    if (!this.#end) {
      this.#tokens = new Int32Array(SIZE);
      this.#before = new Int32Array(SIZE);
      this.#heads = new Int32Array(HEADS);
    }
    // What follows the known part is found by its last tokens.
    const from = Math.max(0, start - KEY);
    for (let i = from; i <= ids.length; i++) {
      const at = this.#end % SIZE;
      this.#tokens[at] = i < ids.length ? ids[i] : GAP;
      if (i < ids.length && i - from >= KEY - 1) {
        const head = keyOf(ids, i);
        this.#before[at] = this.#heads[head];
        this.#heads[head] = this.#end + 1;
      }
      this.#end++;
    }
  }

  /**
   * The longest match for the end of a text, of at most `longest` tokens, of equally long ones the most recent.
   * @param {ArrayLike<number>} ids
   * @param {number} longest
   * @returns {{ length: number, next: number }} of the match, and the place after it
   */
  find(ids, longest) {
    let [length, next] = [0, 0];
    const last = ids.length - 1;
    if (last < KEY - 1 || !this.#end) return { length, next };
    const first = Math.max(0, this.#end - SIZE);
    let place = this.#heads[keyOf(ids, last)] - 1;
    for (let tries = 0; tries < TRIES && place >= first && length < longest; tries++) {
      let same = 0;
      const most = Math.min(longest, ids.length, place - first + 1);
      while (same < most && this.#at(place - same) === ids[last - same]) same++;
      if (same >= KEY && same > length && this.#at(place + 1) !== GAP) [length, next] = [same, place + 1];
      place = this.#before[place % SIZE] - 1;
    }
    return { length, next };
  }

  /**
   * The tokens from a place on, to the end of its text.
   * @param {number} place
   * @param {number} count at most
   */
  copy(place, count) {
    /** @type {number[]} */
    const tokens = [];
    for (let i = place; tokens.length < count && this.#at(i) !== GAP; i++) tokens.push(this.#at(i));
    return tokens;
  }

  /** @param {number} place */
  #at(place) {
    return this.#tokens[place % SIZE];
  }
}

/** A hash of the KEY tokens that end at a place. @param {ArrayLike<number>} ids @param {number} last */
function keyOf(ids, last) {
  let hash = 0;
  for (let i = 0; i < KEY; i++) hash = Math.imul(hash ^ (ids[last - i] + 1), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & (HEADS - 1);
}
