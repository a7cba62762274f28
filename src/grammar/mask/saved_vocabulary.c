// Saves and loads vocabularies. Without a header: lastinch.h declares the functions, vocabulary.h describes the bytes.
#include <string.h>

#include "base/memory.h"
#include "grammar/mask/string_tokens.h"
#include "grammar/mask/trie_builder.h"

enum { MAGIC = 0x3156494c, HEADER_WORDS = 5 }; // "LIV1", tokens, bytes, ends of text, ranked

static uint32_t number_size(uint32_t value)
{
    return value < 128 ? 1 : 2; // LI_TOKEN_LIMIT is below 2^14
}

static uint8_t *write_number(uint8_t *to, uint32_t value)
{
    if (value >= 128) {
        *to++ = (uint8_t)(value | 128);
        value >>= 7;
    }
    *to++ = (uint8_t)value;
    return to;
}

uint32_t li_vocabulary_saved_size(const li_vocabulary *vocabulary)
{
    uint32_t size = (HEADER_WORDS + vocabulary->eos_count) * 4, length;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        uint32_t common = li_common_length(vocabulary, rank), more = length - common;
        size += number_size(common) + number_size(more) + more + 3;
    }
    return size;
}

void li_vocabulary_save(const li_vocabulary *vocabulary, uint8_t *to)
{
    uint32_t total = 0, length;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        total += length;
    }
    uint32_t header[HEADER_WORDS] = {MAGIC, vocabulary->token_count, total, vocabulary->eos_count,
                                     vocabulary->ranked_count};
    memcpy(to, header, sizeof header);
    to += sizeof header;
    memcpy(to, vocabulary->eos, vocabulary->eos_count * sizeof *vocabulary->eos);
    to += vocabulary->eos_count * sizeof *vocabulary->eos;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        uint32_t id = vocabulary->ids[rank], common = li_common_length(vocabulary, rank);
        const uint8_t *bytes = li_token_bytes(vocabulary, id, &length);
        to = write_number(write_number(to, common), length - common);
        memcpy(to, bytes + common, length - common);
        to += length - common;
        for (uint32_t i = 0; i < 3; i++) *to++ = (uint8_t)(id >> (8 * i));
    }
}

// Reads at most two bytes, which must exist.
LI_INLINE uint32_t read_number(const uint8_t **at)
{
    uint32_t value = *(*at)++;
    if (value < 128) return value;
    return (value & 127) | (uint32_t) * (*at)++ << 7;
}

// Most tokens are short: a fixed number of bytes is copied, whatever the length.
LI_INLINE void copy_some(uint8_t *to, const uint8_t *from)
{
    uint8_t copied[LI_TOKEN_BYTES_SPARE];
    memcpy(copied, from, LI_TOKEN_BYTES_SPARE);
    memcpy(to, copied, LI_TOKEN_BYTES_SPARE);
}

