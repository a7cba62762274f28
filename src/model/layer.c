#include "model/layer.h"

#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "model/attention.h"
#include "model/delta_net.h"
#include "model/multiply.h"
#include "model/rope.h"
#include "model/short_convolution.h"
#include "model/vector.h"

// Rows of the smallest piece of work for a thread, in everything except matrix products.
#ifndef ROWS_OF_PIECE // tests set a smaller number
#define ROWS_OF_PIECE 4u
#endif

// ---- norms and products ------------------------------------------------------------------------------

// out = the norm of x, weight->length numbers; out may be x.
static void norm(const li_model *model, const li_vector *weight, float *out, const float *x)
{
    LI_ASSERT(weight->length && weight->values);
    if (model->graph.family->traits & LI_CENTRED_NORMS) {
        li_vector_centre(out, x, weight->length);
        x = out;
    }
    li_vector_norm(out, x, weight->values, weight->length, model->config.norm_epsilon);
}

// Adds a bias to each of `count` rows, out (count, bias->length).
static void add_bias(const li_vector *bias, float *out, uint32_t count)
{
    LI_ASSERT(!bias->length || bias->values);
    for (size_t i = 0; i < count && bias->length; i++)
        li_vector_add(out + i * bias->length, bias->values, bias->length);
}

li_input *li_layer_next_input(li_model *model, uint32_t columns)
{
    LI_ASSERT(columns);
    li_input *input = &model->scratch.input;
    input->columns = columns;
    input->quantised_for = LI_WEIGHT_F32;
    return input;
}

typedef struct norm_job {
    const li_model *model;
    const li_vector *weight;
    float *out; // (rows, dim)
} norm_job;

static void norm_rows(const void *context, uint32_t first, uint32_t end)
{
    const norm_job *job = context;
    const size_t dim = job->model->config.dim;
    for (size_t i = first; i < end; i++)
        norm(job->model, job->weight, job->out + i * dim, job->model->scratch.hidden + i * dim);
}

li_input *li_layer_norm(li_model *model, const li_vector *weight, const li_vector *bias, uint32_t count)
{
    LI_ASSERT(count && count <= model->scratch.batch);
    LI_ASSERT(!weight->length || weight->length == model->config.dim);
    LI_ASSERT(!bias->length || bias->length == model->config.dim);
    const uint32_t dim = model->config.dim;
    li_input *input = li_layer_next_input(model, dim);
    if (!weight->length) memcpy(input->values, model->scratch.hidden, count * dim * sizeof(float));
    const norm_job job = {model, weight, input->values};
    if (weight->length) li_parallel_for(count, ROWS_OF_PIECE, norm_rows, &job);
    add_bias(bias, input->values, count);
    return input;
}

li_input *li_layer_join(li_model *model, const li_vector *embedding_norm, const li_vector *state_norm, uint32_t count)
{
    LI_ASSERT(count && count <= model->scratch.batch);
    const size_t dim = model->config.dim;
    li_input *input = li_layer_next_input(model, 2 * model->config.dim);
    for (size_t i = 0; i < count; i++) {
        float *out = input->values + 2 * i * dim, *state = model->scratch.hidden + i * dim;
        norm(model, embedding_norm, out, model->scratch.delta + i * dim);
        norm(model, state_norm, out + dim, state);
        if (model->graph.norms_feature) memcpy(state, out + dim, dim * sizeof(float));
    }
    return input;
}

// out = matrix * input + bias, for `count` rows; out (count, rows of the matrix). A bias of length 0: no bias.
static void multiply(const li_matrix *matrix, const li_vector *bias, li_input *input, uint32_t count, float *out)
{
    LI_ASSERT(!bias->length || bias->length == matrix->rows);
    li_matrix_multiply(matrix, input, count, out);
    add_bias(bias, out, count);
}

