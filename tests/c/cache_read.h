// Reads rows of the cache back.
#ifndef CACHE_READ_H
#define CACHE_READ_H

#include "base/half.h"
#include "model/cache_row.h"

static inline void cache_read(li_cache_type type, const uint8_t *row, float *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, row + 2 * (size_t)(type == LI_CACHE_F16 ? i : i / 32), sizeof half);
        if (type == LI_CACHE_F32)
            memcpy(numbers + i, row + 4 * (size_t)i, sizeof(float));
        else
            numbers[i] =
                li_half_to_float(half) * (type == LI_CACHE_F16 ? 1 : (float)(int8_t)row[2 * (size_t)(count / 32) + i]);
    }
}

#endif
