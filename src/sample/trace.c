#include "sample/trace.h"

#include <string.h>

#include "base/exp.h"
#include "base/memory.h"

li_status li_trace_create(li_trace *trace, uint32_t vocab_size)
{
    trace->vocab_size = vocab_size;
    trace->removed_by = li_memory_alloc(vocab_size * sizeof *trace->removed_by);
    trace->logits = li_memory_alloc(vocab_size * sizeof *trace->logits);
    trace->probabilities = li_memory_alloc(vocab_size * sizeof *trace->probabilities);
    if (trace->removed_by && trace->logits && trace->probabilities) return LI_OK;
    li_trace_destroy(trace);
    return LI_ERROR_OUT_OF_MEMORY;
}

void li_trace_destroy(li_trace *trace)
{
    li_memory_free(trace->removed_by);
    li_memory_free(trace->logits);
    li_memory_free(trace->probabilities);
    memset(trace, 0, sizeof *trace);
}

void li_trace_begin(li_trace *trace, const li_funnel *funnel, const li_settings *settings)
{
    memset(trace->removed_by, 0, trace->vocab_size);
    uint32_t after = 0;
    if (settings->allowed) {
        for (uint32_t i = 0; i < settings->allowed_count && settings->allowed[i] < funnel->row_size; i++)
            if (funnel->row[settings->allowed[i]] > LI_MASKED) trace->removed_by[settings->allowed[i]] = LI_KEPT;
    } else {
        for (uint32_t id = 0; id < funnel->row_size; id++)
            if (funnel->row[id] > LI_MASKED) trace->removed_by[id] = LI_KEPT;
    }
    for (uint32_t id = 0; id < funnel->row_size; id++) after += trace->removed_by[id] == LI_KEPT;
    trace->records[0] = (li_stage_record){.stage = LI_STAGE_MASK, .before = trace->vocab_size, .after = after};
    trace->record_count = 1;
}

void li_trace_enter(li_trace *trace, li_funnel *funnel, li_stage stage)
{
    uint32_t before = trace->records[trace->record_count - 1].after;
    trace->records[trace->record_count++] = (li_stage_record){.stage = stage, .before = before, .mass = 1.0};
    trace->edits_before = funnel->edit_count;
    funnel->was_cut = false;
    if (LI_EDIT_STAGES >> stage & 1u) return;
    li_funnel_weigh(funnel);
    trace->total_before = funnel->total;
}

void li_trace_leave(li_trace *trace, li_funnel *funnel)
{
    uint8_t index = (uint8_t)(trace->record_count - 1);
    li_stage_record *record = &trace->records[index];
    record->after = record->before;
    for (uint32_t i = trace->edits_before; i < funnel->edit_count; i++) {
        uint32_t id = funnel->edits[i].id;
        if (funnel->row[id] > LI_MASKED || trace->removed_by[id] != LI_KEPT) continue;
        trace->removed_by[id] = index;
        record->after--;
    }
    if (!funnel->was_cut) return;
    uint32_t next = 0;
    for (uint32_t id = 0; id < funnel->row_size; id++) {
        if (next < funnel->count && li_funnel_id(funnel, next) == id)
            next++;
        else if (trace->removed_by[id] == LI_KEPT)
            trace->removed_by[id] = index;
    }
    record->after = funnel->count;
    record->has_cut = record->after < record->before;
    if (!record->has_cut) return;
    double distance = (funnel->threshold - (double)funnel->peak) / funnel->temperature;
    record->threshold = li_exp(distance) / trace->total_before;
    li_funnel_weigh(funnel);
    record->mass = funnel->total / trace->total_before;
}

void li_trace_row(li_trace *trace, const li_funnel *funnel, const li_settings *settings)
{
    memcpy(trace->logits, funnel->row, trace->vocab_size * sizeof *trace->logits);
    memset(trace->probabilities, 0, trace->vocab_size * sizeof *trace->probabilities);
    double temperature = settings->options.temperature;
    if (temperature == 0.0) {
        trace->probabilities[li_funnel_argmax(funnel)] = 1.0;
        return;
    }
    double total = 0.0;
    for (uint32_t i = 0; i < funnel->length; i++) {
        if (funnel->values[i] <= LI_MASKED) continue;
        double probability = li_exp(((double)funnel->values[i] - (double)funnel->peak) / temperature);
        trace->probabilities[li_funnel_id(funnel, i)] = probability;
        total += probability;
    }
    for (uint32_t i = 0; i < funnel->length; i++) trace->probabilities[li_funnel_id(funnel, i)] /= total;
}
