#include "sample/chain.h"

#include "base/assert.h"

static li_stage_function *const functions[LI_STAGE_COUNT] = {
    [LI_STAGE_BIAS] = li_bias_apply,
    [LI_STAGE_SEQUENCE_BIAS] = li_sequence_bias_apply,
    [LI_STAGE_REPETITION] = li_repetition_apply,
    [LI_STAGE_FREQUENCY] = li_frequency_apply,
    [LI_STAGE_DRY] = li_dry_apply,
    [LI_STAGE_NO_REPEAT_NGRAM] = li_no_repeat_ngram_apply,
    [LI_STAGE_LENGTH_DECAY] = li_length_decay_apply,
    [LI_STAGE_MIN_TOKENS] = li_min_tokens_apply,
    [LI_STAGE_TEMPERATURE] = li_temperature_apply,
    [LI_STAGE_TOP_K] = li_top_k_apply,
    [LI_STAGE_TOP_P] = li_top_p_apply,
    [LI_STAGE_MIN_P] = li_min_p_apply,
    [LI_STAGE_TYPICAL] = li_typical_apply,
    [LI_STAGE_EPSILON] = li_epsilon_apply,
    [LI_STAGE_ETA] = li_eta_apply,
    [LI_STAGE_TOP_N_SIGMA] = li_top_n_sigma_apply,
    [LI_STAGE_TOP_H] = li_top_h_apply,
    [LI_STAGE_TFS] = li_tfs_apply,
    [LI_STAGE_TOP_A] = li_top_a_apply,
    [LI_STAGE_P_LESS] = li_p_less_apply,
    [LI_STAGE_ENTROPY_EQUILIBRIUM] = li_entropy_equilibrium_apply,
    [LI_STAGE_SMOOTHING] = li_smoothing_apply,
    [LI_STAGE_XTC] = li_xtc_apply,
    [LI_STAGE_MIROSTAT] = li_mirostat_apply,
    [LI_STAGE_ADAPTIVE_P] = li_adaptive_p_apply,
};

#define BIT(stage)  (1u << (stage))
#define TRUNCATIONS ~(LI_EDIT_STAGES | BIT(LI_STAGE_MASK) | BIT(LI_STAGE_TEMPERATURE))

static const double numbers[] = LI_OPTION_NUMBERS;
static const li_option_rule option_rules[LI_OPTION_COUNT] = LI_OPTION_RULES;

void li_chain_default_options(double *options)
{
    for (uint32_t slot = 0; slot < LI_OPTION_COUNT; slot++) options[slot] = numbers[option_rules[slot].default_value];
}

bool li_chain_are_options(const double *options)
{
    for (uint32_t slot = 0; slot < LI_OPTION_COUNT; slot++) {
        double value = options[slot];
        if (!(value >= numbers[option_rules[slot].minimum] && value <= numbers[option_rules[slot].maximum]))
            return false;
        if (option_rules[slot].is_integer && (double)(int64_t)value != value) return false;
    }
    return true;
}

// The stages that the settings switch on, a bit each.
static uint32_t switched_on(const li_settings *settings)
{
    static const uint8_t list_stages[LI_LIST_COUNT] = LI_LIST_STAGES;
    const double *options = (const double *)&settings->options;
    uint32_t on = 0;
    for (uint32_t slot = 0; slot < LI_OPTION_COUNT; slot++)
        if (options[slot] != numbers[option_rules[slot].default_value]) on |= BIT(option_rules[slot].stage);
    for (uint32_t list = 0; list < LI_LIST_COUNT; list++)
        if (settings->lists[list].count) on |= BIT(list_stages[list]);
    return on & ~BIT(LI_STAGE_COUNT);
}

li_status li_chain_set_order(li_chain *chain, const uint32_t *stages, uint32_t count, uint32_t rules)
{
    if (count > LI_STAGE_COUNT - 1) return LI_ERROR_BAD_ORDER;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (stages[i] == LI_STAGE_MASK || stages[i] >= LI_STAGE_COUNT) return LI_ERROR_BAD_ORDER;
        uint32_t bit = BIT(stages[i]);
        bool is_late = (bit & LI_EDIT_STAGES && seen & ~LI_EDIT_STAGES) ||
                       (bit & ~LI_FEEDBACK_STAGES && seen & LI_FEEDBACK_STAGES);
        if (seen & bit || is_late) return LI_ERROR_BAD_ORDER;
        seen |= bit;
    }
    for (uint32_t i = 0; i < count; i++) chain->order[i] = (li_stage)stages[i];
    chain->order_count = count;
    chain->rules = rules;
    return LI_OK;
}

bool li_chain_has(const li_chain *chain, li_stage stage)
{
    LI_ASSERT(stage <= LI_STAGE_COUNT);
    return chain->active_stages >> stage & 1;
}

// Mirostat controls the surprise by its own truncation; another truncation would work against it. Greedy draws nothing.
static bool is_contradictory(uint32_t on, const li_options *options)
{
    bool is_greedy = options->temperature == 0.0;
    if (is_greedy && (on & LI_FEEDBACK_STAGES || options->dynatemp_range > 0.0)) return true;
    return on & BIT(LI_STAGE_MIROSTAT) && on & TRUNCATIONS & ~BIT(LI_STAGE_MIROSTAT);
}

li_status li_chain_configure(li_chain *chain, const li_settings *settings)
{
    uint32_t on = switched_on(settings);
    if (is_contradictory(on, &settings->options)) return LI_ERROR_CONFLICT;
    uint32_t in_order = 0, until_temperature = 0;
    for (uint32_t i = 0; i < chain->order_count; i++) {
        in_order |= BIT(chain->order[i]);
        if (chain->order[i] == LI_STAGE_TEMPERATURE) until_temperature = in_order;
    }
    if (on & ~in_order) return LI_ERROR_BAD_ORDER;
    // Greedy takes the likeliest token of those that stages before temperature leave; later truncations keep that
    // token.
    chain->active_stages = settings->options.temperature == 0.0 ? on & until_temperature : on;
    return LI_OK;
}

void li_chain_apply(li_stage stage, li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    LI_ASSERT(functions[stage]);
    functions[stage](funnel, settings, history);
}

li_status li_chain_run(const li_chain *chain, li_funnel *funnel, const li_settings *settings, const li_history *history,
                       li_trace *trace)
{
    LI_ASSERT(chain->order_count < LI_STAGE_COUNT);
    LI_ASSERT(!funnel->ids && funnel->edit_count == 0); // after li_funnel_begin
    bool is_masked = false, is_forced = li_mask_forced(settings, history);
    for (uint32_t i = 0; i <= chain->order_count; i++) {
        li_stage stage = i < chain->order_count ? chain->order[i] : LI_STAGE_COUNT;
        if (!is_masked && !(BIT(stage) & LI_EDIT_STAGES)) {
            li_status status = li_mask_apply(funnel, settings, history);
            if (status) return status;
            if (trace) li_trace_row(trace, funnel);
            is_masked = true;
        }
        if (!li_chain_has(chain, stage) || (is_forced && !is_masked)) continue;
        LI_ASSERT(is_masked == !(BIT(stage) & LI_EDIT_STAGES));
        if (trace) li_trace_enter(trace, funnel, stage);
        li_chain_apply(stage, funnel, settings, history);
        LI_ASSERT(!is_masked || funnel->count); // a stage leaves a token
        if (trace) li_trace_leave(trace, funnel);
    }
    LI_ASSERT(is_masked);
    if (trace) li_trace_end(trace, settings->options.temperature == 0.0);
    return LI_OK;
}
