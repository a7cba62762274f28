// A slow recogniser of structural tags, written from xgrammar's documentation: walks the formats over one text.
// A special token is a character from U+E000 on.

/**
 * What a format makes of a text from a place on: where a text of the format may end, and whether one may go on beyond
 * the end of the text.
 * @typedef {{ ends: Set<number>, goesOn: boolean }} Outcome
 */

/** The texts of a format with finitely many of them. */
const finite = {
  const_string: ({ value }) => [value],
  json_schema: ({ json_schema }) => json_schema.enum.map((one) => JSON.stringify(one)),
  regex: ({ pattern }) => pattern.slice(3, -1).split("|"),
  grammar: ({ grammar }) => grammar.match(/"[^"]*"/g).map((one) => one.slice(1, -1)),
  token: ({ token }) => [token],
};

export class Reference {
  #text;
  #names;
  #tokens;
  /** Outcomes by format. @type {Map<object, Map<string, Outcome>>} */
  #known = new Map();

  /** @param {string} text @param {Record<string, string>} names of special tokens, and the character of each */
  constructor(text, names) {
    this.#text = text;
    this.#names = names;
    this.#tokens = Object.values(names);
  }

  /** @param {object} format */
  judge(format) {
    const { ends, goesOn } = this.#read(format, 0, [], undefined);
    return { isWhole: ends.has(this.#text.length), isBegun: goesOn || ends.has(this.#text.length) };
  }

  /** A literal, in which names of special tokens are the tokens. */
  #spelt(literal) {
    return literal.replace(/<[^<>\s]+>/g, (name) => this.#names[name] ?? name);
  }

  /** @returns {Outcome} */
  #literal(literal, at) {
    const value = this.#spelt(literal);
    const rest = this.#text.slice(at);
    const isRead = rest.startsWith(value);
    return { ends: new Set(isRead ? [at + value.length] : []), goesOn: !isRead && value.startsWith(rest) };
  }

  /** @param {Outcome} first @param {(at: number) => Outcome} next @returns {Outcome} */
  #then(first, next) {
    const all = [...first.ends].map(next);
    const ends = new Set(all.flatMap((one) => [...one.ends]));
    return { ends, goesOn: first.goesOn || all.some((one) => one.goesOn) };
  }

