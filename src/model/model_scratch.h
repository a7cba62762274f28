// The buffers that a forward pass works in.
#ifndef LI_MODEL_SCRATCH_H
#define LI_MODEL_SCRATCH_H

#include "lastinch.h"
#include "model/input_rows.h"

// Rows that go through the layers together: more share each weight further, but their buffers must be little beside
// the weights: at most a thirty-second part, where that is enough for these.
#define LI_BATCH_MIN 16u

typedef struct li_model_scratch {
    uint32_t batch; // rows that go through the layers together, from LI_BATCH_MIN to LI_ROWS_LIMIT
    float *hidden;  // (batch, dim) the residual stream
    float *delta;   // (batch, dim) what a block adds to it
    float *queries; // (batch, query_dim)
    float *keys;    // (batch, kv_dim)
    float *values;  // (batch, kv_dim)
    float *gate;    // (batch, hidden_dim)
    float *up;      // (batch, hidden_dim)
    float *turns;   // (batch, rope_dim) cosines and sines
    float *scores;  // (heads, score_stride)
    uint32_t score_stride;
    uint32_t slots[LI_ROWS_LIMIT]; // of the rows being computed
    li_input input;                // (batch, the largest of dim, query_dim and hidden_dim) of the next product
} li_model_scratch;

// Decides the batch: the weights are bound, score_stride is set.
void li_model_scratch_plan(li_model *model);
// Bytes of the buffers.
uint64_t li_model_scratch_size(const li_model *model);
// Takes memory for them. False: there is not enough; destroy frees what was taken.
bool li_model_scratch_create(li_model *model);
void li_model_scratch_destroy(li_model *model);

#endif
