// Weights that are not quantised: F32, F16, BF16.
#ifndef LI_NUMBER_H
#define LI_NUMBER_H

#include "base/assert.h"
#include "base/half.h"
#include "model/weight_type.h"

// The float whose upper 16 bits are `brain`, and whose lower 16 bits are 0.
LI_INLINE float li_brain_to_float(uint16_t brain)
{
    uint32_t bits = (uint32_t)brain << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Number `i` of raw bytes.
LI_INLINE float li_number_read(li_weight_type type, const uint8_t *raw, size_t i)
{
    LI_ASSERT(type == LI_WEIGHT_F32 || type == LI_WEIGHT_F16 || type == LI_WEIGHT_BF16);
    float value;
    if (type == LI_WEIGHT_F16) return li_half_to_float(li_read_half(raw + 2 * i));
    if (type == LI_WEIGHT_BF16) return li_brain_to_float(li_read_half(raw + 2 * i));
    memcpy(&value, raw + 4 * i, sizeof value);
    return value;
}

LI_INLINE bool li_number_is_finite(li_weight_type type, const uint8_t *raw, size_t i)
{
    LI_ASSERT(type == LI_WEIGHT_F32 || type == LI_WEIGHT_F16 || type == LI_WEIGHT_BF16);
    // The upper half of the number, and its exponent.
    uint32_t upper = li_read_half(type == LI_WEIGHT_F32 ? raw + 4 * i + 2 : raw + 2 * i);
    uint32_t exponent = type == LI_WEIGHT_F16 ? 0x7c00u : 0x7f80u;
    return (upper & exponent) != exponent;
}

#endif
