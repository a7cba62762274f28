#include "sample/radix.h"

#define DIGITS 256u

void li_radix_sort(uint32_t *items, uint32_t *other, uint32_t count, uint32_t width)
{
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t place[DIGITS] = {0}, next = 0;
        const uint32_t *end = items + count * width;
        for (const uint32_t *item = items; item < end; item += width) place[~*item >> shift & (DIGITS - 1)] += width;
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            uint32_t size = place[digit];
            place[digit] = next;
            next += size;
        }
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
