// How a key or value of one head is kept: as floats, as halves, or as blocks of bytes with a half scale.
#ifndef LI_CACHE_ROW_H
#define LI_CACHE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/half.h"
#include "base/simd.h"
#include "lastinch.h"

#define LI_CACHE_BLOCK 32u // numbers that share a scale in LI_CACHE_Q8_0

// Bytes of `count` numbers; for LI_CACHE_Q8_0 a multiple of LI_CACHE_BLOCK.
size_t li_cache_row_size(li_cache_type type, uint32_t count);
// Writes numbers (count) to row, rounded to the nearest, ties to even. What a half cannot hold becomes NaN; false then.
bool li_cache_row_write(li_cache_type type, uint8_t *row, const float *numbers, uint32_t count);

// Reads halves into numbers (count). li_f32x4_load_f16 reads NaN as a number from 65536 on; no other half is as large.
LI_INLINE void li_cache_halves_read(const uint16_t *halves, float *numbers, uint32_t count, bool has_nan)
{
    const li_f32x4 limit = li_f32x4_splat(65536.0f), nan = li_f32x4_splat(__builtin_nanf(""));
    uint32_t i = 0;
    for (; i + 4 <= count && !has_nan; i += 4) li_f32x4_store(numbers + i, li_f32x4_load_f16(halves + i));
    for (; i + 4 <= count; i += 4) {
        li_f32x4 wide = li_f32x4_load_f16(halves + i);
        li_f32x4_store(numbers + i, li_f32x4_select_ge(nan, wide, li_f32x4_abs(wide), limit));
    }
    for (; i < count; i++) numbers[i] = li_half_to_float(halves[i]);
}

// The place among 16 bytes of number `i` of 16: one shift makes words of the bytes at even places, another of those at
// odd ones, and a product with 1 and 0 takes every other word.
LI_INLINE uint32_t li_cache_place_of(uint32_t i)
{
    static const uint8_t first[4] = {0, 2, 1, 3};
    return i % 4 * 4 + first[i / 4];
}

// Reads blocks into numbers (count).
LI_INLINE void li_cache_blocks_read(const uint8_t *row, float *numbers, uint32_t count)
{
    static const uint8_t one_zero[4] = {1, 0, 0, 0}, zero_one[4] = {0, 0, 1, 0};
    const li_i16x8 firsts = li_i16x8_splat_pair(one_zero), seconds = li_i16x8_splat_pair(zero_one);
    for (uint32_t i = 0; i < count; i += LI_CACHE_BLOCK, row += 2 + LI_CACHE_BLOCK) {
        uint16_t half;
        memcpy(&half, row, sizeof half);
        const li_f32x4 scale = li_f32x4_splat(li_half_to_float(half));
        for (uint32_t j = 0; j < LI_CACHE_BLOCK; j += 16) {
            li_i16x8 bytes = li_i16x8_load(row + 2 + j), odd = li_i16x8_shift_right(bytes, 8);
            li_i16x8 even = li_i16x8_shift_right(li_i16x8_shift_left(bytes, 8), 8);
            float *to = numbers + i + j;
            li_f32x4_store(to, li_f32x4_mul(li_f32x4_from_i32x4(li_i32x4_dot(even, firsts)), scale));
            li_f32x4_store(to + 4, li_f32x4_mul(li_f32x4_from_i32x4(li_i32x4_dot(even, seconds)), scale));
            li_f32x4_store(to + 8, li_f32x4_mul(li_f32x4_from_i32x4(li_i32x4_dot(odd, firsts)), scale));
            li_f32x4_store(to + 12, li_f32x4_mul(li_f32x4_from_i32x4(li_i32x4_dot(odd, seconds)), scale));
        }
    }
}

// The floats of a row: where it holds floats the row itself, else copies, which are written to `wide` (count).
// `has_nan`: the row may hold NaN.
LI_INLINE const float *li_cache_row_floats(li_cache_type type, const uint8_t *row, float *wide, uint32_t count,
                                           bool has_nan)
{
    if (type == LI_CACHE_F32) return (const float *)(const void *)row;
    if (type == LI_CACHE_F16)
        li_cache_halves_read((const uint16_t *)(const void *)row, wide, count, has_nan);
    else
        li_cache_blocks_read(row, wide, count);
    return wide;
}

#endif
