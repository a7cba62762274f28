// The sampler object: options, history and random stream around the chain. Its functions are described in
// lastinch.h.
#include <string.h>

#include "base/half.h"
#include "base/memory.h"
#include "base/random.h"
#include "sample/chain.h"
#include "sample/distribution.h"
#include "sample/softmax.h"

struct li_sampler {
    uint32_t vocab_size;
    li_settings written;  // what the caller is writing; configure takes it over
    li_settings settings; // in force; its lists are those of `written` until those are replaced
    li_chain chain;
    li_history history;
    li_funnel funnel;
    uint32_t edit_capacity;
    uint32_t draws; // random numbers used
    double last_probability;
    float *logits;         // (vocab_size) the caller's row in the sampler's keeping
    float *input;          // (vocab_size) where a row from elsewhere is copied to
    uint32_t *tokens;      // (vocab_size) result of distribution and trace
    double *probabilities; // (vocab_size) result of distribution and trace
    li_trace trace;        // memory is taken by the first trace
};

static const li_options default_options = {
#define X(name, default_value, minimum, maximum, is_integer) .name = default_value,
    LI_OPTIONS(X)
#undef X
};

static const uint32_t default_order[] = LI_DEFAULT_ORDER;

li_sampler *li_sampler_create(uint32_t vocab_size)
{
    if (vocab_size == 0 || vocab_size > LI_VOCAB_LIMIT) return NULL;
    li_sampler *sampler = li_memory_alloc(sizeof *sampler);
    if (!sampler) return NULL;
    size_t words = vocab_size * sizeof(uint32_t);
    sampler->vocab_size = sampler->history.vocab_size = vocab_size;
    sampler->logits = li_memory_alloc(words);
    sampler->input = li_memory_alloc(words);
    li_funnel *funnel = &sampler->funnel;
    funnel->weights = li_memory_alloc(words);
    funnel->id_store = li_memory_alloc(words);
    funnel->value_store = li_memory_alloc(words);
    funnel->key_store = li_memory_alloc(words);
    funnel->mass_store = li_memory_alloc(words);
    funnel->block_peaks = li_memory_alloc(li_softmax_blocks(vocab_size) * sizeof(float));
    funnel->block_sums = li_memory_alloc(li_softmax_blocks(vocab_size) * sizeof(double));
    if (!sampler->logits || !sampler->input || !funnel->weights || !funnel->id_store || !funnel->value_store ||
        !funnel->key_store || !funnel->mass_store || !funnel->block_peaks || !funnel->block_sums ||
        li_history_reserve(&sampler->history, 1)) {
        li_sampler_destroy(sampler);
        return NULL;
    }
    sampler->written.options = default_options;
    sampler->written.options.token_count = vocab_size;
    sampler->last_probability = 1.0;
    li_chain_set_order(&sampler->chain, default_order, sizeof default_order / sizeof *default_order, 0);
    li_sampler_configure(sampler);
    return sampler;
}

// Frees the lists of `settings` that `others` does not have too.
static void free_lists(const li_settings *settings, const li_settings *others)
{
    if (settings->bias_ids != others->bias_ids) li_memory_free(settings->bias_ids);
    if (settings->bias_values != others->bias_values) li_memory_free(settings->bias_values);
    if (settings->banned != others->banned) li_memory_free(settings->banned);
    if (settings->allowed != others->allowed) li_memory_free(settings->allowed);
}

void li_sampler_destroy(li_sampler *sampler)
{
    if (!sampler) return;
    li_history_destroy(&sampler->history);
    li_trace_destroy(&sampler->trace);
    free_lists(&sampler->written, &sampler->settings);
    free_lists(&sampler->settings, &(li_settings){0});
    const li_funnel *funnel = &sampler->funnel;
    void *owned[] = {
        funnel->weights,
        funnel->id_store,
        funnel->value_store,
        funnel->key_store,
        funnel->mass_store,
        funnel->block_peaks,
        funnel->block_sums,
        funnel->edits,
        sampler->logits,
        sampler->input,
        sampler->tokens,
        sampler->probabilities,
        sampler,
    };
    for (unsigned i = 0; i < sizeof owned / sizeof *owned; i++) li_memory_free(owned[i]);
}

double *li_sampler_options(li_sampler *sampler)
{
    return (double *)&sampler->written.options;
}

static bool is_in_range(double value, double minimum, double maximum, bool is_integer)
{
    if (!(value >= minimum && value <= maximum)) return false;
    return !is_integer || (double)(int64_t)value == value;
}

