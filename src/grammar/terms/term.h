// Terms: languages over bytes, and what is left of them.
//
// A grammar is a term, and so is every state of a matcher: what may still follow. Reading a byte takes the term's
// derivative (Brzozowski 1964; for context-free rules, Might, Darais and Spiewak 2011, "Parsing with derivatives").
// Terms are interned: equal terms are the same number, so states compare, copy and cache as numbers, and a stack is
// nothing but the tail of a sequence. Two rules keep them small: a sequence's head is never itself a sequence, and a
// choice merges alternatives that begin with the same head, which is what a graph-structured stack does (Tomita 1985).
//
// A term stands for the empty language only where it is LI_TERM_NOTHING: every constructor sees to it. So any other
// term can be finished, and a matcher never enters a dead end.
#ifndef LI_TERM_H
#define LI_TERM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct li_grammar li_grammar;
typedef uint32_t li_term;

enum {
    LI_TERM_NOTHING = 0, // no text at all
    LI_TERM_EMPTY = 1,   // the empty text only
};

#define LI_NO_LIMIT UINT32_MAX

// The words of each kind are its payload, in this order.
typedef enum li_kind {
    LI_KIND_NOTHING,
    LI_KIND_EMPTY,
    LI_KIND_BYTES,    // 8 words: one byte of the set
    LI_KIND_CLASS,    // low, high, ...: a code point in one of the ranges, as UTF-8: see regex.c
    LI_KIND_SEQUENCE, // head, tail
    LI_KIND_CHOICE,   // two or more terms, ascending, none of them a choice
    LI_KIND_BOTH,     // two or more regular terms, ascending: the intersection
    LI_KIND_NOT,      // a regular term: every other byte string
    LI_KIND_REPEAT,   // body, least, most (LI_NO_LIMIT: any number)
    LI_KIND_STRINGS,  // list, first, last + 1, depth: one of the strings of a sorted list, from `depth` bytes on
    LI_KIND_AHEAD,    // 1 or 0 (not), regular term: all that follows in this pattern must (not) match; see regex.h
    LI_KIND_EDGE,     // li_edge: what stands left of here in this pattern; see regex.h
    LI_KIND_PATTERN,  // open term, li_left, regular term: texts of both: see regex.c
    LI_KIND_RULE,     // index of a rule
    LI_KIND_SPECIAL,  // id of a special token: no byte matches it
    LI_KIND_SPACE,    // how many more: JSON whitespace, of any length, but masks allow only so much
    LI_KIND_QUOTED,   // the rest of a JSON string and its closing quote: see quoted.c
    LI_KIND_NUMBER,   // the rest of a JSON number: see number.c
    LI_KIND_VALUE,    // node, level: a JSON value: see value.c
    LI_KIND_OBJECT,   // the rest of a JSON object: see object.c
    LI_KIND_KEY,      // the rest of a known key and of its object: see object.c
    LI_KIND_ARRAY,    // the rest of a JSON array: see array.c
    LI_KIND_RECORDED, // a JSON value that is remembered while it is read: see unique.c
    LI_KIND_COUNT,
} li_kind;

enum {
    LI_FLAG_NULLABLE = 1, // the empty text is in it
    LI_FLAG_REGULAR = 2,  // no rule, special token or JSON value within: may stand under BOTH, NOT and AHEAD
    LI_FLAG_TEXT = 4,     // holds nothing but whole UTF-8 texts: li_any_text has them all
    LI_FLAG_OPEN = 8,     // holds AHEAD or EDGE: never outside a PATTERN (regex.h)
    LI_FLAG_EDGE = 16,    // holds EDGE
    // Read, but no mask proposes it: a run of whitespace beyond the bound, a needless escape, 3.5e1 for an integer; a
    // choice: in every alternative.
    LI_FLAG_OVERRUN = 32,
    LI_FLAG_PARTLY_OVERRUN = 64, // in some alternative but not in every one: li_proposed drops these
    LI_OVERRUN_FLAGS = LI_FLAG_OVERRUN | LI_FLAG_PARTLY_OVERRUN,
};

// What a kind does; a table in term.c, the functions in the files that the kinds name.
typedef struct li_behaviour {
    // The derivative by a byte. NULL: the kind expands instead.
    li_term (*derive)(li_grammar *grammar, li_term term, uint8_t byte);
    // An equal term of other kinds, made on first use and remembered: VALUE, OBJECT, ARRAY, RULE.
    li_term (*expand)(li_grammar *grammar, li_term term);
} li_behaviour;

// The interned term. On failure (no memory, no fuel: li_grammar.status is set) LI_TERM_NOTHING, as all below.
// Only the file of a kind calls this for it; the others call its constructor.
li_term li_term_intern(li_grammar *grammar, li_kind kind, uint32_t flags, const uint32_t *words, uint32_t count);
li_kind li_term_kind(const li_grammar *grammar, li_term term);
uint32_t li_term_flags(const li_grammar *grammar, li_term term);
// Valid until the next term is made: copy what must last.
const uint32_t *li_term_words(const li_grammar *grammar, li_term term);
uint32_t li_term_length(const li_grammar *grammar, li_term term); // in words
bool li_term_is_nullable(const li_grammar *grammar, li_term term);

// The constructors simplify: NOTHING and EMPTY are absorbed, equal alternatives merged.
li_term li_bytes(li_grammar *grammar, const uint32_t set[8]);
// Ascending, disjoint ranges of code points, both ends included (2 * count words); surrogates are left out. In regex.c.
li_term li_class(li_grammar *grammar, const uint32_t *ranges, uint32_t count);
// Every UTF-8 text: any number of code points. In regex.c.
li_term li_any_text(li_grammar *grammar);
li_term li_byte_range(li_grammar *grammar, uint8_t low, uint8_t high);
li_term li_literal(li_grammar *grammar, const uint8_t *bytes, uint32_t length);
li_term li_sequence(li_grammar *grammar, li_term head, li_term tail);
li_term li_choice(li_grammar *grammar, const li_term *terms, uint32_t count);
li_term li_either(li_grammar *grammar, li_term a, li_term b);
li_term li_both(li_grammar *grammar, li_term a, li_term b); // a and b regular
li_term li_not(li_grammar *grammar, li_term term);          // regular
li_term li_repeat(li_grammar *grammar, li_term body, uint32_t least, uint32_t most);
// JSON whitespace: any run is read, a mask lets through `most` bytes of it.
li_term li_space(li_grammar *grammar, uint32_t most);

// What may follow after `byte`. Remembered for terms without a context of their own (every kind but SEQUENCE and
// CHOICE that are not regular).
li_term li_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_derive_bytes(li_grammar *grammar, li_term term, const uint8_t *bytes, uint32_t length);
// Follows VALUE, OBJECT, ARRAY and RULE to the term that they stand for; others are returned as they are.
li_term li_expand(li_grammar *grammar, li_term term);
// What may follow after a special token.
li_term li_derive_special(li_grammar *grammar, li_term term, uint32_t token);
// The only byte that masks would propose; -1 where there are several, or none.
int32_t li_only_byte(li_grammar *grammar, li_term term);

#endif
