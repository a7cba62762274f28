// Logit bias and banned tokens (OpenAI's logit_bias, Hugging Face's SuppressTokens).
#include "sample/stages.h"

void li_bias_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    for (uint32_t i = 0; i < settings->bias_count; i++) {
        uint32_t id = settings->bias_ids[i];
        li_funnel_edit(funnel, id, (float)((double)funnel->row[id] + (double)settings->bias_values[i]));
    }
    for (uint32_t i = 0; i < settings->banned_count; i++)
        li_funnel_edit(funnel, settings->banned[i], -__builtin_inff());
}
