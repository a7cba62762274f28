#include "model/model_scratch.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/model.h"

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// The length of the longest input row of any product.
static uint32_t input_columns(const li_model *model)
{
    const uint32_t joint = model->config.dim * (model->config.drafts || model->graph.features ? 2 : 1);
    const uint32_t widest = larger(larger(joint, model->config.hidden_dim), model->graph.features);
    return larger(widest, larger(model->mix_width, model->inner_width));
}

// The width of `gate` and `up`. Mixers use these buffers too, and so do the gates of attention.
static uint32_t gate_columns(const li_model *model)
{
    const uint32_t gates = model->query_rows > model->query_width ? model->query_rows : 0;
    return larger(larger(model->config.hidden_dim, model->config.dim), larger(model->mixed_width, gates));
}

static uint64_t tentative_size(const li_model *model)
{
    return (uint64_t)model->inner_width * model->graph.delta_width;
}

// Bytes of one row of a batch in all buffers.
static uint64_t row_size(const li_model *model)
{
    LI_ASSERT(model->config.dim && model->config.heads && model->config.kv_heads);
    const li_model_config *config = &model->config;
    uint64_t numbers = 2 * (uint64_t)config->dim + model->query_width + model->key_width + model->value_width +
                       2 * (uint64_t)gate_columns(model) + 2 * (uint64_t)config->rope_dim +
                       2 * (uint64_t)input_columns(model) + 4 * (uint64_t)model->graph.delta_heads;
    return sizeof(float) * numbers;
}

// Pieces of work of attention in a batch.
static uint64_t attention_pieces(const li_model *model)
{
    LI_ASSERT(model->config.heads % model->config.kv_heads == 0);
    const uint64_t queries = (uint64_t)model->scratch.batch * (model->config.heads / model->config.kv_heads);
    return model->config.kv_heads * ((queries + LI_ATTENTION_QUERIES - 1) / LI_ATTENTION_QUERIES);
}

static uint32_t wide_size(const li_model *model)
{
    return LI_ATTENTION_PART * larger(model->config.head_dim, model->config.value_dim);
}

void li_model_scratch_plan(li_model *model)
{
    LI_ASSERT(model->loader.count); // the weights are bound
    uint64_t rows = li_weights_size(model) / 32 / row_size(model);
    uint32_t batch = rows > LI_ROWS_LIMIT ? LI_ROWS_LIMIT : (uint32_t)rows & ~(LI_ROWS_AT_ONCE - 1);
    model->scratch.batch = rows < LI_BATCH_MIN ? LI_BATCH_MIN : batch;
    LI_ASSERT(model->scratch.batch >= LI_BATCH_MIN && model->scratch.batch <= LI_ROWS_LIMIT);
}

uint64_t li_model_scratch_size(const li_model *model)
{
    return model->scratch.batch * row_size(model) +
           sizeof(float) * (attention_pieces(model) * wide_size(model) + tentative_size(model));
}

static float *take(uint64_t rows, uint64_t columns)
{
    return li_memory_alloc((size_t)(rows * columns * sizeof(float)));
}

bool li_model_scratch_create(li_model *model)
{
    LI_ASSERT(model->scratch.batch && !model->scratch.hidden);
    const li_model_config *config = &model->config;
    li_model_scratch *scratch = &model->scratch;
    uint32_t batch = scratch->batch;
    scratch->hidden = take(batch, config->dim);
    scratch->delta = take(batch, config->dim);
    scratch->queries = take(batch, model->query_width);
    scratch->keys = take(batch, model->key_width);
    scratch->values = take(batch, model->value_width);
    scratch->gate = take(batch, gate_columns(model));
    scratch->up = take(batch, gate_columns(model));
    scratch->rates = take(batch, 4 * (uint64_t)model->graph.delta_heads);
    scratch->tentative = take(tentative_size(model), 1);
    scratch->turns = take(batch, config->rope_dim);
    scratch->window_turns = take(batch, config->rope_dim);
    scratch->wide_size = wide_size(model);
    scratch->wide = take(attention_pieces(model), scratch->wide_size);
    bool has_input = li_input_create(&scratch->input, batch, input_columns(model));
    return scratch->hidden && scratch->delta && scratch->queries && scratch->keys && scratch->values && scratch->gate &&
           scratch->up && scratch->rates && scratch->tentative && scratch->turns && scratch->window_turns &&
           scratch->wide && has_input;
}

void li_model_scratch_destroy(li_model *model)
{
    li_model_scratch *scratch = &model->scratch;
    li_memory_free(scratch->hidden);
    li_memory_free(scratch->delta);
    li_memory_free(scratch->queries);
    li_memory_free(scratch->keys);
    li_memory_free(scratch->values);
    li_memory_free(scratch->gate);
    li_memory_free(scratch->up);
    li_memory_free(scratch->rates);
    li_memory_free(scratch->tentative);
    li_memory_free(scratch->turns);
    li_memory_free(scratch->window_turns);
    li_memory_free(scratch->wide);
    li_input_destroy(&scratch->input);
}
