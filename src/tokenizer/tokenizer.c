// A tokenizer from the header of a GGUF file. Public functions: lastinch.h.
#include "tokenizer/tokenizer.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

#define TEXT_LIMIT (1u << 28) // bytes

// ---- reading -----------------------------------------------------------------------------------------

// The pre-tokenizer of this name. Name empty: that of the file, or "default" if the file names none.
static const li_pre_tokenizer *find_pre(const li_gguf *gguf, const char *name)
{
    LI_ASSERT(gguf->is_parsed);
    int32_t index = li_gguf_find(gguf, "tokenizer.ggml.pre");
    if (*name || index < 0) {
        if (!*name) name = "default";
        return li_pre_tokenizer_find((const uint8_t *)name, (uint32_t)strlen(name));
    }
    if (gguf->keys[index].type != LI_GGUF_STRING) return NULL;
    const uint8_t *value = gguf->bytes + gguf->keys[index].offset;
    return li_pre_tokenizer_find(value + 8, (uint32_t)li_gguf_read_unsigned(value, 8));
}

static li_tokenizer_fault read_parts(li_tokenizer *tokenizer, const li_gguf *gguf, li_text_table *names,
                                     uint32_t *index)
{
    li_texts texts = names->texts;
    for (uint32_t i = 0; i < tokenizer->view.count; i++)
        if (!li_text_table_add(names, i)) return LI_TOKENIZER_TOKENS;
    li_tokenizer_fault fault = li_vocabulary_read_types(tokenizer, gguf, names);
    if (fault) return fault;
    if (tokenizer->is_bpe) {
        fault = li_bpe_read_merges(tokenizer, gguf, names, index);
        tokenizer->classes = li_char_classes_create();
        if (!fault && !tokenizer->classes) fault = LI_TOKENIZER_MEMORY;
    }
    li_end_tokens_find(tokenizer, names);
    static const char *const kept_after[] = {"<unk>", "<s>", "<|endoftext|>"};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t length = (uint32_t)strlen(kept_after[i]);
        tokenizer->kept_after[i] = li_text_table_find(names, (const uint8_t *)kept_after[i], length, NULL, 0);
    }
    if (!fault) fault = li_vocabulary_read_bytes(tokenizer, texts);
    return fault ? fault : li_specials_read(tokenizer, texts, index);
}

static bool has_bytes(const li_tokenizer *tokenizer)
{
    for (uint32_t i = 0; i < 256; i++) {
        if (tokenizer->of_byte[i] != LI_NO_TOKEN) return true;
    }
    return tokenizer->unknown != LI_NO_TOKEN;
}

static li_tokenizer_fault read(li_tokenizer *tokenizer, const li_gguf *gguf, const char *pre, uint32_t *index)
{
    tokenizer->is_bpe = li_gguf_is_string(gguf, "tokenizer.ggml.model", "gpt2");
    if (!tokenizer->is_bpe && !li_gguf_is_string(gguf, "tokenizer.ggml.model", "llama")) return LI_TOKENIZER_MODEL;
    if (tokenizer->is_bpe && !(tokenizer->pre = find_pre(gguf, pre))) return LI_TOKENIZER_PRE;
    const li_gguf_key *tokens = li_tokenizer_array(gguf, "tokenizer.ggml.tokens", LI_GGUF_STRING);
    if (!tokens || !tokens->count || tokens->count > LI_TOKENS_LIMIT) return LI_TOKENIZER_TOKENS;
    // Phi-3's tokenizer.json strips white space after special tokens, and so does llama.cpp. GGUF files have no key for
    // that.
    tokenizer->is_phi = !tokenizer->is_bpe && li_gguf_is_string(gguf, "general.architecture", "phi3");
    tokenizer->view.count = tokens->count;
    tokenizer->view.adds_bos = !tokenizer->is_bpe || tokenizer->pre->adds_bos;
    li_texts texts;
    if (!li_tokenizer_texts(gguf, tokens, &texts)) return LI_TOKENIZER_MEMORY;
    li_text_table names;
    li_tokenizer_fault fault = LI_TOKENIZER_MEMORY;
    if (li_text_table_open(&names, texts, tokens->count)) {
        fault = read_parts(tokenizer, gguf, &names, index);
        li_text_table_close(&names);
    }
    li_memory_free((void *)(uintptr_t)texts.ends);
    if (!fault && !has_bytes(tokenizer)) fault = LI_TOKENIZER_BYTES;
    return fault;
}

static void fill_view(li_tokenizer *tokenizer)
{
    li_tokenizer_view *view = &tokenizer->view;
    view->bytes = tokenizer->bytes;
    view->ends = tokenizer->ends;
    view->types = tokenizer->types;
    view->specials = tokenizer->specials;
    view->special_bytes = tokenizer->special_bytes;
    view->special_ends = tokenizer->special_ends;
    view->end_tokens = tokenizer->end_tokens;
}

// ---- the interface -----------------------------------------------------------------------------------

li_tokenizer *li_tokenizer_create(const li_gguf *gguf, const char *pre, uint32_t has_prefix, uint32_t fault[2])
{
    fault[0] = LI_TOKENIZER_MEMORY;
    fault[1] = 0;
    li_tokenizer *tokenizer = li_memory_alloc(sizeof *tokenizer);
    if (!tokenizer) return NULL;
    fault[0] = (uint32_t)read(tokenizer, gguf, pre, &fault[1]);
    if (fault[0]) {
        li_tokenizer_destroy(tokenizer);
        return NULL;
    }
    tokenizer->has_prefix = has_prefix && !tokenizer->is_bpe;
    fill_view(tokenizer);
    return tokenizer;
}

