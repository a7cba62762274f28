// One sequence through the transformer and back.
#include <string.h>

#include "base/assert.h"
#include "base/simd.h"
#include "model/rope.h"
#include "train/gradients.h"
#include "train/product.h"
#include "train/trainer.h"

// out (rows, width) = in (rows, depth) times the transpose of weights (width, depth), which `transposed` is.
static void apply(float *out, const float *in, const float *transposed, uint32_t rows, uint32_t depth, uint32_t width)
{
    li_product_run(&(li_product){.a = in,
                                 .a_row = depth,
                                 .a_step = 1,
                                 .b = transposed,
                                 .b_row = width,
                                 .c = out,
                                 .c_row = width,
                                 .rows = rows,
                                 .columns = width,
                                 .depth = depth});
}

// A matrix of weights, backward: in (rows, depth) gave out (rows, width).
typedef struct matrix {
    const float *weights; // (width, depth)
    float *gradients;     // (width, depth) are added to
    const float *in;      // (rows, depth)
    uint32_t rows, depth, width;
} matrix;

// in_gradient (rows, depth) is overwritten.
static void apply_back(const matrix *m, const float *out_gradient, float *in_gradient)
{
    li_product_run(&(li_product){.a = out_gradient,
                                 .a_row = m->width,
                                 .a_step = 1,
                                 .b = m->weights,
                                 .b_row = m->depth,
                                 .c = in_gradient,
                                 .c_row = m->depth,
                                 .rows = m->rows,
                                 .columns = m->depth,
                                 .depth = m->width});
    li_product_run(&(li_product){.a = out_gradient,
                                 .a_row = 1,
                                 .a_step = m->width,
                                 .b = m->in,
                                 .b_row = m->depth,
                                 .c = m->gradients,
                                 .c_row = m->depth,
                                 .rows = m->width,
                                 .columns = m->depth,
                                 .depth = m->rows,
                                 .adds = true});
}

static void add(float *x, const float *y, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 4)
        li_f32x4_store(x + i, li_f32x4_add(li_f32x4_load(x + i), li_f32x4_load(y + i)));
}

// Turns queries and keys of each row by its position, or back.
static void turn(const li_trainer *trainer, float *mixed, const float *turns)
{
    const li_trainer_shape *shape = &trainer->shape;
    for (uint32_t row = 0; row < shape->context; row++, mixed += 3 * shape->dim, turns += trainer->head_dim)
        li_rope_apply(mixed, 2 * shape->heads, trainer->head_dim, turns, trainer->head_dim / 2, false);
}

static li_causal attention_of(const li_trainer *trainer, const li_train_trace *trace)
{
    return (li_causal){.rows = trainer->shape.context,
                       .heads = trainer->shape.heads,
                       .head_dim = trainer->head_dim,
                       .mixed = trace->mixed,
                       .shares = trace->shares,
                       .turned = trainer->turned,
                       .square = trainer->square};
}

static li_norm norm_of(const li_trainer *trainer, const float *x, const float *weight, float *scales)
{
    return (li_norm){trainer->shape.context, trainer->shape.dim, x, weight, scales};
}

// to: the residual stream after the layer.
static void run_layer(li_trainer *trainer, uint32_t index, float *to)
{
    const li_train_layer *weights = &trainer->weights.layers[index], *turned = &trainer->transposed.layers[index];
    const li_train_trace *trace = &trainer->traces[index];
    const uint32_t rows = trainer->shape.context, dim = trainer->shape.dim, hidden = trainer->shape.hidden;
    const li_norm norm = norm_of(trainer, trace->input, weights->norm, trace->scales);
    li_norm_forward(&norm, trace->normed);
    apply(trace->mixed, trace->normed, turned->mixed, rows, dim, 3 * dim);
    turn(trainer, trace->mixed, trainer->turns);
    const li_causal attention = attention_of(trainer, trace);
    li_causal_forward(&attention, trace->attended);
    apply(trace->middle, trace->attended, turned->out, rows, dim, dim);
    add(trace->middle, trace->input, rows * dim);

    const li_norm second = norm_of(trainer, trace->middle, weights->gated_norm, trace->gated_scales);
    li_norm_forward(&second, trace->gated_normed);
    apply(trace->gates, trace->gated_normed, turned->gates, rows, dim, 2 * hidden);
    li_gated_forward(trace->gated, trace->gates, rows, hidden);
    apply(to, trace->gated, turned->down, rows, hidden, dim);
    add(to, trace->middle, rows * dim);
}

