// The sampler by its definitions, in float64, by sorting everything: the reference for the C core. Written without
// looking at src/; slow on purpose.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lastinch.h" // the names of the stages

typedef struct reference_token {
    uint32_t id;
    double logit, probability;
    double oddity; // of typical: how far the surprise is from the entropy
} reference_token;

typedef struct reference_options {
    double temperature, top_p, min_p, repetition, frequency, presence;
    double typical_p, epsilon, eta, n_sigma, top_h, tfs_z, top_a, smoothing_factor, smoothing_curve;
    double xtc_probability, xtc_threshold, xtc_u; // xtc_u: the step's uniform number
    double dynatemp_range, dynatemp_exponent;
    uint32_t top_k, min_keep;
    int keep_ties, typical_exceeds, top_p_stays_below;
    int p_less, entropy_equilibrium; // p_less 2: normalised
    const uint32_t *order;           // (order_count) li_stage
    uint32_t order_count;
    const uint32_t *context_counts, *generated_counts; // (vocab_size) or NULL
} reference_options;

typedef struct reference_result {
    reference_token *tokens; // (count) most probable first, ties by lower id; freed by the caller
    uint32_t count;
    double margin; // how far the nearest decision was from going the other way
    uint32_t vocab_size;
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
    for (uint32_t i = result->count; i-- > 0;) {
        double distance = result->tokens[i].logit - result->tokens[0].logit;
        // A dynamic temperature may be 0: in the limit the peak has all probability.
        total += result->tokens[i].probability = distance == 0.0 ? 1.0 : exp(distance / temperature);
    }
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

// Keeps the first `kept` tokens, or min_keep of them if that is more.
static void reference_cut(reference_result *result, const reference_options *options, uint32_t kept)
{
    if (kept < options->min_keep) kept = options->min_keep;
    if (kept < result->count) result->count = kept;
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
        if (options->top_p_stays_below ? sum > options->top_p : sum >= options->top_p) break;
    }
    if (options->top_p_stays_below && sum > options->top_p && kept > 1) kept--;
    reference_cut(result, options, kept);
}

// Keeps the tokens that are at least as probable as `bar`; the first token if there are none.
static void reference_at_least(reference_result *result, const reference_options *options, double bar, int keep_ties)
{
    uint32_t kept = 0;
    while (kept < result->count && result->tokens[kept].probability >= bar) kept++;
    if (kept) reference_note(result, result->tokens[kept - 1].probability / bar - 1.0);
    if (kept < result->count) reference_note(result, result->tokens[kept].probability / bar - 1.0);
    uint32_t least = options->min_keep ? options->min_keep : 1;
    if (kept < least && keep_ties)
        for (kept = least; kept < result->count;) {
            if (result->tokens[kept].logit < result->tokens[least - 1].logit) break;
            kept++;
        }
    reference_cut(result, options, kept ? kept : 1);
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
    reference_cut(result, options, kept);
}

static double reference_entropy(const reference_result *result, uint32_t count)
{
    double entropy = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double p = result->tokens[i].probability;
        if (p > 0.0) entropy -= p * log(p);
    }
    return entropy;
}

static void reference_epsilon(reference_result *result, const reference_options *options, double temperature)
{
    if (options->epsilon <= 0.0) return;
    reference_softmax(result, temperature);
    reference_at_least(result, options, options->epsilon, options->keep_ties);
}

static void reference_eta(reference_result *result, const reference_options *options, double temperature)
{
    if (options->eta <= 0.0) return;
    reference_softmax(result, temperature);
    double flat = sqrt(options->eta) * exp(-reference_entropy(result, result->count));
    reference_at_least(result, options, fmin(options->eta, flat), options->keep_ties);
}

static int reference_compare_oddity(const void *a, const void *b)
{
    const reference_token *x = a, *y = b;
    if (x->oddity != y->oddity) return x->oddity < y->oddity ? -1 : 1;
    return reference_compare(a, b);
}

static void reference_typical(reference_result *result, const reference_options *options, double temperature)
{
    if (options->typical_p >= 1.0) return;
    reference_softmax(result, temperature);
    reference_token *tokens = result->tokens;
    double entropy = reference_entropy(result, result->count), total = 0.0, peak = tokens[0].logit;
    for (uint32_t i = 0; i < result->count; i++) total += exp((tokens[i].logit - peak) / temperature);
    for (uint32_t i = 0; i < result->count; i++) // -ln p by the logit, because p itself may be 0
        tokens[i].oddity = fabs(log(total) - (tokens[i].logit - peak) / temperature - entropy);
    qsort(tokens, result->count, sizeof *tokens, reference_compare_oddity);
    double sum = 0.0;
    uint32_t kept = 0;
    while (kept < result->count) {
        sum += tokens[kept++].probability;
        reference_note(result, sum - options->typical_p);
        if (options->typical_exceeds ? sum > options->typical_p : sum >= options->typical_p) break;
    }
    while (options->keep_ties && kept < result->count && tokens[kept].logit == tokens[kept - 1].logit) kept++;
    if (kept < options->min_keep) kept = options->min_keep;
    if (kept < result->count) {
        // Of equal logits any may be last. Otherwise the nearest token that is left out must be clearly farther away.
        if (tokens[kept].logit != tokens[kept - 1].logit)
            reference_note(result, (tokens[kept].oddity - tokens[kept - 1].oddity) / fmax(1.0, tokens[kept].oddity));
        result->count = kept;
    }
    qsort(tokens, result->count, sizeof *tokens, reference_compare);
}

