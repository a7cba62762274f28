#include "sample/distribution.h"

#include "base/assert.h"
#include "sample/order.h"
#include "sample/softmax.h"

void li_distribution_order(li_funnel *funnel, uint32_t *ids, double *probabilities)
{
    const float *values = li_order_tokens(funnel, ids, (uint32_t *)probabilities);
    li_softmax_exact(values, funnel->count, (double)funnel->peak, funnel->temperature, probabilities);
    double total = 0.0;
    for (uint32_t i = funnel->count; i-- > 0;) total += probabilities[i];
    LI_ASSERT(total > 0.0);
    for (uint32_t i = 0; i < funnel->count; i++) probabilities[i] /= total;
}
