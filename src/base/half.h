// Conversion of IEEE 754 half precision (float16) bits.
#ifndef LI_HALF_H
#define LI_HALF_H

#include <stdint.h>
#include <string.h>

#include "base/inline.h"

LI_INLINE float li_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, magnitude = half & 0x7fffu, bits;
    float value;
    if (magnitude >= 0x7c00u) {
        bits = sign | 0x7f800000u | (magnitude & 0x3ffu) << 13; // infinity and NaN
    } else if (magnitude >= 0x400u) {
        bits = sign | ((magnitude << 13) + 0x38000000u);
    } else {
        value = (float)magnitude * 0x1p-24f; // subnormal
        memcpy(&bits, &value, sizeof bits);
        bits |= sign;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
