#include "train/trainer.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/rope.h"
#include "train/gradients.h"

#define ROPE_BASE 10000.0

// Floats of one block of memory, taken one after the other. Without memory they are only counted.
typedef struct room {
    float *memory;
    size_t used;
} room;

// Rounded up to 16 bytes.
static float *take(room *from, size_t count)
{
    float *taken = from->memory ? from->memory + from->used : NULL;
    from->used += (count + 3) & ~(size_t)3;
    return taken;
}

static void take_weights(const li_trainer *trainer, room *from, li_train_weights *weights)
{
    const size_t dim = trainer->shape.dim, hidden = trainer->shape.hidden;
    weights->embedding = take(from, trainer->padded * dim);
    for (uint32_t i = 0; i < trainer->shape.layers; i++) {
        li_train_layer *layer = &weights->layers[i];
        layer->mixed = take(from, 3 * dim * dim);
        layer->out = take(from, dim * dim);
        layer->gates = take(from, 2 * hidden * dim);
        layer->down = take(from, dim * hidden);
    }
    for (uint32_t i = 0; i < trainer->shape.layers; i++) {
        weights->layers[i].norm = take(from, dim);
        weights->layers[i].gated_norm = take(from, dim);
    }
    weights->norm = take(from, dim);
}

static void take_trace(const li_trainer_shape *shape, room *from, li_train_trace *trace)
{
    const size_t rows = shape->context, dim = shape->dim, hidden = shape->hidden;
    trace->input = take(from, rows * dim);
    trace->normed = take(from, rows * dim);
    trace->scales = take(from, rows);
    trace->mixed = take(from, rows * 3 * dim);
    trace->shares = take(from, shape->heads * rows * rows);
    trace->attended = take(from, rows * dim);
    trace->middle = take(from, rows * dim);
    trace->gated_normed = take(from, rows * dim);
    trace->gated_scales = take(from, rows);
    trace->gates = take(from, rows * 2 * hidden);
    trace->gated = take(from, rows * hidden);
}

// Takes all arrays; returns how many floats they are.
static size_t take_all(li_trainer *trainer)
{
    const li_trainer_shape *shape = &trainer->shape;
    const size_t rows = shape->context, dim = shape->dim, hidden = shape->hidden;
    room from = {trainer->memory, 0};
    trainer->values = take(&from, 0);
    take_weights(trainer, &from, &trainer->weights);
    trainer->weight_count = (uint32_t)from.used;
    trainer->matrix_count = (uint32_t)(from.used - (2 * shape->layers + 1) * dim);
    trainer->gradient_values = take(&from, 0);
    take_weights(trainer, &from, &trainer->gradients);
    trainer->first_moments = take(&from, trainer->weight_count);
    trainer->second_moments = take(&from, trainer->weight_count);
    take_weights(trainer, &from, &trainer->transposed);
    for (uint32_t i = 0; i < shape->layers; i++) take_trace(shape, &from, &trainer->traces[i]);
    trainer->output = take(&from, rows * dim);
    trainer->normed = take(&from, rows * dim);
    trainer->scales = take(&from, rows);
    trainer->logits = take(&from, rows * trainer->padded);
    trainer->stream = take(&from, rows * dim);
    trainer->wide = take(&from, rows * 3 * (hidden > dim ? hidden : dim));
    trainer->narrow = take(&from, rows * dim);
    trainer->turned = take(&from, rows * trainer->head_dim);
    trainer->square = take(&from, rows * rows);
    trainer->turns = take(&from, rows * trainer->head_dim);
    trainer->turns_back = take(&from, rows * trainer->head_dim);
    return from.used;
}

static bool is_possible(const li_trainer_shape *shape)
{
    const bool is_small = shape->vocab_size && shape->vocab_size <= LI_TRAIN_VOCABULARY && shape->layers &&
                          shape->layers <= LI_TRAIN_LAYERS && shape->dim && shape->dim <= 512 && shape->hidden &&
                          shape->hidden <= 2048 && shape->context && shape->context <= 512 && shape->batch &&
                          shape->batch <= 256 && shape->heads && shape->heads <= 64;
    return is_small && shape->context % 16 == 0 && shape->hidden % 4 == 0 && shape->dim % (4 * shape->heads) == 0;
}

