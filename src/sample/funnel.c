#include "sample/funnel.h"

#include "base/simd.h"
#include "sample/softmax.h"

void li_funnel_begin(li_funnel *funnel, float *row, uint32_t row_size)
{
    funnel->row = row;
    funnel->row_size = row_size;
    funnel->count = row_size;
    funnel->ids = NULL;
    funnel->values = row;
    funnel->temperature = 1.0;
    funnel->is_weighed = false;
    funnel->edit_count = 0;
}

void li_funnel_edit(li_funnel *funnel, uint32_t id, float value)
{
    if (funnel->row[id] <= LI_MASKED) return;
    funnel->edits[funnel->edit_count++] = (li_edit){id, funnel->row[id]};
    funnel->row[id] = value;
}

void li_funnel_undo(li_funnel *funnel)
{
    while (funnel->edit_count) {
        const li_edit *edit = &funnel->edits[--funnel->edit_count];
        funnel->row[edit->id] = edit->former;
    }
}

// Peak, number of unmasked logits and whether a NaN was seen, of values[0 .. count).
typedef struct scan_result {
    float peak;
    uint32_t unmasked;
    bool has_nan;
} scan_result;

static scan_result scan(const float *values, uint32_t count)
{
    li_f32x4 peak = li_f32x4_splat(-__builtin_inff());
    const li_f32x4 masked = li_f32x4_splat(LI_MASKED);
    scan_result result = {0};
    uint32_t i = 0, ordered = 0;
    for (; i + 4 <= count; i += 4) {
        li_f32x4 lane = li_f32x4_load(values + i);
        peak = li_f32x4_pmax(peak, lane);
        ordered += 4 - (uint32_t)__builtin_popcount(li_f32x4_ge_mask(lane, lane));
        result.unmasked += (uint32_t)__builtin_popcount(li_f32x4_gt_mask(lane, masked));
    }
    float lanes[4];
    li_f32x4_store(lanes, peak);
    result.peak = lanes[0];
    for (int lane = 1; lane < 4; lane++)
        if (lanes[lane] > result.peak) result.peak = lanes[lane];
    for (; i < count; i++) {
        if (values[i] > result.peak) result.peak = values[i];
        ordered += values[i] != values[i];
        result.unmasked += values[i] > LI_MASKED;
    }
    result.has_nan = ordered != 0;
    return result;
}

li_status li_funnel_scan(li_funnel *funnel, const uint32_t *allowed, uint32_t allowed_count)
{
    if (allowed) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < allowed_count && allowed[i] < funnel->row_size; i++) {
            funnel->id_store[kept] = allowed[i];
            funnel->value_store[kept++] = funnel->row[allowed[i]];
        }
        funnel->ids = funnel->id_store;
        funnel->values = funnel->value_store;
        funnel->count = kept;
    }
    scan_result result = scan(funnel->values, funnel->count);
    if (result.has_nan) return LI_ERROR_LOGITS_NAN;
    if (result.unmasked == 0) return LI_ERROR_NOTHING_LEFT;
    if (result.peak == __builtin_inff()) return LI_ERROR_LOGITS_INFINITE;
    funnel->peak = result.peak;
    if (result.unmasked < funnel->count) li_funnel_cut(funnel, LI_MASKED, 0);
    return LI_OK;
}

uint32_t li_funnel_argmax(const li_funnel *funnel)
{
    const li_f32x4 peak = li_f32x4_splat(funnel->peak);
    uint32_t i = 0;
    for (; i + 4 <= funnel->count; i += 4) {
        uint32_t found = li_f32x4_ge_mask(li_f32x4_load(funnel->values + i), peak);
        if (found) return li_funnel_id(funnel, i + (uint32_t)__builtin_ctz(found));
    }
    while (funnel->values[i] < funnel->peak) i++;
    return li_funnel_id(funnel, i);
}

void li_funnel_set_temperature(li_funnel *funnel, double temperature)
{
    funnel->temperature = temperature;
    funnel->is_weighed = false;
}

void li_funnel_weigh(li_funnel *funnel)
{
    if (funnel->is_weighed) return;
    funnel->total = li_softmax_weigh(funnel->values, funnel->count, funnel->peak, funnel->temperature, funnel->weights);
    funnel->is_weighed = true;
}

// Moves survivor `from` to place `to` (to <= from).
static inline void keep(li_funnel *funnel, uint32_t to, uint32_t from)
{
    funnel->id_store[to] = li_funnel_id(funnel, from);
    funnel->value_store[to] = funnel->values[from];
    if (funnel->is_weighed) funnel->weights[to] = funnel->weights[from];
}

void li_funnel_cut(li_funnel *funnel, float value, uint32_t ties)
{
    const float *values = funnel->values;
    const li_f32x4 bound = li_f32x4_splat(value);
    uint32_t kept = 0, i = 0;
    for (; i + 4 <= funnel->count; i += 4) {
        uint32_t found = li_f32x4_ge_mask(li_f32x4_load(values + i), bound);
        for (; found; found &= found - 1) {
            uint32_t from = i + (uint32_t)__builtin_ctz(found);
            if (values[from] == value && ties-- == 0) {
                ties = 0;
                continue;
            }
            keep(funnel, kept++, from);
        }
    }
    for (; i < funnel->count; i++) {
        if (values[i] < value) continue;
        if (values[i] == value && ties-- == 0) {
            ties = 0;
            continue;
        }
        keep(funnel, kept++, i);
    }
    funnel->ids = funnel->id_store;
    funnel->values = funnel->value_store;
    funnel->count = kept;
    if (funnel->is_weighed) funnel->total = li_softmax_sum(funnel->weights, kept);
    funnel->threshold = (double)value;
    funnel->was_cut = true;
}

void li_funnel_cut_below(li_funnel *funnel, double threshold)
{
    // The smallest float that is at least the threshold, so that the comparison is exact.
    float bound = (float)threshold;
    if ((double)bound < threshold) {
        uint32_t bits;
        __builtin_memcpy(&bits, &bound, sizeof bits);
        bits = bound > 0 || bits == 0 ? bits + 1 : bits == 0x80000000u ? 1 : bits - 1;
        __builtin_memcpy(&bound, &bits, sizeof bits);
    }
    li_funnel_cut(funnel, bound, UINT32_MAX);
    funnel->threshold = threshold;
}
