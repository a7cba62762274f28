// Min-p: tokens at least `min_p` times as likely as the likeliest (Nguyen et al., "Turning up the heat:
// min-p sampling", 2024). In logits: at least peak + temperature * ln(min_p), so no softmax is needed.
#include "base/assert.h"
#include "base/exp.h"
#include "sample/stages.h"

void li_min_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    LI_ASSERT(settings->options.min_p > 0.0); // at 0 the stage is off
    (void)history;
    double distance = funnel->temperature * li_log(settings->options.min_p);
    li_funnel_cut_below(funnel, distance, settings->options.min_keep, false);
}
