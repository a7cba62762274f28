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

// What a cut is made of. The mass of an element is its weight, or 1 where `weights` is NULL.
typedef struct li_selection {
    const float *values, *weights; // (count)
    uint32_t count;
    uint32_t *keys; // (count) scratch
    float *masses;  // (count) scratch
} li_selection;

// The smallest upper set whose mass reaches `target` (> 0). Equal values are taken in the given order; ties is
// UINT32_MAX when all are taken. `total` is the sum of all masses.
li_cut li_select_upper_set(const li_selection *of, double total, double target);
// As li_select_upper_set, if the cut lies between `low` and `high`; false otherwise. block_peaks (count / 64; or NULL):
// blocks whose peak is below `low` are skipped.
bool li_select_between(const li_selection *of, const float *block_peaks, float low, float high, double target,
                       li_cut *cut);

// Permutes ids and values (count), given by ascending id, to value descending, id ascending. Scratch: scratch_ids and
// scratch_values (count). ids and scratch_ids may be NULL: then only values are ordered.
void li_select_order(uint32_t *ids, float *values, uint32_t count, uint32_t *scratch_ids, float *scratch_values);

#endif
