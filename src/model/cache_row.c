#include "model/cache_row.h"

#include <string.h>

#include "base/half.h"
#include "base/simd.h"

#define BLOCK_SIZE (2u + LI_CACHE_BLOCK) // a half scale and a signed byte for each number

size_t li_cache_row_size(li_cache_type type, uint32_t count)
{
    if (type == LI_CACHE_Q8_0) return (size_t)count / LI_CACHE_BLOCK * BLOCK_SIZE;
    return (size_t)count * (type == LI_CACHE_F16 ? sizeof(uint16_t) : sizeof(float));
}

static float magnitude(float x)
{
    return x < 0 ? -x : x;
}

// As in files: the largest magnitude becomes 127. NaN among the numbers, or a scale beyond halves: the scale is NaN.
static void write_block(uint8_t *block, const float *numbers)
{
    float most = 0, defects = 0;
    for (uint32_t i = 0; i < LI_CACHE_BLOCK; i++) {
        most = magnitude(numbers[i]) > most ? magnitude(numbers[i]) : most;
        defects += numbers[i] - numbers[i]; // NaN for NaN and infinities
    }
    uint16_t half = li_half_from_float(most / 127.0f + defects);
    float scale = li_half_to_float(half), inverse = scale > 0 ? 1.0f / scale : 0;
    memcpy(block, &half, sizeof half);
    for (uint32_t i = 0; i < LI_CACHE_BLOCK; i++) {
        // The scale is rounded, so that the largest number may exceed 127. Adding 1.5 * 2^23 rounds to even.
        float quant = numbers[i] * inverse;
        quant = quant > 127 ? 127 : quant < -127 ? -127 : quant;
        quant = (quant + 0x1.8p23f) - 0x1.8p23f;
        block[2 + i] = (uint8_t)(int8_t)(scale > 0 ? quant : 0);
    }
}

void li_cache_row_write(li_cache_type type, uint8_t *row, const float *numbers, uint32_t count)
{
    if (type == LI_CACHE_F32) memcpy(row, numbers, count * sizeof(float));
    if (type == LI_CACHE_F16)
        for (uint32_t i = 0; i < count; i++) {
            uint16_t half = li_half_from_float(numbers[i]);
            memcpy(row + 2 * (size_t)i, &half, sizeof half);
        }
    if (type == LI_CACHE_Q8_0)
        for (uint32_t i = 0; i < count; i += LI_CACHE_BLOCK)
            write_block(row + i / LI_CACHE_BLOCK * BLOCK_SIZE, numbers + i);
}

// li_f32x4_load_f16 reads infinities and NaN, which stand for NaN here, as numbers from 65536 on.
static void read_halves(const uint16_t *halves, float *numbers, uint32_t count)
{
    const li_f32x4 limit = li_f32x4_splat(65536.0f), nan = li_f32x4_splat(__builtin_nanf(""));
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        li_f32x4 wide = li_f32x4_load_f16(halves + i);
        li_f32x4_store(numbers + i, li_f32x4_select_ge(nan, wide, li_f32x4_abs(wide), limit));
    }
    for (; i < count; i++) numbers[i] = li_half_to_float(halves[i]);
}

void li_cache_row_read(li_cache_type type, const uint8_t *row, float *numbers, uint32_t count)
{
    if (type == LI_CACHE_F32) memcpy(numbers, row, count * sizeof(float));
    if (type == LI_CACHE_F16) read_halves((const uint16_t *)(const void *)row, numbers, count);
    if (type != LI_CACHE_Q8_0) return;
    for (uint32_t i = 0; i < count; i += LI_CACHE_BLOCK, row += BLOCK_SIZE) {
        uint16_t half;
        memcpy(&half, row, sizeof half);
        float scale = li_half_to_float(half);
        for (uint32_t j = 0; j < LI_CACHE_BLOCK; j++) numbers[i + j] = (float)(int8_t)row[2 + j] * scale;
    }
}
