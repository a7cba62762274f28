// DRY, "don't repeat yourself": a token that would go on with a repetition of `length` tokens loses multiplier *
// base^(length - allowed length) (Weidmann, 2024, as in llama.cpp). Repetitions do not reach across breakers, and a
// token that is a breaker by itself loses nothing.
#include "base/exp.h"
#include "sample/stages.h"

// Tokens of the window after the last breaker in it.
static uint32_t after_breaker(const li_history *history, uint32_t window, const li_list *breakers)
{
    for (uint32_t from = 0; breakers->count && from < window; from++) { // where a breaker may begin, from the end
        uint32_t longest = 0;
        for (uint32_t i = 0, length; i < breakers->count; i += 1 + length) {
            length = breakers->words[i];
            const uint32_t *tokens = breakers->words + i + 1;
            uint32_t same = 0;
            while (same < length && same <= from && li_history_back(history, from - same) == tokens[same]) same++;
            if (same == length && length > longest) longest = length;
        }
        if (longest) return from + 1 - longest;
    }
    return window;
}

// matches (window): how many of the tokens that end at each position, counted back from the end, also end the
// window. Gusfield's Z-algorithm, "Algorithms on strings, trees and sequences", 1997.
static void match_ends(const li_history *history, uint32_t window, uint32_t *matches)
{
    for (uint32_t i = 1, left = 0, right = 0; i < window; i++) {
        uint32_t length = 0;
        if (i < right) {
            length = matches[i - left];
            if (length > right - i) length = right - i;
        }
        while (i + length < window && li_history_back(history, length) == li_history_back(history, i + length))
            length++;
        matches[i] = length;
        if (i + length > right) {
            left = i;
            right = i + length;
        }
    }
}

static bool is_breaker(const li_list *breakers, uint32_t id)
{
    for (uint32_t i = 0; i < breakers->count; i += 1 + breakers->words[i])
        if (breakers->words[i] == 1 && breakers->words[i + 1] == id) return true;
    return false;
}

void li_dry_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_options *options = &settings->options;
    const li_list *breakers = &settings->lists[LI_LIST_BREAKERS];
    uint32_t window = history->window && history->window < history->length ? history->window : history->length;
    double allowed = options->dry_allowed_length;
    if ((double)window <= allowed) return;
    uint32_t limit = after_breaker(history, window, breakers);
    if ((double)limit < allowed) return;
    uint32_t *matches = history->matches, *longest = funnel->key_store;
    match_ends(history, window, matches);
    for (uint32_t i = 1; i < window; i++) longest[li_history_back(history, i - 1)] = 0;
    for (uint32_t i = 1; i < window; i++) {
        uint32_t next = li_history_back(history, i - 1), length = matches[i] < limit ? matches[i] : limit;
        if (length > longest[next]) longest[next] = length;
    }
    double growth = li_log(options->dry_base);
    for (uint32_t i = 1; i < window; i++) {
        uint32_t next = li_history_back(history, i - 1);
        double excess = (double)longest[next] - allowed;
        longest[next] = 0; // once each
        if (excess < 0.0 || is_breaker(breakers, next)) continue;
        // The largest exponent for which the power is a float.
        if (excess * growth > 88.7228391) excess = (double)(uint32_t)(88.7228391 / growth);
        double logit = (double)funnel->row[next] - options->dry_multiplier * li_exp(excess * growth);
        li_funnel_edit(funnel, next, logit);
    }
}
