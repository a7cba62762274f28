// The model object: creates, resizes and destroys it. Public functions: lastinch.h.
#include "model/model.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/fault.h"
#include "model/gguf.h"

#define SEQUENCES_LIMIT 4096u
#define SLOTS_LIMIT     (1u << 26)
#define CONTEXT_USUAL   4096u       // positions, unless the caller asks for another number
#define CACHE_F32_LIMIT (64u << 20) // bytes that LI_CACHE_AUTO spends on floats

// Sets the shape of the caches.
static void shape_cache(li_model *model, uint32_t slots, uint32_t sequences)
{
    LI_ASSERT(slots && sequences);
    LI_ASSERT(model->window_layers + model->convolutions + model->states.layers <= model->weights.layer_count);
    li_cache *cache = &model->cache;
    cache->layers = model->weights.layer_count - model->window_layers - model->convolutions - model->states.layers;
    cache->convolutions = model->convolutions + model->config.drafts;
    cache->channels = model->config.dim;
    cache->heads = model->config.kv_heads;
    cache->head_dim = model->config.head_dim;
    cache->value_dim = model->config.value_dim;
    cache->slots = slots;
    cache->sequences = sequences;
    cache->positions = slots < model->config.trained_length ? slots : model->config.trained_length;
    model->config.context_length = cache->positions;
    model->window_cache = *cache;
    model->window_cache.layers = model->window_layers;
    model->window_cache.convolutions = 0;
    li_cache_plan(cache, UINT32_MAX);
    li_cache_plan(&model->window_cache, model->graph.window);
}

// Bytes of the caches.
static uint64_t cache_size(const li_model *model)
{
    return li_cache_size(&model->cache) + (model->window_layers ? li_cache_size(&model->window_cache) : 0);
}

static void choose_cache_type(li_model *model, uint32_t asked)
{
    li_cache *cache = &model->cache;
    cache->type = asked == LI_CACHE_AUTO ? LI_CACHE_F32 : (li_cache_type)asked;
    model->window_cache.type = cache->type;
    if (asked == LI_CACHE_AUTO && cache_size(model) > CACHE_F32_LIMIT) cache->type = LI_CACHE_F16;
    model->window_cache.type = cache->type;
    model->config.cache_type = cache->type;
}

// Bytes of the caches and of LI_STATES_PLANNED states.
static uint64_t kept_size(const li_model *model)
{
    return cache_size(model) + li_states_size(&model->states);
}

// Bytes of the model, with one row of logits.
static uint64_t size_of(const li_model *model)
{
    return li_weights_size(model) + kept_size(model) + li_model_scratch_size(model) +
           sizeof(float) * (uint64_t)model->config.vocab_size;
}

// Sets the context length and the cache. `slots` 0: halves the usual context length until the model fits the memory.
static void shape_model(li_model *model, uint32_t slots, uint32_t cache_type, uint32_t sequences)
{
    LI_ASSERT(model->config.trained_length && cache_type <= LI_CACHE_Q8_0);
    li_model_config *config = &model->config;
    uint32_t usual = config->trained_length < CONTEXT_USUAL ? config->trained_length : CONTEXT_USUAL;
    for (uint32_t wanted = slots ? slots : usual;; wanted /= 2) {
        shape_cache(model, wanted, sequences);
        choose_cache_type(model, cache_type);
        cache_type = config->cache_type; // else half the context could become floats, and be as large as the whole
        li_model_scratch_plan(model);
        if (slots || wanted <= LI_CACHE_PAGE || size_of(model) <= LI_MEMORY_LIMIT) return;
    }
}