// Adds the output of a block to the residual stream: normed, unless the weight has the length 0, and scaled.
static void add_delta(li_model *model, const li_vector *weight, uint32_t count)
{
    LI_ASSERT(!weight->length || weight->length == model->config.dim);
    const uint32_t dim = model->config.dim;
    float *delta = model->scratch.delta;
    for (size_t i = 0; i < count && weight->length; i++) norm(model, weight, delta + i * dim, delta + i * dim);
    if (model->graph.residual_scale != 1) li_vector_scale(delta, count * dim, model->graph.residual_scale);
    li_vector_add(model->scratch.hidden, delta, count * dim);
}

// ---- attention ---------------------------------------------------------------------------------------

// Norms the heads of one row (width), in place: each head, or all heads together, by the length of the weight. Length
// 0: no norm.
static void norm_heads(const li_model *model, const li_vector *weight, float *heads, uint32_t width)
{
    LI_ASSERT(!weight->length || width % weight->length == 0);
    for (uint32_t at = 0; at < width && weight->length; at += weight->length)
        norm(model, weight, heads + at, heads + at);
}

// Norms and rotates the heads of one row (width). turns (rope_dim), or NULL: nothing is rotated.
static void prepare_heads(const li_model *model, const li_vector *weight, const float *turns, float *heads,
                          uint32_t width)
{
    LI_ASSERT(width % model->config.head_dim == 0);
    const li_model_config *config = &model->config;
    const uint32_t traits = model->graph.family->traits;
    if (!(traits & LI_ROPE_BEFORE_NORM)) norm_heads(model, weight, heads, width);
    if (turns)
        li_rope_apply(heads, width / config->head_dim, config->head_dim, turns, config->rope_dim / 2,
                      traits & LI_HALVES);
    if (traits & LI_ROPE_BEFORE_NORM) norm_heads(model, weight, heads, width);
}

// Copies the key heads (kv_heads, head_dim) and value heads (kv_heads, value_dim) of one row into a slot.
static void keep_heads(li_cache *cache, uint32_t place, uint32_t slot, const float *keys, const float *values)
{
    LI_ASSERT(place < cache->layers && cache->owners[slot]);
    for (uint32_t head = 0; head < cache->heads; head++, keys += cache->head_dim, values += cache->value_dim) {
        uint8_t *key = li_cache_row(cache, li_cache_keys_at(cache, place, head), slot, cache->key_size);
        uint8_t *value = li_cache_row(cache, li_cache_values_at(cache, place, head), slot, cache->value_size);
        cache->has_nan |= !li_cache_row_write(cache->type, key, keys, cache->head_dim);
        cache->has_nan |= !li_cache_row_write(cache->type, value, values, cache->value_dim);
    }
}

static void multiply_heads(li_model *model, const li_layer *layer, li_input *input, uint32_t count)
{
    LI_ASSERT(layer->query.rows == model->query_rows);
    li_model_scratch *scratch = &model->scratch;
    float *queries = layer->query.rows == model->query_width ? scratch->queries : scratch->gate;
    const li_product products[] = {
        {&layer->query, queries}, {&layer->key, scratch->keys}, {&layer->value, scratch->values}};
    li_matrices_multiply(products, 3, input, count);
    add_bias(&layer->query_bias, queries, count);
    add_bias(&layer->key_bias, scratch->keys, count);
    add_bias(&layer->value_bias, scratch->values, count);
}

typedef struct heads_job {
    li_model *model;
    const li_layer *layer;
    const float *turns; // (rows, rope_dim), or NULL
} heads_job;

// Copies the queries of a row, which are interleaved with the gates, to scratch.queries.
static void split_gates(const li_model *model, size_t row)
{
    LI_ASSERT(model->query_rows == 2 * model->query_width);
    const size_t head_dim = model->config.head_dim;
    const float *both = model->scratch.gate + row * model->query_rows;
    float *queries = model->scratch.queries + row * model->query_width;
    for (size_t at = 0; at < model->query_width; at += head_dim)
        memcpy(queries + at, both + 2 * at, head_dim * sizeof(float));
}

// Gates the output of attention, out (count, mix_width).
static void gate_output(const li_model *model, float *out, uint32_t count)
{
    LI_ASSERT(model->config.head_dim == model->config.value_dim);
    const uint32_t head_dim = model->config.head_dim;
    const float *both = model->scratch.gate + head_dim;
    for (size_t i = 0; i < (size_t)count * model->config.heads; i++)
        li_vector_gate(out + i * head_dim, both + 2 * i * head_dim, head_dim);
}

