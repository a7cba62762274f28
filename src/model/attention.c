#include "base/exp.h"
#include "base/simd.h"
#include "model/model.h"
#include "model/vector.h"

// out[i] = scale * sum over t of weights[t] * values[slots[t]][i], for i < 4 * VECTORS.
#define VECTORS 4u
static void mix(float *out, const float *weights, const float *values, size_t width, const uint32_t *slots,
                uint32_t length, float scale)
{
    li_f32x4 sum[VECTORS];
    for (uint32_t v = 0; v < VECTORS; v++) sum[v] = li_f32x4_splat(0);
    for (uint32_t t = 0; t < length; t++) {
        const float *value = values + slots[t] * width;
        li_f32x4 weight = li_f32x4_splat(weights[t]);
        for (uint32_t v = 0; v < VECTORS; v++)
            sum[v] = li_f32x4_add(sum[v], li_f32x4_mul(weight, li_f32x4_load(value + 4 * v)));
    }
    for (uint32_t v = 0; v < VECTORS; v++) li_f32x4_store(out + 4 * v, li_f32x4_mul(sum[v], li_f32x4_splat(scale)));
}

static float mix_one(const float *weights, const float *values, size_t width, const uint32_t *slots, uint32_t length)
{
    float sum = 0;
    for (uint32_t t = 0; t < length; t++) sum += weights[t] * values[slots[t] * width];
    return sum;
}

void li_attend(li_model *model, float *out, const float *query, const float *keys, const float *values,
               const uint32_t *slots, uint32_t length)
{
    const li_model_config *config = &model->config;
    uint32_t head_dim = config->head_dim, group = config->heads / config->kv_heads;
    size_t width = model->kv_dim, stride = model->scratch.score_stride;
    // Softmax in powers of two, with the customary 1 / sqrt(head_dim).
    float scale = (float)LI_LOG2_E / __builtin_sqrtf((float)head_dim);
    for (uint32_t kv_head = 0; kv_head < config->kv_heads; kv_head++) {
        // The heads of a group read each key once, together.
        const float *group_query = query + (size_t)kv_head * group * head_dim;
        for (uint32_t t = 0; t < length; t++) {
            const float *key = keys + slots[t] * width + kv_head * head_dim;
            for (uint32_t h = 0; h < group; h++)
                model->scratch.scores[h * stride + t] = li_vector_dot(group_query + h * head_dim, key, head_dim);
        }
        for (uint32_t h = 0; h < group; h++) {
            float *weights = model->scratch.scores + h * stride;
            float *head_out = out + ((size_t)kv_head * group + h) * head_dim;
            float inverse = 1.0f / li_vector_softmax(weights, length, scale);
            const float *head_values = values + kv_head * head_dim;
            uint32_t i = 0;
            for (; i + 4 * VECTORS <= head_dim; i += 4 * VECTORS)
                mix(head_out + i, weights, head_values + i, width, slots, length, inverse);
            for (; i < head_dim; i++) head_out[i] = mix_one(weights, head_values + i, width, slots, length) * inverse;
        }
    }
}
