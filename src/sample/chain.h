// The chain: which stages run, in which order, over one funnel.
#ifndef LI_CHAIN_H
#define LI_CHAIN_H

#include "sample/stages.h"
#include "sample/trace.h"

typedef struct li_chain {
    li_stage order[LI_STAGE_COUNT]; // as asked for; the mask is not among them
    uint32_t order_count;
    uint32_t rules;         // li_rule
    uint32_t active_stages; // those that the options switch on, a bit each
} li_chain;

// Of the options (LI_OPTION_COUNT): their defaults, and whether they are in the ranges of the table.
void li_chain_default_options(double *options);
bool li_chain_are_options(const double *options);

// LI_ERROR_BAD_ORDER when a stage is named twice, an edit follows another stage or one follows mirostat or adaptive_p.
li_status li_chain_set_order(li_chain *chain, const uint32_t *stages, uint32_t count, uint32_t rules);
// Decides which stages are active. LI_ERROR_BAD_ORDER when the options switch on one that is not in the order,
// LI_ERROR_CONFLICT when they contradict each other. The chain stays as it was on an error.
li_status li_chain_configure(li_chain *chain, const li_settings *settings);
bool li_chain_has(const li_chain *chain, li_stage stage);

// Runs the edits, the mask and the other stages on a funnel that has begun. The caller undoes the edits,
// whatever comes back. `trace` (or NULL) has begun too and is told of every stage.
li_status li_chain_run(const li_chain *chain, li_funnel *funnel, const li_settings *settings, const li_history *history,
                       li_trace *trace);

#endif
