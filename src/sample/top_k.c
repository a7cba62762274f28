// Top-k: the k most likely tokens (Fan, Lewis, Dauphin, "Hierarchical neural story generation", 2018).
// Ties with the k-th go to the lower ids, or all stay where the order's preset says so (Hugging Face, vLLM).
#include "sample/select.h"
#include "sample/stages.h"

void li_top_k_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    double k = settings->options.top_k;
    if (k >= (double)funnel->count) return;
    li_cut cut = li_select_upper_set(funnel->values, NULL, funnel->count, k, funnel->key_store, funnel->mass_store);
    li_funnel_cut(funnel, cut.value, settings->keep_ties ? UINT32_MAX : cut.ties);
}
