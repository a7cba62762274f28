// No-repeat n-gram: bans every token that would make the last n tokens occur a second time (Paulus, Xiong, Socher,
// "A deep reinforced model for abstractive summarization", 2017, as in Hugging Face's NoRepeatNGram processor).
#include "sample/stages.h"

void li_no_repeat_ngram_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    double n = settings->options.no_repeat_ngram;
    if (n > (double)history->length) return;
    uint32_t before = (uint32_t)n - 1;
    for (uint32_t next = 0; next + before < history->length; next++) {
        uint32_t same = 0;
        while (same < before && li_history_back(history, next + 1 + same) == li_history_back(history, same)) same++;
        if (same == before) li_funnel_ban(funnel, li_history_back(history, next));
    }
}
