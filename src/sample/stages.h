// The mechanisms, one file each. A stage edits the row or narrows the survivors. chain.c runs the stages that the
// options switch on, in the sampler's order.
#ifndef LI_STAGES_H
#define LI_STAGES_H

#include "sample/funnel.h"
#include "sample/history.h"

// The largest bias. The sum of a logit and a bias within this limit is finite.
#define LI_BIAS_LIMIT 1e9f

// What a stage reads besides the funnel.
typedef struct li_settings {
    li_options options;
    uint32_t rules;               // li_rule
    li_list lists[LI_LIST_COUNT]; // as described at li_sampler_set_list
    const uint32_t *bitmask;      // (vocab_size / 32, rounded up) or NULL
} li_settings;

typedef void li_stage_function(li_funnel *funnel, const li_settings *settings, const li_history *history);

// Edits run before the row is read.
li_stage_function li_bias_apply, li_sequence_bias_apply, li_repetition_apply, li_frequency_apply, li_dry_apply,
    li_no_repeat_ngram_apply, li_length_decay_apply, li_min_tokens_apply;

// The forced next token: one of the forced first tokens, or of the forced last tokens before max_tokens. NULL: none.
const uint32_t *li_mask_forced(const li_settings *settings, const li_history *history);
// Always runs, between the edits and the other stages. Errors: those of li_funnel_scan.
li_status li_mask_apply(li_funnel *funnel, const li_settings *settings, const li_history *history);

// Temperature and truncations.
li_stage_function li_temperature_apply, li_top_k_apply, li_top_p_apply, li_min_p_apply, li_typical_apply,
    li_epsilon_apply, li_eta_apply, li_top_n_sigma_apply, li_top_h_apply, li_tfs_apply, li_top_a_apply, li_p_less_apply,
    li_entropy_equilibrium_apply, li_smoothing_apply, li_xtc_apply, li_mirostat_apply, li_adaptive_p_apply;

// Feedback. begin: the mechanism is switched on or the history is cleared. accept: a drawn token was accepted.
void li_mirostat_begin(li_feedback *feedback, const li_options *options);
// `probability` with which the token was drawn.
void li_mirostat_accept(li_feedback *feedback, const li_options *options, double probability);
void li_adaptive_p_begin(li_feedback *feedback, const li_options *options);
// `probability` of the token before adaptive-p.
void li_adaptive_p_accept(li_feedback *feedback, const li_options *options, double probability);

#endif
