// Mirostat: holds the surprise of the text at a target by moving a limit after every token (Basu, Ramachandran, Keskar,
// Varshney, "Mirostat: a neural text decoding algorithm that directly controls perplexity", 2021, in the form of
// llama.cpp). Version 1 fits Zipf's law to the likeliest tokens and keeps the number of tokens that the limit allows.
// Version 2 keeps the tokens whose surprise is within the limit.
#include "base/assert.h"
#include "base/exp.h"
#include "sample/order.h"
#include "sample/stages.h"

#define LN_2   0.69314718055994530942
#define FITTED 100u // tokens that Zipf's exponent is estimated from

// Zipf's exponent by least squares: differences of consecutive log-probabilities against differences of the logarithms
// of their ranks.
static double zipf_exponent(li_funnel *funnel)
{
    LI_ASSERT(funnel->count > 1);
    float low = (float)LI_LOWEST;
    if (funnel->count > FITTED) low = li_funnel_cut_of(funnel, FITTED).value;
    uint32_t count = li_order_logits(funnel, low);
    if (count > FITTED) count = FITTED;
    const float *values = funnel->scratch.masses;
    double products = 0.0, squares = 0.0;
    LI_ASSERT(count > 1 && count <= FITTED);
    for (uint32_t i = 0; i + 1 < count; i++) {
        double step = li_log((double)(i + 2) / (double)(i + 1));
        products += step * ((double)values[i] - (double)values[i + 1]) / funnel->temperature;
        squares += step * step;
    }
    return products / squares;
}

// The number of tokens that a distribution with this exponent may choose from while its surprise stays within the
// limit.
static double zipf_count(double exponent, double limit, double vocab_size)
{
    LI_ASSERT(vocab_size >= 1.0);
    double beyond = exponent - 1.0, log_count = li_log(vocab_size);
    // (1 - vocab_size^-beyond) / beyond tends to log_count as beyond tends to 0.
    double spread = beyond > 1e-9 || beyond < -1e-9 ? (1.0 - li_exp(-beyond * log_count)) / beyond : log_count;
    return li_exp((limit * LN_2 - li_log(spread)) / exponent);
}

void li_mirostat_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    double limit = history->feedback.mirostat_limit;
    if (settings->options.mirostat == 1.0) {
        if (funnel->count == 1) return;
        double kept = zipf_count(zipf_exponent(funnel), limit, (double)funnel->row_size);
        if (!(kept >= 1.0)) kept = 1.0;
        if (kept < (double)funnel->count) li_funnel_keep_likeliest(funnel, (double)(uint32_t)kept, false);
        return;
    }
    li_funnel_cut_below(funnel, li_funnel_distance_of(funnel, -limit * LN_2), 1.0, false);
}

void li_mirostat_begin(li_feedback *feedback, const li_options *options)
{
    feedback->mirostat_limit = 2.0 * options->mirostat_tau;
}

void li_mirostat_accept(li_feedback *feedback, const li_options *options, double probability)
{
    LI_ASSERT(probability > 0.0);
    double surprise = -li_log(probability) / LN_2;
    feedback->mirostat_limit -= options->mirostat_eta * (surprise - options->mirostat_tau);
}
