// Epsilon sampling: keeps tokens of probability epsilon or more (Hewitt, Manning, Liang, "Truncation sampling as
// language model desmoothing", 2022). The likeliest token always stays, as in Hugging Face.
#include "base/exp.h"
#include "sample/stages.h"

void li_epsilon_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double distance = li_funnel_distance_of(funnel, li_log(settings->options.epsilon_cutoff));
    li_funnel_cut_below(funnel, distance, settings->options.min_keep, settings->rules & LI_RULE_KEEP_TIES);
}
