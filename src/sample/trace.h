// A record of every stage's work on one row. Only traces pay for it.
#ifndef LI_TRACE_H
#define LI_TRACE_H

#include "sample/stages.h"

#define LI_KEPT 255u

typedef struct li_trace {
    li_stage_record records[LI_STAGE_COUNT]; // the mask's, then those of the stages in running order
    uint32_t record_count;
    uint8_t *removed_by;   // (vocab_size) index of a record, or LI_KEPT
    float *logits;         // (vocab_size) after the edits
    double *probabilities; // of `logits` at the temperature in force, before any truncation
    uint32_t vocab_size;

    uint32_t edits_before; // state between enter and leave
    double total_before, temperature;
    float peak_before, row_peak;
} li_trace;

// Records the mask, which the caller has applied to the unedited row.
void li_trace_begin(li_trace *trace, const li_funnel *funnel);
void li_trace_enter(li_trace *trace, li_funnel *funnel, li_stage stage);
void li_trace_leave(li_trace *trace, li_funnel *funnel);
// Copies the edited row.
void li_trace_row(li_trace *trace, const li_funnel *funnel);
// Computes the probabilities of the edited row.
void li_trace_end(li_trace *trace, bool is_greedy);

#endif
