// Scores and weighted sums for a cache of quantised keys and values (LI_CACHE_Q8_0), in integer arithmetic.
#ifndef LI_ATTENTION_BLOCKS_H
#define LI_ATTENTION_BLOCKS_H

#include "model/attention_query.h"
#include "model/cache.h"

// Keys or values of a head at the positions of a block.
typedef struct li_attention_rows {
    const uint8_t *rows[LI_ATTENTION_BLOCK]; // (count, and the last row again up to a multiple of 4)
    float *scales;                           // (width / LI_CACHE_BLOCK, LI_ATTENTION_BLOCK)
    uint32_t width;                          // numbers of a row
    uint32_t start, count;                   // positions
    bool has_nan;                            // a scale may be NaN
} li_attention_rows;

// Rounds the floats of a query (count) to 16-bit integers, in place.
void li_attention_round_query(li_attention_query *query, uint32_t count);
// Finds `count` (1 to LI_ATTENTION_BLOCK) rows at `slots`. `at`: where the rows of the head begin in a page; rows have
// `size` bytes. rows->scales, rows->width and rows->start must be set.
void li_attention_find_rows(li_attention_rows *rows, const li_cache *cache, size_t at, size_t size,
                            const uint32_t *slots, uint32_t count);
// The scores of keys for `count` queries. Each query attends to at least one of the positions.
void li_attention_score_rows(li_attention_query *queries, uint32_t count, const li_attention_rows *keys);
// Adds the weighted values to the outputs of `count` queries. Each query attends to at least one of the positions.
void li_attention_mix_rows(li_attention_query *queries, uint32_t count, const li_attention_rows *values);

#endif
