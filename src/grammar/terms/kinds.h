// What the kinds of terms do: a row of functions for each kind. Without a .c file: the table is in
// compile/kind_table.c, because its rows name functions of rooms above this one.
#ifndef LI_KINDS_H
#define LI_KINDS_H

#include "grammar/terms/first_bytes.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/over_approximate.h"
#include "grammar/terms/term.h"

struct li_extent;
struct li_special_visit;
struct li_widening;

// When mask/front_mask.c caches the part of a mask that comes from a term at the front of a state.
typedef enum li_keep { LI_KEEP_NEVER, LI_KEEP_BEFORE_MORE, LI_KEEP_ALWAYS } li_keep;

// `nodes` counts down the terms that may still be visited. `depth`: of recursion.
typedef struct li_kind_traits {
    // The derivative by a byte. NULL: the kind expands instead.
    li_term (*derive)(li_grammar *grammar, li_term term, uint8_t byte);
    // Whether a quick check shows that the derivative by a byte is NOTHING. NULL: no quick check.
    bool (*refuses)(const li_grammar *grammar, li_term term, uint8_t byte);
    // An equal term of other kinds, made on first use and cached: VALUE, OBJECT, ARRAY, CONSTANT, RULE.
    li_term (*expand)(li_grammar *grammar, li_term term);
    // The derivative by a special token. NULL: NOTHING.
    li_term (*derive_special)(li_grammar *grammar, li_term term, uint32_t token);
    // Visits the special tokens that may come first: derivative.h. NULL: none.
    void (*visit_specials)(const struct li_special_visit *visit, li_term term, uint32_t depth);
    // Adds the bytes that may come first: first_bytes.h. NULL: any byte.
    void (*add_first)(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth);
    // Splits classes of bytes, and returns the term by which they have yet to be split: first_bytes.h. NULL: not known.
    li_term (*split)(li_byte_classes *classes, li_term term);
    // The extent: length_bounds.h. False, NULL: not known.
    bool (*extent)(const li_grammar *grammar, li_term term, uint32_t *nodes, struct li_extent *extent);
    // The lowest count that can be removed, LI_NO_LIMIT if there is none; the term without counts; the rounds used of
    // removed counts: length_bounds.h. NULL: the kind has no counts.
    uint32_t (*lowest_count)(const li_grammar *grammar, li_term term, uint32_t *nodes);
    li_term (*without_counts)(li_grammar *grammar, li_term term, uint32_t *nodes);
    uint32_t (*counts_used)(const li_grammar *grammar, li_term term, uint32_t *nodes);
    // The term without overrun alternatives: proposal.h. NULL: the kind holds none.
    li_term (*propose)(li_grammar *grammar, li_term term);
    // A superset of the term's language: over_approximate.h. NULL: the term itself.
    li_term (*widen)(struct li_widening *at, li_term term, uint32_t depth);
    // Whether a state with the term at its front can become `count` different values: enumerate_values.h. False may be
    // wrong. NULL: false.
    bool (*abounds)(li_grammar *grammar, li_term term, uint32_t count);
    li_keep keep; // BEFORE_MORE: if the term is regular and more follows
} li_kind_traits;

extern const li_kind_traits li_kinds[LI_KIND_COUNT];

#endif
