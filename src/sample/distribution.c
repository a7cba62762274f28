#include "sample/distribution.h"

#include "base/assert.h"
#include "base/simd.h"
#include "sample/order.h"
#include "sample/softmax.h"

#define PIECE 16u

void li_distribution_order(li_funnel *funnel, uint32_t *ids, double *probabilities)
{
    const float *values = li_order_tokens(funnel, ids, (uint32_t *)probabilities);
    double total = 0.0;
    // The least likely first. In small pieces the processor adds them up while it computes the next exponentials.
    for (uint32_t end = funnel->count, start; end; end = start) {
        start = (end - 1) / PIECE * PIECE;
        li_softmax_exact(values + start, end - start, (double)funnel->peak, funnel->temperature, probabilities + start);
        for (uint32_t i = end; i-- > start;) total += probabilities[i];
    }
    LI_ASSERT(total > 0.0);
    const li_f64x2 divisor = li_f64x2_splat(total);
    for (uint32_t i = 0; i < funnel->count; i += 2)
        li_f64x2_store(probabilities + i, li_f64x2_div(li_f64x2_load(probabilities + i), divisor));
}
