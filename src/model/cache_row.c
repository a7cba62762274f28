#include "model/cache_row.h"

#include "base/assert.h"

size_t li_cache_row_size(li_cache_type type, uint32_t count)
{
    LI_ASSERT(type != LI_CACHE_AUTO && type <= LI_CACHE_Q8_0);
    LI_ASSERT(type != LI_CACHE_Q8_0 || count % LI_CACHE_BLOCK == 0);
    if (type == LI_CACHE_Q8_0) return (size_t)count / LI_CACHE_BLOCK * (sizeof(uint16_t) + LI_CACHE_BLOCK);
    return (size_t)count * (type == LI_CACHE_F16 ? sizeof(uint16_t) : sizeof(float));
}

static float magnitude(float x)
{
    return x < 0 ? -x : x;
}

// Quantises as Q8_0 does: the largest magnitude becomes 127. If a number is NaN or the scale exceeds the range of
// halves, the scale is NaN and the result false.
static bool write_block(uint8_t *scale_at, uint8_t *bytes, const float *numbers)
{
    float most = 0, defects = 0;
    for (uint32_t i = 0; i < LI_CACHE_BLOCK; i++) {
        most = magnitude(numbers[i]) > most ? magnitude(numbers[i]) : most;
        defects += numbers[i] - numbers[i]; // NaN for NaN and infinities
    }
    uint16_t half = li_half_from_float(most / 127.0f + defects);
    float scale = li_half_to_float(half), inverse = scale > 0 ? 1.0f / scale : 0;
    memcpy(scale_at, &half, sizeof half);
    for (uint32_t i = 0; i < LI_CACHE_BLOCK; i++) {
        // The scale is rounded, so the largest number may exceed 127. Adding 1.5 * 2^23 rounds to even.
        float quant = numbers[i] * inverse;
        quant = quant > 127 ? 127 : quant < -127 ? -127 : quant;
        quant = (quant + 0x1.8p23f) - 0x1.8p23f;
        bytes[i] = (uint8_t)(int8_t)(scale > 0 ? quant : 0);
    }
    return scale >= 0;
}

bool li_cache_row_write(li_cache_type type, uint8_t *row, const float *numbers, uint32_t count)
{
    LI_ASSERT(type != LI_CACHE_AUTO && (type != LI_CACHE_Q8_0 || count % LI_CACHE_BLOCK == 0));
    bool has_nan = false;
    if (type == LI_CACHE_F32) memcpy(row, numbers, count * sizeof(float));
    for (uint32_t i = 0; i < count && type == LI_CACHE_F16; i++) {
        uint16_t half = li_half_from_float(numbers[i]);
        memcpy(row + 2 * (size_t)i, &half, sizeof half);
        has_nan |= (half & 0x7c00u) == 0x7c00u;
    }
    for (uint32_t i = 0; i < count && type == LI_CACHE_Q8_0; i += LI_CACHE_BLOCK)
        has_nan |= !write_block(row + i / LI_CACHE_BLOCK * sizeof(uint16_t),
                                row + count / LI_CACHE_BLOCK * sizeof(uint16_t) + i, numbers + i);
    return !has_nan;
}

void li_cache_row_read(li_cache_type type, const uint8_t *row, float *numbers, uint32_t count)
{
    LI_ASSERT(type != LI_CACHE_AUTO && (type != LI_CACHE_Q8_0 || count % LI_CACHE_BLOCK == 0));
    if (type == LI_CACHE_F32) memcpy(numbers, row, count * sizeof(float));
    const uint8_t *bytes = row + count / LI_CACHE_BLOCK * sizeof(uint16_t);
    for (uint32_t i = 0; i < count && type != LI_CACHE_F32; i++) {
        uint16_t half;
        memcpy(&half, row + sizeof half * (size_t)(type == LI_CACHE_F16 ? i : i / LI_CACHE_BLOCK), sizeof half);
        numbers[i] = li_half_to_float(half) * (type == LI_CACHE_F16 ? 1 : (float)(int8_t)bytes[i]);
    }
}
