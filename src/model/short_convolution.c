// The convolution reads the gated inputs of the last positions. The cache keeps these inputs in slots, as it keeps keys
// and values, so sequences may share and cut them. Source: Liquid AI, "LFM2 technical report", 2025.
#include "model/short_convolution.h"

#include <string.h>

#include "base/assert.h"
#include "model/layer.h"
#include "model/multiply.h"
#include "model/vector.h"

// out[i] = the sum over the last positions of taps[i] * input[i], for each channel; slots (position + 1).
static void convolve(const li_model *model, const li_layer *layer, const uint32_t *slots, uint32_t position, float *out)
{
    LI_ASSERT(layer->mixer == LI_MIXER_CONVOLUTION && model->graph.taps);
    LI_ASSERT(layer->taps.length == model->config.dim * model->graph.taps);
    const uint32_t count = model->graph.taps, dim = model->config.dim;
    memset(out, 0, dim * sizeof(float));
    for (uint32_t tap = 0; tap < count; tap++) {
        const uint32_t back = count - 1 - tap;
        if (back > position) continue;
        const float *inputs = li_cache_convolution(&model->cache, layer->place, slots[position - back]);
        for (uint32_t i = 0; i < dim; i++) out[i] += layer->taps.values[(size_t)i * count + tap] * inputs[i];
    }
}

void li_short_convolution(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count)
{
    LI_ASSERT(count && count <= model->scratch.batch);
    LI_ASSERT(layer->place < model->convolutions);
    const uint32_t dim = model->config.dim;
    li_model_scratch *scratch = &model->scratch;
    li_cache *cache = &model->cache;
    li_input *input = li_layer_norm(model, &layer->attention_norm, &layer->attention_norm_bias, count);
    li_matrix_multiply(&layer->in_gate, input, count, scratch->gate);
    li_matrix_multiply(&layer->out_gate, input, count, scratch->up);
    li_matrix_multiply(&layer->convolved, input, count, scratch->delta);
    li_vector_multiply(scratch->delta, scratch->gate, count * dim);
    for (size_t i = 0; i < count; i++)
        memcpy(li_cache_convolution(cache, layer->place, scratch->slots[i]), scratch->delta + i * dim,
               dim * sizeof(float));
    input = li_layer_next_input(model, dim);
    for (size_t i = 0; i < count; i++)
        convolve(model, layer, li_cache_slots(cache, rows[i].sequence), rows[i].position, input->values + i * dim);
    li_vector_multiply(input->values, scratch->up, count * dim);
    li_matrix_multiply(&layer->mixer_output, input, count, scratch->delta);
}
