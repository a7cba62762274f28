// End tokens, found by their texts because files often name only one of them. The list is llama.cpp's
// (llama-vocab.cpp). Declared in tokenizer.h.
#include <string.h>

#include "base/assert.h"
#include "tokenizer/tokenizer.h"

static const char *const texts[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    // After these tokens a fill-in-the-middle model would write another file.
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
};

static uint32_t find(const li_text_table *names, const char *text)
{
    return li_text_table_find(names, (const uint8_t *)text, (uint32_t)strlen(text), NULL, 0);
}

void li_end_tokens_find(li_tokenizer *tokenizer, const li_text_table *names)
{
    LI_ASSERT(tokenizer->types && sizeof texts / sizeof *texts <= LI_ENDS_LIMIT);
    bool is_harmony = find(names, "<|return|>") != LI_NO_TOKEN && find(names, "<|call|>") != LI_NO_TOKEN;
    bool is_solar = find(names, "<|calls|>") != LI_NO_TOKEN && find(names, "<|flush|>") != LI_NO_TOKEN;
    bool is_gemma4 = find(names, "<|tool_response>") != LI_NO_TOKEN;
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t token = find(names, texts[i]);
        // In these families the token ends a part of a message, or is a tag of HTML.
        bool is_part = (is_harmony || is_solar) && strcmp(texts[i], "<|end|>") == 0;
        if (token == LI_NO_TOKEN || is_part || (is_gemma4 && strcmp(texts[i], "</s>") == 0)) continue;
        LI_ASSERT(token < tokenizer->view.count && tokenizer->view.end_count < LI_ENDS_LIMIT);
        tokenizer->types[token] = LI_TOKEN_CONTROL;
        tokenizer->end_tokens[tokenizer->view.end_count++] = token;
    }
}
