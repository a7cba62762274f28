// The buffers of a forward pass.
#ifndef LI_MODEL_SCRATCH_H
#define LI_MODEL_SCRATCH_H

#include "lastinch.h"
#include "model/input_rows.h"

// The smallest batch. A larger batch shares each load of weights among more rows. Its buffers take at most a
// thirty-second of the memory of the weights.
#define LI_BATCH_MIN 16u

#define LI_ATTENTION_PART    32u // positions that attention widens at once
#define LI_ATTENTION_QUERIES 32u // query heads that share each read

typedef struct li_model_scratch {
    uint32_t batch; // rows that pass the layers together, from LI_BATCH_MIN to LI_ROWS_LIMIT
    float *hidden;  // (batch, dim) the residual stream
    float *delta;   // (batch, dim) the output of a block, to be added to `hidden`
    float *queries; // (batch, query_width)
    float *keys;    // (batch, key_width)
    float *values;  // (batch, value_width)
    float *gate;    // (batch, the largest of hidden_dim, dim, mixed_width and, with gates, query_rows)
    float *up;      // (batch, the same)
    float *rates; // (batch, 4, delta_heads) write strengths and decays of a delta net, then the products beta and alpha
    float *tentative;    // (delta_heads, delta_width, delta_width) states of a delta net after rows that may be cut
    float *turns;        // (batch, rope_dim) cosines and sines of the rotary positions
    float *window_turns; // the same, of layers that slide
    float *wide;         // (pieces of attention, wide_size) keys or values of LI_ATTENTION_PART slots as floats
    uint32_t wide_size;
    uint32_t slots[LI_ROWS_LIMIT];        // of the rows of the batch
    uint32_t window_slots[LI_ROWS_LIMIT]; // the same, in layers that slide
    li_input input; // (batch, the largest of dim, mix_width, inner_width and hidden_dim) of the next product
} li_model_scratch;

// Sets the batch. The weights must be bound.
void li_model_scratch_plan(li_model *model);
// Bytes of the buffers.
uint64_t li_model_scratch_size(const li_model *model);
// Takes memory for the buffers. False: no memory; destroy frees what was taken.
bool li_model_scratch_create(li_model *model);
void li_model_scratch_destroy(li_model *model);

#endif
