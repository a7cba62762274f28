// The state that changes as tokens are accepted: history, feedback, number of draws. Public functions: lastinch.h.
#include <string.h>

#include "base/assert.h"
#include "sample/sampler.h"

// Checks ids (count) and reserves room for them.
static li_status admit(li_sampler *sampler, const uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] >= sampler->vocab_size) return LI_ERROR_BAD_ARGUMENT;
    li_history *history = &sampler->history;
    if (count >= LI_HISTORY_PROMPT - history->length) return LI_ERROR_OUT_OF_MEMORY;
    return li_history_reserve(history, history->length + count);
}

li_status li_sampler_emit(li_sampler *sampler, uint32_t id)
{
    li_status status = admit(sampler, &id, 1);
    if (status) return status;
    const li_options *options = &sampler->settings.options;
    LI_ASSERT(sampler->history.length < sampler->history.capacity);
    li_history *history = &sampler->history;
    li_history_push(history, id);
    sampler->draws += options->temperature != 0.0 || li_chain_has(&sampler->chain, LI_STAGE_XTC);
    if (sampler->chosen.token == id) {
        sampler->chosen.last_probability = sampler->chosen.probability;
        if (li_chain_has(&sampler->chain, LI_STAGE_MIROSTAT))
            li_mirostat_accept(&history->feedback, options, sampler->chosen.probability);
        if (li_chain_has(&sampler->chain, LI_STAGE_ADAPTIVE_P))
            li_adaptive_p_accept(&history->feedback, options, sampler->chosen.undistorted_probability);
    }
    sampler->chosen.token = LI_NOTHING_DRAWN;
    return LI_OK;
}

li_status li_sampler_accept(li_sampler *sampler, const uint32_t *ids, uint32_t count, bool is_prompt)
{
    li_status status = admit(sampler, ids, count);
    for (uint32_t i = 0; i < count && status == LI_OK; i++) {
        if (is_prompt)
            li_history_push(&sampler->history, ids[i] | LI_HISTORY_PROMPT);
        else
            status = li_sampler_emit(sampler, ids[i]);
    }
    return status;
}

void li_sampler_begin_feedback(li_sampler *sampler, uint32_t stages)
{
    const li_options *options = &sampler->settings.options;
    li_feedback *feedback = &sampler->history.feedback;
    if (stages >> LI_STAGE_MIROSTAT & 1) li_mirostat_begin(feedback, options);
    if (stages >> LI_STAGE_ADAPTIVE_P & 1) li_adaptive_p_begin(feedback, options);
    sampler->chosen.token = LI_NOTHING_DRAWN;
    sampler->mark.length = LI_NO_MARK;
}

void li_sampler_reset(li_sampler *sampler)
{
    li_history_clear(&sampler->history);
    li_sampler_begin_feedback(sampler, sampler->chain.active_stages);
    sampler->draws = 0;
    sampler->chosen.last_probability = 1.0;
}

void li_sampler_mark(li_sampler *sampler)
{
    sampler->mark = (li_mark){
        .length = sampler->history.length,
        .draws = sampler->draws,
        .chosen = sampler->chosen,
        .feedback = sampler->history.feedback,
        .last_break = sampler->history.last_break,
    };
}

li_status li_sampler_rewind(li_sampler *sampler)
{
    const li_mark *mark = &sampler->mark;
    if (sampler->history.length < mark->length) return LI_ERROR_BAD_ARGUMENT;
    while (sampler->history.length > mark->length) li_history_pop(&sampler->history);
    LI_ASSERT(mark->last_break.end <= sampler->history.length);
    sampler->history.feedback = mark->feedback;
    sampler->history.last_break = mark->last_break;
    sampler->draws = mark->draws;
    sampler->chosen = mark->chosen;
    return LI_OK;
}

double *li_sampler_feedback(li_sampler *sampler)
{
    return &sampler->history.feedback.mirostat_limit;
}

li_status li_sampler_take_back(li_sampler *sampler, uint32_t count)
{
    li_history *history = &sampler->history;
    if (count > history->generated) return LI_ERROR_BAD_ARGUMENT;
    li_history_cut(history, count);
    sampler->chosen.token = LI_NOTHING_DRAWN;
    sampler->mark.length = LI_NO_MARK;
    return LI_OK;
}

// A saved state: this header, then the history's tokens.
typedef struct state_header {
    uint32_t magic, vocab_size, draws, length;
    li_feedback feedback;
} state_header;
#define STATE_MAGIC 0x3253494cu // "LIS2"

uint32_t li_sampler_state_size(const li_sampler *sampler)
{
    return (uint32_t)sizeof(state_header) + sampler->history.length * (uint32_t)sizeof(uint32_t);
}

void li_sampler_save_state(const li_sampler *sampler, uint8_t *bytes)
{
    const li_history *history = &sampler->history;
    state_header header = {STATE_MAGIC, sampler->vocab_size, sampler->draws, history->length, history->feedback};
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, history->tokens, history->length * sizeof(uint32_t));
}

static bool is_finite(double value)
{
    return value - value == 0.0;
}

li_status li_sampler_load_state(li_sampler *sampler, const uint8_t *bytes, uint32_t size)
{
    state_header header;
    if (size < sizeof header) return LI_ERROR_BAD_STATE;
    memcpy(&header, bytes, sizeof header);
    const li_feedback *feedback = &header.feedback;
    if (header.magic != STATE_MAGIC || header.vocab_size != sampler->vocab_size ||
        header.length != (size - sizeof header) / sizeof(uint32_t) || size % sizeof(uint32_t) ||
        !is_finite(feedback->mirostat_limit) || !is_finite(feedback->adaptive_sum) ||
        !is_finite(feedback->adaptive_weight))
        return LI_ERROR_BAD_STATE;
    for (uint32_t i = 0; i < header.length; i++) {
        uint32_t token;
        memcpy(&token, bytes + sizeof header + i * sizeof token, sizeof token);
        if ((token & ~LI_HISTORY_PROMPT) >= sampler->vocab_size) return LI_ERROR_BAD_STATE;
    }
    if (li_history_reserve(&sampler->history, header.length)) return LI_ERROR_OUT_OF_MEMORY;
    li_sampler_reset(sampler);
    for (uint32_t i = 0; i < header.length; i++) {
        uint32_t token;
        memcpy(&token, bytes + sizeof header + i * sizeof token, sizeof token);
        li_history_push(&sampler->history, token);
    }
    sampler->history.feedback = header.feedback;
    sampler->draws = header.draws;
    return LI_OK;
}
