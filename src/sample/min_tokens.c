// Minimum length: the tokens that end a text are banned until `minTokens` tokens have been generated (Hugging Face's
// MinNewTokensLength processor).
#include "sample/stages.h"

void li_min_tokens_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    if ((double)history->generated >= settings->options.min_tokens) return;
    const li_list *eos = &settings->lists[LI_LIST_EOS];
    for (uint32_t i = 0; i < eos->count; i++) li_funnel_ban(funnel, eos->words[i]);
}
