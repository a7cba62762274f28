#include "sample/distribution.h"

#include "base/assert.h"
#include "sample/select.h"

const float *li_distribution_sort(li_funnel *funnel, uint32_t *ids)
{
    LI_ASSERT(funnel->count && ids && ids != funnel->id_store);
    li_funnel_list(funnel);
    float *values = funnel->scratch.masses;
    for (uint32_t i = 0; i < funnel->count; i++) {
        ids[i] = li_funnel_id(funnel, i);
        values[i] = funnel->values[i];
    }
    li_select_order(ids, values, funnel->count, funnel->id_store, funnel->value_store);
    return values;
}

void li_distribution_order(li_funnel *funnel, uint32_t *ids, double *probabilities)
{
    const float *values = li_distribution_sort(funnel, ids);
    double total = 0.0;
    for (uint32_t i = funnel->count; i-- > 0;) {
        probabilities[i] = li_funnel_weight_of(funnel, values[i]);
        total += probabilities[i];
    }
    LI_ASSERT(total > 0.0);
    for (uint32_t i = 0; i < funnel->count; i++) probabilities[i] /= total;
}