// Uniform numbers of the given deviation.
static void scatter(const li_trainer *trainer, float *values, size_t count, double deviation)
{
    const double width = deviation * 3.4641016151377544; // sqrt(12)
    const uint32_t first = (uint32_t)(values - trainer->values);
    for (uint32_t i = 0; i < count; i++) {
        const double uniform = li_random_uniform(trainer->seed, 0, 0, LI_RANDOM_WEIGHT, first + i);
        values[i] = (float)((uniform - 0.5) * width);
    }
}

static void fill(float *values, uint32_t count, float value)
{
    for (uint32_t i = 0; i < count; i++) values[i] = value;
}

// Matrices of deviation 1 / sqrt(4 dim); those that add to the residual stream are smaller by the root of their number
// (Radford et al., "Language models are unsupervised multitask learners", 2019).
static void begin_weights(li_trainer *trainer)
{
    const size_t dim = trainer->shape.dim, hidden = trainer->shape.hidden;
    const double deviation = 0.5 / __builtin_sqrt((double)dim);
    const double added = deviation / __builtin_sqrt(2.0 * trainer->shape.layers);
    scatter(trainer, trainer->weights.embedding, trainer->shape.vocab_size * dim, deviation);
    for (uint32_t i = 0; i < trainer->shape.layers; i++) {
        const li_train_layer *layer = &trainer->weights.layers[i];
        scatter(trainer, layer->mixed, 3 * dim * dim, deviation);
        scatter(trainer, layer->out, dim * dim, added);
        scatter(trainer, layer->gates, 2 * hidden * dim, deviation);
        scatter(trainer, layer->down, dim * hidden, added);
    }
    fill(trainer->values + trainer->matrix_count, trainer->weight_count - trainer->matrix_count, 1);
}

static void begin_turns(li_trainer *trainer)
{
    const uint32_t pairs = trainer->head_dim / 2;
    double frequencies[256];
    LI_ASSERT(pairs <= 256);
    const li_rope_scaling scaling = {.base = ROPE_BASE, .factor = 1, .pairs = pairs};
    li_rope_frequencies(frequencies, &scaling, NULL);
    for (uint32_t row = 0; row < trainer->shape.context; row++) {
        float *turns = trainer->turns + (size_t)row * trainer->head_dim;
        float *back = trainer->turns_back + (size_t)row * trainer->head_dim;
        li_rope_turns(frequencies, pairs, row, 1, turns);
        for (uint32_t i = 0; i < pairs; i++) {
            back[2 * i] = turns[2 * i];
            back[2 * i + 1] = -turns[2 * i + 1];
        }
    }
}

li_trainer *li_trainer_create(const li_trainer_shape *shape, uint64_t seed, li_status *status)
{
    *status = LI_ERROR_BAD_ARGUMENT;
    if (!is_possible(shape)) return NULL;
    *status = LI_ERROR_OUT_OF_MEMORY;
    li_trainer *trainer = li_memory_alloc(sizeof *trainer);
    if (!trainer) return NULL;
    trainer->shape = *shape;
    trainer->seed = seed;
    trainer->head_dim = shape->dim / shape->heads;
    trainer->padded = (shape->vocab_size + 3) & ~3u;
    const size_t floats = take_all(trainer);
    trainer->memory = floats <= LI_TRAIN_MEMORY / sizeof(float) ? li_memory_alloc(floats * sizeof(float)) : NULL;
    if (!trainer->memory) {
        li_trainer_destroy(trainer);
        return NULL;
    }
    take_all(trainer);
    begin_weights(trainer);
    begin_turns(trainer);
    *status = LI_OK;
    return trainer;
}

