// The sampler object: its memory, options and lists. Public functions: lastinch.h.
#include "sample/sampler.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "sample/watermark.h"

// A sampler that uses `scratch` (NULL: no memory) and counts as one of its users.
static li_sampler *create_in(li_sampler_scratch *scratch, uint32_t vocab_size)
{
    LI_ASSERT(!scratch || scratch->users);
    li_sampler *sampler = scratch ? li_memory_alloc(sizeof *sampler) : NULL;
    if (!sampler) {
        li_sampler_scratch_drop(scratch);
        return NULL;
    }
    sampler->scratch = scratch;
    sampler->vocab_size = sampler->history.vocab_size = vocab_size;
    li_chain_default_options(li_sampler_options(sampler));
    sampler->written.options.token_count = vocab_size;
    sampler->chosen.last_probability = 1.0;
    // The default order is the order of the enum.
    for (uint32_t stage = 1; stage < LI_STAGE_COUNT; stage++)
        sampler->chain.order[sampler->chain.order_count++] = (li_stage)stage;
    if (li_history_reserve(&sampler->history, 1) == LI_OK && li_sampler_configure(sampler) == LI_OK) return sampler;
    li_sampler_destroy(sampler);
    return NULL;
}

li_sampler *li_sampler_create(uint32_t vocab_size)
{
    if (vocab_size == 0 || vocab_size > LI_VOCAB_LIMIT) return NULL;
    return create_in(li_sampler_scratch_create(vocab_size), vocab_size);
}

li_sampler *li_sampler_create_beside(li_sampler *sampler)
{
    LI_ASSERT(sampler->scratch->users);
    sampler->scratch->users++;
    return create_in(sampler->scratch, sampler->vocab_size);
}

// Frees the lists of `settings` that are not lists of `others`.
static void free_lists(const li_settings *settings, const li_settings *others)
{
    for (uint32_t name = 0; name < LI_LIST_COUNT; name++)
        if (settings->lists[name].words != others->lists[name].words)
            li_memory_free((void *)(uintptr_t)settings->lists[name].words);
}

void li_sampler_destroy(li_sampler *sampler)
{
    if (!sampler) return;
    li_history_destroy(&sampler->history);
    free_lists(&sampler->written, &sampler->settings);
    free_lists(&sampler->settings, &(li_settings){0});
    li_sampler_scratch_drop(sampler->scratch);
    li_memory_free(sampler->logits);
    li_memory_free(sampler->bitmask);
    li_memory_free(sampler);
}

double *li_sampler_options(li_sampler *sampler)
{
    return (double *)&sampler->written.options;
}

// Reserves room for every edit that one step can make, so that no step takes memory.
static li_status reserve_edits(li_sampler *sampler, const li_chain *chain, const li_settings *settings)
{
    const uint32_t anywhere =
        1u << LI_STAGE_REPETITION | 1u << LI_STAGE_FREQUENCY | 1u << LI_STAGE_DRY | 1u << LI_STAGE_NO_REPEAT_NGRAM;
    uint64_t count = (uint64_t)__builtin_popcount(chain->active_stages & anywhere) * sampler->vocab_size;
    for (uint32_t name = 0; name < LI_LIST_COUNT; name++) count += settings->lists[name].count;
    count += settings->lists[LI_LIST_EOS].count; // length_decay and min_tokens both edit these
    return li_sampler_scratch_reserve_edits(sampler->scratch, count);
}

