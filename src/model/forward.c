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

// Copies the heads of one key or value, row (kv_dim), into a slot of the layer's keys or values.
static void keep_heads(const li_model *model, float *all, size_t slot, const float *row)
{
    size_t head_dim = model->config.head_dim;
    for (size_t head = 0; head < model->config.kv_heads; head++)
        memcpy(all + (head * model->cache.slots + slot) * head_dim, row + head * head_dim, head_dim * sizeof(float));
}

static void attention_block(li_model *model, uint32_t layer_index, const li_row *rows, uint32_t count)
{
    const li_model_config *config = &model->config;
    const li_layer *layer = &model->weights.layers[layer_index];
    li_model_scratch *scratch = &model->scratch;
    size_t width = model->kv_dim, query_dim = model->query_dim;
    float *keys = model->cache.keys + layer_index * (size_t)model->cache.slots * width;
    float *values = model->cache.values + layer_index * (size_t)model->cache.slots * width;

    li_input *input = norm_rows(model, &layer->attention_norm, count);
    li_matrix_multiply(&layer->query, input, count, scratch->queries);
    li_matrix_multiply(&layer->key, input, count, scratch->keys);
    li_matrix_multiply(&layer->value, input, count, scratch->values);
    for (size_t i = 0; i < count; i++) {
        const float *turns = scratch->turns + i * config->rope_dim;
        li_rope_apply(scratch->queries + i * query_dim, config->heads, config->head_dim, turns, config->rope_dim / 2);
        li_rope_apply(scratch->keys + i * width, config->kv_heads, config->head_dim, turns, config->rope_dim / 2);
        keep_heads(model, keys, scratch->slots[i], scratch->keys + i * width);
        keep_heads(model, values, scratch->slots[i], scratch->values + i * width);
    }
    input->columns = model->query_dim;
    input->quantised_for = LI_WEIGHT_F32;
    li_attend(&(li_attention){model, rows, count, scratch->queries, keys, values, input->values});
    li_matrix_multiply(&layer->attention_output, input, count, scratch->delta);
    li_vector_add(scratch->hidden, scratch->delta, count * config->dim);
}

static void feed_forward_block(li_model *model, uint32_t layer_index, uint32_t count)
{
    const li_model_config *config = &model->config;
    const li_layer *layer = &model->weights.layers[layer_index];
    li_model_scratch *scratch = &model->scratch;
    li_input *input = norm_rows(model, &layer->ffn_norm, count);
    li_matrix_multiply(&layer->gate, input, count, scratch->gate);
    li_matrix_multiply(&layer->up, input, count, scratch->up);
    input->columns = config->hidden_dim;
    input->quantised_for = LI_WEIGHT_F32;
    li_vector_swiglu(input->values, scratch->gate, scratch->up, count * config->hidden_dim);
    li_matrix_multiply(&layer->down, input, count, scratch->delta);
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
        li_rope_turns(model->frequencies, config->rope_dim / 2, rows[i].position,
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
