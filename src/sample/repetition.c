// Repetition penalty: divides positive and multiplies negative logits of tokens in scope (Keskar et al.,
// "CTRL: a conditional transformer language model for controllable generation", 2019).
#include "base/assert.h"
#include "sample/stages.h"

void li_repetition_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_counts *counts = &history->counts[(li_scope)settings->options.repetition_scope];
    double penalty = settings->options.repetition_penalty;
    LI_ASSERT(penalty > 0.0 && history->is_counting);
    for (uint32_t i = 0; i < counts->distinct_count; i++) {
        uint32_t id = counts->distinct[i];
        double logit = (double)funnel->row[id];
        if (li_history_occurrences(counts, id) == 0) continue;
        li_funnel_edit(funnel, id, logit > 0.0 ? logit / penalty : logit * penalty);
    }
}
