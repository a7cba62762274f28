// Top-h: renormalises the hundred likeliest tokens and keeps as many from the top as hold at most the share h of their
// entropy. The first token always stays (Potraghloo et al., "Top-H decoding", 2025, in the form of Hugging Face).
#include "base/assert.h"
#include "base/exp.h"
#include "sample/order.h"
#include "sample/stages.h"

#define LIKELIEST 100u

void li_top_h_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double least = settings->options.min_keep;
    li_funnel_keep_likeliest(funnel, least > LIKELIEST ? least : LIKELIEST, false);
    if (funnel->count > LIKELIEST) return;
    li_funnel_list(funnel);
    li_order_logits(funnel, (float)LI_LOWEST);
    const float *values = funnel->scratch.masses;
    double surprises[LIKELIEST], terms[LIKELIEST], total = 0.0, entropy = 0.0;
    for (uint32_t i = 0; i < funnel->count; i++) {
        surprises[i] = ((double)funnel->peak - (double)values[i]) / funnel->temperature;
        total += terms[i] = li_exp(-surprises[i]);
    }
    LI_ASSERT(total >= 1.0); // the likeliest token weighs 1
    for (uint32_t i = 0; i < funnel->count; i++)
        if (terms[i] > 0.0) entropy += terms[i] *= (surprises[i] + li_log(total)) / total;
    uint32_t kept = 1;
    double sum = terms[0];
    while (kept < funnel->count && terms[kept] > 0.0 && (sum += terms[kept]) <= settings->options.top_h * entropy)
        kept++;
    li_funnel_keep_likeliest(funnel, kept > least ? kept : least, false);
}
