// Lists of strings: a term that is one string of a list, which binary search narrows.
#ifndef LI_STRING_LIST_H
#define LI_STRING_LIST_H

#include "grammar/core/form_reader.h"
#include "grammar/core/grammar.h"

typedef struct li_string {
    const uint8_t *bytes; // any bytes
    uint32_t length;
} li_string;

// The term of `count` strings in any order, with repetitions or without. The bytes must live as long as the grammar.
li_term li_strings(li_grammar *grammar, const li_string *strings, uint32_t count);
// Likewise of a count and that many texts in the form. The same place in the form gives the same list.
li_term li_strings_read(li_reader *reader);
// Neighbours in a sorted list, which begin with the same `depth` bytes; none where `first` is `end`.
typedef struct li_string_range {
    const li_string *strings; // of the list; they live as long as the grammar
    uint32_t list, first, end, depth;
} li_string_range;
// The strings of such a term.
li_string_range li_strings_range(const li_grammar *grammar, li_term term);
// The strings of a range that have this byte at `depth`.
li_string_range li_strings_narrow(li_string_range range, uint8_t byte);
// Behaviour of LI_KIND_STRINGS.
li_term li_strings_derive(li_grammar *grammar, li_term term, uint8_t byte);
// Whether the byte is below the next byte of the first string or above that of the last string.
bool li_strings_refuse(const li_grammar *grammar, li_term term, uint8_t byte);
void li_strings_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);

#endif
