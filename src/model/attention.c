// Attention in two walks over the past, POSITIONS at a time, each key and value read once for all heads.
#include <string.h>

#include "base/exp.h"
#include "base/simd.h"
#include "model/model.h"
#include "model/vector.h"

#define POSITIONS 4u

// The rows of POSITIONS slots from `at`; beyond `length` the last one again.
static void find_rows(const float *rows[POSITIONS], const float *all, size_t width, const uint32_t *slots, uint32_t at,
                      uint32_t length)
{
    for (uint32_t i = 0; i < POSITIONS; i++) rows[i] = all + slots[at + i < length ? at + i : length - 1] * width;
}

// scores[i] = query * keys[i] from `offset`, over `size` numbers.
LI_INLINE void score(float *scores, const float *query, const float *const *keys, uint32_t offset, uint32_t size)
{
    li_f32x4 sums[POSITIONS];
    for (uint32_t i = 0; i < POSITIONS; i++) sums[i] = li_f32x4_splat(0);
    uint32_t k = 0;
    for (; k + 4 <= size; k += 4) {
        li_f32x4 q = li_f32x4_load(query + k);
        for (uint32_t i = 0; i < POSITIONS; i++)
            sums[i] = li_f32x4_add(sums[i], li_f32x4_mul(q, li_f32x4_load(keys[i] + offset + k)));
    }
    li_f32x4_store(scores, li_f32x4_sums(sums[0], sums[1], sums[2], sums[3]));
    for (; k < size; k++)
        for (uint32_t i = 0; i < POSITIONS; i++) scores[i] += query[k] * keys[i][offset + k];
}

// out[k] += sum over i of weights[i] * values[i] from `offset`, over `size` numbers.
LI_INLINE void mix(float *out, const float *weights, const float *const *values, uint32_t offset, uint32_t size)
{
    li_f32x4 weight[POSITIONS];
    for (uint32_t i = 0; i < POSITIONS; i++) weight[i] = li_f32x4_splat(weights[i]);
    uint32_t k = 0;
    for (; k + 4 <= size; k += 4) {
        li_f32x4 sum = li_f32x4_load(out + k);
        for (uint32_t i = 0; i < POSITIONS; i++)
            sum = li_f32x4_add(sum, li_f32x4_mul(weight[i], li_f32x4_load(values[i] + offset + k)));
        li_f32x4_store(out + k, sum);
    }
    for (; k < size; k++)
        for (uint32_t i = 0; i < POSITIONS; i++) out[k] += weights[i] * values[i][offset + k];
}

void li_attend(li_model *model, float *out, const float *query, const float *keys, const float *values,
               const uint32_t *slots, uint32_t length)
{
    const li_model_config *config = &model->config;
    const uint32_t head_dim = config->head_dim, group = config->heads / config->kv_heads;
    const size_t width = model->kv_dim, stride = model->scratch.score_stride;
    float *scores = model->scratch.scores;
    const float *rows[POSITIONS];
    for (uint32_t t = 0; t < length; t += POSITIONS) {
        find_rows(rows, keys, width, slots, t, length);
        for (uint32_t h = 0; h < config->heads; h++)
            score(scores + h * stride + t, query + (size_t)h * head_dim, rows, h / group * head_dim, head_dim);
    }
    // Softmax in powers of two, with the customary 1 / sqrt(head_dim).
    const float scale = (float)LI_LOG2_E / __builtin_sqrtf((float)head_dim);
    for (uint32_t h = 0; h < config->heads; h++) {
        float inverse = 1.0f / li_vector_softmax(scores + h * stride, length, scale);
        li_vector_scale(scores + h * stride, (length + POSITIONS - 1) & ~(POSITIONS - 1), inverse);
    }
    memset(out, 0, model->query_dim * sizeof(float));
    for (uint32_t t = 0; t < length; t += POSITIONS) {
        find_rows(rows, values, width, slots, t, length);
        for (uint32_t h = 0; h < config->heads; h++)
            mix(out + (size_t)h * head_dim, scores + h * stride + t, rows, h / group * head_dim, head_dim);
    }
}
