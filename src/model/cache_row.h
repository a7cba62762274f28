// How a key or value of one head is kept: as floats, as halves, or as blocks of bytes with a half scale.
#ifndef LI_CACHE_ROW_H
#define LI_CACHE_ROW_H

#include <stddef.h>

#include "lastinch.h"

#define LI_CACHE_BLOCK 32u // numbers that share a scale in LI_CACHE_Q8_0

// Bytes of `count` numbers; for LI_CACHE_Q8_0 a multiple of LI_CACHE_BLOCK.
size_t li_cache_row_size(li_cache_type type, uint32_t count);
// Writes numbers (count) to row, rounded to the nearest, ties to even. What a half cannot hold becomes NaN.
void li_cache_row_write(li_cache_type type, uint8_t *row, const float *numbers, uint32_t count);
// Reads a row into numbers (count).
void li_cache_row_read(li_cache_type type, const uint8_t *row, float *numbers, uint32_t count);

#endif
