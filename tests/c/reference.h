// The sampler as the definitions say it, in float64, by sorting everything: what the C core is judged by.
// Written without looking at src/; slow on purpose.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct reference_token {
    uint32_t id;
    double logit, probability;
} reference_token;

typedef struct reference_options {
    double temperature, top_p, min_p, repetition, frequency, presence;
    uint32_t top_k;
    int temperature_last, keep_ties, min_p_first;
    const uint32_t *context_counts, *generated_counts; // (vocab_size) or NULL
} reference_options;

typedef struct reference_result {
    reference_token *tokens; // (count) most probable first, ties by lower id; freed by the caller
    uint32_t count;
    double margin; // how far the nearest decision was from going the other way
} reference_result;

static int reference_compare(const void *a, const void *b)
{
    const reference_token *x = a, *y = b;
    if (x->logit != y->logit) return x->logit < y->logit ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void reference_softmax(reference_result *result, double temperature)
{
    double total = 0.0;
    for (uint32_t i = result->count; i-- > 0;)
        total += result->tokens[i].probability = exp((result->tokens[i].logit - result->tokens[0].logit) / temperature);
    for (uint32_t i = 0; i < result->count; i++) result->tokens[i].probability /= total;
}

static void reference_note(reference_result *result, double margin)
{
    if (fabs(margin) < result->margin) result->margin = fabs(margin);
}

static void reference_top_k(reference_result *result, const reference_options *options)
{
    if (options->top_k == 0 || options->top_k >= result->count) return;
    uint32_t kept = options->top_k;
    while (options->keep_ties && kept < result->count &&
           result->tokens[kept].logit == result->tokens[options->top_k - 1].logit)
        kept++;
    if (kept < result->count) {
        double gap = result->tokens[kept - 1].logit - result->tokens[kept].logit;
        if (gap > 0.0 || options->keep_ties) reference_note(result, gap);
    }
    result->count = kept;
}

static void reference_top_p(reference_result *result, const reference_options *options, double temperature)
{
    if (options->top_p >= 1.0) return;
    reference_softmax(result, temperature);
    double sum = 0.0;
    uint32_t kept = 0;
    while (kept < result->count) {
        sum += result->tokens[kept++].probability;
        reference_note(result, sum - options->top_p);
        if (sum >= options->top_p) break;
    }
    result->count = kept;
}

static void reference_min_p(reference_result *result, const reference_options *options, double temperature)
{
    if (options->min_p <= 0.0) return;
    reference_softmax(result, temperature);
    double bar = options->min_p * result->tokens[0].probability;
    uint32_t kept = 1;
    while (kept < result->count && result->tokens[kept].probability >= bar) kept++;
    reference_note(result, result->tokens[kept - 1].probability / bar - 1.0 + (kept == 1));
    if (kept < result->count) reference_note(result, result->tokens[kept].probability / bar - 1.0);
    result->count = kept;
}

static reference_result reference_run(const float *logits, uint32_t vocab_size, const reference_options *options)
{
    reference_result result = {malloc(vocab_size * sizeof *result.tokens), 0, INFINITY};
    for (uint32_t id = 0; id < vocab_size; id++) {
        double logit = (double)logits[id];
        if (logit < -1e30) continue;
        if (options->context_counts && options->context_counts[id])
            logit = logit > 0 ? logit / options->repetition : logit * options->repetition;
        if (options->generated_counts && options->generated_counts[id])
            logit -= options->generated_counts[id] * options->frequency + options->presence;
        result.tokens[result.count++] = (reference_token){id, logit, 0.0};
    }
    qsort(result.tokens, result.count, sizeof *result.tokens, reference_compare);
    double final = options->temperature, during = options->temperature_last ? 1.0 : final;
    if (final == 0.0) {
        if (result.count > 1) {
            double gap = result.tokens[0].logit - result.tokens[1].logit;
            if (gap > 0.0) reference_note(&result, gap);
        }
        result.count = 1;
        result.tokens[0].probability = 1.0;
        return result;
    }
    if (options->min_p_first) reference_min_p(&result, options, during);
    reference_top_k(&result, options);
    reference_top_p(&result, options, during);
    if (!options->min_p_first) reference_min_p(&result, options, during);
    reference_softmax(&result, final);
    return result;
}

#endif