// Reads the header, and sets the sizes of everything that takes memory.
static li_status plan(li_model *model, li_gguf *gguf, uint32_t slots, uint32_t cache_type, uint32_t sequences)
{
    li_fault_begin(gguf, LI_FAULT_NONE);
    if (!gguf->is_parsed || sequences < 1 || sequences > SEQUENCES_LIMIT || slots > SLOTS_LIMIT ||
        cache_type > LI_CACHE_Q8_0)
        return LI_ERROR_BAD_ARGUMENT;
    li_model_config *config = &model->config;
    li_status status = li_config_read(gguf, config, &model->graph);
    if (status != LI_OK) return status;
    if (cache_type == LI_CACHE_Q8_0 && (config->head_dim | config->value_dim) % LI_CACHE_BLOCK)
        return LI_ERROR_MODEL_CACHE_TYPE;
    model->query_width = config->heads * config->head_dim;
    model->key_width = config->kv_heads * config->head_dim;
    model->value_width = config->kv_heads * config->value_dim;
    model->mix_width = config->heads * config->value_dim;
    const li_graph *graph = &model->graph;
    model->query_rows = model->query_width * (graph->family->traits & LI_GATED_ATTENTION ? 2 : 1);
    model->inner_width = graph->delta_heads * graph->delta_width;
    model->mixed_width = model->inner_width + 2 * graph->delta_key_heads * graph->delta_width;
    status = li_weights_bind(model, gguf);
    li_states_shape(&model->states, (size_t)model->inner_width * graph->delta_width,
                    model->mixed_width + 2 * graph->delta_heads, graph->taps);
    if (status == LI_OK) shape_model(model, slots, cache_type, sequences);
    return status;
}

// Takes all planned memory except the pages of the cache.
static bool take_memory(li_model *model)
{
    if (!li_weights_create(model) || !li_cache_create(&model->cache) || !li_model_scratch_create(model)) return false;
    if (model->window_layers && !li_cache_create(&model->window_cache)) return false;
    if (!li_states_create(&model->states, model->cache.sequences)) return false;
    model->frequencies = li_memory_alloc(model->config.rope_dim / 2 * sizeof(double));
    model->window_frequencies = li_memory_alloc(model->config.rope_dim / 2 * sizeof(double));
    model->logits = li_memory_alloc(model->config.vocab_size * sizeof(float));
    model->logits_capacity = 1;
    return model->frequencies && model->window_frequencies && model->logits;
}

li_status li_model_plan(li_gguf *gguf, uint32_t slots, uint32_t cache_type, uint32_t sequences, li_model_memory *result)
{
    li_model *model = li_memory_alloc(sizeof *model);
    if (!model) return LI_ERROR_OUT_OF_MEMORY;
    li_status status = plan(model, gguf, slots, cache_type, sequences);
    if (status == LI_OK) {
        result->weights = (double)li_weights_size(model);
        result->cache = (double)kept_size(model);
        result->scratch = (double)(size_of(model) - li_weights_size(model) - kept_size(model));
        result->limit = (double)LI_MEMORY_LIMIT;
        result->context_length = model->config.context_length;
        result->trained_length = model->config.trained_length;
        result->cache_type = model->config.cache_type;
        result->vocab_size = model->config.vocab_size;
        if (size_of(model) > LI_MEMORY_LIMIT) status = LI_ERROR_GGUF_TOO_LARGE;
    }
    li_model_destroy(model);
    return status;
}

li_model *li_model_create(li_gguf *gguf, uint32_t slots, uint32_t cache_type, uint32_t sequences, li_status *status)
{
    li_model *model = li_memory_alloc(sizeof *model);
    *status = LI_ERROR_OUT_OF_MEMORY;
    if (!model) return NULL;
    *status = plan(model, gguf, slots, cache_type, sequences);
    if (*status == LI_OK && size_of(model) > LI_MEMORY_LIMIT) *status = LI_ERROR_GGUF_TOO_LARGE;
    if (*status == LI_OK && !take_memory(model)) *status = LI_ERROR_OUT_OF_MEMORY;
    if (*status == LI_OK) {
        li_hash_begin(&model->loader.hash, 0);
        li_hash_add(&model->loader.hash, gguf->bytes, gguf->header_size);
        return model;
    }
    li_model_destroy(model);
    return NULL;
}