void li_tokenizer_destroy(li_tokenizer *tokenizer)
{
    if (!tokenizer) return;
    void *blocks[] = {tokenizer->bytes,        tokenizer->ends,          tokenizer->types,   tokenizer->ranks,
                      tokenizer->specials,     tokenizer->special_bytes, tokenizer->classes, tokenizer->merges,
                      tokenizer->special_ends, tokenizer->special_order};
    for (uint32_t i = 0; i < sizeof blocks / sizeof *blocks; i++) li_memory_free(blocks[i]);
    li_text_table_close(&tokenizer->table);
    li_merger_close(&tokenizer->merger);
    li_memory_free(tokenizer);
}

const li_tokenizer_view *li_tokenizer_get_view(const li_tokenizer *tokenizer)
{
    return &tokenizer->view;
}

// Encodes the text from `begin` to `end`, which has no special tokens. SentencePiece: `writable` is the text.
static void encode_fragment(li_tokenizer *tokenizer, uint8_t *writable, const uint8_t *text, uint32_t begin,
                            uint32_t end)
{
    LI_ASSERT(begin <= end);
    if (begin == end) return;
    uint32_t length = end - begin;
    if (tokenizer->is_phi) length = li_copy_spaced(text + begin, length, writable + begin);
    if (tokenizer->is_bpe)
        li_bpe_encode(tokenizer, text + begin, length);
    else
        li_spm_encode(tokenizer, text + begin, length);
}

static bool is_control(const li_tokenizer *tokenizer, uint32_t token)
{
    LI_ASSERT(token == LI_NO_TOKEN || token < tokenizer->view.count);
    return token != LI_NO_TOKEN && tokenizer->types[token] != LI_TOKEN_USER_DEFINED;
}

// Whether white space that follows a special token is dropped.
static bool drops_space_after(const li_tokenizer *tokenizer, uint32_t token)
{
    for (uint32_t i = 0; i < 3; i++)
        if (token == tokenizer->kept_after[i]) return false;
    return tokenizer->is_phi;
}

static bool is_white(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

// Encodes text (length) with its special tokens. A space after a control token overwrites the last byte of the token's
// text, which is no longer needed.
static void encode_all(li_tokenizer *tokenizer, uint8_t *writable, const uint8_t *text, uint32_t length, uint32_t kinds)
{
    LI_ASSERT(tokenizer->is_bpe || writable == text);
    tokenizer->text = text;
    uint32_t begin = 0;
    for (uint32_t at = 0; at < length;) {
        uint32_t size = 1;
        uint32_t token = li_special_at(tokenizer, text + at, length - at, kinds, &size);
        if (token != LI_NO_TOKEN) {
            encode_fragment(tokenizer, writable, text, begin, at);
            li_merger_note(&tokenizer->merger, at, at + size, LI_STEP_PIECE);
            li_merger_note(&tokenizer->merger, at, at + size, token);
            li_tokenizer_push(tokenizer, token);
            while (at + size < length && drops_space_after(tokenizer, token) && is_white(text[at + size])) size++;
            begin = at + size;
            uint32_t next_size;
            if (tokenizer->has_prefix && is_control(tokenizer, token) && begin < length &&
                li_special_at(tokenizer, text + begin, length - begin, kinds, &next_size) == LI_NO_TOKEN)
                writable[--begin] = ' ';
            LI_ASSERT(begin <= length);
        }
        at += size;
    }
    encode_fragment(tokenizer, writable, text, begin, length);
}

int32_t li_tokenizer_encode(li_tokenizer *tokenizer, const uint8_t *text, uint32_t length, uint32_t flags,
                            uint32_t *ids)
{
    if (length > TEXT_LIMIT || !li_is_utf8(text, length)) return LI_ERROR_BAD_ARGUMENT;
    tokenizer->ids = ids;
    tokenizer->id_count = 0;
    LI_ASSERT(ids || !length);
    tokenizer->is_full = false;
    uint32_t *steps = tokenizer->merger.steps = flags & LI_ENCODE_TRACE ? ids + 2 * length + 2 : NULL;
    uint32_t kinds = flags & LI_ENCODE_SPECIAL ? 3 : 1;
    if (tokenizer->is_bpe)
        encode_all(tokenizer, NULL, text, length, kinds);
    else if (length) {
        uint32_t room = 512; // doubles, as in merger.c
        while (room < length + 1) room *= 2;
        uint8_t *spaced = li_memory_alloc(room);
        if (!spaced) return LI_ERROR_OUT_OF_MEMORY;
        uint32_t prefix = tokenizer->has_prefix && !(flags & LI_ENCODE_CONTINUES);
        spaced[0] = ' ';
        uint32_t size = length;
        // Only a real space is dropped after a special token, so Phi-3's U+2581 become spaces after that.
        if (tokenizer->is_phi)
            memcpy(spaced + 1, text, length);
        else
            size = li_copy_spaced(text, length, spaced + 1);
        // No space is added before a control token.
        uint32_t first_size;
        if (is_control(tokenizer, li_special_at(tokenizer, spaced + 1, size, kinds, &first_size))) prefix = 0;
        uint8_t *begin = spaced + 1 - prefix;
        LI_ASSERT(prefix <= 1 && prefix + size < room + 1);
        encode_all(tokenizer, begin, begin, prefix + size, kinds);
        li_memory_free(spaced);
    }
    li_merger_trim(&tokenizer->merger);
    if (tokenizer->is_full) return LI_ERROR_OUT_OF_MEMORY;
    return (int32_t)(steps ? tokenizer->merger.steps - steps : tokenizer->id_count);
}
