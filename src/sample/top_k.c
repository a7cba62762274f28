// Top-k: the k most likely tokens (Fan, Lewis, Dauphin, "Hierarchical neural story generation", 2018).
// Ties with the k-th go to the lower ids, or all stay where the order's preset says so (Hugging Face, vLLM).
#include "sample/select.h"
#include "sample/stages.h"

void li_top_k_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double k = settings->options.top_k;
    if (k >= (double)funnel->count) return;
    // First all that reach a bound known to be low enough: few are left to select from.
    if (!funnel->ids) li_funnel_cut(funnel, li_funnel_bound(funnel, (uint32_t)k), UINT32_MAX);
    li_cut cut = li_select_upper_set(funnel->values, NULL, funnel->length, k, funnel->key_store, funnel->mass_store);
    li_funnel_cut(funnel, cut.value, settings->keep_ties ? UINT32_MAX : cut.ties);
}
