// Edits and masks by their definitions, in float64 and by the plainest code: the reference for the C core. Written
// without looking at src/.
#ifndef REFERENCE_EDITS_H
#define REFERENCE_EDITS_H

#include "reference.h"

typedef struct reference_list {
    const uint32_t *words; // (count) in the format of lastinch.h
    uint32_t count;
} reference_list;

typedef struct reference_logit {
    double value; // -infinity: masked
    double scale; // the largest magnitude that the value ever had: the scale of rounding errors in float32
} reference_logit;

typedef struct reference_edits {
    uint32_t vocab_size;
    const uint32_t *tokens;   // (length) the history
    const uint8_t *is_prompt; // (length)
    uint32_t length;

    double repetition, frequency, presence;
    uint32_t window, repetition_scope, count_scope;
    double dry_multiplier, dry_base;
    uint32_t dry_allowed, ngram, min_tokens, decay_start, max_tokens;
    double decay;
    int output_sequences; // sequences match only in the output
    reference_list lists[LI_LIST_COUNT];
} reference_edits;

static uint32_t reference_generated(const reference_edits *edits)
{
    uint32_t generated = 0;
    for (uint32_t i = 0; i < edits->length; i++) generated += !edits->is_prompt[i];
    return generated;
}

static float reference_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int reference_lists(reference_list list, uint32_t id)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (list.words[i] == id) return 1;
    return 0;
}

// The sampler keeps edited logits as floats, so the reference rounds after each stage too. Masked logits stay masked.
static void reference_set(reference_logit *logit, double value)
{
    if (logit->value == -INFINITY) return;
    logit->scale = fmax(logit->scale, fabs(logit->value));
    // Only a ban masks. A penalty of any size leaves a finite, unmasked logit.
    logit->value = value == -INFINITY
                       ? value
                       : (double)(float)fmin(fmax(value, (double)nextafterf(-1e30f, 0.0f)), 3.4028234663852886e38);
    if (logit->value > -INFINITY) logit->scale = fmax(logit->scale, fabs(logit->value));
}

static void reference_bias(const reference_edits *edits, reference_logit *logits)
{
    reference_list bias = edits->lists[LI_LIST_BIAS], banned = edits->lists[LI_LIST_BANNED];
    for (uint32_t i = 0; i + 1 < bias.count; i += 2) {
        reference_logit *logit = &logits[bias.words[i]];
        reference_set(logit, logit->value + (double)reference_float(bias.words[i + 1]));
    }
    for (uint32_t i = 0; i < banned.count; i++) reference_set(&logits[banned.words[i]], -INFINITY);
}

// Whether the `count` tokens before position `end` are `ids`; with is_output, all of them generated.
static int reference_ends_in(const reference_edits *edits, uint32_t end, const uint32_t *ids, uint32_t count,
                             int is_output)
{
    if (count > end) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (edits->tokens[end - count + i] != ids[i] || (is_output && edits->is_prompt[end - count + i])) return 0;
    return 1;
}

static void reference_sequence_bias(const reference_edits *edits, reference_logit *logits)
{
    reference_list list = edits->lists[LI_LIST_SEQUENCES];
    for (uint32_t at = 0; at < list.count; at += list.words[at] + 2) {
        uint32_t before = list.words[at] - 1;
        const uint32_t *ids = list.words + at + 2;
        if (!reference_ends_in(edits, edits->length, ids, before, edits->output_sequences)) continue;
        reference_set(&logits[ids[before]], logits[ids[before]].value + (double)reference_float(list.words[at + 1]));
    }
}

// The start of the window of the penalties and DRY.
static uint32_t reference_first(const reference_edits *edits)
{
    return edits->window && edits->length > edits->window ? edits->length - edits->window : 0;
}

static uint32_t reference_occurrences(const reference_edits *edits, uint32_t id, uint32_t scope)
{
    uint32_t count = 0;
    for (uint32_t i = reference_first(edits); i < edits->length; i++)
        count += edits->tokens[i] == id && !(scope == 1 && edits->is_prompt[i]);
    return count;
}

static void reference_repetition(const reference_edits *edits, reference_logit *logits)
{
    if (edits->repetition == 1.0) return;
    for (uint32_t id = 0; id < edits->vocab_size; id++) {
        double value = logits[id].value;
        if (!reference_occurrences(edits, id, edits->repetition_scope)) continue;
        reference_set(&logits[id], value > 0.0 ? value / edits->repetition : value * edits->repetition);
    }
}

static void reference_frequency(const reference_edits *edits, reference_logit *logits)
{
    if (edits->frequency == 0.0 && edits->presence == 0.0) return;
    for (uint32_t id = 0; id < edits->vocab_size; id++) {
        uint32_t count = reference_occurrences(edits, id, edits->count_scope);
        if (count) reference_set(&logits[id], logits[id].value - count * edits->frequency - edits->presence);
    }
}

// The number of tokens after the breaker that begins last, the longest of those that begin there: the limit of a
// repetition.
static uint32_t reference_dry_reach(const reference_edits *edits)
{
    reference_list list = edits->lists[LI_LIST_BREAKERS];
    for (uint32_t start = edits->length; start-- > reference_first(edits);) {
        uint32_t longest = 0;
        for (uint32_t at = 0; at < list.count; at += list.words[at] + 1) {
            uint32_t end = start + list.words[at];
            if (end > edits->length || !reference_ends_in(edits, end, list.words + at + 1, list.words[at], 0)) continue;
            if (list.words[at] > longest) longest = list.words[at];
        }
        if (longest) return edits->length - start - longest;
    }
    return edits->length;
}

