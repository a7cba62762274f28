// Attention in two passes over the past positions, POSITIONS at a time. The keys of a head lie side by side, as do its
// values; all queries of a group share one read of them, and one widening of halves and bytes to floats.
#include "model/attention.h"

#include <string.h>

#include "base/parallel.h"
#include "base/simd.h"
#include "model/vector.h"

#define POSITIONS LI_ATTENTION_POSITIONS
// Multiply-adds of one piece of work for a thread, as in multiply.c; each takes longer here.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 65536u
#endif

// Finds the floats of POSITIONS rows of a head, from position `at` on; beyond `length` repeats the last row. `start`:
// where the head's rows begin; rows of `size` bytes, or `count` numbers; `wide` (POSITIONS, count): room for copies.
LI_INLINE void find_rows(const float *rows[POSITIONS], const li_cache *cache, size_t start, size_t size, uint32_t count,
                         const uint32_t *slots, uint32_t at, uint32_t length, float *wide)
{
    for (uint32_t i = 0; i < POSITIONS; i++) {
        const uint8_t *row = li_cache_row(cache, start, slots[at + i < length ? at + i : length - 1], size);
        rows[i] = li_cache_row_floats(cache->type, row, wide + (size_t)i * count, count, cache->has_nan);
    }
}

// scores[i] = dot product of query and keys[i], over `size` numbers.
LI_INLINE void score(float *scores, const float *query, const float *const *keys, uint32_t size)
{
    li_f32x4 sums[POSITIONS];
    for (uint32_t i = 0; i < POSITIONS; i++) sums[i] = li_f32x4_splat(0);
    uint32_t k = 0;
    for (; k + 4 <= size; k += 4) {
        li_f32x4 q = li_f32x4_load(query + k);
        for (uint32_t i = 0; i < POSITIONS; i++)
            sums[i] = li_f32x4_add(sums[i], li_f32x4_mul(q, li_f32x4_load(keys[i] + k)));
    }
    li_f32x4_store(scores, li_f32x4_sums(sums[0], sums[1], sums[2], sums[3]));
    for (; k < size; k++)
        for (uint32_t i = 0; i < POSITIONS; i++) scores[i] += query[k] * keys[i][k];
}

// out[k] += sum over i of weights[i] * values[i][k], for k < size.
LI_INLINE void mix(float *out, const float *weights, const float *const *values, uint32_t size)
{
    li_f32x4 weight[POSITIONS];
    for (uint32_t i = 0; i < POSITIONS; i++) weight[i] = li_f32x4_splat(weights[i]);
    uint32_t k = 0;
    for (; k + 4 <= size; k += 4) {
        li_f32x4 sum = li_f32x4_load(out + k);
        for (uint32_t i = 0; i < POSITIONS; i++)
            sum = li_f32x4_add(sum, li_f32x4_mul(weight[i], li_f32x4_load(values[i] + k)));
        li_f32x4_store(out + k, sum);
    }
    for (; k < size; k++)
        for (uint32_t i = 0; i < POSITIONS; i++) out[k] += weights[i] * values[i][k];
}

// Attention of one row, for the query heads that share one key and value head.
static void attend_group(const li_attention *attention, size_t row, uint32_t kv_head)
{
    const li_model *model = attention->model;
    const li_cache *cache = &model->cache;
    const uint32_t group = model->config.heads / model->config.kv_heads;
    const uint32_t head_dim = model->config.head_dim, value_dim = model->config.value_dim;
    const size_t stride = model->scratch.score_stride, first = (size_t)kv_head * group;
    const uint32_t length = attention->rows[row].position + 1;
    const uint32_t *slots = li_cache_slots(cache, attention->rows[row].sequence);
    const float *query = attention->queries + row * model->query_width + first * head_dim;
    float *out = attention->out + row * model->mix_width + first * value_dim;
    float *scores = model->scratch.scores + first * stride,
          *wide = model->scratch.wide + kv_head * model->scratch.wide_size;
    const size_t keys = li_cache_keys_at(cache, attention->layer, kv_head);
    const size_t values = li_cache_values_at(cache, attention->layer, kv_head);
    const float *rows[POSITIONS];
    for (uint32_t t = 0; t < length; t += POSITIONS) {
        find_rows(rows, cache, keys, cache->key_size, head_dim, slots, t, length, wide);
        for (uint32_t h = 0; h < group; h++) score(scores + h * stride + t, query + h * head_dim, rows, head_dim);
    }
    for (uint32_t h = 0; h < group; h++) {
        float inverse = 1.0f / li_vector_softmax(scores + h * stride, length, model->graph.score_scale);
        li_vector_scale(scores + h * stride, (length + POSITIONS - 1) & ~(POSITIONS - 1), inverse);
    }
    memset(out, 0, group * value_dim * sizeof(float));
    for (uint32_t t = 0; t < length; t += POSITIONS) {
        find_rows(rows, cache, values, cache->value_size, value_dim, slots, t, length, wide);
        for (uint32_t h = 0; h < group; h++) mix(out + h * value_dim, scores + h * stride + t, rows, value_dim);
    }
}

static void attend_heads(const void *context, uint32_t first, uint32_t end)
{
    const li_attention *attention = context;
    for (uint32_t row = 0; row < attention->count; row++)
        for (uint32_t kv_head = first; kv_head < end; kv_head++) attend_group(attention, row, kv_head);
}

void li_attend(const li_attention *attention)
{
    const li_model *model = attention->model;
    uint64_t work = 0; // of all rows, for one key and value head
    for (uint32_t row = 0; row < attention->count; row++) work += attention->rows[row].position + 1;
    work *= (model->query_width + model->mix_width) / model->config.kv_heads;
    li_parallel_for(model->config.kv_heads, work < PIECE_WORK ? (uint32_t)(PIECE_WORK / work) : 1, attend_heads,
                    attention);
}
