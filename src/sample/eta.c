// Eta sampling: keeps tokens of probability eta = min(epsilon, sqrt(epsilon) e^-entropy) or more (Hewitt, Manning,
// Liang, "Truncation sampling as language model desmoothing", 2022). The likeliest token always stays, as in Hugging
// Face.
#include "base/exp.h"
#include "sample/stages.h"

void li_eta_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double epsilon = li_log(settings->options.eta_cutoff), eta = 0.5 * epsilon - li_funnel_entropy(funnel);
    if (epsilon < eta) eta = epsilon;
    li_funnel_cut_below(funnel, li_funnel_distance_of(funnel, eta), settings->options.min_keep,
                        settings->rules & LI_RULE_KEEP_TIES);
}
