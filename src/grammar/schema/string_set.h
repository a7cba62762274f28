// Sets of strings that schemas allow. Lists stay lists as long as possible: const and enum tell most alternatives
// apart, and lists need no search of languages.
#ifndef LI_STRING_SET_H
#define LI_STRING_SET_H

#include "grammar/schema/schema_table.h"

typedef enum li_string_set_kind {
    LI_STRINGS_LISTED,   // the strings of a list
    LI_STRINGS_UNLISTED, // all strings but those of a list
    LI_STRINGS_LANGUAGE, // the strings of a language, with a length from `least` to `most`
} li_string_set_kind;

struct li_string_set {
    li_string_set_kind kind;
    uint32_t count;        // listed or unlisted
    const uint32_t *texts; // (count) ascending, distinct
    li_term language;      // li_any_text where only the length counts
    uint32_t least, most;  // code points
    bool has_term;         // `term` is the result of li_string_set_term
    li_term term;
};

// Sets live as long as the grammar. NULL: the grammar has failed. The result of a NULL argument is NULL.
li_string_set *li_string_set_all(li_grammar *grammar, bool is_all); // every string, or none
li_string_set *li_string_set_both(li_grammar *grammar, li_string_set *a, li_string_set *b);
li_string_set *li_string_set_either(li_grammar *grammar, li_string_set *a, li_string_set *b);
bool li_string_set_is_empty(li_grammar *grammar, li_string_set *set);
bool li_string_set_has(li_grammar *grammar, li_string_set *set, uint32_t text);
li_term li_string_set_term(li_grammar *grammar, li_string_set *set);

#endif
