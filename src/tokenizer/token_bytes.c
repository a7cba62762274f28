// The tokens of a GGUF header: their types, ranks and bytes. Declared in tokenizer.h.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/tokenizer.h"

const li_gguf_key *li_tokenizer_array(const li_gguf *gguf, const char *key, li_gguf_type element)
{
    int32_t index = li_gguf_find(gguf, key);
    if (index < 0) return NULL;
    const li_gguf_key *found = &gguf->keys[index];
    return found->type == LI_GGUF_ARRAY && found->element == element ? found : NULL;
}

bool li_tokenizer_texts(const li_gguf *gguf, const li_gguf_key *array, li_texts *texts)
{
    LI_ASSERT(array->type == LI_GGUF_ARRAY && array->element == LI_GGUF_STRING && array->count);
    uint32_t *ends = li_memory_alloc(array->count * sizeof *ends);
    if (!ends) return false;
    const uint8_t *bytes = gguf->bytes + array->offset;
    uint32_t at = 0;
    for (uint32_t i = 0; i < array->count; i++) {
        at += 8 + (uint32_t)li_gguf_read_unsigned(bytes + at, 8);
        ends[i] = at;
        LI_ASSERT(array->offset + at <= gguf->capacity);
    }
    *texts = (li_texts){bytes, ends, 8};
    return true;
}

uint32_t li_copy_spaced(const uint8_t *text, uint32_t length, uint8_t *into)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++) {
        bool is_space = length - i >= 3 && text[i] == 0xe2 && text[i + 1] == 0x96 && text[i + 2] == 0x81;
        into[count++] = is_space ? ' ' : text[i];
        if (is_space) i += 2;
    }
    return count;
}

// ---- types and ranks ---------------------------------------------------------------------------------

// A rank that is lower for higher scores.
static uint32_t rank_of(float score)
{
    LI_ASSERT(score == score);
    float positive_zero = score + 0.0f;
    uint32_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits >> 31 ? bits : ~(bits | 0x80000000u);
}

static li_tokenizer_fault read_ranks(li_tokenizer *tokenizer, const li_gguf *gguf)
{
    const li_gguf_key *scores = li_tokenizer_array(gguf, "tokenizer.ggml.scores", LI_GGUF_FLOAT32);
    if (!scores || scores->count != tokenizer->view.count) return LI_TOKENIZER_SCORES;
    tokenizer->ranks = li_memory_alloc(scores->count * sizeof *tokenizer->ranks);
    if (!tokenizer->ranks) return LI_TOKENIZER_MEMORY;
    for (uint32_t i = 0; i < scores->count; i++) {
        float score;
        memcpy(&score, gguf->bytes + scores->offset + 4 * i, sizeof score);
        if (score != score) return LI_TOKENIZER_SCORES;
        tokenizer->ranks[i] = rank_of(score);
    }
    return LI_TOKENIZER_FINE;
}