void li_trainer_destroy(li_trainer *trainer)
{
    if (!trainer) return;
    li_memory_free(trainer->text);
    li_memory_free(trainer->memory);
    li_memory_free(trainer);
}

li_status li_trainer_read(li_trainer *trainer, const uint16_t *tokens, size_t length)
{
    const size_t window = trainer->shape.context + 1, held_out = length / 10 > window ? length / 10 : window;
    if (length < 2 * window) return LI_ERROR_BAD_ARGUMENT;
    for (size_t i = 0; i < length; i++)
        if (tokens[i] >= trainer->shape.vocab_size) return LI_ERROR_BAD_ARGUMENT;
    uint16_t *text = li_memory_alloc(length * sizeof *text);
    if (!text) return LI_ERROR_OUT_OF_MEMORY;
    memcpy(text, tokens, length * sizeof *text);
    li_memory_free(trainer->text);
    trainer->text = text;
    trainer->length = length;
    trainer->learned = length - held_out;
    return LI_OK;
}

// Runs the window that begins at `first`; the logits become gradients. The sum of its losses.
static double run_window(li_trainer *trainer, size_t first, float factor)
{
    const uint16_t *tokens = trainer->text + first;
    li_trainer_forward(trainer, tokens);
    const li_targets targets = {.rows = trainer->shape.context,
                                .width = trainer->padded,
                                .count = trainer->shape.vocab_size,
                                .targets = tokens + 1,
                                .factor = factor};
    return li_cross_entropy(&targets, trainer->logits);
}

double li_trainer_differentiate(li_trainer *trainer)
{
    const li_trainer_shape *shape = &trainer->shape;
    const uint32_t rows = shape->context * shape->batch;
    memset(trainer->gradient_values, 0, trainer->weight_count * sizeof(float));
    li_trainer_transpose(trainer);
    double loss = 0;
    for (uint32_t i = 0; i < shape->batch; i++) {
        const double u = li_random_uniform(trainer->seed, 0, trainer->steps, LI_RANDOM_WINDOW, i);
        const size_t first = (size_t)(u * (double)(trainer->learned - shape->context));
        loss += run_window(trainer, first, 1 / (float)rows);
        li_trainer_backward(trainer, trainer->text + first);
    }
    return loss / rows;
}

li_status li_trainer_step(li_trainer *trainer, double learning_rate, double *loss)
{
    if (!trainer->text) return LI_ERROR_BAD_STATE;
    if (!(learning_rate >= 0) || learning_rate > 10) return LI_ERROR_BAD_ARGUMENT;
    *loss = li_trainer_differentiate(trainer);
    li_trainer_update(trainer, (float)learning_rate);
    trainer->steps++;
    return LI_OK;
}

li_status li_trainer_evaluate(li_trainer *trainer, uint32_t windows, double *loss)
{
    if (!trainer->text) return LI_ERROR_BAD_STATE;
    if (!windows) return LI_ERROR_BAD_ARGUMENT;
    li_trainer_transpose(trainer);
    const size_t starts = trainer->length - trainer->learned - trainer->shape.context;
    double sum = 0;
    for (uint32_t i = 0; i < windows; i++) sum += run_window(trainer, trainer->learned + starts * i / windows, 0);
    *loss = sum / ((double)windows * trainer->shape.context);
    return LI_OK;
}

const float *li_trainer_logits(li_trainer *trainer, const uint16_t *tokens, uint32_t count)
{
    if (!count || count > trainer->shape.context) return NULL;
    uint16_t padded[512] = {0}; // rows behind the last one do not reach it
    for (uint32_t i = 0; i < count; i++) {
        if (tokens[i] >= trainer->shape.vocab_size) return NULL;
        padded[i] = tokens[i];
    }
    li_trainer_transpose(trainer);
    li_trainer_forward(trainer, padded);
    return trainer->logits + (size_t)(count - 1) * trainer->padded;
}

const float *li_trainer_weights(const li_trainer *trainer)
{
    return trainer->values;
}
