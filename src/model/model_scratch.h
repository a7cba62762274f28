// The buffers of a forward pass.
#ifndef LI_MODEL_SCRATCH_H
#define LI_MODEL_SCRATCH_H

#include "lastinch.h"
#include "model/input_rows.h"

// The smallest batch. Larger batches share each load of weights among more rows, but their buffers must stay small: at
// most a thirty-second of the weights, unless the batch is the smallest.
#define LI_BATCH_MIN 16u

#define LI_ATTENTION_POSITIONS 4u // that attention reads at once

typedef struct li_model_scratch {
    uint32_t batch; // rows that pass the layers together, from LI_BATCH_MIN to LI_ROWS_LIMIT
    float *hidden;  // (batch, dim) the residual stream
    float *delta;   // (batch, dim) the output of a block, to be added to `hidden`
    float *queries; // (batch, query_width)
    float *keys;    // (batch, key_width)
    float *values;  // (batch, value_width)
    float *gate;    // (batch, hidden_dim)
    float *up;      // (batch, hidden_dim)
    float *turns;   // (batch, rope_dim) cosines and sines
    float *scores;  // (heads, score_stride)
    uint32_t score_stride;
    float *wide;                   // (kv_heads, wide_size) keys or values of LI_ATTENTION_POSITIONS slots as floats
    uint32_t wide_size;            // 0 where the cache holds floats
    uint32_t slots[LI_ROWS_LIMIT]; // of the rows of the batch
    li_input input;                // (batch, the largest of dim, mix_width and hidden_dim) of the next product
} li_model_scratch;

// Sets the batch. The weights must be bound and score_stride set.
void li_model_scratch_plan(li_model *model);
// Bytes of the buffers.
uint64_t li_model_scratch_size(const li_model *model);
// Takes memory for the buffers. False: no memory; destroy frees what was taken.
bool li_model_scratch_create(li_model *model);
void li_model_scratch_destroy(li_model *model);

#endif