static int32_t hex_digit(uint8_t letter)
{
    return letter >= '0' && letter <= '9' ? letter - '0' : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

// The byte of a byte token such as "<0x0A>"; -1: the text is not that of a byte token.
static int32_t named_byte(const uint8_t *text, uint32_t length)
{
    if (length != 6 || memcmp(text, "<0x", 3) != 0 || text[5] != '>') return -1;
    int32_t high = hex_digit(text[3]), low = hex_digit(text[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static void find_bytes(li_tokenizer *tokenizer, const li_text_table *names)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint8_t letters[6] = "<0x  >";
        uint32_t length = 6;
        letters[3] = (uint8_t) "0123456789ABCDEF"[byte >> 4];
        letters[4] = (uint8_t) "0123456789ABCDEF"[byte & 15];
        if (tokenizer->is_bpe) length = li_alphabet_encode((uint8_t)byte, letters);
        uint32_t token = li_text_table_find(names, letters, length, letters, 0);
        bool is_byte = token != LI_NO_TOKEN && (tokenizer->is_bpe || tokenizer->types[token] == LI_TOKEN_BYTE);
        tokenizer->of_byte[byte] = is_byte ? token : LI_NO_TOKEN;
    }
}

li_tokenizer_fault li_vocabulary_read_types(li_tokenizer *tokenizer, const li_gguf *gguf, const li_text_table *names)
{
    LI_ASSERT(tokenizer->view.count && !tokenizer->types);
    uint32_t count = tokenizer->view.count;
    const li_gguf_key *types = li_tokenizer_array(gguf, "tokenizer.ggml.token_type", LI_GGUF_INT32);
    bool is_absent = tokenizer->is_bpe && li_gguf_find(gguf, "tokenizer.ggml.token_type") < 0;
    if (!is_absent && (!types || types->count != count)) return LI_TOKENIZER_TYPES;
    tokenizer->types = li_memory_alloc(count);
    if (!tokenizer->types) return LI_TOKENIZER_MEMORY;
    tokenizer->unknown = LI_NO_TOKEN;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t type = is_absent ? LI_TOKEN_NORMAL : li_gguf_read_unsigned(gguf->bytes + types->offset + 4 * i, 4);
        tokenizer->types[i] = type <= LI_TOKEN_BYTE ? (uint8_t)type : 0;
        if (type == LI_TOKEN_UNKNOWN) tokenizer->unknown = i;
    }
    find_bytes(tokenizer, names);
    return tokenizer->is_bpe ? LI_TOKENIZER_FINE : read_ranks(tokenizer, gguf);
}

// ---- bytes -------------------------------------------------------------------------------------------

// Writes the bytes of a token (at most `length`) and returns their number.
static uint32_t write_token(const li_tokenizer *tokenizer, uint32_t token, const uint8_t *text, uint32_t length,
                            uint8_t *into)
{
    LI_ASSERT(token < tokenizer->view.count);
    uint8_t type = tokenizer->types[token];
    if (type == LI_TOKEN_BYTE) {
        int32_t byte = named_byte(text, length);
        if (byte >= 0) *into = (uint8_t)byte;
        return byte >= 0;
    }
    if (type != LI_TOKEN_NORMAL && type != LI_TOKEN_USER_DEFINED) return 0;
    if (!tokenizer->is_bpe) return li_copy_spaced(text, length, into);
    if (type == LI_TOKEN_NORMAL) return li_alphabet_decode(text, length, into);
    memcpy(into, text, length);
    return length;
}

// Whether a space follows another character.
static bool has_inner_space(const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 1; i < length; i++) {
        if (bytes[i] == ' ' && bytes[i - 1] != ' ') return true;
    }
    return false;
}

static li_tokenizer_fault open_table(li_tokenizer *tokenizer)
{
    LI_ASSERT(tokenizer->bytes && tokenizer->ends);
    uint32_t count = tokenizer->view.count;
    li_texts texts = {tokenizer->bytes, tokenizer->ends, 0};
    if (!li_text_table_open(&tokenizer->table, texts, count)) return LI_TOKENIZER_MEMORY;
    tokenizer->splits_at_spaces = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const uint8_t *bytes = li_text_at(&texts, i, &length);
        if (tokenizer->types[i] != LI_TOKEN_NORMAL || !length) continue;
        if (!li_text_table_add(&tokenizer->table, i)) return LI_TOKENIZER_TOKENS;
        if (has_inner_space(bytes, length)) tokenizer->splits_at_spaces = false;
    }
    for (uint32_t i = 0; i < count && tokenizer->is_bpe; i++) {
        bool is_added = tokenizer->types[i] == LI_TOKEN_USER_DEFINED;
        if (is_added && !li_text_table_add(&tokenizer->table, i)) return LI_TOKENIZER_TOKENS;
    }
    return LI_TOKENIZER_FINE;
}

li_tokenizer_fault li_vocabulary_read_bytes(li_tokenizer *tokenizer, li_texts texts)
{
    LI_ASSERT(tokenizer->types && !tokenizer->bytes);
    uint32_t count = tokenizer->view.count;
    tokenizer->bytes = li_memory_alloc(texts.ends[count - 1]);
    tokenizer->ends = li_memory_alloc(count * sizeof *tokenizer->ends);
    if (!tokenizer->bytes || !tokenizer->ends) return LI_TOKENIZER_MEMORY;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const uint8_t *text = li_text_at(&texts, i, &length);
        at += write_token(tokenizer, i, text, length, tokenizer->bytes + at);
        tokenizer->ends[i] = at;
        LI_ASSERT(at <= texts.ends[i]); // a token's bytes are no longer than its text
    }
    bool is_looked_up = !tokenizer->is_bpe || tokenizer->pre->ignores_merges;
    return is_looked_up ? open_table(tokenizer) : LI_TOKENIZER_FINE;
}
