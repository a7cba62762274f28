// DRY, "don't repeat yourself": a token that would extend a repetition of `length` tokens loses multiplier *
// base^(length - allowed length) (Weidmann, 2024, as in llama.cpp). A repetition ends at a breaker, and a token that is
// a breaker by itself loses nothing.
#include "base/assert.h"
#include "base/exp.h"
#include "sample/stages.h"

void li_dry_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_options *options = &settings->options;
    const li_list *breakers = &settings->lists[LI_LIST_BREAKERS];
    uint32_t window = history->window && history->window < history->length ? history->window : history->length;
    uint32_t allowed = (uint32_t)options->dry_allowed_length;
    uint32_t limit = history->length - history->last_break.end;
    if (history->last_break.start < history->length - window) limit = window;
    if (limit < allowed) return;
    LI_ASSERT(history->last_break.end <= history->length && limit <= history->length);
    LI_ASSERT(window <= history->capacity);
    li_history_match(history, window);
    uint32_t *matches = history->matches, *longest = funnel->scratch.keys;
    for (uint32_t i = 0; i < window; i++)
        if (matches[i] >= allowed) longest[li_history_back(history, i)] = 0;
    for (uint32_t i = 0; i < window; i++) {
        uint32_t next = li_history_back(history, i), length = matches[i] < limit ? matches[i] : limit;
        if (length >= allowed && length > longest[next]) longest[next] = length;
    }
    for (uint32_t i = 0; i < breakers->count; i += 1 + breakers->words[i])
        if (breakers->words[i] == 1) longest[breakers->words[i + 1]] = 0;
    double growth = li_log(options->dry_base);
    for (uint32_t i = 0; i < window; i++) {
        uint32_t next = li_history_back(history, i);
        if (matches[i] < allowed || longest[next] == 0) continue;
        double excess = (double)(longest[next] - allowed);
        longest[next] = 0; // each token once
        // The largest exponent for which the power is a float.
        if (excess * growth > 88.7228391) excess = (double)(uint32_t)(88.7228391 / growth);
        double logit = (double)funnel->row[next] - options->dry_multiplier * li_exp(excess * growth);
        li_funnel_edit(funnel, next, logit);
    }
}
