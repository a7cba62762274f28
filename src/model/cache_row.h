// How a key or value of one head is kept: as floats, as halves, or as the half scales of blocks and a signed byte for
// each number.
#ifndef LI_CACHE_ROW_H
#define LI_CACHE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/half.h"
#include "base/simd.h"
#include "lastinch.h"

#define LI_CACHE_BLOCK 32u // numbers that share a scale in LI_CACHE_Q8_0

// Bytes of `count` numbers; for LI_CACHE_Q8_0 a multiple of LI_CACHE_BLOCK.
size_t li_cache_row_size(li_cache_type type, uint32_t count);
// Writes numbers (count) to row, rounded to the nearest, ties to even. False: a number exceeds the range of halves and
// became NaN.
bool li_cache_row_write(li_cache_type type, uint8_t *row, const float *numbers, uint32_t count);

// Reads a row back into numbers (count); for LI_CACHE_Q8_0 a multiple of LI_CACHE_BLOCK.
void li_cache_row_read(li_cache_type type, const uint8_t *row, float *numbers, uint32_t count);

// Reads halves into numbers (count) of 2^-112 of their value. li_f32x4_load_small reads NaN as 2^16 * 2^-112 or more;
// no other half is as large.
LI_INLINE void li_cache_halves_read(const uint16_t *halves, float *numbers, uint32_t count, bool has_nan)
{
    const li_f32x4 limit = li_f32x4_splat(0x1p-96f), nan = li_f32x4_splat(__builtin_nanf(""));
    uint32_t i = 0;
    for (; i + 4 <= count && !has_nan; i += 4) li_f32x4_store(numbers + i, li_f32x4_load_small(halves + i));
    for (; i + 4 <= count; i += 4) {
        li_f32x4 wide = li_f32x4_load_small(halves + i);
        li_f32x4_store(numbers + i, li_f32x4_select_ge(nan, wide, li_f32x4_abs(wide), limit));
    }
    for (; i < count; i++) numbers[i] = li_half_to_float(halves[i]) * 0x1p-112f;
}

// Writes a row of LI_CACHE_F32 or LI_CACHE_F16 as floats to `wide` (count); halves become 2^-112 of their value.
// `has_nan`: the row may hold NaN.
LI_INLINE void li_cache_row_widen(li_cache_type type, const uint8_t *row, float *wide, uint32_t count, bool has_nan)
{
    LI_ASSERT(type == LI_CACHE_F32 || type == LI_CACHE_F16);
    if (type == LI_CACHE_F32)
        memcpy(wide, row, count * sizeof(float));
    else
        li_cache_halves_read((const uint16_t *)(const void *)row, wide, count, has_nan);
}

#endif