// Room for every edit that a step can make, so that no step has to take memory.
static li_status reserve_edits(li_sampler *sampler, const li_chain *chain, const li_settings *settings)
{
    uint64_t capacity = (uint64_t)settings->bias_count + settings->banned_count;
    if (li_chain_has(chain, LI_STAGE_REPETITION)) capacity += sampler->vocab_size;
    if (li_chain_has(chain, LI_STAGE_FREQUENCY)) capacity += sampler->vocab_size;
    if (capacity <= sampler->edit_capacity) return LI_OK;
    li_edit *edits = li_memory_alloc((size_t)capacity * sizeof *edits);
    if (!edits) return LI_ERROR_OUT_OF_MEMORY;
    li_memory_free(sampler->funnel.edits);
    sampler->funnel.edits = edits;
    sampler->edit_capacity = (uint32_t)capacity;
    return LI_OK;
}

li_status li_sampler_configure(li_sampler *sampler)
{
    li_settings next = sampler->written;
#define X(name, default_value, minimum, maximum, is_integer)                                                           \
    if (!is_in_range(next.options.name, minimum, maximum, is_integer)) return LI_ERROR_BAD_ARGUMENT;
    LI_OPTIONS(X)
#undef X
    if (next.options.token_count > (double)sampler->vocab_size) return LI_ERROR_BAD_ARGUMENT;
    // Greedy, or as dynamic as it can be: it cannot be both.
    if (next.options.temperature == 0.0 && next.options.dynatemp_range > 0.0) return LI_ERROR_BAD_ARGUMENT;
    li_chain chain = sampler->chain;
    next.keep_ties = chain.rules & LI_RULE_KEEP_TIES;
    next.typical_exceeds = chain.rules & LI_RULE_TYPICAL_EXCEEDS;
    li_status status = li_chain_configure(&chain, &next);
    if (status == LI_OK) status = reserve_edits(sampler, &chain, &next);
    bool is_counting = li_chain_has(&chain, LI_STAGE_REPETITION) || li_chain_has(&chain, LI_STAGE_FREQUENCY);
    if (status == LI_OK)
        status = li_history_set_counting(&sampler->history, is_counting, (uint32_t)next.options.penalty_window);
    if (status) return status;
    if (next.options.seed != sampler->settings.options.seed) sampler->draws = 0;
    free_lists(&sampler->settings, &next);
    sampler->settings = next;
    sampler->chain = chain;
    return LI_OK;
}

// Replaces *list, which `in_force` may still be using, by a copy of `count` elements of `size` bytes.
static li_status replace_list(void **list, const void *in_force, const void *elements, uint32_t count, size_t size)
{
    void *copy = NULL;
    if (count) {
        copy = li_memory_alloc(count * size);
        if (!copy) return LI_ERROR_OUT_OF_MEMORY;
        memcpy(copy, elements, count * size);
    }
    if (*list != in_force) li_memory_free(*list);
    *list = copy;
    return LI_OK;
}

static bool are_tokens(const li_sampler *sampler, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] >= sampler->vocab_size) return false;
    return true;
}

li_status li_sampler_set_bias(li_sampler *sampler, const uint32_t *ids, const float *values, uint32_t count)
{
    if (!are_tokens(sampler, ids, count)) return LI_ERROR_BAD_ARGUMENT;
    for (uint32_t i = 0; i < count; i++)
        if (!(values[i] <= LI_BIAS_LIMIT)) return LI_ERROR_BAD_ARGUMENT;
    li_settings *written = &sampler->written;
    const li_settings *settings = &sampler->settings;
    written->bias_count = 0;
    if (replace_list((void **)&written->bias_ids, settings->bias_ids, ids, count, sizeof *ids) ||
        replace_list((void **)&written->bias_values, settings->bias_values, values, count, sizeof *values))
        return LI_ERROR_OUT_OF_MEMORY;
    written->bias_count = count;
    return LI_OK;
}

li_status li_sampler_set_banned(li_sampler *sampler, const uint32_t *ids, uint32_t count)
{
    if (!are_tokens(sampler, ids, count)) return LI_ERROR_BAD_ARGUMENT;
    li_settings *written = &sampler->written;
    if (replace_list((void **)&written->banned, sampler->settings.banned, ids, count, sizeof *ids))
        return LI_ERROR_OUT_OF_MEMORY;
    written->banned_count = count;
    return LI_OK;
}