static void reference_top_n_sigma(reference_result *result, const reference_options *options)
{
    if (options->n_sigma <= 0.0) return;
    double mean = 0.0, variance = 0.0;
    for (uint32_t i = 0; i < result->count; i++) mean += result->tokens[i].logit;
    mean /= result->count;
    for (uint32_t i = 0; i < result->count; i++) variance += pow(result->tokens[i].logit - mean, 2.0);
    double sigma = sqrt(variance / result->count), bar = result->tokens[0].logit - options->n_sigma * sigma;
    uint32_t kept = 0;
    while (kept < result->count && result->tokens[kept].logit >= bar) kept++;
    if (kept > 1) reference_note(result, (result->tokens[kept - 1].logit - bar) / sigma);
    if (kept < result->count) reference_note(result, (result->tokens[kept].logit - bar) / sigma);
    result->count = kept;
}

static void reference_top_h(reference_result *result, const reference_options *options, double temperature)
{
    if (options->top_h <= 0.0) return;
    uint32_t all = result->count, count = all < 100 ? all : 100, kept = 1;
    result->count = count;
    reference_softmax(result, temperature);
    double limit = options->top_h * reference_entropy(result, count), sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double p = result->tokens[i].probability;
        if (p > 0.0) sum -= p * log(p);
        if (i) reference_note(result, options->top_h == 1.0 && i + 1 == count ? 1.0 : sum - limit);
        if (i && !(p > 0.0 && sum <= limit)) break;
        kept = i + 1;
    }
    result->count = all;
    reference_cut(result, options, kept);
}

static void reference_top_a(reference_result *result, const reference_options *options, double temperature)
{
    if (options->top_a <= 0.0) return;
    reference_softmax(result, temperature);
    double largest = result->tokens[0].probability;
    reference_at_least(result, options, options->top_a * largest * largest, 0);
}

static void reference_p_less(reference_result *result, const reference_options *options, double temperature)
{
    if (!options->p_less) return;
    reference_softmax(result, temperature);
    double bar = 0.0, size = result->vocab_size;
    for (uint32_t i = 0; i < result->count; i++) bar += pow(result->tokens[i].probability, 2.0);
    if (options->p_less == 2 && size > 1) bar = (size * bar - 1.0) / (size - 1.0);
    if (bar > 0.0) reference_at_least(result, options, bar, 0);
}

static void reference_entropy_equilibrium(reference_result *result, const reference_options *options,
                                          double temperature)
{
    if (!options->entropy_equilibrium) return;
    reference_softmax(result, temperature);
    double mass = 0.0, sum = 0.0; // of p, and of p ln p
    for (uint32_t k = 1; k <= result->count; k++) {
        double p = result->tokens[k - 1].probability;
        mass += p;
        if (p > 0.0) sum += p * log(p);
        if (k <= options->min_keep || k == 1) continue;
        double share = (log(mass) - sum / mass) / log(k);
        reference_note(result, share - mass);
        if (!(share < mass)) continue;
        result->count = k - 1;
        break;
    }
}

// The new logits are those at a temperature of 1.
static void reference_smoothing(reference_result *result, const reference_options *options, double *temperature)
{
    if (options->smoothing_factor <= 0.0) return;
    double peak = result->tokens[0].logit, curve = options->smoothing_curve;
    for (uint32_t i = 0; i < result->count; i++) {
        double below = result->tokens[i].logit - peak, distance = below < 0.0 ? fmax(below / *temperature, -1e60) : 0.0;
        double quadratic = (3.0 - curve) / 2.0 * pow(distance, 2.0), cubic = (curve - 1.0) / 2.0 * pow(distance, 3.0);
        result->tokens[i].logit = fmax(options->smoothing_factor * (cubic - quadratic), (double)-1e30f); // no mask
        // What underflows in single precision ties with the peak.
        if (distance < 0.0 && result->tokens[i].logit > -1e-37) reference_note(result, 0.0);
    }
    *temperature = 1.0;
}

// The magnitude of the second derivative of the sorted probabilities.
static double reference_bend(const reference_result *result, uint32_t i)
{
    double first = result->tokens[i].probability - result->tokens[i + 1].probability;
    double second = result->tokens[i + 1].probability - result->tokens[i + 2].probability;
    return fabs(first - second);
}

