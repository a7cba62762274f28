#include "sample/row.h"

#include "base/exp.h"
#include "sample/softmax.h"

li_status li_row_normalise(const float *row, uint32_t count, double *peak, double *log_total)
{
    li_f32x4 peaks = li_f32x4_splat(-__builtin_inff()), sums = li_f32x4_splat(0.0f);
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        li_f32x4 four = li_f32x4_load(row + i);
        peaks = li_f32x4_pmax(peaks, four);
        sums = li_f32x4_add(sums, four);
    }
    float largest = li_f32x4_largest(peaks), sum = li_f32x4_total(sums);
    for (; i < count; i++) {
        if (row[i] > largest) largest = row[i];
        sum += row[i];
    }
    // A NaN makes the sum one; so do infinities of both signs.
    for (i = 0; sum != sum && i < count; i++)
        if (row[i] != row[i]) return LI_ERROR_LOGITS_NAN;
    if (largest == __builtin_inff()) return LI_ERROR_LOGITS_INFINITE;
    if (!(largest > LI_MASKED)) return LI_ERROR_NOTHING_LEFT;
    *peak = (double)largest;
    *log_total = li_log(li_softmax_sum(row, count, largest, 1.0, NULL, NULL));
    return LI_OK;
}
