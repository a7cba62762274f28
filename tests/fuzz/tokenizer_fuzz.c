// Any bytes as a header and a text: a tokenizer is refused, or its ids are tokens. The first byte has the flags, the
// second the length of the text, which follows; then comes the header.
#include <stdlib.h>
#include <string.h>

#include "lastinch.h"

static void require(bool holds)
{
    if (!holds) abort();
}

static void check_view(const li_tokenizer_view *view)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        require(i == 0 || view->ends[i] >= view->ends[i - 1]);
        for (uint32_t at = i ? view->ends[i - 1] : 0; at < view->ends[i]; at++) sum += view->bytes[at];
        sum += view->types[i];
    }
    for (uint32_t i = 0; i < view->special_count; i++) {
        require(view->specials[i] < view->count && (i == 0 || view->special_ends[i] >= view->special_ends[i - 1]));
        sum += view->special_bytes[view->special_ends[i] - 1];
    }
    for (uint32_t i = 0; i < view->end_count; i++) require(view->end_tokens[i] < view->count);
    volatile uint32_t sink = sum; // reads every byte: none may be out of bounds
    (void)sink;
}

// The steps of the text's tokens (count): pieces that ascend, and merges inside them.
static void check_trace(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length, uint32_t flags,
                        const uint32_t *expected, uint32_t count)
{
    const uint32_t room = 2 * length + 2;
    uint32_t *ids = malloc(4 * room * sizeof *ids);
    int32_t size = li_tokenizer_encode(tokenizer, text, length, flags | LI_ENCODE_TRACE, ids);
    require(size >= 0 && size % 3 == 0 && (uint32_t)size <= 3 * room);
    require(!count || memcmp(ids, expected, count * sizeof *ids) == 0);
    uint32_t begin = 0, end = 0;
    for (const uint32_t *step = ids + room; step < ids + room + size; step += 3) {
        require(step[0] < step[1] && step[1] <= length + 1);
        if (step[2] == LI_STEP_PIECE) {
            // The space after a control token overwrites the token's last byte.
            require(step[0] + 1 >= end);
            begin = step[0];
            end = step[1];
        } else {
            require(step[2] < li_tokenizer_get_view(tokenizer)->count && step[0] >= begin && step[1] <= end);
        }
    }
    free(ids);
}

static void encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length, uint32_t flags)
{
    const li_tokenizer_view *view = li_tokenizer_get_view(tokenizer);
    uint32_t *ids = malloc((2 * length + 2) * sizeof *ids);
    int32_t count = li_tokenizer_encode(tokenizer, text, length, flags, ids);
    require(count == LI_ERROR_BAD_ARGUMENT || (count >= 0 && (uint32_t)count <= 2 * length + 2));
    for (int32_t i = 0; i < count; i++) require(ids[i] < view->count);
    if (count >= 0) check_trace(tokenizer, text, length, flags, ids, (uint32_t)count);
    free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2 || size - 2 < bytes[1]) return 0;
    uint32_t length = bytes[1], header = (uint32_t)size - 2 - length;
    li_gguf *gguf = li_gguf_create();
    uint8_t *into = li_gguf_reserve(gguf, header + 1);
    memcpy(into, bytes + 2 + length, header);
    if (li_gguf_parse(gguf, header, 0) == LI_OK) {
        static const char *const names[] = {"", "", "", "", "qwen2", "tekken", "deepseek-llm", "no-such"};
        uint32_t fault[2];
        li_tokenizer *tokenizer = li_tokenizer_create(gguf, names[bytes[0] >> 5], bytes[0] >> 2 & 1, fault);
        require((tokenizer == NULL) == (fault[0] != LI_TOKENIZER_FINE));
        li_gguf_destroy(gguf);
        if (tokenizer) {
            check_view(li_tokenizer_get_view(tokenizer));
            uint8_t *text = malloc(length + 1); // so that the sanitizer sees its end
            memcpy(text, bytes + 2, length);
            encode(tokenizer, text, length, bytes[0] & 3u);
            encode(tokenizer, text, length, 0);
            free(text);
            li_tokenizer_destroy(tokenizer);
        }
    } else {
        li_gguf_destroy(gguf);
    }
    return 0;
}
