// The chain: which stages run, in which order, over one funnel.
#ifndef LI_CHAIN_H
#define LI_CHAIN_H

#include "sample/stages.h"
#include "sample/trace.h"

typedef struct li_chain {
    li_stage order[LI_STAGE_COUNT]; // without the mask
    uint32_t order_count;
    uint32_t rules;         // li_rule
    uint32_t active_stages; // those that the options switch on, a bit each
} li_chain;

// options (LI_OPTION_COUNT): sets the defaults; tells whether all are in the ranges of the options table.
void li_chain_default_options(double *options);
bool li_chain_are_options(const double *options);

// LI_ERROR_BAD_ORDER: a stage is named twice, an edit follows another stage, or a stage follows mirostat or adaptive_p.
li_status li_chain_set_order(li_chain *chain, const uint32_t *stages, uint32_t count, uint32_t rules);
// Decides which stages are active. LI_ERROR_BAD_ORDER: the options switch on a stage that is not in the order.
// LI_ERROR_CONFLICT: options contradict each other. An error leaves the chain unchanged.
li_status li_chain_configure(li_chain *chain, const li_settings *settings);
bool li_chain_has(const li_chain *chain, li_stage stage);

// Runs one stage.
void li_chain_apply(li_stage stage, li_funnel *funnel, const li_settings *settings, const li_history *history);
// Runs the edits, the mask and the other stages on a funnel after li_funnel_begin. The caller undoes the edits, after
// an error too. `trace`, after li_trace_begin, records every stage; NULL: no trace.
li_status li_chain_run(const li_chain *chain, li_funnel *funnel, const li_settings *settings, const li_history *history,
                       li_trace *trace);

#endif
