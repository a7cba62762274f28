#include "base/assert.h"
#include "base/exp.h"
#include "base/simd.h"
#include "train/gradients.h"
#include "train/power.h"

double li_cross_entropy(const li_targets *targets, float *logits)
{
    const uint32_t width = targets->width;
    const li_f32x4 factor = li_f32x4_splat(targets->factor);
    double loss = 0;
    for (uint32_t row = 0; row < targets->rows; row++, logits += width) {
        const uint32_t target = targets->targets[row];
        LI_ASSERT(target < targets->count && targets->count <= width);
        for (uint32_t i = targets->count; i < width; i++) logits[i] = -1e30f;
        li_f32x4 peaks = li_f32x4_splat(-1e30f);
        for (uint32_t i = 0; i < width; i += 4) peaks = li_f32x4_pmax(peaks, li_f32x4_load(logits + i));
        const float largest = li_f32x4_largest(peaks);
        loss += (double)largest - (double)logits[target];
        const li_f32x4 peak = li_f32x4_splat(largest);
        li_f32x4 sums = li_f32x4_splat(0);
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 power = li_power(li_f32x4_sub(li_f32x4_load(logits + i), peak));
            sums = li_f32x4_add(sums, power);
            li_f32x4_store(logits + i, power);
        }
        const float sum = li_f32x4_total(sums);
        loss += li_log((double)sum);
        const li_f32x4 inverse = li_f32x4_mul(li_f32x4_splat(1 / sum), factor);
        for (uint32_t i = 0; i < width; i += 4)
            li_f32x4_store(logits + i, li_f32x4_mul(li_f32x4_load(logits + i), inverse));
        for (uint32_t i = targets->count; i < width; i++) logits[i] = 0;
        logits[target] -= targets->factor;
    }
    return loss;
}
