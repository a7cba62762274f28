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

// Room for as many elements as are selected from.
typedef struct li_select_scratch {
    uint32_t *keys;
    float *masses;
} li_select_scratch;

// Where a cut is looked for: low <= high. block_peaks (count / 64; or NULL): blocks whose peak is below `low` are
// skipped.
typedef struct li_bracket {
    float low, high;
    const float *block_peaks;
} li_bracket;

// The smallest upper set of values (count) whose mass reaches `target` (> 0). The mass of an element is its weight, or
// 1 where `weights` is NULL; `total` is the sum of all masses. Equal values are taken in the given order; ties is
// UINT32_MAX when all are taken.
li_cut li_select_upper_set(const float *values, const float *weights, uint32_t count, double total, double target,
                           const li_select_scratch *scratch);
// As li_select_upper_set, if the cut lies within the bracket; ties is 0 otherwise.
li_cut li_select_within(const float *values, const float *weights, uint32_t count, const li_bracket *bracket,
                        double target, const li_select_scratch *scratch);

// Permutes ids and values (count), given by ascending id, to value descending, id ascending. Scratch: scratch_ids and
// scratch_values (count). ids and scratch_ids may be NULL: then only values are ordered.
void li_select_order(uint32_t *ids, float *values, uint32_t count, uint32_t *scratch_ids, float *scratch_values);

#endif
