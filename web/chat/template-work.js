// The bounds of one rendering, and the stand-ins in its texts.

/** A node of the template is a step; work on long texts and lists counts as more steps. */
const STEP_LIMIT = 2_000_000;
const DEPTH_LIMIT = 400;
/** Characters of any text that a template makes. */
const TEXT_LIMIT = 2 ** 22;
/** Items of any list that a template makes. */
const LIST_LIMIT = 100_000;

/** Thrown if a template exceeds a bound. */
export class TemplateLimit extends Error {}

export class TemplateWork {
  #steps = STEP_LIMIT;
  /** Current depth of nesting. */
  depth = 0;
  #standIns;

  /** @param {import("./stand-ins.js").StandIns} [standIns] stand-ins in the texts that the template gets */
  constructor(standIns) {
    this.#standIns = standIns;
  }

  /** Counts steps before a value is read: for a text, as many as it is long. @param {any} value */
  read(value) {
    this.spend(typeof value === "string" ? 1 + (value.length >> 6) : 1);
  }

  /** @param {number} steps */
  spend(steps) {
    if ((this.#steps -= steps) < 0) throw new TemplateLimit(`It takes more than ${STEP_LIMIT} steps.`);
  }

  deepen() {
    if (++this.depth > DEPTH_LIMIT) throw new TemplateLimit(`It is nested more than ${DEPTH_LIMIT} levels deep.`);
  }

  rise() {
    this.depth--;
  }

  /** Checks a text that the template has made. @param {string} text */
  grow(text) {
    this.checkText(text.length);
    this.spend(text.length >> 6);
    return text;
  }

  /** @param {number} length that a text would have */
  checkText(length) {
    if (length > TEXT_LIMIT) throw new TemplateLimit(`It makes a text of more than ${TEXT_LIMIT} characters.`);
  }

  /**
   * Checks a list that the template has made.
   * @template {any[]} List
   * @param {List} list
   */
  fill(list) {
    this.checkList(list.length);
    this.spend(list.length >> 3);
    return list;
  }

  /** @param {number} length that a list would have */
  checkList(length) {
    if (!(length <= LIST_LIMIT)) throw new TemplateLimit(`It makes a list of more than ${LIST_LIMIT} items.`);
  }

  /**
   * Puts stand-ins into a key, if it is a text.
   * @template Key
   * @param {Key} key
   * @returns {Key}
   */
  withStandIns(key) {
    return typeof key === "string" && this.#standIns ? /** @type {any} */ (this.#standIns.put(key)) : key;
  }

  /**
   * Takes stand-ins out of a text or key, to compare it.
   * @template Key
   * @param {Key} key
   * @returns {Key}
   */
  plain(key) {
    if (typeof key === "string") this.spend(key.length >> 6);
    return typeof key === "string" && this.#standIns ? /** @type {any} */ (this.#standIns.remove(key)) : key;
  }
}
