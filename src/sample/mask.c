// The mask: what cannot be chosen whatever its probability. Padding beyond the tokenizer's vocabulary is
// never read, a forced token is the only one, the allowed tokens are gathered, tokens whose bit is 0 and logits that
// the engine or an edit masked are dropped.
#include "sample/stages.h"

// The token that must come next, as the first of the output or the last of one of max_tokens; NULL: none must.
// (Hugging Face's ForcedBOS and ForcedEOS processors, for several tokens.)
static const uint32_t *forced_token(const li_settings *settings, const li_history *history)
{
    const li_list *first = &settings->lists[LI_LIST_FIRST], *last = &settings->lists[LI_LIST_LAST];
    if (history->generated < first->count) return first->words + history->generated;
    double left = settings->options.max_tokens - (double)history->generated;
    if (left >= 1.0 && left <= (double)last->count) return last->words + last->count - (uint32_t)left;
    return NULL;
}

// The ids that there are to choose from, ascending; no words: all.
static li_list choices(const li_settings *settings, const li_history *history)
{
    const uint32_t *forced = forced_token(settings, history);
    if (!forced) return settings->lists[LI_LIST_ALLOWED];
    return (li_list){(uint32_t *)(uintptr_t)forced, 1};
}

li_status li_mask_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    li_list allowed = choices(settings, history);
    return li_funnel_scan(funnel, allowed.words, allowed.count, settings->bitmask);
}
