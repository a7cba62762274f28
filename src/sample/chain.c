#include "sample/chain.h"

typedef void (*stage_function)(li_funnel *, const li_settings *, const li_history *);

static const stage_function functions[LI_STAGE_COUNT] = {
    [LI_STAGE_BIAS] = li_bias_apply,
    [LI_STAGE_REPETITION] = li_repetition_apply,
    [LI_STAGE_FREQUENCY] = li_frequency_apply,
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
    [LI_STAGE_XTC] = li_xtc_apply,
};

static bool is_edit(li_stage stage)
{
    return (LI_EDIT_STAGES >> stage & 1u) != 0;
}

static bool is_truncation(li_stage stage)
{
    return !is_edit(stage) && stage != LI_STAGE_MASK && stage != LI_STAGE_TEMPERATURE;
}

static bool is_switched_on(li_stage stage, const li_settings *settings)
{
    const li_options *options = &settings->options;
    switch (stage) {
    case LI_STAGE_BIAS:
        return settings->bias_count || settings->banned_count;
    case LI_STAGE_REPETITION:
        return options->repetition_penalty != 1.0;
    case LI_STAGE_FREQUENCY:
        return options->frequency_penalty != 0.0 || options->presence_penalty != 0.0;
    case LI_STAGE_TEMPERATURE:
        return options->temperature != 1.0 || options->dynatemp_range > 0.0;
    case LI_STAGE_TOP_K:
        return options->top_k > 0.0;
    case LI_STAGE_TOP_P:
        return options->top_p < 1.0;
    case LI_STAGE_MIN_P:
        return options->min_p > 0.0;
    case LI_STAGE_TYPICAL:
        return options->typical_p < 1.0;
    case LI_STAGE_EPSILON:
        return options->epsilon_cutoff > 0.0;
    case LI_STAGE_ETA:
        return options->eta_cutoff > 0.0;
    case LI_STAGE_TOP_N_SIGMA:
        return options->top_n_sigma > 0.0;
    case LI_STAGE_TOP_H:
        return options->top_h > 0.0;
    case LI_STAGE_TFS:
        return options->tfs_z < 1.0;
    case LI_STAGE_XTC:
        return options->xtc_probability > 0.0 && options->xtc_threshold <= 0.5;
    case LI_STAGE_MASK:
    case LI_STAGE_COUNT:
        break;
    }
    return false;
}

li_status li_chain_set_order(li_chain *chain, const uint32_t *stages, uint32_t count, uint32_t rules)
{
    if (count > LI_STAGE_COUNT - 1) return LI_ERROR_BAD_ORDER;
    uint32_t seen = 0;
    bool edits_are_over = false;
    for (uint32_t i = 0; i < count; i++) {
        if (stages[i] == LI_STAGE_MASK || stages[i] >= LI_STAGE_COUNT || (seen >> stages[i] & 1))
            return LI_ERROR_BAD_ORDER;
        seen |= 1u << stages[i];
        if (is_edit((li_stage)stages[i]) && edits_are_over) return LI_ERROR_BAD_ORDER;
        edits_are_over = !is_edit((li_stage)stages[i]);
    }
    for (uint32_t i = 0; i < count; i++) chain->order[i] = (li_stage)stages[i];
    chain->order_count = count;
    chain->rules = rules;
    return LI_OK;
}

bool li_chain_has(const li_chain *chain, li_stage stage)
{
    for (uint32_t i = 0; i < chain->active_count; i++)
        if (chain->active[i] == stage) return true;
    return false;
}

li_status li_chain_configure(li_chain *chain, const li_settings *settings)
{
    uint32_t switched_on = 0;
    for (uint32_t stage = 0; stage < LI_STAGE_COUNT; stage++) switched_on += is_switched_on((li_stage)stage, settings);
    li_chain next = *chain;
    next.active_count = next.edit_count = 0;
    for (uint32_t i = 0; i < chain->order_count; i++) {
        if (!is_switched_on(chain->order[i], settings)) continue;
        // Greedy takes the likeliest token, whatever truncations would keep.
        if (settings->options.temperature == 0.0 && is_truncation(chain->order[i])) {
            switched_on--;
            continue;
        }
        next.active[next.active_count++] = chain->order[i];
        next.edit_count += is_edit(chain->order[i]);
    }
    if (next.active_count < switched_on) return LI_ERROR_BAD_ORDER;
    *chain = next;
    return LI_OK;
}

li_status li_chain_run(const li_chain *chain, li_funnel *funnel, const li_settings *settings, const li_history *history,
                       li_trace *trace)
{
    for (uint32_t i = 0; i <= chain->active_count; i++) {
        if (i == chain->edit_count) {
            li_status status = li_mask_apply(funnel, settings);
            if (status) return status;
            if (trace) li_trace_row(trace, funnel);
        }
        if (i == chain->active_count) break;
        if (trace) li_trace_enter(trace, funnel, chain->active[i]);
        functions[chain->active[i]](funnel, settings, history);
        if (trace) li_trace_leave(trace, funnel);
    }
    if (trace) li_trace_end(trace, settings->options.temperature > 0.0 ? funnel->temperature : 0.0);
    return LI_OK;
}
