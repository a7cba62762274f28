// Cuts sets of tokens by radix selection on the logits' bits: linear time for all logits, no comparison sort.
#ifndef LI_SELECT_H
#define LI_SELECT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

// An upper set of tokens (logit descending, id ascending): all logits above `value`, and the first `ties` of those
// equal to `value`.
typedef struct li_cut {
    float value;
    uint32_t ties;
} li_cut;

// Room for as many elements as are selected from. In a funnel the masses follow the keys, so both together are room for
// pairs.
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

// Writes the keys and the masses of the values (count) within the bracket to scratch, in their order. Returns their
// number. *above: the mass of the values above the bracket.
uint32_t li_select_list(const float *values, const float *weights, uint32_t count, const li_bracket *bracket,
                        double *above, const li_select_scratch *scratch);

// Bits that compare as unsigned numbers in the order of the floats. -0 equals +0.
LI_INLINE uint32_t li_select_key(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

LI_INLINE float li_select_value(uint32_t key)
{
    uint32_t bits = key ^ (key >> 31 ? 0x80000000u : 0xffffffffu);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
