// Attention in two passes over the past positions, POSITIONS at a time. The keys of a head lie side by side, as do its
// values; all queries of a group share one read of them.
#include "model/attention.h"

#include <string.h>

#include "base/exp.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "model/vector.h"

#define POSITIONS 4u
// Multiply-adds of one piece of work for a thread, as in multiply.c; each takes longer here.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 65536u
#endif

// Finds the rows of `size` numbers of POSITIONS slots from `at`; beyond `length` repeats the last row.
LI_INLINE void find_rows(const float *rows[POSITIONS], const float *all, size_t size, const uint32_t *slots,
                         uint32_t at, uint32_t length)
{
    for (uint32_t i = 0; i < POSITIONS; i++) rows[i] = all + slots[at + i < length ? at + i : length - 1] * size;
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
static void attend_group(const li_attention *attention, size_t row, size_t kv_head)
{
    const li_model *model = attention->model;
    const uint32_t head_dim = model->config.head_dim, group = model->config.heads / model->config.kv_heads;
    const size_t stride = model->scratch.score_stride, head_size = (size_t)model->cache.slots * head_dim;
    const uint32_t length = attention->rows[row].position + 1;
    const uint32_t *slots = li_cache_slots(&model->cache, attention->rows[row].sequence);
    const size_t first = row * model->query_dim + kv_head * group * head_dim;
    const float *query = attention->queries + first;
    float *out = attention->out + first, *scores = model->scratch.scores + kv_head * group * stride;
    // 1 / sqrt(head_dim), and log2(e) because the softmax uses powers of two.
    const float scale = (float)LI_LOG2_E / __builtin_sqrtf((float)head_dim);
    const float *rows[POSITIONS];
    for (uint32_t t = 0; t < length; t += POSITIONS) {
        find_rows(rows, attention->keys + kv_head * head_size, head_dim, slots, t, length);
        for (uint32_t h = 0; h < group; h++) score(scores + h * stride + t, query + h * head_dim, rows, head_dim);
    }
    for (uint32_t h = 0; h < group; h++) {
        float inverse = 1.0f / li_vector_softmax(scores + h * stride, length, scale);
        li_vector_scale(scores + h * stride, (length + POSITIONS - 1) & ~(POSITIONS - 1), inverse);
    }
    memset(out, 0, group * head_dim * sizeof(float));
    for (uint32_t t = 0; t < length; t += POSITIONS) {
        find_rows(rows, attention->values + kv_head * head_size, head_dim, slots, t, length);
        for (uint32_t h = 0; h < group; h++) mix(out + h * head_dim, scores + h * stride + t, rows, head_dim);
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
    work *= UINT64_C(2) * model->query_dim / model->config.kv_heads;
    li_parallel_for(model->config.kv_heads, work < PIECE_WORK ? (uint32_t)(PIECE_WORK / work) : 1, attend_heads,
                    attention);
}
