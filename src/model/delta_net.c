// The state of each head is a matrix S (values, keys), at first 0. A row with query q, key k and value v updates the
// state and reads its output from the state:
//   S <- a S;  S <- S + b (v - S k) k^T;  output = S q / sqrt(width)
// a is the decay and b the write strength. q, k and v have passed a short convolution and SiLU; q and k have unit
// length. The output is normed and gated. Source: Yang et al., "Gated delta networks", 2025. The layout of the weights
// is llama.cpp's.
#include "model/delta_net.h"

#include <string.h>

#include "base/assert.h"
#include "base/exp.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "model/layer.h"
#include "model/multiply.h"
#include "model/vector.h"

// Multiply-adds of one piece of work for a thread, as in attention.c.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 65536u
#endif
#define ROWS_MOST (LI_TAPS_MOST + LI_ROWS_TENTATIVE + LI_ROWS_LIMIT)
#define NO_OUTPUT UINT32_MAX // in `places`: a row of an earlier call, which needs no output

// The rows of one sequence in a batch, in one layer.
typedef struct span {
    const li_model *model;
    const li_layer *layer;
    float *matrices;  // (delta_heads, delta_width, delta_width) of the state
    uint32_t first;   // rows before only feed the convolution
    uint32_t settled; // rows before update the state for good
    uint32_t end;
    const float *mixed[ROWS_MOST]; // (end; mixed_width) products of each row
    const float *rates[ROWS_MOST]; // (end; 2, delta_heads) write strengths, then decays
    uint32_t places[ROWS_MOST];    // (end) the row of the batch, or NO_OUTPUT
} span;

// ---- one head ----------------------------------------------------------------------------------------

// out = SiLU of the convolution of channels `first` to first + width - 1 over the rows that end with `row`.
static void convolve(const span *span, uint32_t row, uint32_t first, float *out)
{
    LI_ASSERT(row + 1 >= span->model->graph.taps && row < span->end);
    const uint32_t taps = span->model->graph.taps, width = span->model->graph.delta_width;
    const float *const *rows = span->mixed + row + 1 - taps;
    const float *weights = span->layer->taps.values + (size_t)first * taps;
    memset(out, 0, width * sizeof(float));
    for (uint32_t tap = 0; tap < taps; tap++) {
        const float *inputs = rows[tap] + first;
        for (uint32_t i = 0; i < width; i++) out[i] += weights[i * taps + tap] * inputs[i];
    }
    li_vector_silu(out, width);
}

// What a row does to the state of a head: q, k and v, each (width), b and a.
typedef struct update {
    float query[LI_DELTA_WIDTH_LIMIT], key[LI_DELTA_WIDTH_LIMIT], value[LI_DELTA_WIDTH_LIMIT];
    float strength, decay; // any numbers in a saved text
} update;

