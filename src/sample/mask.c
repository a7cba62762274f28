// The mask removes tokens whatever their probability. It runs after the edits. Padding beyond the tokenizer's
// vocabulary is never read. A forced token is the only survivor, whatever its logit. Otherwise tokens outside the
// allowed list, tokens whose bit is 0, and tokens with masked logits are dropped.
#include "sample/stages.h"

// Hugging Face's ForcedBOS and ForcedEOS processors, for several tokens.
const uint32_t *li_mask_forced(const li_settings *settings, const li_history *history)
{
    const li_list *first = &settings->lists[LI_LIST_FIRST], *last = &settings->lists[LI_LIST_LAST];
    if (history->generated < first->count) return first->words + history->generated;
    double left = settings->options.max_tokens - (double)history->generated;
    if (left >= 1.0 && left <= (double)last->count) return last->words + last->count - (uint32_t)left;
    return NULL;
}

li_status li_mask_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_list *allowed = &settings->lists[LI_LIST_ALLOWED];
    const uint32_t *forced = li_mask_forced(settings, history);
    if (!forced) return li_funnel_scan(funnel, allowed->words, allowed->count, settings->bitmask);
    li_funnel_force(funnel, *forced);
    return li_funnel_scan(funnel, forced, 1, NULL);
}
