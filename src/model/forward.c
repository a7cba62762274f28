// The forward pass: a batch of rows through every layer.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "model/attention.h"
#include "model/model.h"
#include "model/multiply.h"
#include "model/rope.h"
#include "model/vector.h"

// ---- before anything changes -------------------------------------------------------------------------

static li_status check_rows(const li_model *model, uint32_t count)
{
    const li_cache *cache = &model->cache;
    if (count > cache->unused_count) return LI_ERROR_MODEL_CONTEXT_FULL;
    for (uint32_t i = 0; i < count; i++) {
        const li_row *row = &model->rows[i];
        if (row->token >= model->config.vocab_size || row->sequence >= cache->sequences) return LI_ERROR_MODEL_ROWS;
        uint32_t position = cache->tables[row->sequence].length;
        for (uint32_t j = 0; j < i; j++) position += model->rows[j].sequence == row->sequence;
        if (row->position != position) return LI_ERROR_MODEL_ROWS;
        if (position >= cache->positions) return LI_ERROR_MODEL_CONTEXT_FULL;
    }
    return LI_OK;
}

// Reserves room in the tables of the sequences. Their contents do not change.
static bool reserve_positions(li_model *model, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!li_cache_reserve(&model->cache, model->rows[i].sequence, model->rows[i].position + 1)) return false;
    return true;
}

// Memory for the rows of logits that the call wants; it doubles as wishes grow, because freed memory cannot serve a
// larger wish.
static bool reserve_logits(li_model *model, uint32_t count)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < count; i++) wanted += model->rows[i].wants_logits != 0;
    if (wanted <= model->logits_capacity) return true;
    uint32_t capacity = model->logits_capacity;
    while (capacity < wanted) capacity *= 2;
    uint64_t size = (uint64_t)capacity * model->config.vocab_size * sizeof(float);
    float *logits = size <= LI_MEMORY_LIMIT ? li_memory_alloc((size_t)size) : NULL;
    if (!logits) return false;
    li_memory_free(model->logits);
    model->logits = logits;
    model->logits_capacity = capacity;
    return true;
}

// ---- one layer ---------------------------------------------------------------------------------------

static li_input *norm_rows(li_model *model, const li_vector *weight, uint32_t count)
{
    li_input *input = &model->scratch.input;
    uint32_t dim = model->config.dim;
    input->columns = dim;
    input->quantised_for = LI_WEIGHT_F32;
    for (size_t i = 0; i < count; i++)
        li_vector_norm(input->values + i * dim, model->scratch.hidden + i * dim, weight->values, dim,
                       model->config.norm_epsilon);
    return input;
}

// out = matrix * input + bias, for `count` rows; out (count, rows of the matrix). A bias of length 0 is none.
static void multiply(const li_matrix *matrix, const li_vector *bias, li_input *input, uint32_t count, float *out)
{
    li_matrix_multiply(matrix, input, count, out);
    for (size_t i = 0; i < count && bias->length; i++)
        li_vector_add(out + i * bias->length, bias->values, bias->length);
}

// Norms each head of one row, heads (count, head_dim), in place. A weight of length 0 is no norm.
static void norm_heads(const li_model *model, const li_vector *weight, float *heads, uint32_t count)
{
    for (size_t i = 0; i < count && weight->length; i++) {
        float *head = heads + i * weight->length;
        li_vector_norm(head, head, weight->values, weight->length, model->config.norm_epsilon);
    }
}

// Copies the key heads (kv_heads, head_dim) and value heads (kv_heads, value_dim) of one row into a slot.
static void keep_heads(li_cache *cache, uint32_t layer, uint32_t slot, const float *keys, const float *values)
{
    for (uint32_t head = 0; head < cache->heads; head++, keys += cache->head_dim, values += cache->value_dim) {
        uint8_t *key = li_cache_row(cache, li_cache_keys_at(cache, layer, head), slot, cache->key_size);
        uint8_t *value = li_cache_row(cache, li_cache_values_at(cache, layer, head), slot, cache->value_size);
        cache->has_nan |= !li_cache_row_write(cache->type, key, keys, cache->head_dim);
        cache->has_nan |= !li_cache_row_write(cache->type, value, values, cache->value_dim);
    }
}

static void attention_block(li_model *model, uint32_t layer_index, const li_row *rows, uint32_t count)
{
    const li_model_config *config = &model->config;
    const li_layer *layer = &model->weights.layers[layer_index];
    li_model_scratch *scratch = &model->scratch;
    const bool halves = model->graph.family->rotates_halves;
    const uint32_t head_dim = config->head_dim, pairs = config->rope_dim / 2;

    li_input *input = norm_rows(model, &layer->attention_norm, count);
    multiply(&layer->query, &layer->query_bias, input, count, scratch->queries);
    multiply(&layer->key, &layer->key_bias, input, count, scratch->keys);
    multiply(&layer->value, &layer->value_bias, input, count, scratch->values);
    for (size_t i = 0; i < count; i++) {
        const float *turns = scratch->turns + i * config->rope_dim;
        float *query = scratch->queries + i * model->query_width, *key = scratch->keys + i * model->key_width;
        norm_heads(model, &layer->query_norm, query, config->heads);
        norm_heads(model, &layer->key_norm, key, config->kv_heads);
        li_rope_apply(query, config->heads, head_dim, turns, pairs, halves);
        li_rope_apply(key, config->kv_heads, head_dim, turns, pairs, halves);
        keep_heads(&model->cache, layer_index, scratch->slots[i], key, scratch->values + i * model->value_width);
    }
    input->columns = model->mix_width;
    input->quantised_for = LI_WEIGHT_F32;
    li_attend(&(li_attention){model, layer_index, rows, count, scratch->queries, input->values});
    multiply(&layer->attention_output, &layer->attention_output_bias, input, count, scratch->delta);
    li_vector_add(scratch->hidden, scratch->delta, count * config->dim);
}

