// JSON as the judges read it: numbers exact, objects as maps. Written apart from the readers of web/.

/** A number: digits * 10^power, without zeros at the end of the digits. */
export class Exact {
  /** @param {string} text as JSON spells it, or a double as a string */
  constructor(text) {
    const [, sign, whole, fraction = "", exponent = "0"] = /** @type {RegExpExecArray} */ (
      /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text)
    );
    this.text = text;
    const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
    const kept = digits.replace(/0+$/, "") || "0";
    this.digits = BigInt(sign + kept);
    this.power = kept === "0" ? 0 : Number(exponent) - fraction.length + digits.length - kept.length;
    /** Of the first digit: 10^order <= |number| < 10^(order + 1). */
    this.order = kept === "0" ? -Infinity : this.power + kept.length - 1;
  }

  get isWhole() {
    return this.power >= 0;
  }

  /** @param {Exact} other */
  compare(other) {
    const sign = (/** @type {bigint} */ value) => (value > 0n ? 1 : value < 0n ? -1 : 0);
    const own = sign(this.digits);
    if (own !== sign(other.digits)) return own - sign(other.digits);
    if (this.order !== other.order) return this.order < other.order ? -own : own;
    const least = Math.min(this.power, other.power);
    return sign(this.digits * 10n ** BigInt(this.power - least) - other.digits * 10n ** BigInt(other.power - least));
  }

  /** @param {Exact} of above 0 */
  isMultiple(of) {
    if (this.digits === 0n) return true;
    const shift = this.power - of.power;
    if (shift < 0) return false; // the digits end in no zero, so that no power of ten divides them
    let rest = this.digits % of.digits;
    let [base, count] = [10n % of.digits, shift];
    for (; count > 0; count = Math.floor(count / 2)) {
      if (count % 2) rest = (rest * base) % of.digits;
      base = (base * base) % of.digits;
    }
    return rest % of.digits === 0n;
  }

  toString() {
    return `${this.digits}e${this.power}`;
  }
}

/**
 * @param {string} text
 * @returns {any} null, a boolean, a string, an Exact, an array or a Map, in which the last of equal keys counts
 * @throws {SyntaxError} for what JSON.parse does not take either
 */
export function parseExact(text) {
  JSON.parse(text);
  const lexeme = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[-+.\w]+)/gy;
  const next = () => /** @type {RegExpExecArray} */ (lexeme.exec(text))[1];
  const value = (/** @type {string} */ mark) => {
    if (mark === "[") {
      const items = [];
      for (let at = next(); at !== "]"; at = next()) if (at !== ",") items.push(value(at));
      return items;
    }
    if (mark === "{") {
      const members = new Map();
      for (let at = next(); at !== "}"; at = next()) {
        if (at === ",") continue;
        next();
        members.set(JSON.parse(at), value(next()));
      }
      return members;
    }
    return /^[-\d]/.test(mark) ? new Exact(mark) : JSON.parse(mark);
  };
  return value(next());
}

/** Equal for equal JSON values. @param {any} value @returns {string} */
export function identity(value) {
  if (value instanceof Exact) return String(value);
  if (Array.isArray(value)) return `[${value.map(identity).join()}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${identity(member)}`).sort().join()}}`; // prettier-ignore
  return JSON.stringify(value);
}
