// The configuration that a file's metadata describes.
#ifndef LI_CONFIG_H
#define LI_CONFIG_H

#include "base/assert.h"
#include "lastinch.h"
#include "model/families.h"
#include "model/rope.h"

#define LI_TAPS_MOST         64u  // positions that a convolution reads
#define LI_DELTA_WIDTH_LIMIT 256u // of a head of a delta net

// The parameters of the arithmetic that li_model_config does not have.
typedef struct li_graph {
    const li_family *family;
    // The softmax of attention uses powers of two: score_scale, of the products of queries and keys, contains log2(e).
    // With a cap a score is first cap * tanh(product * cap_scale).
    float score_scale, score_cap, cap_scale;
    float logit_cap;                                    // logits are logit_cap * tanh(logit / logit_cap); 0: no cap
    float embedding_scale, residual_scale, logit_scale; // what each is multiplied by
    int32_t mixers_key; // index of the array from which li_config_mixer tells the mixer of each layer; -1: none
    uint32_t taps;      // positions that a convolution reads, short or in a delta net
    // Of gated delta nets: value heads, heads of queries and keys, width of a head. The last of each delta_period
    // layers has attention instead.
    uint32_t delta_heads, delta_key_heads, delta_width, delta_period;
    uint32_t blocks_ahead;               // blocks at the end that predict a later token
    uint32_t window;                     // positions of a sliding-window layer; 0: there are none
    uint32_t window_period, rope_period; // as in li_family; at least 1
    bool is_parallel;                    // both blocks of a layer have the same input
    // Of a layer that drafts for another model (eagle.c): numbers of that model's states that it reads at a position.
    // 0: a model that reads tokens alone. norms_feature: the residual stream begins normed.
    uint32_t features;
    bool norms_feature;
    li_rope_scaling rope, window_rope; // the second for sliding-window layers
} li_graph;

// Whether a layer is not the last of its period.
static inline bool li_is_before_last(uint32_t layer, uint32_t period)
{
    LI_ASSERT(period);
    return layer % period < period - 1;
}

// The mixer of a layer: the block that combines positions.
typedef enum li_mixer {
    LI_MIXER_ATTENTION,
    LI_MIXER_CONVOLUTION, // short_convolution.c
    LI_MIXER_DELTA_NET,   // delta_net.c
} li_mixer;

li_mixer li_config_mixer(const li_gguf *gguf, const li_graph *graph, uint32_t layer);

// Whether a layer has sliding-window attention.
static inline bool li_layer_slides(const li_graph *graph, uint32_t layer)
{
    return graph->window && li_is_before_last(layer, graph->window_period);
}

// The most positions that a layer attends to.
static inline uint32_t li_layer_window(const li_graph *graph, uint32_t layer)
{
    return li_layer_slides(graph, layer) ? graph->window : UINT32_MAX;
}

// Reads and checks the metadata. vocab_size and tied come from the tensors, context_length and cache_type from the
// caller of li_model_create. An error sets the fault of the gguf.
li_status li_config_read(li_gguf *gguf, li_model_config *config, li_graph *graph);

#endif
