// The model object: creates, resizes and destroys it. Public functions: lastinch.h.
#include "model/model.h"

#include "base/memory.h"
#include "model/config.h"
#include "model/gguf.h"
#include "model/rope.h"

#define SEQUENCES_LIMIT 4096u
#define SLOTS_LIMIT     (1u << 26)

// Sets the shape of the cache, and score_stride, which depends on it.
static void shape_cache(li_model *model, uint32_t slots, uint32_t sequences)
{
    li_cache *cache = &model->cache;
    uint32_t context = model->config.context_length;
    cache->layers = model->config.layers;
    cache->heads = model->config.kv_heads;
    cache->head_dim = model->config.head_dim;
    cache->slots = slots ? slots : context;
    cache->sequences = sequences;
    cache->positions = cache->slots < context ? cache->slots : context;
    model->scratch.score_stride = (cache->positions + 3u) & ~3u;
}

// Bytes of the model, with one row of logits.
static uint64_t size_of(const li_model *model)
{
    return li_weights_size(model) + li_cache_size(&model->cache) + li_model_scratch_size(model) +
           sizeof(float) * (uint64_t)model->config.vocab_size;
}

// Checks everything before memory is taken for weights or cache.
static li_status plan(li_model *model, const li_gguf *gguf, uint32_t slots, uint32_t sequences)
{
    if (!gguf->is_parsed || sequences < 1 || sequences > SEQUENCES_LIMIT || slots > SLOTS_LIMIT)
        return LI_ERROR_BAD_ARGUMENT;
    li_status status = li_config_read(gguf, &model->config);
    if (status != LI_OK) return status;
    model->query_dim = model->config.heads * model->config.head_dim;
    model->kv_dim = model->config.kv_heads * model->config.head_dim;
    status = li_weights_bind(model, gguf);
    if (status != LI_OK) return status;
    shape_cache(model, slots, sequences);
    li_model_scratch_plan(model);
    return size_of(model) <= LI_MEMORY_LIMIT ? LI_OK : LI_ERROR_GGUF_TOO_LARGE;
}

// Takes all planned memory.
static bool take_memory(li_model *model)
{
    if (!li_weights_create(model) || !li_cache_create(&model->cache) || !li_model_scratch_create(model)) return false;
    model->frequencies = li_memory_alloc(model->config.rope_dim / 2 * sizeof(double));
    model->logits = li_memory_alloc(model->config.vocab_size * sizeof(float));
    model->logits_capacity = 1;
    return model->frequencies && model->logits;
}

li_model *li_model_create(const li_gguf *gguf, uint32_t slots, uint32_t sequences, li_status *status)
{
    li_model *model = li_memory_alloc(sizeof *model);
    *status = LI_ERROR_OUT_OF_MEMORY;
    if (!model) return NULL;
    *status = plan(model, gguf, slots, sequences);
    if (*status == LI_OK && !take_memory(model)) *status = LI_ERROR_OUT_OF_MEMORY;
    if (*status != LI_OK) {
        li_model_destroy(model);
        return NULL;
    }
    li_rope_frequencies(model->frequencies, model->config.rope_dim / 2, (double)model->config.rope_base);
    return model;
}

void li_model_destroy(li_model *model)
{
    if (!model) return;
    li_weights_destroy(model);
    li_cache_destroy(&model->cache);
    li_model_scratch_destroy(model);
    li_memory_free(model->frequencies);
    li_memory_free(model->taps);
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
        if (layers[i] > model->config.layers) return LI_ERROR_BAD_ARGUMENT;
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

// ---- sequences ---------------------------------------------------------------------------------------

uint32_t li_sequence_length(const li_model *model, uint32_t sequence)
{
    return sequence < model->cache.sequences ? model->cache.tables[sequence].length : 0;
}

li_status li_sequence_keep(li_model *model, uint32_t sequence, uint32_t length)
{
    if (length > li_sequence_length(model, sequence) || sequence >= model->cache.sequences)
        return LI_ERROR_BAD_ARGUMENT;
    li_cache_keep(&model->cache, sequence, length);
    return LI_OK;
}

li_status li_sequence_share(li_model *model, uint32_t from, uint32_t to, uint32_t length)
{
    bool is_known = from < model->cache.sequences && to < model->cache.sequences;
    if (!is_known || length > li_sequence_length(model, from)) return LI_ERROR_BAD_ARGUMENT;
    if (!li_cache_reserve(&model->cache, to, length)) return LI_ERROR_OUT_OF_MEMORY;
    li_cache_share(&model->cache, from, to, length);
    return LI_OK;
}

uint32_t li_model_free_slots(const li_model *model)
{
    return model->cache.unused_count;
}

li_status li_model_reserve_slots(li_model *model, uint32_t slots)
{
    li_cache *cache = &model->cache;
    if (slots > SLOTS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    if (slots <= cache->slots) return LI_OK;
    li_model grown = *model;
    shape_cache(&grown, slots, cache->sequences);
    if (size_of(&grown) > LI_MEMORY_LIMIT) return LI_ERROR_OUT_OF_MEMORY;
    uint32_t stride = grown.scratch.score_stride;
    float *scores = li_memory_alloc((size_t)model->config.heads * stride * sizeof(float));
    if (!scores || !li_cache_grow(cache, slots, grown.cache.positions)) {
        li_memory_free(scores);
        return LI_ERROR_OUT_OF_MEMORY;
    }
    li_memory_free(model->scratch.scores);
    model->scratch.scores = scores;
    model->scratch.score_stride = stride;
    return LI_OK;
}
