// Top-n-sigma: keeps tokens whose logit is at most n standard deviations below the largest (Tang et al., "Top-n-sigma:
// not all logits are you need", 2024). The deviation is the population's, over the unmasked survivors. The temperature
// does not change the kept set.
#include "base/assert.h"
#include "base/exp.h"
#include "sample/stages.h"

void li_top_n_sigma_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    LI_ASSERT(funnel->count && settings->options.top_n_sigma >= 0.0);
    (void)history;
    double sum = 0.0, squares = 0.0;
    for (uint32_t i = 0; i < funnel->length; i++)
        if (funnel->values[i] > LI_MASKED) sum += (double)funnel->values[i];
    double mean = sum / (double)funnel->count;
    for (uint32_t i = 0; i < funnel->length; i++) {
        double deviation = (double)funnel->values[i] - mean;
        if (funnel->values[i] > LI_MASKED) squares += deviation * deviation;
    }
    double sigma = li_exp(0.5 * li_log(squares / (double)funnel->count)); // the square root, the same everywhere
    li_funnel_cut_below(funnel, -settings->options.top_n_sigma * sigma, 1.0, false);
}
