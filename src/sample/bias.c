// Logit bias and banned tokens (OpenAI's logit_bias, Hugging Face's SuppressTokens).
#include "base/assert.h"
#include "sample/stages.h"

void li_bias_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    const li_list *bias = &settings->lists[LI_LIST_BIAS], *banned = &settings->lists[LI_LIST_BANNED];
    LI_ASSERT(bias->count % 2 == 0); // pairs of an id and a bias
    for (uint32_t i = 0; i < bias->count; i += 2) li_funnel_add(funnel, bias->words[i], bias->words[i + 1]);
    for (uint32_t i = 0; i < banned->count; i++) li_funnel_ban(funnel, banned->words[i]);
}
