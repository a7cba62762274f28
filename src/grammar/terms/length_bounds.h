// Lengths of the texts of a term, and high repetition counts. A token does not reach the end of a high count, so states
// that differ only in high counts share a part of their masks.
#ifndef LI_LENGTH_BOUNDS_H
#define LI_LENGTH_BOUNDS_H

#include "grammar/core/grammar.h"

enum {
    LI_FAR = 1 << 28,           // longer than any limit
    LI_COUNT_STANDIN = 1 << 20, // stands for removed counts
    LI_COUNT_MOST_USED = 255,   // or more
};

// Lengths in characters: each byte that is not a continuation byte begins a character. All fields but `shortest` are
// upper bounds.
typedef struct li_extent {
    uint32_t shortest;
    uint32_t reach; // after any prefix of at least a byte, this many characters finish a text
    uint32_t dense; // from this length on there are texts of every length; LI_FAR: not known
    uint32_t after; // likewise after any prefix of at least a byte
} li_extent;

// The extent of a regular term. False: not known, because the term is too large or holds more than sequences, choices
// and repetitions.
bool li_extent_of(const li_grammar *grammar, li_term term, li_extent *extent);

// Replaces each high limit of a repetition by LI_COUNT_STANDIN. *lowest becomes the lowest limit replaced, LI_NO_LIMIT
// if there is none. The term and the result read a text alike, and the same bytes may follow, as long as *lowest is
// greater than the rounds that the text uses (li_counts_used).
li_term li_without_counts(li_grammar *grammar, li_term term, uint32_t *lowest);
// An upper bound of the rounds that a text has begun of repetitions with the stand-in, read from the derivative of a
// term without counts.
uint32_t li_counts_used(const li_grammar *grammar, li_term term);

// The rest is for the functions of kinds (kinds.h). `nodes`: how many terms may still be visited.
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
// li_counts_used of a part.
uint32_t li_counts_used_of(const li_grammar *grammar, li_term term, uint32_t *nodes);
uint32_t li_repeat_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes);
uint32_t li_parts_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes); // all words are parts

#endif
