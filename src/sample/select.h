// Cuts and orders sets of tokens by radix selection on the logits' bits: linear time for all logits, no comparison
// sort.
#ifndef LI_SELECT_H
#define LI_SELECT_H

#include <stdbool.h>
#include <stdint.h>

// An upper set of tokens (logit descending, id ascending): all logits above `value`, and the first `ties` of those
// equal to `value`.
typedef struct li_cut {
    float value;
    uint32_t ties;
} li_cut;

// The smallest upper set of values (count) whose mass reaches `target` (> 0). Equal values are taken in the given
// order; ties is UINT32_MAX when all are taken. The mass of an element is its weight, or 1 where `weights` is NULL;
// `total` is the sum of all masses. Scratch: keys and masses (count).
li_cut li_select_upper_set(const float *values, const float *weights, uint32_t count, double total, double target,
                           uint32_t *keys, float *masses);
// As li_select_upper_set, if the cut lies between `low` and `high`; false otherwise. block_peaks (count / 64; or NULL):
// blocks whose peak is below `low` are skipped.
bool li_select_between(const float *values, const float *weights, const float *block_peaks, uint32_t count, float low,
                       float high, double target, uint32_t *keys, float *masses, li_cut *cut);

// Permutes ids and values (count), given by ascending id, to value descending, id ascending. Scratch: scratch_ids and
// scratch_values (count). ids and scratch_ids may be NULL: then only values are ordered.
void li_select_order(uint32_t *ids, float *values, uint32_t count, uint32_t *scratch_ids, float *scratch_values);

#endif
