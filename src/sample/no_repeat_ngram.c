// No-repeat n-gram: bans every token that would make the last n tokens occur a second time (Paulus, Xiong, Socher,
// "A deep reinforced model for abstractive summarization", 2017, as in Hugging Face's NoRepeatNGram processor).
#include "base/assert.h"
#include "sample/stages.h"

void li_no_repeat_ngram_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    double n = settings->options.no_repeat_ngram;
    LI_ASSERT(n >= 1.0);
    li_history_match(history, history->length);
    for (uint32_t i = 0; i < history->length; i++)
        if ((double)history->matches[i] >= n - 1.0) li_funnel_ban(funnel, li_history_back(history, i));
}
