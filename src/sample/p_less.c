// P-less: keeps tokens at least as likely as two draws are to agree, sum p^2 (Tan et al., "p-less sampling", 2025).
// Normalised, the bound is (V sum p^2 - 1) / (V - 1), where V is the number of tokens in the row, masked ones too.
#include "base/exp.h"
#include "sample/stages.h"

void li_p_less_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    li_funnel_weigh(funnel);
    double squares = 0.0, total = funnel->total, size = (double)funnel->row_size;
    for (uint32_t i = 0; i < funnel->length; i++) squares += (double)funnel->weights[i] * (double)funnel->weights[i];
    // The bound as a weight: the likeliest token weighs 1. Rounding may take it below 0, and of one token it is NaN.
    double least = squares / total;
    if (settings->options.p_less > 1.0) least = (size * least - total) / (size - 1.0);
    double distance = funnel->temperature * li_log(least > 0.0 ? least : 0.0);
    li_funnel_cut_below(funnel, distance, settings->options.min_keep, false);
}
