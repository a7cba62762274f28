// The softmax without its division: weights e^((value - peak) / temperature) and their sums. Weights are
// summed 64 at a time in a fixed lane order, blocks in float64: every build adds the same numbers in the
// same order, and a draw passes over whole blocks.
#ifndef LI_SOFTMAX_H
#define LI_SOFTMAX_H

#include <stdint.h>

#include "base/inline.h"

#define LI_SOFTMAX_BLOCK 64u

// Blocks that `count` values make; the last one may not be full.
LI_INLINE uint32_t li_softmax_blocks(uint32_t count)
{
    return (count + LI_SOFTMAX_BLOCK - 1) / LI_SOFTMAX_BLOCK;
}

// Sum of the weights of values (count). temperature > 0. Where not NULL: block_sums (ceil(count / 64)) takes
// the sums of the blocks, weights (count) the weights.
double li_softmax_sum(const float *values, uint32_t count, float peak, double temperature, double *block_sums,
                      float *weights);
// Index of the first value at which the running sum of the weights exceeds `target` (0 <= target <= sum), and
// its weight; block_sums are those of li_softmax_sum.
uint32_t li_softmax_find(const float *values, uint32_t count, float peak, double temperature, const double *block_sums,
                         double target, float *weight);

#endif
