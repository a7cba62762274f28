#include "sample/radix.h"

#define DIGITS 256u

void li_radix_sort(uint32_t *items, uint32_t *other, uint32_t count, uint32_t width)
{
    uint32_t places[4][DIGITS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = ~items[i * width];
        places[0][key & (DIGITS - 1)]++;
        places[1][key >> 8 & (DIGITS - 1)]++;
        places[2][key >> 16 & (DIGITS - 1)]++;
        places[3][key >> 24]++;
    }
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t *place = places[shift / 8], next = 0;
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            uint32_t size = place[digit];
            place[digit] = next;
            next += size * width;
        }
        const uint32_t *end = items + count * width;
        for (const uint32_t *item = items; item < end; item += width) {
            uint32_t key = item[0], *at = &place[~key >> shift & (DIGITS - 1)], *to = other + *at;
            *at += width;
            to[0] = key;
            if (width > 1) to[1] = item[1];
        }
        uint32_t *sorted = other;
        other = items;
        items = sorted;
    }
}
