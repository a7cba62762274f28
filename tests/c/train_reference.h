// The transformer that learns, written apart in double: one position at a time, as the papers have it.
#ifndef TRAIN_REFERENCE_H
#define TRAIN_REFERENCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "train/gradients.h"
#include "train/trainer.h"

// Weight i of a view, moved: the values are doubles here, at the places that the floats have in the trainer.
typedef struct train_reference {
    const li_trainer *trainer;
    double *values; // (weight_count)
} train_reference;

static const double *reference_view(const train_reference *reference, const float *view)
{
    return reference->values + (view - reference->trainer->values);
}

static void reference_apply(double *out, const double *in, const double *weights, uint32_t width, uint32_t depth)
{
    for (uint32_t i = 0; i < width; i++) {
        out[i] = 0;
        for (uint32_t k = 0; k < depth; k++) out[i] += weights[i * depth + k] * in[k];
    }
}

static void reference_norm(double *out, const double *x, const double *weight, uint32_t width)
{
    double mean = 0;
    for (uint32_t i = 0; i < width; i++) mean += x[i] * x[i] / width;
    for (uint32_t i = 0; i < width; i++) out[i] = x[i] / sqrt(mean + (double)LI_TRAIN_EPSILON) * weight[i];
}

// Pair i of a head turns by position * 10000^(-2i / head_dim).
static void reference_turn(double *head, uint32_t head_dim, uint32_t position)
{
    for (uint32_t i = 0; i < head_dim / 2; i++) {
        const double angle = position * pow(10000, -2.0 * i / head_dim), x = head[2 * i], y = head[2 * i + 1];
        head[2 * i] = x * cos(angle) - y * sin(angle);
        head[2 * i + 1] = x * sin(angle) + y * cos(angle);
    }
}

// Attention of row t; mixed (t + 1, 3 * dim) has turned queries and keys.
static void reference_attend(double *out, const double *mixed, const li_trainer *trainer, uint32_t t)
{
    const uint32_t dim = trainer->shape.dim, head_dim = trainer->head_dim;
    for (uint32_t head = 0; head < trainer->shape.heads; head++) {
        const double *query = mixed + (size_t)t * 3 * dim + head * head_dim;
        double sum = 0, *to = out + head * head_dim;
        memset(to, 0, head_dim * sizeof *to);
        for (uint32_t j = 0; j <= t; j++) {
            const double *key = mixed + (size_t)j * 3 * dim + dim + head * head_dim, *value = key + dim;
            double score = 0;
            for (uint32_t i = 0; i < head_dim; i++) score += query[i] * key[i];
            const double power = exp(score / sqrt(head_dim));
            sum += power;
            for (uint32_t i = 0; i < head_dim; i++) to[i] += power * value[i];
        }
        for (uint32_t i = 0; i < head_dim; i++) to[i] /= sum;
    }
}

// One layer over `stream` (context, dim), in place.
static void reference_layer(const train_reference *reference, const li_train_layer *layer, double *stream)
{
    const li_trainer *trainer = reference->trainer;
    const uint32_t dim = trainer->shape.dim, hidden = trainer->shape.hidden, context = trainer->shape.context;
    double *mixed = malloc((size_t)context * 3 * dim * sizeof *mixed);
    double *row = malloc((size_t)(3 * dim + 3 * hidden) * sizeof *row), *gates = row + 3 * dim,
           *gated = gates + 2 * hidden;
    for (uint32_t t = 0; t < context; t++) {
        double *x = stream + (size_t)t * dim, *to = mixed + (size_t)t * 3 * dim;
        reference_norm(row, x, reference_view(reference, layer->norm), dim);
        reference_apply(to, row, reference_view(reference, layer->mixed), 3 * dim, dim);
        for (uint32_t head = 0; head < 2 * trainer->shape.heads; head++)
            reference_turn(to + head * trainer->head_dim, trainer->head_dim, t);
        reference_attend(row, mixed, trainer, t);
        reference_apply(row + dim, row, reference_view(reference, layer->out), dim, dim);
        for (uint32_t i = 0; i < dim; i++) x[i] += row[dim + i];
        reference_norm(row, x, reference_view(reference, layer->gated_norm), dim);
        reference_apply(gates, row, reference_view(reference, layer->gates), 2 * hidden, dim);
        for (uint32_t i = 0; i < hidden; i++) gated[i] = gates[i] / (1 + exp(-gates[i])) * gates[hidden + i];
        reference_apply(row, gated, reference_view(reference, layer->down), dim, hidden);
        for (uint32_t i = 0; i < dim; i++) x[i] += row[i];
    }
    free(row);
    free(mixed);
}

// logits (context, vocab_size) after each of tokens (context).
static void reference_logits(const train_reference *reference, const uint16_t *tokens, double *logits)
{
    const li_trainer *trainer = reference->trainer;
    const uint32_t dim = trainer->shape.dim, context = trainer->shape.context, count = trainer->shape.vocab_size;
    const double *embedding = reference_view(reference, trainer->weights.embedding);
    double *stream = malloc((size_t)(context + 1) * dim * sizeof *stream), *normed = stream + (size_t)context * dim;
    for (uint32_t t = 0; t < context; t++)
        memcpy(stream + (size_t)t * dim, embedding + (size_t)tokens[t] * dim, dim * sizeof *stream);
    for (uint32_t i = 0; i < trainer->shape.layers; i++)
        reference_layer(reference, &trainer->weights.layers[i], stream);
    for (uint32_t t = 0; t < context; t++) {
        reference_norm(normed, stream + (size_t)t * dim, reference_view(reference, trainer->weights.norm), dim);
        reference_apply(logits + (size_t)t * count, normed, embedding, count, dim);
    }
    free(stream);
}

// The mean loss over sequences that begin at `starts` (batch) of the trainer's text.
static double reference_loss(const train_reference *reference, const size_t *starts)
{
    const li_trainer_shape *shape = &reference->trainer->shape;
    double *logits = malloc((size_t)shape->context * shape->vocab_size * sizeof *logits), loss = 0;
    for (uint32_t i = 0; i < shape->batch; i++) {
        const uint16_t *tokens = reference->trainer->text + starts[i];
        reference_logits(reference, tokens, logits);
        for (uint32_t t = 0; t < shape->context; t++) {
            const double *row = logits + (size_t)t * shape->vocab_size;
            double sum = 0;
            for (uint32_t v = 0; v < shape->vocab_size; v++) sum += exp(row[v]);
            loss += log(sum) - row[tokens[t + 1]];
        }
    }
    free(logits);
    return loss / (shape->batch * shape->context);
}

#endif