static void prepare_rows(const void *context, uint32_t first, uint32_t end)
{
    const heads_job *job = context;
    const li_model *model = job->model;
    const li_model_scratch *scratch = &model->scratch;
    for (size_t i = first; i < end; i++) {
        const float *turns = job->turns ? job->turns + i * model->config.rope_dim : NULL;
        if (job->layer->query.rows > model->query_width) split_gates(model, i);
        prepare_heads(model, &job->layer->query_norm, turns, scratch->queries + i * model->query_width,
                      model->query_width);
        prepare_heads(model, &job->layer->key_norm, turns, scratch->keys + i * model->key_width, model->key_width);
    }
}

void li_layer_set_turns(li_model *model, uint32_t row, uint32_t position)
{
    LI_ASSERT(row < model->scratch.batch);
    const li_graph *graph = &model->graph;
    const uint32_t rope_dim = model->config.rope_dim;
    const size_t at = (size_t)row * rope_dim;
    li_rope_turns(model->frequencies, rope_dim / 2, position, graph->rope.magnitude, model->scratch.turns + at);
    if (graph->window)
        li_rope_turns(model->window_frequencies, rope_dim / 2, position, graph->window_rope.magnitude,
                      model->scratch.window_turns + at);
}

void li_layer_heads(li_model *model, uint32_t layer_index, uint32_t count)
{
    LI_ASSERT(layer_index < model->weights.layer_count);
    LI_ASSERT(model->weights.layers[layer_index].mixer == LI_MIXER_ATTENTION);
    const li_graph *graph = &model->graph;
    const li_layer *layer = &model->weights.layers[layer_index];
    const li_model_scratch *scratch = &model->scratch;
    li_input *input = graph->features
                          ? li_layer_join(model, &layer->attention_norm, &layer->state_norm, count)
                          : li_layer_norm(model, &layer->attention_norm, &layer->attention_norm_bias, count);
    multiply_heads(model, layer, input, count);
    const float *turns = li_layer_slides(graph, layer_index) ? scratch->window_turns : scratch->turns;
    const heads_job heads = {model, layer, li_is_before_last(layer_index, graph->rope_period) ? turns : NULL};
    li_parallel_for(count, ROWS_OF_PIECE, prepare_rows, &heads);
}

// Writes the output of attention to scratch.delta.
static void attention_block(li_model *model, uint32_t layer_index, const li_row *rows, uint32_t count)
{
    const li_layer *layer = &model->weights.layers[layer_index];
    li_model_scratch *scratch = &model->scratch;
    li_layer_heads(model, layer_index, count);
    const bool slides = li_layer_slides(&model->graph, layer_index);
    li_cache *cache = slides ? &model->window_cache : &model->cache;
    const uint32_t *slots = slides ? scratch->window_slots : scratch->slots;
    for (size_t i = 0; i < count; i++)
        keep_heads(cache, layer->place, slots[i], scratch->keys + i * model->key_width,
                   scratch->values + i * model->value_width);
    li_input *input = li_layer_next_input(model, model->mix_width);
    const uint32_t window = li_layer_window(&model->graph, layer_index);
    li_attend(&(li_attention){model, cache, layer->place, window, rows, count, scratch->queries, input->values});
    if (layer->query.rows > model->query_width) gate_output(model, input->values, count);
    multiply(&layer->attention_output, &layer->attention_output_bias, input, count, scratch->delta);
}

// ---- the feed forward block --------------------------------------------------------------------------

static void multiply_hidden(li_model *model, const li_layer *layer, li_input *input, uint32_t count)
{
    const li_product products[] = {{&layer->up, model->scratch.up}, {&layer->gate, model->scratch.gate}};
    li_matrices_multiply(products, layer->gate.rows ? 2 : 1, input, count);
}

typedef struct gate_job {
    li_model *model;
    bool is_gated;
} gate_job;

