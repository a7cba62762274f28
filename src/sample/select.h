// Where to cut a set of tokens, and their order, by radix on the logits' bits: linear time whatever the
// logits are, no comparison sort.
#ifndef LI_SELECT_H
#define LI_SELECT_H

#include <stdbool.h>
#include <stdint.h>

// The smallest upper set (logit descending, id ascending) is: all logits above `value`, and the first
// `ties` of those equal to it.
typedef struct li_cut {
    float value;
    uint32_t ties;
} li_cut;

// Smallest upper set of values (count) whose mass reaches `target` (> 0), those of one value taken in the order
// in which they are given; ties is UINT32_MAX when all are taken. The mass of an element is its weight, or 1 where
// `weights` is NULL; `total` that of all. Scratch: (count) each.
li_cut li_select_upper_set(const float *values, const float *weights, uint32_t count, double total, double target,
                           uint32_t *keys, float *masses);
// The same if the cut is found among the values from `low` to `high`, else false. block_peaks (count / 64), or NULL:
// blocks that cannot reach `low` are passed over.
bool li_select_between(const float *values, const float *weights, const float *block_peaks, uint32_t count, float low,
                       float high, double target, uint32_t *keys, float *masses, li_cut *cut);

// Permutes ids and values (count), given by ascending id, to value descending, id ascending. Scratch:
// (count) each; the result is in ids and values. Where ids and scratch_ids are NULL, the values alone.
void li_select_order(uint32_t *ids, float *values, uint32_t count, uint32_t *scratch_ids, float *scratch_values);

#endif
