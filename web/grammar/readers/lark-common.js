// The terminals of Lark's grammars/common.lark, as ECMAScript regular expressions.

/** @type {Record<string, string>} */
export const commonTerminals = {
  DIGIT: "[0-9]",
  HEXDIGIT: "[0-9A-Fa-f]",
  INT: "[0-9]+",
  SIGNED_INT: "[+-]?[0-9]+",
  DECIMAL: "[0-9]+\\.[0-9]*|\\.[0-9]+",
  FLOAT: "[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
  SIGNED_FLOAT: "[+-]?(?:[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
  NUMBER: "(?:[0-9]+\\.[0-9]*|\\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?",
  SIGNED_NUMBER: "[+-]?(?:[0-9]+\\.[0-9]*|\\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?",
  ESCAPED_STRING: '"(?:[^"\\\\\\n]|\\\\[^\\n])*"',
  LCASE_LETTER: "[a-z]",
  UCASE_LETTER: "[A-Z]",
  LETTER: "[A-Za-z]",
  WORD: "[A-Za-z]+",
  CNAME: "[_A-Za-z][_A-Za-z0-9]*",
  WS_INLINE: "[ \\t]+",
  WS: "[ \\t\\f\\r\\n]+",
  CR: "\\r",
  LF: "\\n",
  NEWLINE: "(?:\\r?\\n)+",
  SH_COMMENT: "#[^\\n]*",
  CPP_COMMENT: "\\/\\/[^\\n]*",
  C_COMMENT: "\\/\\*(?:[^*]|\\*+[^*\\/])*\\*+\\/",
  SQL_COMMENT: "--[^\\n]*",
};
