// Exponential-decay length penalty: raises the tokens that end a text by |logit| * (decay^n - 1), n tokens after
// the start (Hugging Face's ExponentialDecayLengthPenalty processor).
#include "base/exp.h"
#include "sample/stages.h"

void li_length_decay_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_options *options = &settings->options;
    double beyond = (double)history->generated - options->length_decay_start;
    if (beyond <= 0.0) return;
    double power = beyond * li_log(options->length_decay);
    double growth = li_exp(power < 700.0 ? power : 700.0) - 1.0; // finite, so that a logit of 0 stays 0
    const li_list *eos = &settings->lists[LI_LIST_EOS];
    for (uint32_t i = 0; i < eos->count; i++) {
        double logit = (double)funnel->row[eos->words[i]], size = logit < 0.0 ? -logit : logit;
        // Infinite growth times 0 would be NaN.
        if (size > 0.0) li_funnel_edit(funnel, eos->words[i], logit + size * growth);
    }
}