li_status li_sampler_configure(li_sampler *sampler)
{
    li_settings next = sampler->written;
    li_options *options = &next.options;
    if (!li_chain_are_options((const double *)options)) return LI_ERROR_BAD_ARGUMENT;
    if (options->token_count > (double)sampler->vocab_size) return LI_ERROR_BAD_ARGUMENT;
    if (options->adaptive_target < 0.0) options->adaptive_target = -1.0;
    li_chain chain = sampler->chain;
    next.rules = chain.rules;
    next.bitmask = sampler->settings.bitmask;
    li_status status = li_chain_configure(&chain, &next);
    if (status == LI_OK) status = reserve_edits(sampler, &chain, &next);
    bool is_counting = li_chain_has(&chain, LI_STAGE_REPETITION) || li_chain_has(&chain, LI_STAGE_FREQUENCY);
    if (status == LI_OK)
        status = li_history_set_counting(&sampler->history, is_counting, (uint32_t)options->penalty_window,
                                         next.lists[LI_LIST_BREAKERS]);
    if (status) return status;
    const li_options former = sampler->settings.options;
    if (options->seed != former.seed || options->stream != former.stream) sampler->draws = 0;
    free_lists(&sampler->settings, &next);
    sampler->settings = next;
    uint32_t switched_on = chain.active_stages & ~sampler->chain.active_stages;
    if (options->mirostat != former.mirostat || options->mirostat_tau != former.mirostat_tau)
        switched_on |= chain.active_stages & 1u << LI_STAGE_MIROSTAT;
    if (options->adaptive_target != former.adaptive_target || options->adaptive_decay != former.adaptive_decay)
        switched_on |= chain.active_stages & 1u << LI_STAGE_ADAPTIVE_P;
    sampler->chain = chain;
    LI_ASSERT(sampler->chain.order_count < LI_STAGE_COUNT);
    li_sampler_begin_feedback(sampler, switched_on);
    return LI_OK;
}

// Whether the words (count) have the format that lastinch.h gives for the list.
static bool is_list(const li_sampler *sampler, li_list_name name, const uint32_t *words, uint32_t count)
{
    if (name == LI_LIST_WATERMARK) return !count || li_watermark_is_list(words, count);
    bool has_lengths = name == LI_LIST_SEQUENCES || name == LI_LIST_BREAKERS;
    bool has_bias = name == LI_LIST_SEQUENCES || name == LI_LIST_BIAS;
    bool is_ascending = name == LI_LIST_ALLOWED || name == LI_LIST_EOS; // no id twice, so no id is edited twice
    // A group: the count of ids (if the list has counts), the bias (if it has biases), the ids. Without counts the bias
    // follows its id.
    for (uint32_t i = 0; i < count;) {
        uint32_t length = has_lengths ? words[i++] : 1;
        if (length == 0 || (uint64_t)length + has_bias > count - i) return false;
        float bias = 0.0f;
        if (has_bias) memcpy(&bias, words + i + !has_lengths, sizeof bias);
        if (!(bias <= LI_BIAS_LIMIT)) return false;
        const uint32_t *ids = words + i + (has_lengths && has_bias);
        for (uint32_t k = 0; k < length; k++)
            if (ids[k] >= sampler->vocab_size) return false;
        if (is_ascending && i && words[i] <= words[i - 1]) return false;
        i += length + has_bias;
    }
    return true;
}

li_status li_sampler_set_list(li_sampler *sampler, li_list_name name, const uint32_t *words, uint32_t count)
{
    if (name == LI_LIST_WATERMARK && count && !li_watermark_is_list) return LI_ERROR_CONFLICT;
    if (name >= LI_LIST_COUNT || !is_list(sampler, name, words, count)) return LI_ERROR_BAD_ARGUMENT;
    uint32_t *copy = NULL;
    if (count) {
        copy = li_memory_alloc(count * sizeof *copy);
        if (!copy) return LI_ERROR_OUT_OF_MEMORY;
        memcpy(copy, words, count * sizeof *copy);
    }
    li_list *written = &sampler->written.lists[name];
    if (written->words != sampler->settings.lists[name].words) li_memory_free((void *)(uintptr_t)written->words);
    *written = (li_list){copy, count};
    return LI_OK;
}

li_status li_sampler_set_order(li_sampler *sampler, const uint32_t *stages, uint32_t count, uint32_t rules)
{
    return li_chain_set_order(&sampler->chain, stages, count, rules);
}

uint32_t *li_sampler_bitmask(li_sampler *sampler, bool is_used)
{
    size_t words = (sampler->vocab_size + 31) / 32;
    if (!sampler->bitmask) sampler->bitmask = li_memory_alloc(words * sizeof *sampler->bitmask);
    sampler->settings.bitmask = is_used ? sampler->bitmask : NULL;
    return sampler->bitmask;
}

float *li_sampler_logits(li_sampler *sampler)
{
    if (!sampler->logits) sampler->logits = li_memory_alloc(sampler->vocab_size * sizeof *sampler->logits);
    return sampler->logits;
}
