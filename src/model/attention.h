// Attention: softmax(query * keys / sqrt(head_dim)) * values over the cached positions of each sequence.
#ifndef LI_ATTENTION_H
#define LI_ATTENTION_H

#include "model/model.h"

// The attention of one layer for the rows of a batch. Each row attends to its sequence up to its own position.
typedef struct li_attention {
    const li_model *model;
    const li_row *rows; // (count)
    uint32_t count;
    const float *queries;       // (count, query_dim)
    const float *keys, *values; // (kv_heads, slots, head_dim) of the layer
    float *out;                 // (count, query_dim)
} li_attention;

void li_attend(const li_attention *attention);

#endif