void li_model_destroy(li_model *model)
{
    if (!model) return;
    li_weights_destroy(model);
    li_states_destroy(&model->states, model->cache.sequences);
    li_cache_destroy(&model->cache);
    li_cache_destroy(&model->window_cache);
    li_model_scratch_destroy(model);
    li_memory_free(model->frequencies);
    li_memory_free(model->window_frequencies);
    li_memory_free(model->taps);
    li_memory_free(model->features);
    li_memory_free(model->logits);
    li_memory_free(model);
}

const li_model_config *li_model_get_config(const li_model *model)
{
    return &model->config;
}

li_row *li_model_rows(li_model *model)
{
    return model->rows;
}

float *li_model_logits(li_model *model)
{
    return model->logits;
}

li_status li_model_set_taps(li_model *model, const uint32_t *layers, uint32_t count)
{
    if (count > LI_TAPS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    for (uint32_t i = 0; i < count; i++)
        if (layers[i] > model->config.layers + 1) return LI_ERROR_BAD_ARGUMENT;
    uint64_t size = (uint64_t)count * LI_ROWS_LIMIT * model->config.dim * sizeof(float);
    float *taps = count && size <= LI_MEMORY_LIMIT ? li_memory_alloc((size_t)size) : NULL;
    if (count && !taps) return LI_ERROR_OUT_OF_MEMORY;
    li_memory_free(model->taps);
    model->taps = taps;
    model->tap_count = count;
    for (uint32_t i = 0; i < count; i++) model->tap_layers[i] = layers[i];
    return LI_OK;
}

const float *li_model_taps(const li_model *model)
{
    return model->taps;
}

li_status li_model_set_rope(li_model *model)
{
    LI_ASSERT(model->frequencies && model->window_frequencies);
    const li_rope_scaling *rope = &model->graph.rope;
    const li_weights *weights = &model->weights;
    model->has_long_rope = rope->is_long && model->config.context_length > rope->original_length;
    const li_vector *divisors = !rope->is_long         ? &weights->rope_divisors
                                : model->has_long_rope ? &weights->long_rope_divisors
                                                       : &weights->short_rope_divisors;
    for (uint32_t i = 0; i < divisors->length; i++)
        if (!((double)divisors->values[i] >= LI_ROPE_DIVISOR_MIN)) return LI_ERROR_MODEL_WEIGHTS;
    const float *values = divisors->length ? divisors->values : NULL;
    li_rope_frequencies(model->frequencies, rope, values);
    li_rope_frequencies(model->window_frequencies, &model->graph.window_rope, values);
    return LI_OK;
}

const li_matrix *li_model_output(const li_model *model)
{
    if (model->target && model->config.tied) model = model->target;
    return model->config.tied ? &model->weights.embedding : &model->weights.output;
}

// ---- sequences ---------------------------------------------------------------------------------------

uint32_t li_sequence_length(const li_model *model, uint32_t sequence)
{
    return sequence < model->cache.sequences ? model->cache.tables[sequence].length : 0;
}

// Drops the positions of a sequence from `length` on in all its layers.
static void keep(li_model *model, uint32_t sequence, uint32_t length)
{
    LI_ASSERT(length <= li_sequence_length(model, sequence));
    li_cache_keep(&model->cache, sequence, length);
    if (model->window_layers) li_cache_keep(&model->window_cache, sequence, length);
}

li_status li_sequence_keep(li_model *model, uint32_t sequence, uint32_t length)
{
    if (length > li_sequence_length(model, sequence) || sequence >= model->cache.sequences)
        return LI_ERROR_BAD_ARGUMENT;
    if (length < li_sequence_least(model, sequence)) length = 0;
    keep(model, sequence, li_states_keep(&model->states, sequence, length));
    return LI_OK;
}

bool li_model_reserve(li_model *model, uint32_t sequence, uint32_t length)
{
    LI_ASSERT(sequence < model->cache.sequences);
    if (model->window_layers && !li_cache_reserve(&model->window_cache, sequence, length)) return false;
    return li_cache_reserve(&model->cache, sequence, length);
}

li_status li_sequence_share(li_model *model, uint32_t from, uint32_t to, uint32_t length)
{
    bool is_in_range = from < model->cache.sequences && to < model->cache.sequences;
    if (!is_in_range || length > li_sequence_length(model, from)) return LI_ERROR_BAD_ARGUMENT;
    if (!li_model_reserve(model, to, length)) return LI_ERROR_OUT_OF_MEMORY;
    if (length < li_sequence_least(model, from)) length = 0;
    length = li_states_share(&model->states, from, to, length);
    li_cache_share(&model->cache, from, to, length);
    if (model->window_layers) li_cache_share(&model->window_cache, from, to, length);
    return LI_OK;
}

uint32_t li_sequence_least(const li_model *model, uint32_t sequence)
{
    if (sequence >= model->cache.sequences) return 0;
    if (model->window_layers) return li_cache_least(&model->window_cache, sequence);
    return model->states.layers ? li_states_least(&model->states, sequence) : 0;
}

li_status li_sequence_own(li_model *model, uint32_t sequence)
{
    if (sequence >= model->cache.sequences) return LI_ERROR_BAD_ARGUMENT;
    return li_states_own(&model->states, sequence) ? LI_OK : LI_ERROR_OUT_OF_MEMORY;
}

bool li_model_is_recurrent(const li_model *model)
{
    return model->states.layers != 0;
}

uint32_t li_model_states(const li_model *model)
{
    return model->states.count;
}

uint32_t li_model_free_slots(const li_model *model)
{
    return model->cache.unused_count;
}

uint32_t li_model_window_slots(const li_model *model)
{
    return li_cache_held(model->window_layers ? &model->window_cache : &model->cache);
}

uint32_t li_sequence_window_need(const li_model *model, uint32_t sequence, uint32_t count)
{
    if (!model->window_layers || sequence >= model->cache.sequences) return count;
    return li_cache_need(&model->window_cache, sequence, count);
}

uint32_t li_model_free_window_slots(const li_model *model)
{
    const li_cache *cache = model->window_layers ? &model->window_cache : &model->cache;
    const uint32_t used = cache->slots - cache->unused_count;
    return used < cache->planned ? cache->planned - used : 0;
}

li_status li_model_reserve_slots(li_model *model, uint32_t slots)
{
    li_cache *cache = &model->cache;
    if (slots > SLOTS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    if (slots <= cache->slots) return LI_OK;
    li_model grown = *model;
    shape_cache(&grown, slots, cache->sequences);
    if (size_of(&grown) > LI_MEMORY_LIMIT) return LI_ERROR_OUT_OF_MEMORY;
    const uint32_t positions = grown.cache.positions;
    // The window cache grows first: if the memory suffices for only one of the two, it may have more slots than the
    // other.
    li_cache *window_cache = &model->window_cache;
    if (model->window_layers && slots > window_cache->slots && !li_cache_grow(window_cache, slots, positions))
        return LI_ERROR_OUT_OF_MEMORY;
    if (!li_cache_grow(cache, slots, positions)) return LI_ERROR_OUT_OF_MEMORY;
    model->config.context_length = cache->positions;
    return LI_OK;
}

li_status li_model_take_slots(li_model *model, uint32_t count, uint32_t window_count)
{
    if (!li_cache_take_pages(&model->cache, count)) return LI_ERROR_OUT_OF_MEMORY;
    if (model->window_layers && !li_cache_take_pages(&model->window_cache, window_count)) return LI_ERROR_OUT_OF_MEMORY;
    return LI_OK;
}
