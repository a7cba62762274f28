#include "sample/softmax.h"

#include "base/exp.h"

typedef struct scaling {
    li_f32x4 peak, scale;
} scaling;

static scaling scaling_of(float peak, double temperature)
{
    // A temperature so low that its inverse is infinite would make 0 * infinity of the peak.
    double inverse = LI_LOG2_E / temperature;
    return (scaling){li_f32x4_splat(peak), li_f32x4_splat(inverse < 1e38 ? (float)inverse : 1e38f)};
}

LI_INLINE li_f32x4 weigh(li_f32x4 values, scaling by)
{
    return li_exp2_single(li_f32x4_mul(li_f32x4_sub(values, by.peak), by.scale));
}

// Weights of values (count, at most a block) into weights (count, or NULL), and their sum. Four sums of
// at most sixteen weights each stay in single precision.
LI_INLINE double weigh_block(const float *values, uint32_t count, scaling by, float *weights)
{
    li_f32x4 sum = li_f32x4_splat(0.0f);
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        li_f32x4 four = weigh(li_f32x4_load(values + i), by);
        if (weights) li_f32x4_store(weights + i, four);
        sum = li_f32x4_add(sum, four);
    }
    if (i < count) {
        float lanes[4];
        for (uint32_t lane = 0; lane < 4; lane++) lanes[lane] = i + lane < count ? values[i + lane] : -__builtin_inff();
        li_f32x4 four = weigh(li_f32x4_load(lanes), by);
        sum = li_f32x4_add(sum, four);
        li_f32x4_store(lanes, four);
        for (uint32_t lane = 0; weights && i + lane < count; lane++) weights[i + lane] = lanes[lane];
    }
    li_f64x2 pair = li_f64x2_add(li_f64x2_from_low(sum), li_f64x2_from_high(sum));
    return li_f64x2_lane(pair, 0) + li_f64x2_lane(pair, 1);
}

static uint32_t block_length(uint32_t start, uint32_t count)
{
    return count - start < LI_SOFTMAX_BLOCK ? count - start : LI_SOFTMAX_BLOCK;
}

double li_softmax_sum(const float *values, uint32_t count, float peak, double temperature, double *block_sums,
                      float *weights)
{
    scaling by = scaling_of(peak, temperature);
    double total = 0.0;
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK) {
        double block = weigh_block(values + start, block_length(start, count), by, weights ? weights + start : NULL);
        if (block_sums) block_sums[start / LI_SOFTMAX_BLOCK] = block;
        total += block;
    }
    return total;
}

uint32_t li_softmax_find(const float *values, uint32_t count, float peak, double temperature, const double *block_sums,
                         double target, float *weight)
{
    double running = 0.0, before = 0.0;
    uint32_t start = 0;
    for (uint32_t block = 0; block * LI_SOFTMAX_BLOCK < count; block++) {
        if (block_sums[block] == 0.0) continue;
        start = block * LI_SOFTMAX_BLOCK;
        before = running;
        running += block_sums[block];
        if (running > target) break;
    }
    // Adding one by one may round below the block's sum: the target then falls on its last weight.
    float weights[LI_SOFTMAX_BLOCK];
    uint32_t length = block_length(start, count), last = 0;
    weigh_block(values + start, length, scaling_of(peak, temperature), weights);
    for (uint32_t i = 0; i < length; i++) {
        if (weights[i] == 0.0f) continue;
        last = i;
        before += (double)weights[i];
        if (before > target) break;
    }
    *weight = weights[last];
    return start + last;
}