// Writes the input of the last product of the block: activation(gate) * up, or without a gate activation(up).
static void gate_rows(const void *context, uint32_t first, uint32_t end)
{
    const gate_job *job = context;
    const li_model *model = job->model;
    const uint32_t hidden_dim = model->config.hidden_dim, numbers = (end - first) * hidden_dim;
    const size_t at = (size_t)first * hidden_dim;
    float *gate = model->scratch.gate + at, *up = model->scratch.up + at, *out = model->scratch.input.values + at;
    if (!(model->graph.family->traits & LI_GELU)) {
        li_vector_swiglu(out, gate, up, numbers);
        return;
    }
    li_vector_gelu(job->is_gated ? gate : up, numbers);
    memcpy(out, up, numbers * sizeof(float));
    if (job->is_gated) li_vector_multiply(out, gate, numbers);
}

// Writes the output of the block to scratch.delta.
static void feed_forward_block(li_model *model, const li_layer *layer, li_input *input, uint32_t count)
{
    LI_ASSERT(layer->up.rows == model->config.hidden_dim && (!layer->gate.rows || layer->gate.rows == layer->up.rows));
    li_model_scratch *scratch = &model->scratch;
    const bool is_gated = layer->gate.rows;
    multiply_hidden(model, layer, input, count);
    if (is_gated) add_bias(&layer->gate_bias, scratch->gate, count);
    add_bias(&layer->up_bias, scratch->up, count);
    input = li_layer_next_input(model, model->config.hidden_dim);
    const gate_job job = {model, is_gated};
    li_parallel_for(count, ROWS_OF_PIECE, gate_rows, &job);
    multiply(&layer->down, &layer->down_bias, input, count, scratch->delta);
}

void li_layer_forward(li_model *model, uint32_t layer_index, const li_row *rows, uint32_t count)
{
    LI_ASSERT(layer_index < model->weights.layer_count && count && count <= model->scratch.batch);
    const li_layer *layer = &model->weights.layers[layer_index];
    const bool is_parallel = model->graph.is_parallel;
    if (layer->mixer == LI_MIXER_CONVOLUTION)
        li_short_convolution(model, layer, rows, count);
    else if (layer->mixer == LI_MIXER_DELTA_NET)
        li_delta_net(model, layer, rows, count);
    else
        attention_block(model, layer_index, rows, count);
    if (!is_parallel) add_delta(model, &layer->attention_post_norm, count);
    li_input *input = li_layer_norm(model, &layer->ffn_norm, &layer->ffn_norm_bias, count);
    if (is_parallel) add_delta(model, &layer->attention_post_norm, count);
    feed_forward_block(model, layer, input, count);
    add_delta(model, &layer->ffn_post_norm, count);
}

#ifdef LI_THREADS

// An input of zeros.
static li_input *zero_input(li_model *model, uint32_t columns)
{
    li_input *input = li_layer_next_input(model, columns);
    memset(input->values, 0, columns * sizeof(float));
    return input;
}

void li_layer_try_products(li_model *model, uint32_t layer_index)
{
    const li_layer *layer = &model->weights.layers[layer_index];
    float *delta = model->scratch.delta;
    if (layer->mixer == LI_MIXER_ATTENTION) {
        multiply_heads(model, layer, zero_input(model, layer->query.columns), 1);
        li_matrix_multiply(&layer->attention_output, zero_input(model, model->mix_width), 1, delta);
    } else {
        const li_matrix *first[] = {&layer->in_gate, &layer->out_gate, &layer->convolved, &layer->mixed};
        for (uint32_t i = 0; i < sizeof first / sizeof *first; i++)
            if (first[i]->rows)
                li_matrix_multiply(first[i], zero_input(model, first[i]->columns), 1, model->scratch.gate);
        li_matrix_multiply(&layer->mixer_output, zero_input(model, layer->mixer_output.columns), 1, delta);
    }
    multiply_hidden(model, layer, zero_input(model, model->config.dim), 1);
    li_matrix_multiply(&layer->down, zero_input(model, model->config.hidden_dim), 1, delta);
}

#endif
