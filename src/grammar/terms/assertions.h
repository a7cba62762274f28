// Assertions of regular expressions: lookaheads, word boundaries, beginning and end.
//
// A term that holds an assertion (AHEAD, EDGE) is open: its language depends on the text on both sides. Only a PATTERN,
// which has both sides, evaluates open terms. A pattern is an alternating automaton: the open term that is left, and
// the condition that lookaheads put on the rest of the text (Miyazaki and Minamide 2019, "Derivatives of regular
// expressions with lookahead").
#ifndef LI_ASSERTIONS_H
#define LI_ASSERTIONS_H

#include "grammar/terms/first_bytes.h"

// What stands left of a position in a pattern.
typedef enum li_left {
    LI_LEFT_OTHER, // no word character, or the pattern has no EDGE
    LI_LEFT_WORD,
    LI_LEFT_START, // nothing
} li_left;

typedef enum li_edge {
    LI_EDGE_NOT_WORD, // left is not a word character
    LI_EDGE_WORD,     // left is a word character
    LI_EDGE_MARK,  // holds, and makes the character on the left a word character, for word characters of several bytes
    LI_EDGE_START, // left is nothing
} li_edge;

// Open terms. `rest`: the texts that may follow up to the end of the pattern.
li_term li_ahead(li_grammar *grammar, bool is_negative, li_term rest);
li_term li_edge_of(li_grammar *grammar, li_edge edge);

// The texts that an open term matches as a whole; the result is not open.
li_term li_pattern(li_grammar *grammar, li_term open);
// Behaviour of LI_KIND_PATTERN.
li_term li_pattern_derive(li_grammar *grammar, li_term term, uint8_t byte);
// Pushes terms on the scratch stack (scratch.h) whose union is the derivative of a PATTERN. Without `checks` a pushed
// pattern other than NOTHING may be the empty language: for emptiness.c.
void li_pattern_next(li_grammar *grammar, li_term term, uint8_t byte, bool checks);

// Merges patterns above the mark of the scratch stack (scratch.h) that differ only in their open terms.
void li_patterns_merge(li_grammar *grammar, uint32_t mark);

// Behaviours of LI_KIND_AHEAD, LI_KIND_EDGE and LI_KIND_PATTERN.
li_term li_ahead_split(li_byte_classes *classes, li_term term);
li_term li_edge_split(li_byte_classes *classes, li_term term);
li_term li_pattern_split(li_byte_classes *classes, li_term term);

#endif
