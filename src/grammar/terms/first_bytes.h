// The bytes that may come first in a term, and bytes that a term treats alike, found without derivatives.
#ifndef LI_FIRST_BYTES_H
#define LI_FIRST_BYTES_H

#include "grammar/core/grammar.h"

// Adds the bytes that may come first to the set; it may add more.
void li_first_bytes(li_grammar *grammar, li_term term, uint32_t set[8]);
// Numbers classes of the ASCII bytes from 0 on: bytes of one class have the same derivative. False: not known.
bool li_find_alike(const li_grammar *grammar, li_term term, uint8_t classes[128]);

// The rest is for the functions of kinds (kinds.h).
// Adds the bytes from `low` to `high`.
void li_byte_set_add(uint32_t set[8], uint32_t low, uint32_t high);
// As li_first_bytes, at a depth of recursion; adds all bytes where the recursion is too deep.
void li_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_nothing_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_bytes_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_class_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_sequence_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_choice_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_both_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_repeat_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
void li_expanded_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

typedef struct li_byte_classes {
    const li_grammar *grammar;
    uint8_t *of; // (128) the class of each byte
    uint32_t count;
    uint32_t nodes; // that may still be looked at
    li_term former; // the set looked at last: the same characters often stand in many places
} li_byte_classes;

// Splits classes into bytes in the set and bytes outside.
void li_byte_classes_part(li_byte_classes *classes, const uint32_t set[4]);
// Splits classes until bytes of one class have the same derivative of the term. False: not known.
bool li_byte_classes_split(li_byte_classes *classes, li_term term);
bool li_bytes_split(li_byte_classes *classes, li_term term);
bool li_class_split(li_byte_classes *classes, li_term term);
bool li_sequence_split(li_byte_classes *classes, li_term term);
bool li_parts_split(li_byte_classes *classes, li_term term); // all words are parts
bool li_body_split(li_byte_classes *classes, li_term term);  // the first word is

#endif
