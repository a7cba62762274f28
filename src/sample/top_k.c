// Top-k: keeps the k most likely tokens (Fan, Lewis, Dauphin, "Hierarchical neural story generation", 2018). Among
// tokens that tie with the k-th the lower ids stay, or all of them under LI_RULE_KEEP_TIES (Hugging Face, vLLM).
#include "base/assert.h"
#include "sample/stages.h"

void li_top_k_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double k = settings->options.top_k, least = settings->options.min_keep;
    LI_ASSERT(k >= 1.0); // at 0 the stage is off
    if (settings->rules & LI_RULE_TOP_KEEPS_LEAST && k < least) k = least;
    li_funnel_keep_likeliest(funnel, k, settings->rules & LI_RULE_KEEP_TIES);
}