static void feed_forward_block(li_model *model, uint32_t layer_index, uint32_t count)
{
    const li_model_config *config = &model->config;
    const li_layer *layer = &model->weights.layers[layer_index];
    li_model_scratch *scratch = &model->scratch;
    li_input *input = norm_rows(model, &layer->ffn_norm, count);
    multiply(&layer->gate, &layer->gate_bias, input, count, scratch->gate);
    multiply(&layer->up, &layer->up_bias, input, count, scratch->up);
    input->columns = config->hidden_dim;
    input->quantised_for = LI_WEIGHT_F32;
    li_vector_swiglu(input->values, scratch->gate, scratch->up, count * config->hidden_dim);
    multiply(&layer->down, &layer->down_bias, input, count, scratch->delta);
    li_vector_add(scratch->hidden, scratch->delta, count * config->dim);
}

// ---- a batch -----------------------------------------------------------------------------------------

// Copies the hidden states of rows `first` to `first + count` (of `all` rows of the call) after `layer` into the taps.
static void keep_taps(li_model *model, uint32_t layer, const float *hidden, uint32_t first, uint32_t count,
                      uint32_t all)
{
    size_t dim = model->config.dim;
    for (size_t i = 0; i < model->tap_count; i++)
        if (model->tap_layers[i] == layer)
            memcpy(model->taps + (i * all + first) * dim, hidden, count * dim * sizeof(float));
}

static bool is_tapped(const li_model *model, uint32_t layer)
{
    for (uint32_t i = 0; i < model->tap_count; i++)
        if (model->tap_layers[i] == layer) return true;
    return false;
}

static void multiply_output(const li_model *model, li_input *input, uint32_t count, float *logits)
{
    const li_weights *weights = &model->weights;
    li_matrix_multiply(model->config.tied ? &weights->embedding : &weights->output, input, count, logits);
}

// Moves the normed rows that want logits to the front and computes their logits. Returns their number.
static uint32_t output_rows(li_model *model, li_input *input, const li_row *rows, uint32_t count, float *logits)
{
    size_t dim = model->config.dim;
    uint32_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].wants_logits) continue;
        if (wanted != i) memcpy(input->values + wanted * dim, input->values + i * dim, dim * sizeof(float));
        wanted++;
    }
    if (wanted) multiply_output(model, input, wanted, logits);
    return wanted;
}

// Computes rows `first` to `first + count` (of `all` rows of the call). Returns the number of rows of logits written.
static uint32_t forward_batch(li_model *model, uint32_t first, uint32_t count, uint32_t all, float *logits)
{
    const li_model_config *config = &model->config;
    const li_row *rows = model->rows + first;
    li_model_scratch *scratch = &model->scratch;
    bool wants_logits = false;
    for (uint32_t i = 0; i < count; i++) {
        li_matrix_get_row(&model->weights.embedding, rows[i].token, scratch->hidden + (size_t)i * config->dim);
        li_rope_turns(model->frequencies, config->rope_dim / 2, rows[i].position, model->graph.rope.magnitude,
                      scratch->turns + (size_t)i * config->rope_dim);
        scratch->slots[i] = li_cache_append(&model->cache, rows[i].sequence);
        wants_logits |= rows[i].wants_logits != 0;
    }
    for (uint32_t layer = 0; layer < config->layers; layer++) {
        attention_block(model, layer, rows, count);
        feed_forward_block(model, layer, count);
        keep_taps(model, layer, scratch->hidden, first, count, all);
    }
    if (!wants_logits && !is_tapped(model, config->layers)) return 0;
    li_input *input = norm_rows(model, &model->weights.output_norm, count);
    keep_taps(model, config->layers, input->values, first, count, all);
    return output_rows(model, input, rows, count, logits);
}

li_status li_model_forward(li_model *model, uint32_t count)
{
    if (!model->is_ready) return LI_ERROR_MODEL_INCOMPLETE;
    if (count < 1 || count > LI_ROWS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    li_status status = check_rows(model, count);
    if (status != LI_OK) return status;
    if (!reserve_logits(model, count) || !reserve_positions(model, count)) return LI_ERROR_OUT_OF_MEMORY;
    if (!li_cache_take_pages(&model->cache, count)) return LI_ERROR_OUT_OF_MEMORY;
    uint32_t written = 0;
    const uint32_t batch = model->scratch.batch;
    for (uint32_t first = 0; first < count; first += batch) {
        uint32_t rows = count - first < batch ? count - first : batch;
        float *logits = model->logits + (size_t)written * model->config.vocab_size;
        written += forward_batch(model, first, rows, count, logits);
    }
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_FAILED : LI_OK;
}

li_status li_model_early_logits(li_model *model, const float *hidden, uint32_t count, float *into)
{
    if (!model->is_ready) return LI_ERROR_MODEL_INCOMPLETE;
    if (count < 1 || count > LI_ROWS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    const uint32_t batch = model->scratch.batch;
    const size_t dim = model->config.dim, vocab_size = model->config.vocab_size;
    for (uint32_t first = 0; first < count; first += batch) {
        uint32_t rows = count - first < batch ? count - first : batch;
        memcpy(model->scratch.hidden, hidden + first * dim, rows * dim * sizeof(float));
        multiply_output(model, norm_rows(model, &model->weights.output_norm, rows), rows, into + first * vocab_size);
    }
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_FAILED : LI_OK;
}
