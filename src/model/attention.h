// Attention: softmax(query * keys * scale) * values over the cached positions of each sequence.
#ifndef LI_ATTENTION_H
#define LI_ATTENTION_H

#include "model/model.h"

// The attention of one layer for the rows of a batch. Each row attends to its sequence up to its own position,
// over `window` positions at most.
typedef struct li_attention {
    const li_model *model;
    const li_cache *cache;
    uint32_t layer, window; // layer: index in the cache
    const li_row *rows;     // (count)
    uint32_t count;
    float *queries; // (count, query_width); changed
    float *out;     // (count, mix_width)
} li_attention;

void li_attend(const li_attention *attention);

#endif