static void reference_tfs(reference_result *result, const reference_options *options, double temperature)
{
    if (options->tfs_z >= 1.0 || result->count <= 2) return;
    reference_softmax(result, temperature);
    uint32_t count = result->count - 2, least = options->min_keep > 1 ? options->min_keep : 1;
    double whole = 0.0, running = 0.0;
    for (uint32_t i = 0; i < count; i++) whole += reference_bend(result, i);
    reference_note(result, whole / 1e-6 - 1.0);
    for (uint32_t i = 0; i < count; i++) {
        running += whole > 1e-6 ? reference_bend(result, i) / whole : 1.0 / count;
        reference_note(result, running - options->tfs_z);
        if (!(running > options->tfs_z && i >= least)) continue;
        result->count = i;
        break;
    }
}

static void reference_xtc(reference_result *result, const reference_options *options, double temperature)
{
    if (options->xtc_probability <= 0.0 || options->xtc_threshold > 0.5) return;
    if (options->xtc_u >= options->xtc_probability) return;
    reference_softmax(result, temperature);
    uint32_t choices = 0;
    while (choices < result->count && result->tokens[choices].probability >= options->xtc_threshold) choices++;
    if (choices && options->xtc_threshold > 0.0)
        reference_note(result, result->tokens[choices - 1].probability / options->xtc_threshold - 1.0);
    if (choices < result->count)
        reference_note(result, result->tokens[choices].probability / options->xtc_threshold - 1.0);
    if (choices < 2 || result->count - choices + 1 < options->min_keep) return;
    result->count -= choices - 1;
    memmove(result->tokens, result->tokens + choices - 1, result->count * sizeof *result->tokens);
}

static double reference_temperature(reference_result *result, const reference_options *options)
{
    if (options->dynatemp_range == 0.0 || result->count == 1) return options->temperature;
    reference_softmax(result, 1.0);
    double share = reference_entropy(result, result->count) / log(result->count);
    double low = fmax(0.0, options->temperature - options->dynatemp_range);
    double high = options->temperature + options->dynatemp_range;
    return low + (high - low) * pow(share, options->dynatemp_exponent);
}

// Temperature and truncations, in order, on sorted tokens.
static void reference_narrow(reference_result *result, const reference_options *options)
{
    if (options->temperature == 0.0) {
        if (result->count > 1) {
            double gap = result->tokens[0].logit - result->tokens[1].logit;
            if (gap > 0.0) reference_note(result, gap);
        }
        result->count = 1;
        result->tokens[0].probability = 1.0;
        return;
    }
    double temperature = 1.0;
    for (uint32_t i = 0; i < options->order_count; i++) switch (options->order[i]) {
        case LI_STAGE_TEMPERATURE:
            temperature = reference_temperature(result, options);
            break;
        case LI_STAGE_TOP_K:
            reference_top_k(result, options);
            break;
        case LI_STAGE_TOP_P:
            reference_top_p(result, options, temperature);
            break;
        case LI_STAGE_MIN_P:
            reference_min_p(result, options, temperature);
            break;
        case LI_STAGE_TYPICAL:
            reference_typical(result, options, temperature);
            break;
        case LI_STAGE_EPSILON:
            reference_epsilon(result, options, temperature);
            break;
        case LI_STAGE_ETA:
            reference_eta(result, options, temperature);
            break;
        case LI_STAGE_TOP_N_SIGMA:
            reference_top_n_sigma(result, options);
            break;
        case LI_STAGE_TOP_H:
            reference_top_h(result, options, temperature);
            break;
        case LI_STAGE_TFS:
            reference_tfs(result, options, temperature);
            break;
        case LI_STAGE_TOP_A:
            reference_top_a(result, options, temperature);
            break;
        case LI_STAGE_P_LESS:
            reference_p_less(result, options, temperature);
            break;
        case LI_STAGE_ENTROPY_EQUILIBRIUM:
            reference_entropy_equilibrium(result, options, temperature);
            break;
        case LI_STAGE_SMOOTHING:
            reference_smoothing(result, options, &temperature);
            break;
        case LI_STAGE_XTC:
            reference_xtc(result, options, temperature);
            break;
        default:
            break;
        }
    reference_softmax(result, temperature);
}

static inline reference_result reference_run(const float *logits, uint32_t vocab_size, const reference_options *options)
{
    reference_result result = {malloc(vocab_size * sizeof *result.tokens), 0, INFINITY, vocab_size};
    for (uint32_t id = 0; id < vocab_size; id++) {
        double logit = (double)logits[id];
        if (logit < -1e30) continue;
        if (options->context_counts && options->context_counts[id])
            logit = logit > 0 ? logit / options->repetition : logit * options->repetition;
        if (options->generated_counts && options->generated_counts[id])
            logit -= options->generated_counts[id] * options->frequency + options->presence;
        result.tokens[result.count++] = (reference_token){id, logit, 0.0, 0.0};
    }
    qsort(result.tokens, result.count, sizeof *result.tokens, reference_compare);
    reference_narrow(&result, options);
    return result;
}

#endif