// trainer->stream: the gradient after the layer, which becomes that before it.
static void run_layer_back(li_trainer *trainer, uint32_t index)
{
    const li_train_layer *weights = &trainer->weights.layers[index], *gradients = &trainer->gradients.layers[index];
    const li_train_trace *trace = &trainer->traces[index];
    const uint32_t rows = trainer->shape.context, dim = trainer->shape.dim, hidden = trainer->shape.hidden;
    float *stream = trainer->stream, *narrow = trainer->narrow;
    float *wide = trainer->wide, *wider = wide + (size_t)rows * hidden;

    apply_back(&(matrix){weights->down, gradients->down, trace->gated, rows, hidden, dim}, stream, wide);
    li_gated_backward(wider, trace->gates, wide, rows, hidden);
    apply_back(&(matrix){weights->gates, gradients->gates, trace->gated_normed, rows, dim, 2 * hidden}, wider, narrow);
    const li_norm second = norm_of(trainer, trace->middle, weights->gated_norm, trace->gated_scales);
    li_norm_backward(&second, narrow, stream, gradients->gated_norm);

    apply_back(&(matrix){weights->out, gradients->out, trace->attended, rows, dim, dim}, stream, narrow);
    const li_causal attention = attention_of(trainer, trace);
    li_causal_backward(&attention, narrow, wide);
    turn(trainer, wide, trainer->turns_back);
    apply_back(&(matrix){weights->mixed, gradients->mixed, trace->normed, rows, dim, 3 * dim}, wide, narrow);
    const li_norm norm = norm_of(trainer, trace->input, weights->norm, trace->scales);
    li_norm_backward(&norm, narrow, stream, gradients->norm);
}

void li_trainer_forward(li_trainer *trainer, const uint16_t *tokens)
{
    const li_trainer_shape *shape = &trainer->shape;
    const uint32_t rows = shape->context, dim = shape->dim;
    for (uint32_t row = 0; row < rows; row++) {
        LI_ASSERT(tokens[row] < shape->vocab_size);
        const float *embedding = trainer->weights.embedding + (size_t)tokens[row] * dim;
        memcpy(trainer->traces[0].input + (size_t)row * dim, embedding, dim * sizeof *embedding);
    }
    for (uint32_t i = 0; i < shape->layers; i++)
        run_layer(trainer, i, i + 1 < shape->layers ? trainer->traces[i + 1].input : trainer->output);
    const li_norm norm = norm_of(trainer, trainer->output, trainer->weights.norm, trainer->scales);
    li_norm_forward(&norm, trainer->normed);
    apply(trainer->logits, trainer->normed, trainer->transposed.embedding, rows, dim, trainer->padded);
}

void li_trainer_backward(li_trainer *trainer, const uint16_t *tokens)
{
    const li_trainer_shape *shape = &trainer->shape;
    const uint32_t rows = shape->context, dim = shape->dim;
    float *embedding = trainer->gradients.embedding;
    const matrix head = {trainer->weights.embedding, embedding, trainer->normed, rows, dim, trainer->padded};
    apply_back(&head, trainer->logits, trainer->narrow);
    memset(trainer->stream, 0, (size_t)rows * dim * sizeof *trainer->stream);
    const li_norm norm = norm_of(trainer, trainer->output, trainer->weights.norm, trainer->scales);
    li_norm_backward(&norm, trainer->narrow, trainer->stream, trainer->gradients.norm);
    for (uint32_t i = shape->layers; i-- > 0;) run_layer_back(trainer, i);
    for (uint32_t row = 0; row < rows; row++)
        add(embedding + (size_t)tokens[row] * dim, trainer->stream + (size_t)row * dim, dim);
}

void li_trainer_transpose(li_trainer *trainer)
{
    const uint32_t dim = trainer->shape.dim, hidden = trainer->shape.hidden;
    const li_train_weights *from = &trainer->weights, *to = &trainer->transposed;
    li_transpose(to->embedding, from->embedding, dim, trainer->padded, dim);
    for (uint32_t i = 0; i < trainer->shape.layers; i++) {
        const li_train_layer *layer = &from->layers[i], *turned = &to->layers[i];
        li_transpose(turned->mixed, layer->mixed, dim, 3 * dim, dim);
        li_transpose(turned->out, layer->out, dim, dim, dim);
        li_transpose(turned->gates, layer->gates, dim, 2 * hidden, dim);
        li_transpose(turned->down, layer->down, hidden, dim, hidden);
    }
}
