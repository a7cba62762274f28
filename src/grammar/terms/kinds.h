// What the kinds of terms do, a row of functions each. The table is in compile/kind_table.c: rows name functions of all
// rooms, so that terms of any kind are derived without this room knowing the others. Without a .c file of its own for
// that reason.
#ifndef LI_KINDS_H
#define LI_KINDS_H

#include "grammar/terms/term.h"

typedef struct li_kind_traits {
    // The derivative by a byte. NULL: the kind expands instead.
    li_term (*derive)(li_grammar *grammar, li_term term, uint8_t byte);
    // An equal term of other kinds, made on first use and remembered: VALUE, OBJECT, ARRAY, RULE.
    li_term (*expand)(li_grammar *grammar, li_term term);
    // Adds the bytes that may come first, or more. NULL: any byte may.
    void (*add_first)(li_grammar *grammar, li_term term, uint32_t set[8]);
    // As counts of length_bounds.h, how far off the end of a number is. NULL: the kind counts no digits.
    // How many digits may still come, LI_NO_LIMIT where that does not matter or they are few.
    uint32_t (*digits_left)(const li_grammar *grammar, li_term term);
    // The term with the stand-in for that.
    li_term (*without_digits)(li_grammar *grammar, li_term term);
    // How much of a stand-in is used up.
    uint32_t (*digits_used)(const li_grammar *grammar, li_term term);
    // Without the alternatives that have run over (proposal.h): of a kind that may hold them, other than SEQUENCE and
    // CHOICE.
    li_term (*propose)(li_grammar *grammar, li_term term);
} li_kind_traits;

extern const li_kind_traits li_kinds[LI_KIND_COUNT];

#endif
