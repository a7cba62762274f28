// What changes as tokens are accepted: history, feedback, number of draws. Described in lastinch.h.
#include <string.h>

#include "sample/sampler.h"

li_status li_sampler_accept(li_sampler *sampler, const uint32_t *ids, uint32_t count, bool is_prompt)
{
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] >= sampler->vocab_size) return LI_ERROR_BAD_ARGUMENT;
    if (count >= LI_HISTORY_PROMPT - sampler->history.length) return LI_ERROR_OUT_OF_MEMORY;
    if (li_history_reserve(&sampler->history, sampler->history.length + count)) return LI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        li_history_push(&sampler->history, ids[i] | (is_prompt ? LI_HISTORY_PROMPT : 0));
    return LI_OK;
}

void li_sampler_begin_feedback(li_sampler *sampler, uint32_t stages)
{
    const li_options *options = &sampler->settings.options;
    li_feedback *feedback = &sampler->history.feedback;
    if (stages >> LI_STAGE_MIROSTAT & 1) li_mirostat_begin(feedback, options);
    if (stages >> LI_STAGE_ADAPTIVE_P & 1) li_adaptive_p_begin(feedback, options);
}

void li_sampler_reset(li_sampler *sampler)
{
    li_history_clear(&sampler->history);
    li_sampler_begin_feedback(sampler, sampler->chain.active_stages);
    sampler->draws = 0;
    sampler->last_probability = 1.0;
}

// State: these words, the feedback, then the history's tokens.
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
