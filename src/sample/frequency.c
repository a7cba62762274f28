// Frequency and presence penalties: logit - occurrences * frequency - (1 if the token occurs) * presence (OpenAI's
// API).
#include "base/assert.h"
#include "sample/stages.h"

void li_frequency_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_counts *counts = &history->counts[(li_scope)settings->options.count_scope];
    double frequency = settings->options.frequency_penalty, presence = settings->options.presence_penalty;
    LI_ASSERT(history->is_counting);
    for (uint32_t i = 0; i < counts->distinct_count; i++) {
        uint32_t id = counts->distinct[i], occurrences = li_history_occurrences(counts, id);
        if (occurrences == 0) continue;
        double logit = (double)funnel->row[id] - (double)occurrences * frequency - presence;
        li_funnel_edit(funnel, id, logit);
    }
}
