// How long the texts of a term are, and counts that no token comes to the end of: so that states which differ only in
// what is left of a limit far away share the part that they have in masks.
#ifndef LI_LENGTH_BOUNDS_H
#define LI_LENGTH_BOUNDS_H

#include "grammar/core/grammar.h"

enum {
    LI_FAR = 1 << 28,           // longer than any limit
    LI_COUNT_STANDIN = 1 << 20, // stands for the counts that were taken away
    LI_COUNT_MOST_USED = 255,   // or more
};

// In characters, of which one begins with each byte that does not go on another. All but `shortest` are bounds.
typedef struct li_extent {
    uint32_t shortest;
    uint32_t reach; // after whatever is read (a byte at least) so few are enough to finish
    uint32_t dense; // from here on there are texts of every length; LI_FAR: not known
    uint32_t after; // likewise after whatever is read
} li_extent;

// Of a regular term. False: not known, since the term holds more than sequences, choices and repetitions, or too much.
bool li_extent_of(const li_grammar *grammar, li_term term, li_extent *extent);

// The term with LI_COUNT_STANDIN in the place of every limit of a repetition that is not low; *lowest becomes the
// lowest of these, LI_NO_LIMIT if there is none. What a text has used up of them (li_counts_used) the others must have
// and one more, so that the text reads alike in both, and the same bytes may follow.
li_term li_without_counts(li_grammar *grammar, li_term term, uint32_t *lowest);
// How many rounds at most have begun of those repetitions, as far as a term derived from such a one still shows.
uint32_t li_counts_used(const li_grammar *grammar, li_term term);

// The rest is for the functions of kinds (kinds.h). `nodes`: how many terms may still be looked at.
bool li_extent_within(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
bool li_empty_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
bool li_bytes_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
bool li_class_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
bool li_repeat_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
bool li_sequence_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
bool li_choice_extent(const li_grammar *grammar, li_term term, uint32_t *nodes, li_extent *extent);
uint32_t li_repeat_lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes);
uint32_t li_parts_lowest_count(const li_grammar *grammar, li_term term, uint32_t *nodes); // all words are parts
li_term li_repeat_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes);
li_term li_sequence_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes);
li_term li_choice_without_counts(li_grammar *grammar, li_term term, uint32_t *nodes);
// As li_counts_used, of a part.
uint32_t li_counts_used_of(const li_grammar *grammar, li_term term, uint32_t *nodes);
uint32_t li_repeat_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes);
uint32_t li_parts_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes); // all words are parts

#endif
