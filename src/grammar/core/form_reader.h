// The form of a grammar: the bytes in which JavaScript passes a parsed grammar to C. C reads no other input and trusts
// no byte of the form. web/grammar/readers/form.js writes forms.
// Numbers are LEB128 (unsigned, at most 32 bits). A "text" is a length and that many bytes of UTF-8.
//
//   form       "LIG" 1, options, number of schemas, schema ..., number of rules, expression ..., root expression
//   options    flags (1 any order, 2 lenient, 4 indents, 8 flexible, 16 canonical numbers, 32 plain integers, 64 unique
//              keys), longest run of whitespace that a mask allows (flexible), text indent, text item separator, text
//              key separator: whitespace, in the last two around one comma or colon
//   expression tag, then
//     NOTHING   -
//     EMPTY     -
//     TEXT      text (any bytes)
//     CLASS     count, (low - end of the range before, high - low) ...: Unicode scalar values, surrogates left out
//     SEQUENCE  count, expression ...
//     CHOICE    count, expression ...
//     BOTH      count, expression ...     regular; the texts that all of them have
//     NOT       expression                regular; every other valid UTF-8 text
//     REPEAT    least, most + 1 (0: no limit), expression
//     STRINGS   count, text ...           one of the texts
//     AHEAD     1 or 0 (negative), expression
//     EDGE      1 (\b) or 0 (\B), + 2: U+017F and U+212A are word characters too; 4: a word character ends here
//     START     -                         ^ : the beginning of the text
//     END       -                         $ : the end of the text
//     PATTERN   expression                a whole regular expression: AHEAD, EDGE, START and END look no further
//     RULE      index
//     SPECIAL   token id
//     JSON      index of a schema         a JSON value
//   value      tag, then                  a JSON value within a schema (const, enum)
//     NULL FALSE TRUE -
//     DECIMAL   text as JSON spells it
//     STRING    text
//     ARRAY     count, value ...
//     OBJECT    count, (text, value) ...  keys distinct
//   schema     number of keywords, (keyword, its payload: see keywords.h) ...
#ifndef LI_FORM_READER_H
#define LI_FORM_READER_H

#include "lastinch.h"

enum {
    LI_FORM_NOTHING = 1,
    LI_FORM_EMPTY,
    LI_FORM_TEXT,
    LI_FORM_CLASS,
    LI_FORM_SEQUENCE = 6, // 5 is unused: the fuzzer's corpus relies on the other numbers
    LI_FORM_CHOICE,
    LI_FORM_BOTH,
    LI_FORM_NOT,
    LI_FORM_REPEAT,
    LI_FORM_STRINGS,
    LI_FORM_AHEAD,
    LI_FORM_EDGE,
    LI_FORM_START,
    LI_FORM_END,
    LI_FORM_PATTERN,
    LI_FORM_RULE,
    LI_FORM_SPECIAL,
    LI_FORM_JSON,
};

enum {
    LI_FORM_NULL = 1,
    LI_FORM_FALSE,
    LI_FORM_TRUE,
    LI_FORM_DECIMAL,
    LI_FORM_STRING,
    LI_FORM_ARRAY,
    LI_FORM_OBJECT,
};

enum {
    LI_FORM_ANY_ORDER = 1,
    LI_FORM_LENIENT = 2,
    LI_FORM_INDENTS = 4,
    LI_FORM_FLEXIBLE = 8,
    LI_FORM_CANONICAL_NUMBERS = 16,
    LI_FORM_PLAIN_INTEGERS = 32,
    LI_FORM_UNIQUE_KEYS = 64,
};

// A reader goes forwards. At the end of the form, or after an invalid byte, the grammar fails (LI_ERROR_GRAMMAR_FORM)
// and the reader returns zeros.
typedef struct li_reader {
    li_grammar *grammar;
    const uint8_t *at, *end;
    uint32_t depth; // of nesting; LI_FORM_DEPTH at most
} li_reader;

#define LI_FORM_DEPTH 500

uint32_t li_read_number(li_reader *reader);
// A count of elements of at least one byte each. A count above the number of bytes left is invalid.
uint32_t li_read_count(li_reader *reader);
// The bytes lie in the form: copy bytes that must outlive the form.
const uint8_t *li_read_text(li_reader *reader, uint32_t *length);
// Likewise; bytes that are not UTF-8 fail the grammar.
const uint8_t *li_read_utf8(li_reader *reader, uint32_t *length);
void li_read_fail(li_reader *reader);

#endif
