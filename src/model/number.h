// Weights that are no blocks: F32, F16, BF16.
#ifndef LI_NUMBER_H
#define LI_NUMBER_H

#include "base/half.h"
#include "model/weight_type.h"

// The bits of the upper half of a float as that float.
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
    float value;
    if (type == LI_WEIGHT_F16) return li_half_to_float(li_read_half(raw + 2 * i));
    if (type == LI_WEIGHT_BF16) return li_brain_to_float(li_read_half(raw + 2 * i));
    memcpy(&value, raw + 4 * i, sizeof value);
    return value;
}

// 0, or NaN when the number is NaN or infinite.
LI_INLINE float li_number_defect(float number)
{
    return number - number;
}

#endif
