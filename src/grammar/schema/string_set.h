// Sets of strings that schemas allow. Lists stay lists as long as possible: const and enum tell most alternatives
// apart, and lists need no search of languages.
#ifndef LI_STRING_SET_H
#define LI_STRING_SET_H

#include "grammar/schema/schema_table.h"

typedef enum li_text_set_kind {
    LI_TEXTS_LISTED,   // those in the list
    LI_TEXTS_UNLISTED, // all but those in the list; all of them, where it is empty
    LI_TEXTS_LANGUAGE, // those in a language that have a length in a range
} li_text_set_kind;

struct li_text_set {
    li_text_set_kind kind;
    uint32_t count;        // listed or unlisted
    const uint32_t *texts; // (count) ascending, distinct
    li_term language;      // li_any_text where only the length counts
    uint32_t least, most;  // code points
    bool has_term;         // of li_text_set_term, so that it is the same every time
    li_term term;
};

// Sets live as long as the grammar. NULL: the grammar has failed. The result of a NULL argument is NULL.
li_text_set *li_text_set_all(li_grammar *grammar, bool is_all); // every string, or none
li_text_set *li_text_set_both(li_grammar *grammar, li_text_set *a, li_text_set *b);
li_text_set *li_text_set_either(li_grammar *grammar, li_text_set *a, li_text_set *b);
bool li_text_set_is_empty(li_grammar *grammar, li_text_set *set);
bool li_text_set_has(li_grammar *grammar, li_text_set *set, uint32_t text);
li_term li_text_set_term(li_grammar *grammar, li_text_set *set);

#endif
