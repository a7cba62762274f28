// The softmax without its division: weights e^((value - peak) / temperature) and their sums. Weights are
// summed 64 at a time in a fixed lane order, blocks in float64: every build adds the same numbers in the
// same order, and a draw passes over whole blocks.
#ifndef LI_SOFTMAX_H
#define LI_SOFTMAX_H

#include <stdint.h>

#include "base/simd.h"

#define LI_SOFTMAX_BLOCK 64u

// Blocks that `count` values make; the last one may not be full.
LI_INLINE uint32_t li_softmax_blocks(uint32_t count)
{
    return (count + LI_SOFTMAX_BLOCK - 1) / LI_SOFTMAX_BLOCK;
}

// What four sums of a block's weights add up to.
LI_INLINE double li_softmax_block_total(li_f32x4 sum)
{
    li_f64x2 pair = li_f64x2_add(li_f64x2_from_low(sum), li_f64x2_from_high(sum));
    return li_f64x2_lane(pair, 0) + li_f64x2_lane(pair, 1);
}

// Sum of the weights of values (count). temperature > 0. Where not NULL: block_sums (ceil(count / 64)) takes
// the sums of the blocks, weights (count, rounded up to whole blocks) the weights.
double li_softmax_sum(const float *values, uint32_t count, float peak, double temperature, double *block_sums,
                      float *weights);
// Index of the first of weights (count) at which their running sum exceeds `target` (0 <= target <= sum);
// block_sums are those of li_softmax_sum.
uint32_t li_softmax_find(const float *weights, uint32_t count, const double *block_sums, double target);

#endif
