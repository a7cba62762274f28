// The mechanisms with feedback by their definitions, in float64: the reference for the C core. Written without looking
// at src/.
#ifndef REFERENCE_FEEDBACK_H
#define REFERENCE_FEEDBACK_H

#include "reference.h"

typedef struct reference_feedback {
    int mirostat; // 1 or 2; 0: adaptive-p
    double tau, eta, limit;
    double target, decay, sum, weight;
    uint32_t vocab_size;
} reference_feedback;

static void reference_begin(reference_feedback *feedback)
{
    feedback->limit = 2.0 * feedback->tau;
    feedback->sum = feedback->target / (1.0 - feedback->decay);
    feedback->weight = 1.0 / (1.0 - feedback->decay);
}

// Basu, Ramachandran, Keskar, Varshney, "Mirostat", 2021: Zipf's exponent from the hundred likeliest tokens, and the k
// whose distribution under that law has the wanted surprise.
static void reference_mirostat_1(reference_result *result, const reference_feedback *feedback, double temperature)
{
    double products = 0.0, squares = 0.0;
    for (uint32_t i = 0; i < 99 && i + 1 < result->count; i++) {
        double rank = log((i + 2.0) / (i + 1.0));
        products += rank * (result->tokens[i].logit - result->tokens[i + 1].logit) / temperature;
        squares += rank * rank;
    }
    if (result->count < 2) return;
    double exponent = products / squares, excess = exponent - 1.0;
    double k = pow(excess * exp2(feedback->limit) / (1.0 - pow(feedback->vocab_size, -excess)), 1.0 / exponent);
    if (k > result->count + 0.5) return;
    if (k > 0.5) reference_note(result, fabs(k - round(k)) / k);
    result->count = k < 1.0 ? 1 : (uint32_t)k;
}

static void reference_mirostat_2(reference_result *result, const reference_feedback *feedback)
{
    uint32_t kept = 0;
    while (kept < result->count) {
        double surprise = -log2(result->tokens[kept].probability);
        reference_note(result, surprise - feedback->limit);
        if (surprise > feedback->limit) break;
        kept++;
    }
    result->count = kept ? kept : 1;
}

static int reference_compare_probability(const void *a, const void *b)
{
    const reference_token *x = a, *y = b;
    if (x->probability != y->probability) return x->probability < y->probability ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

// Favours tokens whose probability keeps the average on target. Writes the former probability to `oddity`.
static void reference_adaptive_p(reference_result *result, const reference_feedback *feedback)
{
    double target = fmin(1.0, fmax(0.0, 2.0 * feedback->target - feedback->sum / feedback->weight)), total = 0.0;
    for (uint32_t i = 0; i < result->count; i++) {
        reference_token *token = &result->tokens[i];
        double distance = fabs(token->probability - target) / 0.3;
        token->oddity = token->probability;
        total += token->probability = exp(5.0 - 10.0 * distance * distance / (1.0 + distance));
    }
    for (uint32_t i = 0; i < result->count; i++) result->tokens[i].probability /= total;
    qsort(result->tokens, result->count, sizeof *result->tokens, reference_compare_probability);
}

// The distribution to draw from, after temperature and truncations.
static void reference_feed(reference_result *result, const reference_feedback *feedback, double temperature)
{
    if (feedback->mirostat == 0) {
        reference_adaptive_p(result, feedback);
        return;
    }
    if (feedback->mirostat == 1) reference_mirostat_1(result, feedback, temperature);
    if (feedback->mirostat == 2) reference_mirostat_2(result, feedback);
    reference_softmax(result, temperature);
}

// The update after a draw of `token`.
static void reference_learn(reference_feedback *feedback, const reference_token *token)
{
    feedback->limit -= feedback->eta * (-log2(token->probability) - feedback->tau);
    feedback->sum = token->oddity + feedback->decay * feedback->sum;
    feedback->weight = 1.0 + feedback->decay * feedback->weight;
}

#endif
