// Generated from C's headers by wasm/generate.js: edit those, then run `make generate`.

/** Tags of expressions: LI_FORM_… */
export const expressionTags = {
  nothing: 1,
  empty: 2,
  text: 3,
  class: 4,
  sequence: 6,
  choice: 7,
  both: 8,
  not: 9,
  repeat: 10,
  strings: 11,
  ahead: 12,
  edge: 13,
  start: 14,
  end: 15,
  pattern: 16,
  rule: 17,
  special: 18,
  json: 19,
};

// Flags of a form: LI_FORM_…
export const FLAG_ANY_ORDER = 1;
export const FLAG_LENIENT = 2;
export const FLAG_INDENTS = 4;
export const FLAG_FLEXIBLE = 8;
export const FLAG_CANONICAL_NUMBERS = 16;
export const FLAG_PLAIN_INTEGERS = 32;

/** Levels of nesting that C reads: LI_FORM_DEPTH. */
export const FORM_DEPTH = 500;

// Why C refuses a keyword: li_refusal_reason.
export const REFUSAL_TOO_COMPLEX = 1;
export const REFUSAL_NEGATED = 2;
export const REFUSAL_UNDECIDED = 3;

// The limits of a grammar: li_limit.
export const LIMIT_FUEL = 0;
export const LIMIT_MEMORY = 1;
export const LIMIT_STATES = 2;
export const LIMIT_DEPTH = 3;
export const LIMIT_DIGITS = 4;
export const LIMIT_VALUES = 5;
export const LIMIT_WAYS = 6;
