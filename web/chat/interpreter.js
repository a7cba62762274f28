// Runs a template that @huggingface/jinja has parsed, as jinja2 does in transformers (trim_blocks, lstrip_blocks, loop
// controls, sandbox). We do not use that package's interpreter: it has no bounds and differs from Python in many
// details.
import { Namespace, Tuple, dateText } from "./python-text.js";
import { filterOf, isIn, tests } from "./template-filters.js";
import {
  isEqual,
  isNumeric,
  isTrue,
  characterAt,
  itemsOf,
  kindOf,
  methodOf,
  order,
  printed,
  sliceOf,
  word,
} from "./template-values.js";

/** @typedef {import("./template-work.js").TemplateWork} TemplateWork */
/** @typedef {import("./python-text.js").Callable} Callable */
/** A node from the package's parser. @typedef {any} Node */

/** The template called raise_exception. */
export class TemplateRefusal extends Error {}

/** break or continue, with what the loop's body had written before. */
class LoopExit {
  text = "";

  /** @param {boolean} isEnd */
  constructor(isEnd) {
    this.isEnd = isEnd;
  }
}

class Scope {
  /** @type {Map<string, any>} */
  names = new Map();

  /** @param {Scope} [outer] */
  constructor(outer) {
    this.outer = outer;
  }

  /** @param {string} name */
  find(name) {
    for (let scope = /** @type {Scope | undefined} */ (this); scope; scope = scope.outer)
      if (scope.names.has(name)) return scope.names.get(name);
  }
}

/** As much as jinja2's sandbox allows. */
const RANGE_LIMIT = 100_000;

/** @param {TemplateWork} work @param {Date} date @returns {Map<string, any>} */
const globals = (work, date) =>
  new Map(
    Object.entries({
      true: true,
      True: true,
      false: false,
      False: false,
      none: null,
      None: null,
      raise_exception: (/** @type {any[]} */ [message]) => {
        throw new TemplateRefusal(work.plain(printed(message, work)));
      },
      strftime_now: (/** @type {any[]} */ [format]) => dateText(date, word(format)),
      namespace: (/** @type {any[]} */ [given], /** @type {Map<string, any>} */ named) =>
        new Namespace([...(given instanceof Map ? given : []), ...named]),
      dict: (/** @type {any[]} */ [given], /** @type {Map<string, any>} */ named) =>
        new Map([...(given instanceof Map ? given : []), ...named]),
      range: (/** @type {any[]} */ args) => range(args, work),
    }),
  );

/** @param {any[]} args @param {TemplateWork} work */
function range(args, work) {
  const [start, stop, step = 1] = args.length > 1 ? args : [0, args[0]];
  for (const bound of [start, stop, step])
    if (!Number.isInteger(bound)) throw new Error(`range() needs whole numbers, not ${kindOf(bound)}`);
  if (!step) throw new Error("The step of range() cannot be 0");
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > RANGE_LIMIT) work.checkList(Infinity);
  return work.fill(Array.from({ length }, (_, i) => start + i * step));
}

export class Interpreter {
  #work;
  #globals;

  /**
   * @param {TemplateWork} work
   * @param {Date} date that strftime_now writes
   */
  constructor(work, date) {
    this.#work = work;
    this.#globals = globals(work, date);
  }

