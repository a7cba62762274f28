// Attention: softmax(query * keys * scale) * values over the cached positions of each sequence.
#ifndef LI_ATTENTION_H
#define LI_ATTENTION_H

#include "model/model.h"

// The attention of one layer for the rows of a batch. Each row attends to its sequence up to its own position.
typedef struct li_attention {
    const li_model *model;
    uint32_t layer;
    const li_row *rows; // (count)
    uint32_t count;
    const float *queries; // (count, query_width)
    float *out;           // (count, mix_width)
} li_attention;

void li_attend(const li_attention *attention);

#endif
