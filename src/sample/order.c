#include "sample/order.h"

#include "base/assert.h"
#include "sample/select.h"

#define DIGITS 256u

// Sorts items (count) of `width` words, 1 or 2, by their first word, largest first; equal items stay in their order.
// `other` is room for as many. Four passes, one for each byte, leave the result in `items`.
static void sort(uint32_t *items, uint32_t *other, uint32_t count, uint32_t width)
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

uint32_t li_order_logits(li_funnel *funnel, float low)
{
    const li_bracket bracket = {low, __builtin_inff(), funnel->ids ? NULL : funnel->block_peaks};
    uint32_t *keys = funnel->scratch.keys;
    float *values = funnel->scratch.masses;
    double above;
    uint32_t count = li_select_list(funnel->values, NULL, funnel->length, &bracket, &above, &funnel->scratch);
    LI_ASSERT(low >= (float)LI_LOWEST && count <= funnel->count);
    sort(keys, (uint32_t *)values, count, 1);
    for (uint32_t i = 0; i < count; i++) values[i] = li_select_value(keys[i]);
    return count;
}

const float *li_order_tokens(li_funnel *funnel, uint32_t *ids, uint32_t *room)
{
    LI_ASSERT(funnel->count && ids && room);
    float *values = funnel->scratch.masses;
    uint32_t count = 0;
    for (uint32_t i = 0; i < funnel->length; i++) {
        // No branch: it would be hard to predict.
        room[2 * count] = li_select_key(funnel->values[i]);
        room[2 * count + 1] = li_funnel_id(funnel, i);
        count += funnel->values[i] > LI_MASKED;
    }
    LI_ASSERT(count == funnel->count);
    sort(room, funnel->scratch.keys, count, 2);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = li_select_value(room[2 * i]);
        ids[i] = room[2 * i + 1];
    }
    return values;
}