  /**
   * @param {Node} program
   * @param {Map<string, any>} given
   * @returns {string}
   */
  run(program, given) {
    const scope = new Scope();
    scope.names = new Map([...this.#globals, ...given]);
    return this.#block(program.body, scope);
  }

  /** @param {Node[]} statements @param {Scope} scope */
  #block(statements, scope) {
    let text = "";
    try {
      for (const statement of statements) {
        text += this.#statement(statement, scope);
        this.#work.checkText(text.length);
      }
    } catch (error) {
      if (error instanceof LoopExit) error.text = text + error.text;
      throw error;
    }
    return text;
  }

  /** Returns what a statement writes. @param {Node} node @param {Scope} scope @returns {string} */
  #statement(node, scope) {
    const work = this.#work;
    work.spend(1);
    switch (node.type) {
      case "Comment":
        return "";
      case "Set":
        this.#set(node, scope);
        return "";
      case "Macro":
        scope.names.set(node.name.value, this.#macro(node.args, node.body, scope));
        return "";
      case "Break":
        throw new LoopExit(true);
      case "Continue":
        throw new LoopExit(false);
      default:
    }
    work.deepen();
    const text = this.#written(node, scope);
    work.rise();
    return text;
  }

  /** @param {Node} node @param {Scope} scope */
  #written(node, scope) {
    const work = this.#work;
    switch (node.type) {
      case "If":
        return this.#block(isTrue(this.#value(node.test, scope)) ? node.body : node.alternate, scope);
      case "For":
        return this.#loop(node, scope);
      case "CallStatement": {
        const { args, named } = this.#arguments(node.call.args, scope);
        named.set("caller", this.#macro(node.callerArgs ?? [], node.body, scope));
        return printed(this.#call(this.#value(node.call.callee, scope), args, named), work);
      }
      case "FilterStatement":
        return printed(this.#filter(this.#block(node.body, new Scope(scope)), node.filter, scope), work);
      default:
        return printed(this.#value(node, scope), work);
    }
  }

  /** @param {Node} node @param {Scope} scope */
  #set({ assignee, value, body }, scope) {
    const result = value ? this.#value(value, scope) : this.#block(body, new Scope(scope));
    this.#assign(assignee, result, scope);
  }

  /** @param {Node} target @param {any} value @param {Scope} scope */
  #assign(target, value, scope) {
    if (target.type === "Identifier") scope.names.set(target.value, value);
    else if (target.type === "TupleLiteral") {
      const items = itemsOf(value, this.#work);
      if (items.length !== target.value.length)
        throw new Error(`${items.length} items cannot be given to ${target.value.length} names`);
      target.value.forEach((/** @type {Node} */ one, /** @type {number} */ i) => this.#assign(one, items[i], scope));
    } else {
      const owner = target.type === "MemberExpression" && !target.computed && this.#value(target.object, scope);
      if (!(owner instanceof Namespace)) throw new Error("Only names and attributes of a namespace can be set");
      owner.values.set(target.property.value, value);
    }
  }

  /** @param {Node} node @param {Scope} scope */
  #loop({ loopvar, iterable, body, defaultBlock }, scope) {
    const work = this.#work;
    const isFiltered = iterable.type === "SelectExpression";
    let items = itemsOf(this.#value(isFiltered ? iterable.lhs : iterable, scope), work);
    if (isFiltered)
      items = items.filter((item) => {
        const own = new Scope(scope);
        this.#assign(loopvar, item, own);
        return isTrue(this.#value(iterable.test, own));
      });
    if (!items.length) return this.#block(defaultBlock, scope);
    let text = "";
    const { depth } = work;
    for (let i = 0; i < items.length; i++) {
      work.spend(8);
      const own = new Scope(scope);
      own.names.set("loop", loopOf(items, i));
      this.#assign(loopvar, items[i], own);
      try {
        text += this.#block(body, own);
      } catch (error) {
        if (!(error instanceof LoopExit)) throw error;
        text += error.text;
        work.depth = depth;
        if (error.isEnd) break;
      }
      work.checkText(text.length);
    }
    return text;
  }

  /**
   * @param {Node[]} parameters
   * @param {Node[]} body
   * @param {Scope} scope where the macro is defined
   * @returns {Callable}
   */
  #macro(parameters, body, scope) {
    return (args, named) => {
      const own = new Scope(scope);
      const rest = new Map(named);
      own.names.set("caller", rest.get("caller"));
      rest.delete("caller");
      own.names.set("varargs", args.slice(parameters.length));
      own.names.set("kwargs", rest);
      parameters.forEach((parameter, i) => {
        const name = parameter.type === "Identifier" ? parameter.value : parameter.key.value;
        const value = i < args.length ? args[i] : rest.get(name);
        rest.delete(name);
        own.names.set(name, value);
        if (value === undefined && parameter.type !== "Identifier")
          own.names.set(name, this.#value(parameter.value, own));
      });
      return this.#block(body, own);
    };
  }

  /** @param {Node} node @param {Scope} scope @returns {any} */
  #value(node, scope) {
    const work = this.#work;
    switch (node.type) {
      case "StringLiteral":
      case "IntegerLiteral":
      case "FloatLiteral":
        work.spend(1);
        return node.value;
      case "Identifier": {
        const value = scope.find(node.value);
        // Working on a text, such as searching it, takes time in proportion to its length.
        work.spend(typeof value === "string" ? 1 + (value.length >> 6) : 1);
        return value;
      }
      default:
    }
    work.spend(1);
    work.deepen();
    const value = this.#computed(node, scope);
    work.rise();
    if (typeof value === "string") work.grow(value);
    else if (Array.isArray(value)) work.fill(value);
    return value;
  }

  /** @param {Node} node @param {Scope} scope */
  #computed(node, scope) {
    switch (node.type) {
      case "MemberExpression":
        return this.#member(node, scope);
      case "CallExpression": {
        const { args, named } = this.#arguments(node.args, scope);
        return this.#call(this.#value(node.callee, scope), args, named);
      }
      case "BinaryExpression":
        return this.#binary(node, scope);
      case "UnaryExpression":
        return unary(node.operator.value, this.#value(node.argument, scope));
      case "FilterExpression":
        return this.#filter(this.#value(node.operand, scope), node.filter, scope);
      case "TestExpression": {
        const name = node.test.value;
        if (!Object.hasOwn(tests, name)) throw new Error(`There is no test "${name}"`);
        return tests[name](this.#value(node.operand, scope), [], this.#work) !== node.negate;
      }
      case "Ternary":
        return this.#value(isTrue(this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
      case "SelectExpression":
        return isTrue(this.#value(node.test, scope)) ? this.#value(node.lhs, scope) : undefined;
      case "TupleLiteral":
        return Tuple.from(node.value, (item) => this.#value(item, scope));
      case "ArrayLiteral":
        return node.value.map((/** @type {Node} */ item) => this.#value(item, scope));
      case "ObjectLiteral":
        return new Map(
          Array.from(node.value, ([key, item]) => [
            this.#work.plain(keyOf(this.#value(key, scope))),
            this.#value(item, scope),
          ]),
        );
      default:
        throw new Error(`${node.type} is not known here`);
    }
  }

  /** @param {Node} node @param {Scope} scope */
  #member({ object, property, computed }, scope) {
    const work = this.#work;
    const owner = this.#value(object, scope);
    if (computed && property.type === "SliceExpression")
      return sliceOf(
        owner,
        [property.start, property.stop, property.step].map((bound) => bound && this.#value(bound, scope)),
        work,
      );
    const key = computed ? this.#value(property, scope) : property.value;
    if (owner === undefined)
      throw new Error(`${nameOf(object)} is undefined and has no ${typeof key === "string" ? key : "item"}`);
    const at = typeof key === "boolean" ? Number(key) : key;
    if (typeof at === "number" && !(owner instanceof Map)) {
      if (typeof owner === "string") return characterAt(owner, at, work);
      return Array.isArray(owner) && Number.isInteger(at) ? owner.at(at) : undefined;
    }
    if (typeof key !== "string") return owner instanceof Map ? owner.get(key) : undefined;
    const plain = work.plain(key);
    if (owner instanceof Namespace) return owner.values.get(plain);
    if (!(owner instanceof Map)) return methodOf(owner, plain, work);
    // Jinja looks up the method first for a.b, and the item first for a["b"].
    if (computed) return owner.has(plain) ? owner.get(plain) : methodOf(owner, plain, work);
    return methodOf(owner, plain, work) ?? owner.get(plain);
  }

  /** @param {Node[]} nodes @param {Scope} scope */
  #arguments(nodes, scope) {
    /** @type {any[]} */
    const args = [];
    /** @type {Map<string, any>} */
    const named = new Map();
    for (const node of nodes) {
      if (node.type === "KeywordArgumentExpression") named.set(node.key.value, this.#value(node.value, scope));
      else if (node.type === "SpreadExpression") args.push(...itemsOf(this.#value(node.argument, scope), this.#work));
      else if (node.type === "KeywordSpreadExpression")
        for (const [key, value] of this.#value(node.argument, scope) ?? []) named.set(key, value);
      else args.push(this.#value(node, scope));
    }
    return { args, named };
  }

  /** @param {any} callee @param {any[]} args @param {Map<string, any>} named */
  #call(callee, args, named) {
    if (typeof callee !== "function") throw new Error(`${kindOf(callee)} cannot be called`);
    return callee(args, named);
  }

  /** @param {any} value @param {Node} filter @param {Scope} scope */
  #filter(value, filter, scope) {
    const isCall = filter.type === "CallExpression";
    const run = filterOf(isCall ? filter.callee.value : filter.value);
    const { args, named } = this.#arguments(isCall ? filter.args : [], scope);
    return run({ value, args, named, work: this.#work });
  }

  /** @param {Node} node @param {Scope} scope */
  #binary({ operator: { value: operator }, left, right }, scope) {
    const a = this.#value(left, scope);
    if (operator === "and" || operator === "or")
      return isTrue(a) === (operator === "and") ? this.#value(right, scope) : a;
    return binary(operator, a, this.#value(right, scope), this.#work);
  }
}

/**
 * @param {string} operator
 * @param {any} a
 * @param {any} b
 * @param {TemplateWork} work
 */
function binary(operator, a, b, work) {
  switch (operator) {
    case "==":
      return isEqual(a, b, work);
    case "!=":
      return !isEqual(a, b, work);
    case "in":
      return isIn(a, b, work);
    case "not in":
      return !isIn(a, b, work);
    case "~":
      return joinTexts(printed(a, work), printed(b, work), work);
    case "<":
      return order(a, b, work) < 0;
    case "<=":
      return order(a, b, work) <= 0;
    case ">":
      return order(a, b, work) > 0;
    case ">=":
      return order(a, b, work) >= 0;
    case "+":
      if (typeof a === "string" && typeof b === "string") return joinTexts(a, b, work);
      if (Array.isArray(a) && Array.isArray(b)) {
        work.checkList(a.length + b.length);
        return [...a, ...b];
      }
      break;
    case "*":
      if (isNumeric(a) && !isNumeric(b)) return repeated(b, Number(a), work);
      if (isNumeric(b) && !isNumeric(a)) return repeated(a, Number(b), work);
      break;
    default:
  }
  if (isNumeric(a) && isNumeric(b)) return arithmetic(operator, Number(a), Number(b));
  throw new Error(`${operator} is not defined for ${kindOf(a)} and ${kindOf(b)}`);
}

/** @param {string} a @param {string} b @param {TemplateWork} work */
function joinTexts(a, b, work) {
  work.checkText(a.length + b.length);
  return a + b;
}

/** @param {any} value @param {number} times @param {TemplateWork} work */
function repeated(value, times, work) {
  const count = Math.max(0, times);
  if (typeof value === "string" && Number.isInteger(times)) {
    work.checkText(count * value.length);
    return value.repeat(count);
  }
  if (!Array.isArray(value) || !Number.isInteger(times)) throw new Error(`* is not defined for ${kindOf(value)}`);
  work.checkList(count * value.length);
  return Array.from({ length: count * value.length }, (_, i) => value[i % value.length]);
}

/** @param {string} operator @param {number} a @param {number} b */
function arithmetic(operator, a, b) {
  if (!b && ["/", "//", "%"].includes(operator)) throw new Error("A number is divided by 0");
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a - b * Math.floor(a / b);
    case "**":
      return a ** b;
    default:
      throw new Error(`${operator} is not defined for numbers`);
  }
}

/** @param {string} operator @param {any} value */
function unary(operator, value) {
  if (operator === "not") return !isTrue(value);
  if (!isNumeric(value)) throw new Error(`${operator} is not defined for ${kindOf(value)}`);
  return operator === "-" ? -Number(value) : Number(value);
}

/** @param {any} value */
function keyOf(value) {
  if (typeof value === "object" && value !== null) throw new Error(`${kindOf(value)} cannot be a key`);
  return value;
}

/** @param {Node} node */
const nameOf = (node) => (node.type === "Identifier" ? node.value : (node.property?.value ?? "A value"));

/** @param {any[]} items @param {number} i */
const loopOf = (items, i) =>
  new Namespace([
    ["index", i + 1],
    ["index0", i],
    ["revindex", items.length - i],
    ["revindex0", items.length - i - 1],
    ["first", i === 0],
    ["last", i === items.length - 1],
    ["length", items.length],
    ["previtem", items[i - 1]],
    ["nextitem", items[i + 1]],
    ["cycle", (/** @type {any[]} */ args) => args[i % args.length]],
  ]);