li_status li_sampler_set_allowed(li_sampler *sampler, const uint32_t *ids, uint32_t count)
{
    if (!are_tokens(sampler, ids, count)) return LI_ERROR_BAD_ARGUMENT;
    for (uint32_t i = 1; i < count; i++)
        if (ids[i] <= ids[i - 1]) return LI_ERROR_BAD_ARGUMENT;
    li_settings *written = &sampler->written;
    if (replace_list((void **)&written->allowed, sampler->settings.allowed, ids, count, sizeof *ids))
        return LI_ERROR_OUT_OF_MEMORY;
    written->allowed_count = count;
    return LI_OK;
}

li_status li_sampler_set_order(li_sampler *sampler, const uint32_t *stages, uint32_t count, uint32_t rules)
{
    return li_chain_set_order(&sampler->chain, stages, count, rules);
}

float *li_sampler_logits(li_sampler *sampler)
{
    return sampler->logits;
}

float *li_sampler_input(li_sampler *sampler)
{
    return sampler->input;
}

uint16_t *li_sampler_halves(li_sampler *sampler)
{
    return (uint16_t *)sampler->funnel.key_store;
}

void li_sampler_widen(li_sampler *sampler)
{
    const uint16_t *halves = li_sampler_halves(sampler);
    for (uint32_t i = 0; i < sampler->vocab_size; i++) sampler->input[i] = li_half_to_float(halves[i]);
}

// Runs the chain; the row stays edited until li_funnel_undo, unless an error comes back.
static li_status run_chain(li_sampler *sampler, float *logits, li_trace *trace)
{
    li_funnel *funnel = &sampler->funnel;
    li_funnel_begin(funnel, logits, (uint32_t)sampler->settings.options.token_count);
    funnel->step = sampler->draws;
    if (trace) li_trace_begin(trace, funnel, &sampler->settings);
    li_status status = li_chain_run(&sampler->chain, funnel, &sampler->settings, &sampler->history, trace);
    if (status) li_funnel_undo(funnel);
    return status;
}

// What the uniform number u chooses from what the chain leaves.
static int32_t choose(li_sampler *sampler, float *logits, double u)
{
    li_status status = run_chain(sampler, logits, NULL);
    if (status) return status;
    li_funnel *funnel = &sampler->funnel;
    uint32_t token;
    if (funnel->count == 1) {
        token = li_funnel_argmax(funnel);
        sampler->last_probability = 1.0;
    } else {
        li_funnel_weigh(funnel);
        float weight;
        uint32_t chosen = li_softmax_find(funnel->values, funnel->length, funnel->peak, funnel->temperature,
                                          funnel->block_sums, u * funnel->total, &weight);
        sampler->last_probability = (double)weight / funnel->total;
        token = li_funnel_id(funnel, chosen);
    }
    li_funnel_undo(funnel);
    return (int32_t)token;
}

int32_t li_sampler_sample(li_sampler *sampler, float *logits)
{
    if (sampler->history.length == LI_HISTORY_PROMPT - 1) return LI_ERROR_OUT_OF_MEMORY;
    if (li_history_reserve(&sampler->history, sampler->history.length + 1)) return LI_ERROR_OUT_OF_MEMORY;
    const li_options *options = &sampler->settings.options;
    bool is_greedy = options->temperature == 0.0;
    double u = 0.0;
    if (!is_greedy) u = li_random_uniform((uint64_t)options->seed, 0, sampler->draws, LI_RANDOM_DRAW, 0);
    int32_t token = choose(sampler, logits, u);
    if (token < 0) return token;
    sampler->draws += !is_greedy;
    li_history_push(&sampler->history, (uint32_t)token);
    return token;
}

double li_sampler_last_probability(const li_sampler *sampler)
{
    return sampler->last_probability;
}

int32_t li_sampler_pick(li_sampler *sampler, float *logits, double u)
{
    if (!(u >= 0.0 && u < 1.0)) return LI_ERROR_BAD_ARGUMENT;
    return choose(sampler, logits, u);
}

static int32_t order_survivors(li_sampler *sampler, float *logits, li_trace *trace)
{
    size_t size = sampler->vocab_size;
    if (!sampler->tokens) sampler->tokens = li_memory_alloc(size * sizeof *sampler->tokens);
    if (!sampler->probabilities) sampler->probabilities = li_memory_alloc(size * sizeof *sampler->probabilities);
    if (!sampler->tokens || !sampler->probabilities) return LI_ERROR_OUT_OF_MEMORY;
    li_status status = run_chain(sampler, logits, trace);
    if (status) return status;
    uint32_t count = sampler->funnel.count;
    li_distribution_order(&sampler->funnel, sampler->tokens, sampler->probabilities);
    li_funnel_undo(&sampler->funnel);
    return (int32_t)count;
}

