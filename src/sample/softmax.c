#include "sample/softmax.h"

#include "base/assert.h"
#include "base/exp.h"

typedef struct scaling {
    li_f32x4 peak, scale;
} scaling;

static scaling scaling_of(float peak, double temperature)
{
    LI_ASSERT(temperature > 0.0);
    // The inverse of a very low temperature would be infinite, and infinity times 0 NaN at the peak.
    double inverse = LI_LOG2_E / temperature;
    return (scaling){li_f32x4_splat(peak), li_f32x4_splat(inverse < 1e38 ? (float)inverse : 1e38f)};
}

// Writes the weights of values (a block) to weights (a block). Returns their sum. Each of four single-precision sums
// adds sixteen weights.
LI_INLINE double weigh_block(const float *values, scaling by, float *weights)
{
    li_f32x4 sum = li_f32x4_splat(0.0f);
    uint32_t i = 0;
    do {
        li_f32x4 distance = li_f32x4_sub(li_f32x4_load(values + i), by.peak);
        li_f32x4 four = li_exp2_single(li_f32x4_mul(distance, by.scale));
        li_f32x4_store(weights + i, four);
        sum = li_f32x4_add(sum, four);
    } while ((i += 4) < LI_SOFTMAX_BLOCK);
    return li_softmax_block_total(sum);
}

double li_softmax_sum(const float *values, uint32_t count, float peak, double temperature, double *block_sums,
                      float *weights)
{
    LI_ASSERT(count);
    scaling by = scaling_of(peak, temperature);
    double total = 0.0;
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK) {
        float padded[LI_SOFTMAX_BLOCK];
        const float *from = values + start;
        uint32_t length = count - start;
        if (length < LI_SOFTMAX_BLOCK) {
            for (uint32_t i = 0; i < LI_SOFTMAX_BLOCK; i++) padded[i] = i < length ? from[i] : -__builtin_inff();
            from = padded;
        }
        double block = weigh_block(from, by, weights ? weights + start : padded);
        if (block_sums) block_sums[start / LI_SOFTMAX_BLOCK] = block;
        total += block;
    }
    return total;
}

void li_softmax_exact(const float *values, uint32_t count, double peak, double temperature, double *weights)
{
    const li_f64x2 highest = li_f64x2_splat(peak), divisor = li_f64x2_splat(temperature);
    for (uint32_t i = 0; i < count; i += 4) {
        li_f32x4 four = li_f32x4_load(values + i);
        li_f64x2_store(weights + i, li_f64x2_div(li_f64x2_sub(li_f64x2_from_low(four), highest), divisor));
        li_f64x2_store(weights + i + 2, li_f64x2_div(li_f64x2_sub(li_f64x2_from_high(four), highest), divisor));
    }
    li_exp_many(weights, count);
}

uint32_t li_softmax_find(const float *weights, uint32_t count, const double *block_sums, double target)
{
    LI_ASSERT(count && target >= 0.0);
    double running = 0.0, before = 0.0;
    uint32_t start = 0;
    for (uint32_t block = 0; block * LI_SOFTMAX_BLOCK < count; block++) {
        if (block_sums[block] == 0.0) continue;
        start = block * LI_SOFTMAX_BLOCK;
        before = running;
        running += block_sums[block];
        if (running > target) break;
    }
    // The weights added one by one may round to less than the block's sum; then the target falls on the last weight.
    uint32_t last = start;
    LI_ASSERT(start < count && block_sums[start / LI_SOFTMAX_BLOCK] > 0.0);
    for (uint32_t i = start; i < count && i < start + LI_SOFTMAX_BLOCK; i++) {
        if (weights[i] == 0.0f) continue;
        last = i;
        before += (double)weights[i];
        if (before > target) break;
    }
    LI_ASSERT(weights[last] > 0.0f);
    return last;
}
