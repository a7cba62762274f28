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
    uint32_t rules;               // li_rule
    li_list lists[LI_LIST_COUNT]; // as described at li_sampler_set_list
    const uint32_t *bitmask;      // (vocab_size / 32, rounded up) or NULL
} li_settings;

typedef void li_stage_function(li_funnel *funnel, const li_settings *settings, const li_history *history);

// Edits: before anything has read the row.
li_stage_function li_bias_apply, li_sequence_bias_apply, li_repetition_apply, li_frequency_apply, li_dry_apply,
    li_no_repeat_ngram_apply, li_length_decay_apply, li_min_tokens_apply;

// The token that must come next, as the first of the output or the last of one of max_tokens; NULL: none must.
const uint32_t *li_mask_forced(const li_settings *settings, const li_history *history);
// Between the edits and the rest: always runs.
li_status li_mask_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);

// Shape and truncations.
li_stage_function li_temperature_apply, li_top_k_apply, li_top_p_apply, li_min_p_apply, li_typical_apply,
    li_epsilon_apply, li_eta_apply, li_top_n_sigma_apply, li_top_h_apply, li_tfs_apply, li_xtc_apply, li_mirostat_apply,
    li_adaptive_p_apply;

// Feedback: begin when the mechanism is switched on or the history forgotten, accept when a token was drawn.
void li_mirostat_begin(li_feedback *feedback, const li_options *options);
// `probability`: with which the token was drawn.
void li_mirostat_accept(li_feedback *feedback, const li_options *options, double probability);
void li_adaptive_p_begin(li_feedback *feedback, const li_options *options);
// `probability`: with which the token would have been drawn before adaptive-p.
void li_adaptive_p_accept(li_feedback *feedback, const li_options *options, double probability);

#endif