// Updates a state (width, width) from `from` to `to`, which may be the same, and writes the output (width). With the
// state S before the update the output is a (S q) + (k q) b (v - a S k), so one pass over S computes S k and S q.
static void update_state(const float *from, float *to, uint32_t width, const update *by, float *out)
{
    LI_ASSERT(width && width % 4 == 0 && width <= LI_DELTA_WIDTH_LIMIT);
    const float *query = by->query, *key = by->key, *value = by->value;
    const li_f32x4 decays = li_f32x4_splat(by->decay), strengths = li_f32x4_splat(by->strength);
    const li_f32x4 zero = li_f32x4_splat(0);
    li_f32x4 key_query = zero;
    for (uint32_t i = 0; i < width; i += 4)
        key_query = li_f32x4_add(key_query, li_f32x4_mul(li_f32x4_load(key + i), li_f32x4_load(query + i)));
    key_query = li_f32x4_splat(li_f32x4_total(key_query));
    for (uint32_t j = 0; j < width; j += 4, from += 4 * (size_t)width, to += 4 * (size_t)width) {
        li_f32x4 state_key[4] = {zero, zero, zero, zero}, state_query[4] = {zero, zero, zero, zero};
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 k = li_f32x4_load(key + i), q = li_f32x4_load(query + i);
            for (uint32_t r = 0; r < 4; r++) {
                const li_f32x4 old = li_f32x4_load(from + r * (size_t)width + i);
                state_key[r] = li_f32x4_add(state_key[r], li_f32x4_mul(old, k));
                state_query[r] = li_f32x4_add(state_query[r], li_f32x4_mul(old, q));
            }
        }
        li_f32x4 predicted =
            li_f32x4_mul(decays, li_f32x4_sums(state_key[0], state_key[1], state_key[2], state_key[3]));
        li_f32x4 delta = li_f32x4_mul(li_f32x4_sub(li_f32x4_load(value + j), predicted), strengths);
        li_f32x4 decayed =
            li_f32x4_mul(decays, li_f32x4_sums(state_query[0], state_query[1], state_query[2], state_query[3]));
        li_f32x4_store(out + j, li_f32x4_add(decayed, li_f32x4_mul(delta, key_query)));
        for (int r = 0; r < 4; r++) {
            const li_f32x4 deltas = li_f32x4_splat(li_f32x4_lane(delta, r));
            const float *old = from + (size_t)r * width;
            float *updated = to + (size_t)r * width;
            for (uint32_t i = 0; i < width; i += 4)
                li_f32x4_store(updated + i, li_f32x4_add(li_f32x4_mul(li_f32x4_load(old + i), decays),
                                                         li_f32x4_mul(li_f32x4_load(key + i), deltas)));
        }
    }
}

// Updates the state of a head by the rows of a span, and writes the head's outputs to the input of the next product.
static void update_head(const span *span, uint32_t head)
{
    LI_ASSERT(head < span->model->graph.delta_heads);
    LI_ASSERT(span->first <= span->settled && span->settled <= span->end && span->end <= ROWS_MOST);
    const li_model *model = span->model;
    const li_graph *graph = &model->graph;
    const uint32_t width = graph->delta_width, keys = graph->delta_key_heads * width;
    const size_t matrix = (size_t)head * width * width;
    float *settled = span->matrices + matrix, *tentative = model->scratch.tentative + matrix;
    const float *from = settled;
    const float epsilon = model->config.norm_epsilon, scale = 1 / __builtin_sqrtf((float)width);
    update by;
    float out[LI_DELTA_WIDTH_LIMIT];
    for (uint32_t row = span->first; row < span->end; row++) {
        const uint32_t key_head = head % graph->delta_key_heads * width;
        convolve(span, row, key_head, by.query);
        convolve(span, row, keys + key_head, by.key);
        convolve(span, row, 2 * keys + head * width, by.value);
        li_vector_unit(by.query, width, epsilon);
        li_vector_unit(by.key, width, epsilon);
        li_vector_scale(by.query, width, scale);
        float *to = row < span->settled ? settled : tentative;
        const float *rates = span->rates[row];
        by.strength = rates[head];
        by.decay = rates[graph->delta_heads + head];
        update_state(from, to, width, &by, out);
        from = to;
        if (span->places[row] == NO_OUTPUT) continue;
        const size_t at = (size_t)span->places[row] * model->inner_width + head * width;
        li_vector_norm(out, out, span->layer->mixer_norm.values, width, epsilon);
        li_vector_swiglu(model->scratch.input.values + at, model->scratch.up + at, out, width);
    }
}

static void update_heads(const void *context, uint32_t first, uint32_t end)
{
    for (uint32_t head = first; head < end; head++) update_head(context, head);
}

// ---- spans -------------------------------------------------------------------------------------------