int32_t li_sampler_distribution(li_sampler *sampler, float *logits)
{
    return order_survivors(sampler, logits, NULL);
}

const uint32_t *li_sampler_tokens(const li_sampler *sampler)
{
    return sampler->tokens;
}

const double *li_sampler_probabilities(const li_sampler *sampler)
{
    return sampler->probabilities;
}

int32_t li_sampler_trace(li_sampler *sampler, float *logits)
{
    if (!sampler->trace.logits && li_trace_create(&sampler->trace, sampler->vocab_size)) return LI_ERROR_OUT_OF_MEMORY;
    return order_survivors(sampler, logits, &sampler->trace);
}

uint32_t li_sampler_trace_stages(const li_sampler *sampler)
{
    return sampler->trace.record_count;
}

const li_stage_record *li_sampler_trace_records(const li_sampler *sampler)
{
    return sampler->trace.records;
}

const uint8_t *li_sampler_trace_removed_by(const li_sampler *sampler)
{
    return sampler->trace.removed_by;
}

const float *li_sampler_trace_logits(const li_sampler *sampler)
{
    return sampler->trace.logits;
}

const double *li_sampler_trace_probabilities(const li_sampler *sampler)
{
    return sampler->trace.probabilities;
}

li_status li_sampler_accept(li_sampler *sampler, const uint32_t *ids, uint32_t count, bool is_prompt)
{
    if (!are_tokens(sampler, ids, count)) return LI_ERROR_BAD_ARGUMENT;
    if (count >= LI_HISTORY_PROMPT - sampler->history.length) return LI_ERROR_OUT_OF_MEMORY;
    if (li_history_reserve(&sampler->history, sampler->history.length + count)) return LI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        li_history_push(&sampler->history, ids[i] | (is_prompt ? LI_HISTORY_PROMPT : 0));
    return LI_OK;
}

void li_sampler_reset(li_sampler *sampler)
{
    li_history_clear(&sampler->history);
    sampler->draws = 0;
    sampler->last_probability = 1.0;
}

// State: these words, then the history's tokens.
enum { STATE_MAGIC, STATE_VOCAB_SIZE, STATE_DRAWS, STATE_LENGTH, STATE_WORDS };
#define STATE_MAGIC_1 0x3153494cu // "LIS1"

uint32_t li_sampler_state_size(const li_sampler *sampler)
{
    return (STATE_WORDS + sampler->history.length) * (uint32_t)sizeof(uint32_t);
}

void li_sampler_save_state(const li_sampler *sampler, uint8_t *bytes)
{
    uint32_t words[STATE_WORDS] = {STATE_MAGIC_1, sampler->vocab_size, sampler->draws, sampler->history.length};
    memcpy(bytes, words, sizeof words);
    memcpy(bytes + sizeof words, sampler->history.tokens, sampler->history.length * sizeof(uint32_t));
}

li_status li_sampler_load_state(li_sampler *sampler, const uint8_t *bytes, uint32_t size)
{
    uint32_t words[STATE_WORDS];
    if (size < sizeof words) return LI_ERROR_BAD_STATE;
    memcpy(words, bytes, sizeof words);
    uint32_t length = words[STATE_LENGTH];
    if (words[STATE_MAGIC] != STATE_MAGIC_1 || words[STATE_VOCAB_SIZE] != sampler->vocab_size ||
        length != (size - sizeof words) / sizeof(uint32_t) || size % sizeof(uint32_t))
        return LI_ERROR_BAD_STATE;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t token;
        memcpy(&token, bytes + sizeof words + i * sizeof token, sizeof token);
        if ((token & ~LI_HISTORY_PROMPT) >= sampler->vocab_size) return LI_ERROR_BAD_STATE;
    }
    if (li_history_reserve(&sampler->history, length)) return LI_ERROR_OUT_OF_MEMORY;
    li_sampler_reset(sampler);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t token;
        memcpy(&token, bytes + sizeof words + i * sizeof token, sizeof token);
        li_history_push(&sampler->history, token);
    }
    sampler->draws = words[STATE_DRAWS];
    return LI_OK;
}
