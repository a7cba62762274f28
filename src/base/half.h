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

// The half nearest to `value`, ties to even. NaN, infinities and numbers that would round to an infinity become NaN.
LI_INLINE uint16_t li_half_from_float(float value)
{
    uint32_t bits, small;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    // Below 2^-14 the unit of a half is 2^-24, and so is the unit of a float after 0.5 is added.
    float moved;
    memcpy(&moved, &bits, sizeof moved);
    moved += 0.5f;
    memcpy(&small, &moved, sizeof small);
    // Otherwise the fraction loses 13 bits: adding half their range, less 1 for an even fraction, rounds ties to even.
    const uint32_t normal = (bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u)) >> 13;
    const uint32_t half = bits < 0x38800000u ? small - 0x3f000000u : bits < 0x477ff000u ? normal : 0x7e00u;
    return (uint16_t)(sign | half);
}

#endif