// Lists the rows of one sequence, that of rows[first]: the earlier rows that its state keeps, then those of the batch.
static void find_span(span *span, li_state *state, const li_row *rows, uint32_t first, uint32_t count)
{
    LI_ASSERT(first < count && rows[first].position >= state->settled && state->owners == 1);
    LI_ASSERT(rows[first].position - state->settled <= LI_ROWS_TENTATIVE);
    const li_model *model = span->model;
    const li_graph *graph = &model->graph;
    const uint32_t kept = graph->taps - 1 + rows[first].position - state->settled;
    span->matrices = li_state_matrices(&model->states, state, span->layer->place);
    span->first = graph->taps - 1;
    for (span->end = 0; span->end < kept; span->end++) {
        span->mixed[span->end] = li_state_row(&model->states, state, span->layer->place, span->end);
        span->rates[span->end] = span->mixed[span->end] + model->mixed_width;
        span->places[span->end] = NO_OUTPUT;
    }
    for (uint32_t i = first; i < count; i++) {
        if (rows[i].sequence != rows[first].sequence) continue;
        LI_ASSERT(span->end < ROWS_MOST);
        span->mixed[span->end] = model->scratch.gate + (size_t)i * model->mixed_width;
        span->rates[span->end] = model->scratch.rates + (size_t)i * 2 * graph->delta_heads;
        span->places[span->end++] = i;
    }
    const uint32_t goal = span->first + state->goal - state->settled;
    LI_ASSERT(state->goal >= state->settled);
    span->settled = goal < span->end ? goal : span->end;
}

// Copies into the state the rows that the next call needs.
static void keep_rows(const span *span, li_state *state)
{
    LI_ASSERT(span->end - (span->settled - span->first) <= span->model->states.rows);
    const li_model *model = span->model;
    const uint32_t dropped = span->settled - span->first, rates = 2 * model->graph.delta_heads;
    for (uint32_t i = dropped; i < span->end; i++) {
        float *row = li_state_row(&model->states, state, span->layer->place, i - dropped);
        memmove(row, span->mixed[i], model->mixed_width * sizeof(float));
        memmove(row + model->mixed_width, span->rates[i], rates * sizeof(float));
    }
}

static bool is_first_of_sequence(const li_row *rows, uint32_t row)
{
    for (uint32_t i = 0; i < row; i++)
        if (rows[i].sequence == rows[row].sequence) return false;
    return true;
}

// ---- the block ---------------------------------------------------------------------------------------

// Writes the write strengths and decays (count, 2, delta_heads) of a batch.
static void compute_rates(li_model *model, const li_layer *layer, li_input *input, uint32_t count)
{
    const uint32_t heads = model->graph.delta_heads;
    float *rates = model->scratch.rates, *betas = rates + (size_t)count * 2 * heads;
    float *alphas = betas + (size_t)count * heads;
    const li_product products[] = {{&layer->beta, betas}, {&layer->alpha, alphas}};
    li_matrices_multiply(products, 2, input, count);
    for (size_t row = 0; row < count; row++, rates += 2 * heads) {
        for (uint32_t head = 0; head < heads; head++) rates[head] = 1;
        li_vector_gate(rates, betas + row * heads, heads);
        for (uint32_t head = 0; head < heads; head++) {
            const double x = (double)(alphas[row * heads + head] + layer->alpha_bias.values[head]);
            const double softplus = x <= 20 ? li_log(1 + li_exp(x)) : x; // NaN stays
            rates[heads + head] = (float)li_exp(softplus * (double)layer->decay.values[head]);
        }
    }
}

void li_delta_net(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count)
{
    LI_ASSERT(layer->mixer == LI_MIXER_DELTA_NET && count && count <= model->scratch.batch);
    const li_graph *graph = &model->graph;
    li_model_scratch *scratch = &model->scratch;
    li_input *input = li_layer_norm(model, &layer->attention_norm, &layer->attention_norm_bias, count);
    const li_product products[] = {{&layer->mixed, scratch->gate}, {&layer->out_gate, scratch->up}};
    li_matrices_multiply(products, 2, input, count);
    compute_rates(model, layer, input, count);
    input = li_layer_next_input(model, model->inner_width);
    span span = {.model = model, .layer = layer};
    for (uint32_t i = 0; i < count; i++) {
        if (!is_first_of_sequence(rows, i)) continue;
        li_state *state = model->states.of[rows[i].sequence];
        find_span(&span, state, rows, i, count);
        const uint32_t work = 4 * (span.end - span.first) * graph->delta_width * graph->delta_width;
        li_parallel_for(graph->delta_heads, work < PIECE_WORK ? PIECE_WORK / (work + 1) + 1 : 1, update_heads, &span);
        keep_rows(&span, state);
    }
    li_matrix_multiply(&layer->mixer_output, input, count, scratch->delta);
}