  /** @param {Outcome[]} all @returns {Outcome} */
  #any(all) {
    return { ends: new Set(all.flatMap(({ ends }) => [...ends])), goesOn: all.some(({ goesOn }) => goesOn) };
  }

  /** @param {(at: number) => Outcome} read @param {number} at @returns {Outcome} */
  #times(read, at, least, most) {
    let places = { ends: new Set([at]), goesOn: false };
    const result = { ends: new Set(least ? [] : [at]), goesOn: false };
    const seen = new Set();
    for (let count = 1; count <= most && places.ends.size; count++) {
      places = this.#then(places, read);
      const key = [...places.ends].sort().join();
      result.goesOn ||= places.goesOn;
      if (count >= least) places.ends.forEach((end) => result.ends.add(end));
      if (count > least && seen.has(key)) break;
      seen.add(key);
    }
    return result;
  }

  #tag({ begin, content, end }, at) {
    const first = typeof begin === "string" ? begin : begin.token;
    return this.#then(this.#literal(first, at), (place) => this.#rest({ content, end }, place));
  }

  #rest({ content, end }, at) {
    const isToken = typeof end === "object" && !Array.isArray(end);
    const ends = isToken ? [] : [end].flat().filter(Boolean);
    const body = this.#read(content, at, ends, isToken ? end.token : undefined);
    return this.#then(body, (place) =>
      this.#any((isToken ? [end.token] : [end].flat()).map((one) => this.#literal(one, place))),
    );
  }

  /**
   * Characters, one by one, until a trigger has been read.
   * @param {[trigger: string, rest: (at: number) => Outcome][]} rules
   * @param {(character: string) => boolean} isFree
   * @returns {Outcome}
   */
  #dispatch(rules, excludes, loops, at, isFree) {
    const text = this.#text;
    const result = { ends: new Set(), goesOn: false };
    const begins = [at];
    const visited = new Set();
    while (begins.length) {
      const from = begins.pop();
      if (visited.has(from)) continue;
      visited.add(from);
      for (let to = from; ; to++) {
        const free = text.slice(from, to);
        if (excludes.some((one) => free.includes(one))) break;
        const found = rules.find(([trigger]) => free.endsWith(this.#spelt(trigger)));
        if (found) {
          const after = found[1](to);
          result.goesOn ||= after.goesOn;
          if (loops) begins.push(...after.ends);
          else after.ends.forEach((end) => result.ends.add(end));
          break;
        }
        const token = [...free].findIndex((one) => !isFree(one));
        // A trigger may begin with a special token.
        if (token >= 0 && !rules.some(([trigger]) => this.#spelt(trigger).startsWith(free.slice(token)))) break;
        if (token < 0) result.ends.add(to);
        if (to === text.length) {
          result.goesOn = true;
          break;
        }
      }
    }
    return result;
  }

  #triggered({ triggers, tags, excludes = [], at_least_one, stop_after_first }, at, around, isFree, partOf) {
    const whole = (place) => this.#any(tags.map((tag) => this.#tag(tag, place)));
    if (at_least_one && stop_after_first) return whole(at);
    const rules = triggers.map((trigger) => [
      trigger,
      (place) =>
        this.#any(
          tags
            .filter(({ begin }) => partOf(begin).startsWith(trigger))
            .map(({ begin, ...tag }) =>
              this.#then(this.#literal(partOf(begin).slice(trigger.length), place), (to) => this.#rest(tag, to)),
            ),
        ),
    ]);
    const all = [...excludes, ...around];
    const dispatch = (place) => this.#dispatch(rules, all, !stop_after_first, place, isFree);
    return at_least_one ? this.#then(whole(at), dispatch) : dispatch(at);
  }

  /** @param {any} format @param {number} at @param {string[]} around ends of the tag around @param {string} [token] */
  #read(format, at, around, token) {
    const known = this.#known.get(format) ?? new Map();
    this.#known.set(format, known);
    const key = JSON.stringify([at, around, token]);
    if (!known.has(key)) known.set(key, this.#readAnew(format, at, around, token));
    return known.get(key);
  }

  #readAnew(format, at, around, token) {
    const { type, elements, content } = format;
    const plain = (character) => !this.#tokens.includes(character);
    const inner = (one) => (place) => this.#read(one, place, around, token);
    const not = (names) => (character) => plain(character) || !names.some((name) => this.#names[name] === character);
    if (type in finite) return this.#any(finite[type](format).map((one) => this.#literal(one, at)));
    switch (type) {
      case "any_text": {
        const { excludes = [], max_chars = Infinity } = format;
        const { ends, goesOn } = this.#dispatch([], [...excludes, ...around], false, at, plain);
        const few = new Set([...ends].filter((end) => end - at <= max_chars));
        return { ends: few, goesOn: goesOn && few.has(this.#text.length) };
      }
      case "sequence":
        return elements.reduce((first, one) => this.#then(first, inner(one)), { ends: new Set([at]), goesOn: false });
      case "or":
        return this.#any(elements.map((one) => inner(one)(at)));
      case "optional":
        return this.#times(inner(content), at, 0, 1);
      case "plus":
        return this.#times(inner(content), at, 1, Infinity);
      case "star":
        return this.#times(inner(content), at, 0, Infinity);
      case "repeat":
        return this.#times(inner(content), at, format.min, format.max < 0 ? Infinity : format.max);
      case "tag":
        return this.#tag(format, at);
      case "triggered_tags":
        return this.#triggered(format, at, around, plain, (begin) => begin);
      case "token_triggered_tags": {
        const names = [...(format.exclude_tokens ?? []), ...(token ? [token] : [])];
        const given = { ...format, triggers: format.trigger_tokens };
        return this.#triggered(given, at, [], not([...names, ...format.trigger_tokens]), (begin) => begin.token);
      }
      case "any_tokens":
        return this.#dispatch([], [], false, at, not([...(format.exclude_tokens ?? []), ...(token ? [token] : [])]));
      case "dispatch": {
        const rules = format.rules.map(([trigger, one]) => [trigger, inner(one)]);
        return this.#dispatch(rules, format.excludes ?? [], format.loop ?? true, at, plain);
      }
      case "token_dispatch": {
        const names = [...(format.exclude_tokens ?? []), ...format.rules.map(([name]) => name)];
        const rules = format.rules.map(([name, one]) => [name, inner(one)]);
        return this.#dispatch(rules, [], format.loop ?? true, at, not(names));
      }
      case "tags_with_separator": {
        const { tags, separator, at_least_one, stop_after_first } = format;
        const one = (place) => this.#any(tags.map((tag) => this.#tag(tag, place)));
        const more = (place) => this.#then(this.#literal(separator, place), one);
        const all = this.#then(one(at), (place) => this.#times(more, place, 0, stop_after_first ? 0 : Infinity));
        return at_least_one ? all : this.#any([all, { ends: new Set([at]), goesOn: false }]);
      }
    }
    throw new Error(type);
  }
}
