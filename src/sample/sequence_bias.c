// Sequence bias and bad words (Hugging Face's SequenceBias and NoBadWords processors): a bias on the last token of a
// sequence when the history ends with the tokens before. A bad word has the bias -infinity. vLLM's bad words look at
// the output only.
#include "base/assert.h"
#include "sample/stages.h"

// Whether the history ends with `count` tokens.
static bool ends_with(const li_history *history, const uint32_t *tokens, uint32_t count, bool is_output_only)
{
    if (count > history->length) return false;
    const uint32_t *end = history->tokens + history->length - count;
    uint32_t ignored = is_output_only ? 0 : LI_HISTORY_PROMPT;
    for (uint32_t i = 0; i < count; i++)
        if ((end[i] & ~ignored) != tokens[i]) return false;
    return true;
}

void li_sequence_bias_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    const li_list *sequences = &settings->lists[LI_LIST_SEQUENCES];
    for (uint32_t i = 0, length; i < sequences->count; i += 2 + length) {
        length = sequences->words[i];
        LI_ASSERT(length && i + 2 + length <= sequences->count);
        const uint32_t *tokens = sequences->words + i + 2;
        if (ends_with(history, tokens, length - 1, settings->rules & LI_RULE_OUTPUT_SEQUENCES))
            li_funnel_add(funnel, tokens[length - 1], sequences->words[i + 1]);
    }
}