// The tokens by rank. `seen` (token_count, a bit each) marks their ids.
static bool read_tokens(li_trie_builder *builder, const uint8_t *at, const uint8_t *end, uint32_t *seen)
{
    li_vocabulary *vocabulary = builder->vocabulary;
    li_token_place *places = vocabulary->places;
    uint8_t *bytes = vocabulary->bytes, *bytes_end = bytes + vocabulary->byte_count;
    uint32_t length = 0, id = 0, longest = 0;
    // The place where the token must end, so that later tokens have room. A saved token takes five bytes or more, its
    // numbers at most four.
    const uint8_t *limit = end - 5 * (ptrdiff_t)vocabulary->ranked_count;
    uint32_t next = vocabulary->ranked_count ? read_number(&at) : 0;
    if (next > 0) return false;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        uint32_t common = next, more = read_number(&at), former = length, before = id;
        const uint8_t *added = at, *bytes_before = bytes;
        limit += 5;
        if (limit - at < (ptrdiff_t)more + 3) return false;
        at += more;
        id = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
        at += 3;
        bytes += former;
        length = common + more;
        if (length - 1 >= LI_TOKEN_LIMIT || length > (uint32_t)(bytes_end - bytes)) return false;
        // The order: a continuation of the token before, an equal token with a higher id, or greater at the first
        // different byte.
        if (common < former ? !more || *added <= bytes_before[common] : !more && id < before) return false;
        if (id >= vocabulary->token_count || seen[id / 32] >> id % 32 & 1) return false;
        seen[id / 32] |= 1u << id % 32;
        places[id] = (li_token_place){(uint32_t)(bytes - vocabulary->bytes), length};
        vocabulary->ids[rank] = id;
        if (length > longest) longest = length;
        if (common <= LI_TOKEN_BYTES_SPARE)
            copy_some(bytes, bytes_before);
        else
            memcpy(bytes, bytes_before, common);
        if (more <= LI_TOKEN_BYTES_SPARE && end - added >= LI_TOKEN_BYTES_SPARE)
            copy_some(bytes + common, added);
        else
            memcpy(bytes + common, added, more);
        next = rank + 1 < vocabulary->ranked_count ? read_number(&at) : 0;
        if (next > length) return false;
        li_trie_builder_add(builder, rank, added, common, length, next);
    }
    vocabulary->longest = longest;
    return at == end && bytes + length == bytes_end;
}

static li_status load_tokens(li_vocabulary *vocabulary, const uint8_t *tokens, uint32_t size)
{
    // Each node is one saved byte. Each token has five bytes or more that are not nodes.
    uint32_t fixed = 5 * vocabulary->ranked_count, nodes = size - fixed;
    if (size < fixed) return LI_ERROR_VOCABULARY_CORRUPT;
    if (nodes > vocabulary->byte_count) nodes = vocabulary->byte_count;
    li_status status = LI_ERROR_OUT_OF_MEMORY;
    li_trie_builder builder;
    uint32_t *seen = li_memory_alloc((vocabulary->token_count + 31) / 32 * sizeof *seen);
    if (li_trie_builder_init(&builder, vocabulary, nodes + 1) && seen) {
        bool is_sound = read_tokens(&builder, tokens, tokens + size, seen) && li_vocabulary_has_sound_eos(vocabulary);
        status = is_sound ? LI_OK : LI_ERROR_VOCABULARY_CORRUPT;
        if (is_sound) li_trie_builder_finish(&builder);
    }
    li_memory_free(builder.open);
    li_memory_free(seen);
    return status;
}

li_vocabulary *li_vocabulary_load(const uint8_t *bytes, uint32_t size, li_status *status)
{
    uint32_t header[HEADER_WORDS];
    *status = LI_ERROR_VOCABULARY_CORRUPT;
    if (size < sizeof header) return NULL;
    memcpy(header, bytes, sizeof header);
    if (header[0] != MAGIC || header[3] > (size - sizeof header) / 4 || header[4] > header[1]) return NULL;
    if (header[1] > LI_TOKEN_COUNT_LIMIT || header[2] >= LI_TOKEN_BYTES_LIMIT || header[3] > header[1]) return NULL;
    *status = LI_ERROR_OUT_OF_MEMORY;
    li_vocabulary *vocabulary = li_vocabulary_create(header[1], header[2], header[3]);
    if (!vocabulary) return NULL;
    uint32_t eos_size = header[3] * sizeof *vocabulary->eos;
    memcpy(vocabulary->eos, bytes + sizeof header, eos_size);
    vocabulary->ranked_count = header[4];
    vocabulary->ids = li_memory_alloc(header[4] * sizeof *vocabulary->ids);
    if (vocabulary->ids)
        *status = load_tokens(vocabulary, bytes + sizeof header + eos_size, size - sizeof header - eos_size);
    if (*status == LI_OK) {
        li_string_tokens_prepare(vocabulary);
        return vocabulary;
    }
    li_vocabulary_destroy(vocabulary);
    return NULL;
}
