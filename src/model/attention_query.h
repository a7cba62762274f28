// A query head of one row on its way through the blocks of positions.
#ifndef LI_ATTENTION_QUERY_H
#define LI_ATTENTION_QUERY_H

#include <stdint.h>

#define LI_ATTENTION_BLOCK 128u // positions whose weights are computed together

typedef struct li_attention_query {
    // (head_dim) floats; 2^96 times as large for a cache of halves; for a cache of blocks 16-bit whole numbers.
    void *numbers;
    float scale;                      // of whole numbers
    float *out;                       // (value_dim) the sum of weights times values so far
    float largest;                    // score so far
    float sum;                        // of the weights so far
    uint32_t from, end;               // positions that the row attends to
    float scores[LI_ATTENTION_BLOCK]; // of a block; then weights
} li_attention_query;

#endif