static int reference_breaks(const reference_edits *edits, uint32_t id)
{
    reference_list list = edits->lists[LI_LIST_BREAKERS];
    for (uint32_t at = 0; at < list.count; at += list.words[at] + 1)
        if (list.words[at] == 1 && list.words[at + 1] == id) return 1;
    return 0;
}

static void reference_dry(const reference_edits *edits, reference_logit *logits)
{
    if (edits->dry_multiplier == 0.0) return;
    uint32_t reach = reference_dry_reach(edits), *longest = calloc(edits->vocab_size, sizeof *longest);
    for (uint32_t next = reference_first(edits) + 1; next < edits->length; next++) {
        uint32_t length = 0, last = edits->length - 1, most = next - reference_first(edits);
        while (length < reach && length < most && edits->tokens[next - 1 - length] == edits->tokens[last - length])
            length++;
        if (length > longest[edits->tokens[next]]) longest[edits->tokens[next]] = length;
    }
    for (uint32_t id = 0; id < edits->vocab_size; id++) {
        if (longest[id] < edits->dry_allowed || reference_breaks(edits, id)) continue;
        double exponent = longest[id] - edits->dry_allowed;
        if (edits->dry_base > 1.000001) exponent = fmin(exponent, floor(88.7228391 / log(edits->dry_base)));
        reference_set(&logits[id], logits[id].value - edits->dry_multiplier * pow(edits->dry_base, exponent));
    }
    free(longest);
}

static void reference_no_repeat_ngram(const reference_edits *edits, reference_logit *logits)
{
    if (edits->ngram == 0 || edits->length < edits->ngram - 1) return;
    const uint32_t *last = edits->tokens + edits->length - (edits->ngram - 1);
    for (uint32_t next = edits->ngram - 1; next < edits->length; next++)
        if (reference_ends_in(edits, next, last, edits->ngram - 1, 0))
            reference_set(&logits[edits->tokens[next]], -INFINITY);
}

static void reference_length_decay(const reference_edits *edits, reference_logit *logits)
{
    uint32_t generated = reference_generated(edits);
    if (edits->decay == 1.0 || generated <= edits->decay_start) return;
    for (uint32_t id = 0; id < edits->vocab_size; id++) {
        if (!reference_lists(edits->lists[LI_LIST_EOS], id) || logits[id].value == -INFINITY) continue;
        if (logits[id].value == 0.0) continue; // for any growth
        double growth = pow(edits->decay, generated - edits->decay_start) - 1.0;
        reference_set(&logits[id], logits[id].value + fabs(logits[id].value) * growth);
    }
}

static void reference_min_tokens(const reference_edits *edits, reference_logit *logits)
{
    if (reference_generated(edits) >= edits->min_tokens) return;
    reference_list eos = edits->lists[LI_LIST_EOS];
    for (uint32_t i = 0; i < eos.count; i++) reference_set(&logits[eos.words[i]], -INFINITY);
}

// The token that must come next, or NULL. Where first and last tokens overlap, the first tokens win.
static const uint32_t *reference_forced(const reference_edits *edits)
{
    reference_list first = edits->lists[LI_LIST_FIRST], last = edits->lists[LI_LIST_LAST];
    uint32_t generated = reference_generated(edits), from_last = generated + last.count - edits->max_tokens;
    if (generated < first.count) return first.words + generated;
    if (generated < edits->max_tokens && from_last < last.count) return last.words + from_last;
    return NULL;
}

// The edited row: the mask, then the edits in order.
static reference_logit *reference_edit(const float *row, const reference_edits *edits, const uint32_t *order,
                                       uint32_t count)
{
    reference_logit *logits = malloc(edits->vocab_size * sizeof *logits);
    for (uint32_t id = 0; id < edits->vocab_size; id++) {
        double value = (double)row[id];
        logits[id] = (reference_logit){value <= -1e30 ? -INFINITY : value, 0.0};
        if (edits->lists[LI_LIST_ALLOWED].count && !reference_lists(edits->lists[LI_LIST_ALLOWED], id))
            logits[id].value = -INFINITY;
    }
    // A forced token comes whatever mask and edits do.
    const uint32_t *forced = reference_forced(edits);
    for (uint32_t id = 0; id < edits->vocab_size && forced; id++) logits[id].value = id == *forced ? 0.0 : -INFINITY;
    for (uint32_t i = 0; i < count && !forced; i++) switch (order[i]) {
        case LI_STAGE_BIAS:
            reference_bias(edits, logits);
            break;
        case LI_STAGE_SEQUENCE_BIAS:
            reference_sequence_bias(edits, logits);
            break;
        case LI_STAGE_REPETITION:
            reference_repetition(edits, logits);
            break;
        case LI_STAGE_FREQUENCY:
            reference_frequency(edits, logits);
            break;
        case LI_STAGE_DRY:
            reference_dry(edits, logits);
            break;
        case LI_STAGE_NO_REPEAT_NGRAM:
            reference_no_repeat_ngram(edits, logits);
            break;
        case LI_STAGE_LENGTH_DECAY:
            reference_length_decay(edits, logits);
            break;
        case LI_STAGE_MIN_TOKENS:
            reference_min_tokens(edits, logits);
            break;
        default:
            break;
        }
    return logits;
}

// The survivors of edited logits, most probable first.
static reference_result reference_sort(const reference_logit *logits, uint32_t vocab_size)
{
    reference_result result = {malloc(vocab_size * sizeof *result.tokens), 0, INFINITY, vocab_size};
    for (uint32_t id = 0; id < vocab_size; id++)
        if (logits[id].value > -INFINITY)
            result.tokens[result.count++] = (reference_token){id, logits[id].value, 0.0, 0.0};
    qsort(result.tokens, result.count, sizeof *result.tokens, reference_compare);
    return result;
}

#endif
