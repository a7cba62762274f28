// Terms: languages over bytes, and the languages that remain after bytes are read.
//
// A grammar is a term. A state of a matcher is a term too: the texts that may still follow. Reading a byte replaces the
// term by its derivative (Brzozowski 1964; for context-free rules, Might, Darais and Spiewak 2011, "Parsing with
// derivatives"). Terms are interned: equal terms have the same number, so states are compared, copied and cached as
// numbers. A parse stack is the tail of a sequence. Two rules keep terms small: the head of a sequence is not a
// sequence, and a choice merges alternatives with equal heads, as a graph-structured stack does (Tomita 1985).
//
// Only LI_TERM_NOTHING is the empty language: every constructor ensures this. So any other term can be finished, and a
// matcher never enters a dead end.
#ifndef LI_TERM_H
#define LI_TERM_H

#include "grammar/core/grammar.h"

// The words of each kind are its payload, in this order; li_payload gives them names.
typedef enum li_kind {
    LI_KIND_NOTHING,
    LI_KIND_EMPTY,
    LI_KIND_BYTES,    // 8 words: one byte of the set
    LI_KIND_CLASS,    // low, high, ...: a code point in one of the ranges, as UTF-8: see char_class.c
    LI_KIND_SEQUENCE, // head, tail
    LI_KIND_CHOICE,   // two or more terms, ascending, none of them a choice
    LI_KIND_BOTH,     // two or more regular terms, ascending: the intersection
    LI_KIND_NOT,      // a regular term: every other byte string
    LI_KIND_REPEAT,   // body, least, most (LI_NO_LIMIT: any number)
    LI_KIND_STRINGS,  // list, first, last + 1, depth: one of the strings of a sorted list, from `depth` bytes on
    LI_KIND_AHEAD,    // 1 or 0 (not), regular term: all that follows in this pattern must (not) match; see assertions.h
    LI_KIND_EDGE,     // li_edge: what stands left of here in this pattern; see assertions.h
    LI_KIND_PATTERN,  // open term, li_left, regular term: texts of both: see assertions.c
    LI_KIND_RULE,     // index of a rule
    LI_KIND_SPECIAL,  // id of a special token: no byte matches it
    LI_KIND_SPACE,    // bytes left: JSON whitespace of any length, of which masks allow that many bytes
    LI_KIND_QUOTED,   // the rest of a JSON string and its closing quote: see json_string.c
    LI_KIND_NUMBER,   // the rest of a JSON number: see number_term.c
    LI_KIND_VALUE,    // node, level: a JSON value: see json_value.c
    LI_KIND_OBJECT,   // the rest of a JSON object: see object_term.c
    LI_KIND_KEY,      // the rest of a known key and of its object: see object_key.c
    LI_KIND_ARRAY,    // the rest of a JSON array: see array_term.c
    LI_KIND_CONSTANT, // the rest of one of many constant objects: see constant_term.c
    LI_KIND_CONSTANT_TEXT, // likewise, within a string or a number
    LI_KIND_RECORDED,      // a JSON value whose text is recorded while it is read: see unique_items.c
    LI_KIND_COUNT,
} li_kind;

// The words of a term by name. The terms of CHOICE and BOTH, sets of bytes and ranges have no names.
typedef union li_payload {
    struct {
        li_term head, tail;
    } sequence;
    struct {
        li_term body;
        uint32_t least, most;
    } repeat;
    struct {
        uint32_t list, first, end, depth;
    } strings;
    struct {
        uint32_t is_positive;
        li_term text;
    } ahead;
    struct {
        li_term open;
        uint32_t left;
        li_term condition;
    } pattern;
    struct {
        li_term text;
        uint32_t escape;
    } quoted;
    struct {
        uint32_t node, level;
    } value;
    struct {
        li_term texts;
        uint32_t has_items, level;
    } constant;
    struct {
        li_term texts;
        uint32_t level, place, state; // `state`: of an escape, or how many zeros were added
    } constant_text;
    struct {
        li_term rest, text, avoided; // and further words: see unique_items.c
    } recorded;
    struct {
        uint32_t mark;
        li_term before;
        uint32_t last;  // the last byte, and above it the length
    } recorded_text;    // a RECORDED that is a text: see recorded_text.c
    li_term complement; // of NOT
    uint32_t edge, rule, special, space;
} li_payload;

enum {
    LI_FLAG_NULLABLE = 1, // holds the empty text
    LI_FLAG_REGULAR = 2,  // holds no rule, special token or JSON value: may stand under BOTH, NOT and AHEAD
    LI_FLAG_TEXT = 4,     // holds only whole UTF-8 texts: a subset of li_any_text
    LI_FLAG_OPEN = 8,     // holds AHEAD or EDGE: never outside a PATTERN (assertions.h)
    LI_FLAG_EDGE = 16,    // holds EDGE
    // Read, but proposed by no mask: whitespace beyond the bound, a redundant escape, 3.5e1 for an integer. A choice:
    // in every alternative.
    LI_FLAG_OVERRUN = 32,
    LI_FLAG_PARTLY_OVERRUN = 64, // in some alternatives but not in all: li_proposed drops these
    LI_OVERRUN_FLAGS = LI_FLAG_OVERRUN | LI_FLAG_PARTLY_OVERRUN,
};

// The interned term of a kind and its words. On failure (no memory, no fuel: li_grammar.status is set) LI_TERM_NOTHING,
// as for all constructors. Only the file of a kind calls this function for the kind; other files call the constructor.
li_term li_term_intern(li_grammar *grammar, li_kind kind, uint32_t flags, const uint32_t *words, uint32_t count);
li_kind li_term_kind(const li_grammar *grammar, li_term term);
uint32_t li_term_flags(const li_grammar *grammar, li_term term);
// Valid until the next term is made: copy words that are needed later.
const uint32_t *li_term_words(const li_grammar *grammar, li_term term);
LI_INLINE const li_payload *li_term_payload(const li_grammar *grammar, li_term term)
{
    return (const li_payload *)li_term_words(grammar, term);
}

uint32_t li_term_length(const li_grammar *grammar, li_term term); // in words
bool li_term_is_nullable(const li_grammar *grammar, li_term term);

// Makes the table of terms of a new grammar. False: no memory.
bool li_terms_create(li_grammar *grammar);
void li_terms_destroy(li_grammar *grammar);
uint32_t li_terms_count(const li_grammar *grammar);

#endif
