// Byte-level BPE (Sennrich et al., "Neural machine translation of rare words with subword units", 2016; on bytes:
// GPT-2). Declared in tokenizer.h.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "tokenizer/tokenizer.h"

// The slot of a merge, or the free slot for it. NULL: neither is within LI_PROBES_MOST probes.
static inline li_bpe_merge *slot_of(const li_tokenizer *tokenizer, uint32_t left, uint32_t right)
{
    LI_ASSERT(left != LI_NO_TOKEN && right != LI_NO_TOKEN);
    LI_ASSERT(tokenizer->merges && (tokenizer->merge_mask & (tokenizer->merge_mask + 1)) == 0);
    uint32_t hash = left * 0x9e3779b1u ^ right * 0x85ebca77u;
    hash ^= hash >> 15;
    for (uint32_t i = 0; i < LI_PROBES_MOST; i++) {
        li_bpe_merge *merge = &tokenizer->merges[(hash + i) & tokenizer->merge_mask];
        if (merge->left == LI_NO_TOKEN || (merge->left == left && merge->right == right)) return merge;
    }
    return NULL;
}

// A merge is two tokens and the space between them, which is never the first byte. Of equal merges the first counts.
static bool add_merge(li_tokenizer *tokenizer, const li_text_table *names, const uint8_t *text, uint32_t length,
                      uint32_t rank)
{
    uint32_t size = 1;
    while (size < length && text[size] != ' ') size++;
    if (size >= length) return false;
    const uint8_t *more = text + size + 1;
    uint32_t more_length = length - size - 1;
    uint32_t left = li_text_table_find(names, text, size, NULL, 0);
    uint32_t right = li_text_table_find(names, more, more_length, NULL, 0);
    uint32_t token = li_text_table_find(names, text, size, more, more_length);
    if (left == LI_NO_TOKEN || right == LI_NO_TOKEN || token == LI_NO_TOKEN) return false;
    li_bpe_merge *merge = slot_of(tokenizer, left, right);
    if (!merge) return false;
    if (merge->left == LI_NO_TOKEN) *merge = (li_bpe_merge){left, right, rank, token};
    return true;
}

li_tokenizer_fault li_bpe_read_merges(li_tokenizer *tokenizer, const li_gguf *gguf, const li_text_table *names,
                                      uint32_t *index)
{
    LI_ASSERT(tokenizer->is_bpe && !tokenizer->merges);
    const li_gguf_key *array = li_tokenizer_array(gguf, "tokenizer.ggml.merges", LI_GGUF_STRING);
    if (!array || array->count > LI_MERGES_LIMIT) return LI_TOKENIZER_MERGES;
    uint32_t size = 16;
    while (size < array->count + array->count / 2) size *= 2;
    tokenizer->merges = li_memory_alloc(size * sizeof *tokenizer->merges);
    if (!tokenizer->merges) return LI_TOKENIZER_MEMORY;
    memset(tokenizer->merges, 0xff, size * sizeof *tokenizer->merges);
    tokenizer->merge_mask = size - 1;
    const uint8_t *at = gguf->bytes + array->offset;
    for (uint32_t i = 0; i < array->count; i++) {
        uint32_t length = (uint32_t)li_gguf_read_unsigned(at, 8);
        if (!add_merge(tokenizer, names, at + 8, length, i)) {
            *index = i;
            return LI_TOKENIZER_MERGE;
        }
        at += 8 + length;
    }
    return LI_TOKENIZER_FINE;
}

static bool find_merge(const void *context, const li_symbol *left, const li_symbol *right, uint32_t *rank,
                       uint32_t *token)
{
    const li_bpe_merge *merge = slot_of(context, left->token, right->token);
    if (!merge || merge->left == LI_NO_TOKEN) return false;
    *rank = merge->rank;
    *token = merge->token;
    return true;
}

// Bytes without a token are dropped, as in llama.cpp and Hugging Face's tokenizers.
static void encode_piece(void *context, const uint8_t *piece, uint32_t length)
{
    LI_ASSERT(length); // no piece is empty
    li_tokenizer *tokenizer = context;
    li_merger *merger = &tokenizer->merger;
    uint32_t at = (uint32_t)(piece - tokenizer->text);
    li_merger_note(merger, at, at + length, LI_STEP_PIECE);
    if (tokenizer->pre->ignores_merges) {
        uint32_t token = li_text_table_find(&tokenizer->table, piece, length, NULL, 0);
        if (token != LI_NO_TOKEN) {
            li_merger_note(merger, at, at + length, token);
            li_tokenizer_push(tokenizer, token);
            return;
        }
    }
    if (!li_merger_begin(merger, length)) {
        tokenizer->is_full = true;
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        uint32_t token = tokenizer->of_byte[piece[i]];
        if (token != LI_NO_TOKEN) li_merger_add(merger, at + i, at + i + 1, token);
    }
    if (!merger->count) return;
    LI_ASSERT(merger->count <= length);
    li_merger_run(merger, find_merge, tokenizer);
    for (uint32_t i = 0; i != LI_NO_SYMBOL; i = merger->symbols[i].next)
        li_tokenizer_push(tokenizer, merger->symbols[i].token);
}

void li_bpe_encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length)
{
    LI_ASSERT(tokenizer->is_bpe && tokenizer->pre && tokenizer->classes);
    li_split(tokenizer->classes, tokenizer->pre->steps, text, length, encode_piece, tokenizer);
}
