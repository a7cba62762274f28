#include "sample/trace.h"

#include <string.h>

#include "base/assert.h"
#include "base/exp.h"

// Marks the tokens that are no longer survivors as removed by the record `index`.
static void remove_others(li_trace *trace, const li_funnel *funnel, uint8_t index)
{
    LI_ASSERT(index < trace->record_count || index == 0);
    uint32_t next = 0;
    for (uint32_t id = 0; id < trace->vocab_size; id++) {
        bool stays = false;
        if (next < funnel->length && li_funnel_id(funnel, next) == id) stays = funnel->values[next++] > LI_MASKED;
        if (!stays && trace->removed_by[id] == LI_KEPT) trace->removed_by[id] = index;
    }
}

void li_trace_begin(li_trace *trace, const li_funnel *funnel)
{
    LI_ASSERT(trace->removed_by && trace->logits && trace->probabilities);
    memset(trace->removed_by, LI_KEPT, trace->vocab_size);
    remove_others(trace, funnel, 0);
    trace->records[0] = (li_stage_record){.stage = LI_STAGE_MASK, .before = trace->vocab_size, .after = funnel->count};
    trace->record_count = 1;
    trace->temperature = funnel->temperature;
}

void li_trace_enter(li_trace *trace, li_funnel *funnel, li_stage stage)
{
    LI_ASSERT(trace->record_count && trace->record_count < LI_STAGE_COUNT);
    uint32_t before = trace->records[trace->record_count - 1].after;
    trace->records[trace->record_count++] = (li_stage_record){.stage = stage, .before = before, .mass = 1.0};
    trace->edits_before = funnel->edit_count;
    funnel->was_cut = false;
    if (LI_EDIT_STAGES >> stage & 1u) return;
    li_funnel_weigh(funnel);
    trace->total_before = funnel->total;
    trace->peak_before = funnel->peak;
}

void li_trace_leave(li_trace *trace, li_funnel *funnel)
{
    LI_ASSERT(trace->record_count > 1);
    uint8_t index = (uint8_t)(trace->record_count - 1);
    li_stage_record *record = &trace->records[index];
    record->after = record->before;
    LI_ASSERT(trace->edits_before <= funnel->edit_count);
    // The weights of adaptive-p have no temperature.
    if (record->stage != LI_STAGE_ADAPTIVE_P) trace->temperature = funnel->temperature;
    for (uint32_t i = trace->edits_before; i < funnel->edit_count; i++) {
        uint32_t id = funnel->edits[i].id;
        if (funnel->row[id] > LI_MASKED || trace->removed_by[id] != LI_KEPT) continue;
        trace->removed_by[id] = index;
        LI_ASSERT(record->after);
        record->after--;
    }
    if (!funnel->was_cut) return;
    remove_others(trace, funnel, index);
    record->after = funnel->count;
    LI_ASSERT(record->after <= record->before);
    record->has_cut = record->after < record->before;
    if (!record->has_cut) return;
    double peak = (double)trace->peak_before, temperature = funnel->temperature;
    record->threshold = li_exp(funnel->threshold / temperature) / trace->total_before;
    li_funnel_weigh(funnel);
    record->mass = funnel->total * li_exp(((double)funnel->peak - peak) / temperature) / trace->total_before;
}

void li_trace_row(li_trace *trace, const li_funnel *funnel)
{
    memcpy(trace->logits, funnel->row, trace->vocab_size * sizeof *trace->logits);
    trace->row_peak = funnel->peak;
}

// Whether the mask kept the token.
static bool is_in_row(const li_trace *trace, uint32_t id)
{
    return trace->removed_by[id] != 0 && trace->logits[id] > LI_MASKED;
}

void li_trace_end(li_trace *trace, bool is_greedy)
{
    LI_ASSERT(is_greedy || trace->temperature > 0.0);
    double peak = (double)trace->row_peak, total = 0.0;
    for (uint32_t id = 0; id < trace->vocab_size; id++) {
        double distance = (double)trace->logits[id] - peak, probability = 0.0;
        if (is_in_row(trace, id))
            probability = is_greedy ? distance == 0.0 && total == 0.0 : li_exp(distance / trace->temperature);
        trace->probabilities[id] = probability;
        total += probability;
    }
    LI_ASSERT(total > 0.0);
    for (uint32_t id = 0; id < trace->vocab_size; id++) trace->probabilities[id] /= total;
}
