// Regular expressions: classes of characters, and assertions.
//
// A term that holds an assertion (AHEAD, EDGE) is open: what it means depends on what stands on both sides of it, so it
// is only looked at within a PATTERN, which knows both. Such a pattern is an alternating automaton: all that is left of
// it, and a condition on the rest of the text that lookaheads have left behind (Miyazaki and Minamide 2019,
// "Derivatives of regular expressions with lookahead").
#ifndef LI_ASSERTIONS_H
#define LI_ASSERTIONS_H

#include "grammar/terms/first_bytes.h"

// What stands left of a position in a pattern.
typedef enum li_left {
    LI_LEFT_OTHER, // no word character, or it does not matter
    LI_LEFT_WORD,
    LI_LEFT_START, // nothing
} li_left;

typedef enum li_edge {
    LI_EDGE_NOT_WORD, // left is no word character
    LI_EDGE_WORD,     // left is a word character
    LI_EDGE_MARK,     // holds, and makes the character left of it a word character: not all of them are one byte
    LI_EDGE_START,    // left is nothing
} li_edge;

// Open terms. `rest` is all that follows up to the end of the pattern.
li_term li_ahead(li_grammar *grammar, bool is_negative, li_term rest);
li_term li_edge_of(li_grammar *grammar, li_edge edge);

// What an open term matches as a whole: no longer open.
li_term li_pattern(li_grammar *grammar, li_term open);
// Behaviour of LI_KIND_PATTERN.
li_term li_pattern_derive(li_grammar *grammar, li_term term, uint8_t byte);
// Pushes terms on the scratch stack (term_table.h) whose union is the derivative of a PATTERN. Without `checks`,
// patterns among them may be empty and more than NOTHING: for emptiness.c.
void li_pattern_next(li_grammar *grammar, li_term term, uint8_t byte, bool checks);

// Behaviours of LI_KIND_AHEAD, LI_KIND_EDGE and LI_KIND_PATTERN.
bool li_ahead_split(li_byte_classes *classes, li_term term);
bool li_edge_split(li_byte_classes *classes, li_term term);
bool li_pattern_split(li_byte_classes *classes, li_term term);

#endif
