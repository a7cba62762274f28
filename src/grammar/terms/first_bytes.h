// The bytes that may come first in a term, and classes of bytes that a term treats alike.
#ifndef LI_FIRST_BYTES_H
#define LI_FIRST_BYTES_H

#include "grammar/core/grammar.h"

// Adds the bytes that may come first to the set, and perhaps other bytes.
void li_first_bytes(li_grammar *grammar, li_term term, uint32_t set[8]);

// The rest is for the functions of kinds (kinds.h).
// Adds the bytes from `low` to `high`.
void li_byte_set_add(uint32_t set[8], uint32_t low, uint32_t high);
// li_first_bytes at a depth of recursion. Adds all bytes where the recursion is too deep.
void li_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_nothing_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_bytes_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_class_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_sequence_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_choice_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_both_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_repeat_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_expanded_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

// ---- classes of bytes ----

enum { LI_RECENT_TERMS = 64 };

typedef struct li_byte_classes {
    li_grammar *grammar;
    bool derives;                    // takes derivatives where the form of a term does not tell
    bool has_leads;                  // all bytes have classes, even without `derives`
    bool is_known;                   // false: bytes of one class may differ
    uint32_t size;                   // bytes that have classes: 128 (ASCII), or all 256
    uint32_t count;                  // of classes
    uint32_t nodes;                  // terms that may still be visited without `derives`
    uint8_t of[256];                 // the class of each byte; classes are numbered from 0 on by their first bytes
    uint32_t values[256];            // derivatives of one term
    li_term recent[LI_RECENT_TERMS]; // terms already visited: the same characters often stand in many places
} li_byte_classes;

// Fills in the classes by a grammar, `derives` and `has_leads`, which the caller sets: bytes of one class have the same
// derivative. False: not known. With `derives` the struct belongs on the heap: a derivative may search on its own.
bool li_find_alike(li_byte_classes *classes, li_term term);

// The functions of kinds (kinds.h).
// Splits classes into bytes in the set and bytes outside.
void li_byte_classes_part(li_byte_classes *classes, const uint32_t set[8]);
// Splits classes until bytes of one class have the same derivative of the term.
void li_byte_classes_split(li_byte_classes *classes, li_term term);
// Each splits by its term, and returns the term by which the classes have yet to be split: LI_TERM_EMPTY, by none.
li_term li_bytes_split(li_byte_classes *classes, li_term term);
li_term li_class_split(li_byte_classes *classes, li_term term);
li_term li_sequence_split(li_byte_classes *classes, li_term term);
li_term li_parts_split(li_byte_classes *classes, li_term term); // all words are parts
li_term li_body_split(li_byte_classes *classes, li_term term);  // the first word is the part

#endif
