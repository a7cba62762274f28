#include "sample/logits.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/exp.h"
#include "sample/softmax.h"

#define BLOCK LI_SOFTMAX_BLOCK

float li_logits_scan(const float *values, uint32_t count, float *block_peaks, float *sum)
{
    const li_f32x4 lowest = li_f32x4_splat(-__builtin_inff()), zero = li_f32x4_splat(0.0f);
    li_f32x4 peaks = lowest, sum_a = zero, sum_b = zero, sum_c = zero, sum_d = zero;
    uint32_t start = 0;
    for (; start + BLOCK <= count; start += BLOCK) {
        li_f32x4 even_peaks = lowest, odd_peaks = lowest;
        // Four sums, because one addition waits for the one before.
        for (uint32_t i = start; i < start + BLOCK; i += 16) {
            li_f32x4 a = li_f32x4_load(values + i), b = li_f32x4_load(values + i + 4);
            li_f32x4 c = li_f32x4_load(values + i + 8), d = li_f32x4_load(values + i + 12);
            even_peaks = li_f32x4_pmax(even_peaks, li_f32x4_pmax(a, c));
            odd_peaks = li_f32x4_pmax(odd_peaks, li_f32x4_pmax(b, d));
            sum_a = li_f32x4_add(sum_a, a);
            sum_b = li_f32x4_add(sum_b, b);
            sum_c = li_f32x4_add(sum_c, c);
            sum_d = li_f32x4_add(sum_d, d);
        }
        even_peaks = li_f32x4_pmax(even_peaks, odd_peaks);
        peaks = li_f32x4_pmax(peaks, even_peaks);
        if (block_peaks) block_peaks[start / BLOCK] = li_f32x4_largest(even_peaks);
    }
    float peak = -__builtin_inff();
    *sum = li_f32x4_total(li_f32x4_add(li_f32x4_add(sum_a, sum_b), li_f32x4_add(sum_c, sum_d)));
    for (uint32_t i = start; i < count; i++) {
        if (values[i] > peak) peak = values[i];
        *sum += values[i];
    }
    if (block_peaks && start < count) block_peaks[start / BLOCK] = peak;
    float block_peak = li_f32x4_largest(peaks);
    return block_peak > peak ? block_peak : peak;
}

static bool has_nan(const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != values[i]) return true;
    return false;
}

li_status li_logits_check(const float *values, uint32_t count, float peak, float sum)
{
    if (sum != sum && has_nan(values, count)) return LI_ERROR_LOGITS_NAN;
    if (peak == __builtin_inff()) return LI_ERROR_LOGITS_INFINITE;
    return peak > LI_MASKED ? LI_OK : LI_ERROR_NOTHING_LEFT;
}

li_status li_logits_normalise(const float *values, uint32_t count, double *peak, double *log_total)
{
    float sum, largest = li_logits_scan(values, count, NULL, &sum);
    li_status status = li_logits_check(values, count, largest, sum);
    if (status) return status;
    LI_ASSERT(count && largest > LI_MASKED);
    *peak = (double)largest;
    *log_total = li_log(li_softmax_sum(values, count, largest, 1.0, NULL, NULL));
    return LI_OK;
}
