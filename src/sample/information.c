#include "sample/information.h"

#include "base/assert.h"
#include "base/exp.h"
#include "sample/order.h"

uint32_t li_information_take(li_funnel *funnel, uint32_t token, uint32_t top, li_information *information,
                             uint32_t *ids, double *log_probabilities)
{
    LI_ASSERT(top == 0 || (ids && log_probabilities));
    double entropy = li_funnel_entropy(funnel), log_total = li_log(funnel->total);
    double peak = (double)funnel->peak, temperature = funnel->temperature;
    LI_ASSERT(temperature > 0.0);
    *information = (li_information){.entropy = entropy,
                                    .choices = li_exp(entropy),
                                    .log_probability = -__builtin_inf(),
                                    .survivors = funnel->count};
    uint32_t likelier = 0;
    float value = -__builtin_inff();
    for (uint32_t i = 0; i < funnel->length; i++)
        if (li_funnel_id(funnel, i) == token) value = funnel->values[i];
    if (value > LI_MASKED) {
        for (uint32_t i = 0; i < funnel->length; i++)
            likelier += funnel->values[i] > value || (funnel->values[i] == value && li_funnel_id(funnel, i) < token);
        information->log_probability = ((double)value - peak) / temperature - log_total;
        information->rank = likelier + 1;
        LI_ASSERT(likelier < funnel->count);
    }
    if (top == 0) return 0;
    if (top < funnel->count) li_funnel_keep_likeliest(funnel, (double)top, false);
    const float *values = li_order_tokens(funnel, ids, (uint32_t *)log_probabilities);
    for (uint32_t i = 0; i < funnel->count; i++)
        log_probabilities[i] = ((double)values[i] - peak) / temperature - log_total;
    return funnel->count;
}
