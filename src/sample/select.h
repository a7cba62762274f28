// Where to cut a set of tokens, and their order, by radix on the logits' bits: linear time whatever the
// logits are, no comparison sort.
#ifndef LI_SELECT_H
#define LI_SELECT_H

#include <stdint.h>

// The smallest upper set (logit descending, id ascending) is: all logits above `value`, and the first
// `ties` of those equal to it.
typedef struct li_cut {
    float value;
    uint32_t ties;
} li_cut;

// Smallest upper set of values (count) whose mass reaches `target` (> 0), those of one value taken in the order
// in which they are given. The mass of an element is its weight, or 1 where `weights` is NULL. Scratch: (count) each.
li_cut li_select_upper_set(const float *values, const float *weights, uint32_t count, double target, uint32_t *keys,
                           float *masses);

// Permutes ids and values (count), given by ascending id, to value descending, id ascending. Scratch:
// (count) each; the result is in ids and values. Where ids and scratch_ids are NULL, the values alone.
void li_select_order(uint32_t *ids, float *values, uint32_t count, uint32_t *scratch_ids, float *scratch_values);

#endif
