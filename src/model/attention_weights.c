// The attention weights of a row, for inspection. The forward pass (attention.c) keeps no weights, so they are computed
// again from the row's hidden state and the cached keys.
#include <string.h>

#include "base/assert.h"
#include "base/exp.h"
#include "base/parallel.h"
#include "model/layer.h"
#include "model/vector.h"

// Turns scores (count) into weights: their softmax, after the cap where the model has one.
static void weigh(const li_graph *graph, float *scores, uint32_t count)
{
    LI_ASSERT(count);
    if (graph->score_cap != 0) {
        li_vector_scale(scores, count, graph->cap_scale);
        li_vector_tanh(scores, count);
        li_vector_scale(scores, count, graph->score_cap);
    }
    float most = scores[0];
    for (uint32_t i = 1; i < count; i++) most = scores[i] > most ? scores[i] : most;
    const double scale = (double)graph->score_scale / LI_LOG2_E; // of powers of e
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        scores[i] = (float)li_exp(((double)scores[i] - (double)most) * scale);
        sum += (double)scores[i];
    }
    for (uint32_t i = 0; i < count; i++) scores[i] = (float)((double)scores[i] / sum);
}

li_status li_model_attention(li_model *model, const float *hidden, uint32_t layer, uint32_t sequence, uint32_t position,
                             float *into)
{
    if (!model->is_ready) return LI_ERROR_MODEL_INCOMPLETE;
    const li_model_config *config = &model->config;
    const bool slides = li_layer_slides(&model->graph, layer);
    const li_cache *cache = slides ? &model->window_cache : &model->cache;
    if (layer >= config->layers || position >= li_sequence_length(model, sequence)) return LI_ERROR_BAD_ARGUMENT;
    const li_layer *weights = &model->weights.layers[layer];
    if (weights->mixer != LI_MIXER_ATTENTION) return LI_ERROR_BAD_ARGUMENT;
    const uint32_t size = config->head_dim, end = position + 1, window = li_layer_window(&model->graph, layer);
    const uint32_t from = end < window ? 0 : end - window;
    if (from < cache->tables[sequence].first) return LI_ERROR_BAD_ARGUMENT;
    memcpy(model->scratch.hidden, hidden, config->dim * sizeof(float));
    li_layer_set_turns(model, 0, position);
    li_layer_heads(model, layer, 1);

    const uint32_t *slots = li_cache_slots(cache, sequence);
    const float *query = model->scratch.queries;
    float *key = model->scratch.keys; // free, since the cache has the row's keys
    for (uint32_t head = 0; head < config->heads; head++, query += size, into += end) {
        const size_t keys_at = li_cache_keys_at(cache, weights->place, head / (config->heads / config->kv_heads));
        memset(into, 0, end * sizeof(float));
        for (uint32_t t = from; t < end; t++) {
            li_cache_row_read(cache->type, li_cache_row(cache, keys_at, slots[t], cache->key_size), key, size);
            double score = 0;
            for (uint32_t i = 0; i < size; i++) score += (double)query[i] * (double)key[i];
            into[t] = (float)score;
        }
        weigh(&model->graph, into + from, end - from);
    }
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_LOST : LI_OK;
}
