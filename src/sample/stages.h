// The mechanisms, one file each. A stage edits the row or narrows the survivors; chain.c runs those that
// the options switch on, in the sampler's order.
#ifndef LI_STAGES_H
#define LI_STAGES_H

#include "sample/funnel.h"
#include "sample/history.h"

// A bias beyond this is no bias; it also keeps a sum of logit and bias finite.
#define LI_BIAS_LIMIT 1e9f

// What the stages may read besides the funnel.
typedef struct li_settings {
    li_options options;
    bool keep_ties;       // what ties with the last token that is kept stays too
    bool typical_exceeds; // typical goes on until the mass exceeds p

    uint32_t *bias_ids; // (bias_count)
    float *bias_values; // (bias_count)
    uint32_t *banned;   // (banned_count)
    uint32_t *allowed;  // (allowed_count) ascending, or NULL for all
    uint32_t bias_count, banned_count, allowed_count;
} li_settings;

// Edits: before anything has read the row.
void li_bias_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_repetition_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_frequency_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
// Between the edits and the rest: always runs.
li_status li_mask_apply(li_funnel *funnel, const li_settings *settings);
// Shape and truncations.
void li_temperature_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_top_k_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_top_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_min_p_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_typical_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_epsilon_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_eta_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_top_n_sigma_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_top_h_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_tfs_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);
void li_xtc_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);

#endif
