// Derivatives: the term that is left after a byte. Expansions: the term of other kinds that a term stands for.
#ifndef LI_DERIVATIVE_H
#define LI_DERIVATIVE_H

#include "grammar/core/grammar.h"

// The derivative by `byte`, cached (term_table.h).
li_term li_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_derive_bytes(li_grammar *grammar, li_term term, const uint8_t *bytes, uint32_t length);
// The term that a VALUE, OBJECT, ARRAY or RULE stands for; terms of other kinds are returned unchanged.
li_term li_expand(li_grammar *grammar, li_term term);
// The term that is left after a special token.
li_term li_derive_special(li_grammar *grammar, li_term term, uint32_t token);
// Calls `visit` for each special token that may come first, once for each path to the token.
void li_visit_specials(li_grammar *grammar, li_term term, void (*visit)(void *context, uint32_t token), void *context);
// The only byte that a mask proposes; -1 where there are several, or none.
int32_t li_only_byte(li_grammar *grammar, li_term term);

// Derivatives of the kinds that are made of other terms, of BYTES, and of kinds without derivatives.
li_term li_nothing_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_bytes_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_sequence_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_choice_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_both_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_not_derive(li_grammar *grammar, li_term term, uint8_t byte);
li_term li_repeat_derive(li_grammar *grammar, li_term term, uint8_t byte);

// Whether a quick check shows that the derivative is NOTHING.
bool li_refuses(const li_grammar *grammar, li_term term, uint8_t byte);
bool li_bytes_refuse(const li_grammar *grammar, li_term term, uint8_t byte);
bool li_sequence_refuses(const li_grammar *grammar, li_term term, uint8_t byte);

// Derivatives by a special token.
li_term li_special_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_expanded_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_sequence_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_choice_derive_special(li_grammar *grammar, li_term term, uint32_t token);
li_term li_repeat_derive_special(li_grammar *grammar, li_term term, uint32_t token);

// Visits of the same kinds.
typedef struct li_special_visit {
    li_grammar *grammar;
    void (*visit)(void *context, uint32_t token);
    void *context;
} li_special_visit;

void li_special_visit_specials(const li_special_visit *at, li_term term, uint32_t depth);
void li_expanded_visit_specials(const li_special_visit *at, li_term term, uint32_t depth);
void li_sequence_visit_specials(const li_special_visit *at, li_term term, uint32_t depth);
void li_choice_visit_specials(const li_special_visit *at, li_term term, uint32_t depth);
void li_repeat_visit_specials(const li_special_visit *at, li_term term, uint32_t depth);

#endif
