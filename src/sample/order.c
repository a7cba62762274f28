#include "sample/order.h"

#include "base/assert.h"
#include "sample/radix.h"
#include "sample/select.h"

uint32_t li_order_logits(li_funnel *funnel, float low)
{
    const li_bracket bracket = {low, __builtin_inff(), funnel->ids ? NULL : funnel->block_peaks};
    uint32_t *keys = funnel->scratch.keys;
    float *values = funnel->scratch.masses;
    double above;
    uint32_t count = li_select_list(funnel->values, NULL, funnel->length, &bracket, &above, &funnel->scratch);
    LI_ASSERT(low >= (float)LI_LOWEST && count <= funnel->count);
    li_radix_sort(keys, (uint32_t *)values, count, 1);
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
    li_radix_sort(room, funnel->scratch.keys, count, 2);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = li_select_value(room[2 * i]);
        ids[i] = room[2 * i + 1];
    }
    return values;
}
