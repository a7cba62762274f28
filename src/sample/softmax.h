// The softmax without its division: weights e^((value - peak) / temperature) and their sums. Weights are summed in
// blocks of 64 in a fixed lane order, and blocks in float64: every build adds the same numbers in the same order, and a
// draw skips whole blocks.
#ifndef LI_SOFTMAX_H
#define LI_SOFTMAX_H

#include <stdint.h>

#include "base/simd.h"

#define LI_SOFTMAX_BLOCK 64u

// The number of blocks of `count` values; the last block may be partial.
LI_INLINE uint32_t li_softmax_blocks(uint32_t count)
{
    return (count + LI_SOFTMAX_BLOCK - 1) / LI_SOFTMAX_BLOCK;
}

// The sum of four partial sums of a block.
LI_INLINE double li_softmax_block_total(li_f32x4 sum)
{
    li_f64x2 pair = li_f64x2_add(li_f64x2_from_low(sum), li_f64x2_from_high(sum));
    return li_f64x2_lane(pair, 0) + li_f64x2_lane(pair, 1);
}

// The sum of the weights of values (count). temperature > 0. block_sums (count / 64, rounded up; or NULL) takes the
// sums of the blocks, weights (count rounded up to whole blocks; or NULL) the weights.
double li_softmax_sum(const float *values, uint32_t count, float peak, double temperature, double *block_sums,
                      float *weights);
// The weights of values (count, rounded up to whole fours) in float64, which are as many.
void li_softmax_exact(const float *values, uint32_t count, double peak, double temperature, double *weights);
// The index of the first of weights (count) at which the running sum exceeds `target` (0 <= target <= sum). block_sums:
// as written by li_softmax_sum.
uint32_t li_softmax_find(const float *weights, uint32_t count, const double *block_sums, double target);

#endif
