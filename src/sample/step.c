// One step: from a row of logits to a token, or to a description of the distribution. Public functions: lastinch.h.
#include "base/assert.h"
#include "base/half.h"
#include "base/random.h"
#include "sample/distribution.h"
#include "sample/gumbel.h"
#include "sample/information.h"
#include "sample/sampler.h"
#include "sample/softmax.h"
#include "sample/watermark.h"

const li_sampler_arrays *li_sampler_get_arrays(li_sampler *sampler)
{
    li_sampler_scratch *scratch = sampler->scratch;
    scratch->arrays = (li_sampler_arrays){
        .input = scratch->input,
        .halves = (uint16_t *)scratch->funnel.scratch.keys,
        .tokens = scratch->tokens,
        .probabilities = scratch->probabilities,
        .information = &scratch->information,
        .chosen = &sampler->chosen,
        .trace_records = scratch->trace.records,
        .trace_stages = scratch->trace.record_count,
        .trace_removed_by = scratch->trace.removed_by,
        .trace_logits = scratch->trace.logits,
        .trace_probabilities = scratch->trace.probabilities,
    };
    return &scratch->arrays;
}

void li_sampler_widen(li_sampler *sampler)
{
    const uint16_t *halves = (const uint16_t *)sampler->scratch->funnel.scratch.keys;
    float *input = sampler->scratch->input;
    for (uint32_t i = 0; i < sampler->vocab_size; i++) input[i] = li_half_to_float(halves[i]);
}

li_funnel *li_sampler_begin_step(li_sampler *sampler, float *logits)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    li_funnel_begin(funnel, logits, (uint32_t)sampler->settings.options.token_count);
    funnel->step = sampler->draws;
    LI_ASSERT(funnel->row_size <= sampler->vocab_size);
    return funnel;
}

li_status li_sampler_run(li_sampler *sampler, const li_chain *chain, float *logits, li_trace *trace)
{
    li_funnel *funnel = li_sampler_begin_step(sampler, logits);
    li_status status = LI_OK;
    if (trace) {
        status = li_mask_apply(funnel, &sampler->settings, &sampler->history);
        if (status == LI_OK) li_trace_begin(trace, funnel);
        li_funnel_undo(funnel);
        li_sampler_begin_step(sampler, logits);
    }
    if (status == LI_OK) status = li_chain_run(chain, funnel, &sampler->settings, &sampler->history, trace);
    LI_ASSERT(funnel->edit_count <= sampler->scratch->edit_capacity);
    if (status) li_funnel_undo(funnel);
    return status;
}

int32_t li_sampler_take(li_sampler *sampler, uint32_t index)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    LI_ASSERT(index < funnel->length && funnel->values[index] > LI_MASKED);
    LI_ASSERT(funnel->is_weighed || funnel->count == 1);
    li_chosen *chosen = &sampler->chosen;
    chosen->token = li_funnel_id(funnel, index);
    chosen->probability = funnel->is_weighed ? (double)funnel->weights[index] / funnel->total : 1.0;
    if (funnel->undistorted) chosen->undistorted_probability = (double)funnel->undistorted[index];
    LI_ASSERT(chosen->token < sampler->vocab_size);
    LI_ASSERT(chosen->probability > 0.0);
    li_funnel_undo(funnel);
    return (int32_t)chosen->token;
}

double li_sampler_uniform(const li_sampler *sampler)
{
    const li_options *options = &sampler->settings.options;
    if (options->draw != 0.0) return -1.0;
    return li_random_uniform((uint64_t)options->seed, (uint32_t)options->stream, sampler->draws, LI_RANDOM_DRAW, 0);
}

int32_t li_sampler_draw(li_sampler *sampler, double u)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    const li_options *options = &sampler->settings.options;
    uint32_t chosen;
    if (funnel->count == 1) {
        chosen = li_funnel_argmax(funnel);
    } else {
        li_funnel_weigh(funnel);
        LI_ASSERT(u < 1.0);
        chosen = LI_UNMARKED;
        if (li_watermark_draw && sampler->settings.lists[LI_LIST_WATERMARK].count) {
            chosen = li_watermark_draw(funnel, &sampler->settings, &sampler->history, u);
            if (chosen == LI_NO_ROOM) {
                li_funnel_undo(funnel);
                return LI_ERROR_OUT_OF_MEMORY;
            }
        }
        if (chosen == LI_UNMARKED && u < 0.0) {
            const uint64_t seed = (uint64_t)options->seed;
            uint32_t counter[4] = {funnel->step, (uint32_t)options->stream, LI_RANDOM_GUMBEL, 0};
            const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
            chosen = li_gumbel_draw(funnel, counter, key);
        } else if (chosen == LI_UNMARKED) {
            chosen = li_softmax_find(funnel->weights, funnel->length, funnel->block_sums, u * funnel->total);
        }
    }
    return li_sampler_take(sampler, chosen);
}

static int32_t run_and_draw(li_sampler *sampler, float *logits, double u)
{
    li_status status = li_sampler_run(sampler, &sampler->chain, logits, NULL);
    return status ? (int32_t)status : li_sampler_draw(sampler, u);
}

int32_t li_sampler_choose(li_sampler *sampler, float *logits)
{
    return run_and_draw(sampler, logits, li_sampler_uniform(sampler));
}

int32_t li_sampler_sample(li_sampler *sampler, float *logits)
{
    int32_t token = li_sampler_choose(sampler, logits);
    if (token < 0) return token;
    li_status status = li_sampler_emit(sampler, (uint32_t)token);
    return status ? (int32_t)status : token;
}

double li_sampler_last_probability(const li_sampler *sampler)
{
    return sampler->chosen.last_probability;
}

int32_t li_sampler_pick(li_sampler *sampler, float *logits, double u)
{
    if (!(u >= 0.0 && u < 1.0)) return LI_ERROR_BAD_ARGUMENT;
    return run_and_draw(sampler, logits, u);
}

static int32_t order_survivors(li_sampler *sampler, float *logits, li_trace *trace)
{
    li_status status = li_sampler_scratch_reserve(sampler->scratch, trace != NULL);
    if (status == LI_OK) status = li_sampler_run(sampler, &sampler->chain, logits, trace);
    if (status) return status;
    li_funnel *funnel = &sampler->scratch->funnel;
    LI_ASSERT(funnel->count <= sampler->scratch->capacity);
    li_distribution_order(funnel, sampler->scratch->tokens, sampler->scratch->probabilities);
    li_funnel_undo(funnel);
    return (int32_t)funnel->count;
}

int32_t li_sampler_distribution(li_sampler *sampler, float *logits)
{
    return order_survivors(sampler, logits, NULL);
}

int32_t li_sampler_trace(li_sampler *sampler, float *logits)
{
    return order_survivors(sampler, logits, &sampler->scratch->trace);
}

int32_t li_sampler_inform(li_sampler *sampler, float *logits, bool is_raw, uint32_t token, uint32_t top)
{
    if (token >= sampler->vocab_size) return LI_ERROR_BAD_ARGUMENT;
    li_status status = li_sampler_scratch_reserve(sampler->scratch, false);
    if (status == LI_OK)
        status = is_raw ? li_funnel_scan(li_sampler_begin_step(sampler, logits), NULL, 0, NULL)
                        : li_sampler_run(sampler, &sampler->chain, logits, NULL);
    if (status) return status;
    li_sampler_scratch *scratch = sampler->scratch;
    uint32_t listed = li_information_take(&scratch->funnel, token, top, &scratch->information, scratch->tokens,
                                          scratch->probabilities);
    li_funnel_undo(&scratch->funnel);
    return (int32_t)listed;
}
