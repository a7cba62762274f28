#include "sample/softmax.h"

#include <stdbool.h>

#include "base/exp.h"

typedef struct block_sum {
    li_f64x2 low, high;
} block_sum;

static inline void add_four(block_sum *sum, li_f32x4 weights)
{
    sum->low = li_f64x2_add(sum->low, li_f64x2_from_low(weights));
    sum->high = li_f64x2_add(sum->high, li_f64x2_from_high(weights));
}

static inline double finish(block_sum sum)
{
    li_f64x2 pair = li_f64x2_add(sum.low, sum.high);
    return li_f64x2_lane(pair, 0) + li_f64x2_lane(pair, 1);
}

static inline block_sum empty_sum(void)
{
    return (block_sum){li_f64x2_splat(0.0), li_f64x2_splat(0.0)};
}

// Four values from an array that ends after `count` (1 to 3) of them; `filler` stands for the rest.
static inline li_f32x4 load_partial(const float *values, uint32_t count, float filler)
{
    float lanes[4] = {filler, filler, filler, filler};
    for (uint32_t i = 0; i < count; i++) lanes[i] = values[i];
    return li_f32x4_load(lanes);
}

static double sum_block(const float *weights, uint32_t count)
{
    block_sum sum = empty_sum();
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) add_four(&sum, li_f32x4_load(weights + i));
    if (i < count) add_four(&sum, load_partial(weights + i, count - i, 0.0f));
    return finish(sum);
}

static uint32_t block_length(uint32_t start, uint32_t count)
{
    return count - start < LI_SOFTMAX_BLOCK ? count - start : LI_SOFTMAX_BLOCK;
}

double li_softmax_weigh(const float *values, uint32_t count, float peak, double temperature, float *weights)
{
    // A temperature so low that its inverse is infinite would make 0 * infinity of the peak.
    double inverse = LI_LOG2_E / temperature < 1e300 ? LI_LOG2_E / temperature : 1e300;
    const li_f64x2 shift = li_f64x2_splat((double)peak), scale = li_f64x2_splat(inverse);
    double total = 0.0;
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK) {
        uint32_t length = block_length(start, count);
        const float *from = values + start;
        float *to = weights + start;
        block_sum sum = empty_sum();
        for (uint32_t i = 0; i < length; i += 4) {
            bool is_partial = length - i < 4;
            li_f32x4 lanes = is_partial ? load_partial(from + i, length - i, peak) : li_f32x4_load(from + i);
            li_f64x2 low = li_f64x2_mul(li_f64x2_sub(li_f64x2_from_low(lanes), shift), scale);
            li_f64x2 high = li_f64x2_mul(li_f64x2_sub(li_f64x2_from_high(lanes), shift), scale);
            li_f32x4 powers = li_exp2_f32x4(low, high);
            if (is_partial) {
                float stored[4];
                li_f32x4_store(stored, powers);
                for (uint32_t k = 0; k < length - i; k++) to[i + k] = stored[k];
                powers = load_partial(to + i, length - i, 0.0f);
            } else {
                li_f32x4_store(to + i, powers);
            }
            add_four(&sum, powers);
        }
        total += finish(sum);
    }
    return total;
}

double li_softmax_sum(const float *weights, uint32_t count)
{
    double total = 0.0;
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK)
        total += sum_block(weights + start, block_length(start, count));
    return total;
}

uint32_t li_softmax_find(const float *weights, uint32_t count, double target)
{
    double running = 0.0, before = 0.0;
    uint32_t found = 0;
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK) {
        double block = sum_block(weights + start, block_length(start, count));
        if (block == 0.0) continue;
        found = start;
        before = running;
        running += block;
        if (running > target) break;
    }
    // Adding one by one may round below the block's sum: the target then falls on its last weight.
    uint32_t last = found;
    for (uint32_t i = found; i < found + block_length(found, count); i++) {
        if (weights[i] == 0.0f) continue;
        last = i;
        before += (double)weights[i];
        if (before > target) break;
    }
    return last;
}
