// Makes, sorts and frees vocabularies.
#include "grammar/mask/vocabulary.h"

#include "base/memory.h"
#include "grammar/mask/token_sort.h"
#include "grammar/mask/trie_builder.h"

li_vocabulary *li_vocabulary_create(uint32_t token_count, uint32_t byte_count, uint32_t eos_count)
{
    if (token_count > LI_TOKEN_COUNT_LIMIT || byte_count >= LI_TOKEN_BYTES_LIMIT || eos_count > token_count)
        return NULL;
    li_vocabulary *vocabulary = li_memory_alloc(sizeof *vocabulary);
    if (!vocabulary) return NULL;
    vocabulary->users = 1;
    vocabulary->token_count = token_count;
    vocabulary->byte_count = byte_count;
    vocabulary->eos_count = eos_count;
    vocabulary->bytes = li_memory_alloc(byte_count + LI_TOKEN_BYTES_SPARE);
    vocabulary->places = li_memory_alloc(token_count * sizeof *vocabulary->places);
    vocabulary->eos = li_memory_alloc(eos_count * sizeof *vocabulary->eos);
    if (vocabulary->bytes && vocabulary->places && vocabulary->eos) return vocabulary;
    li_vocabulary_free(vocabulary);
    return NULL;
}

uint32_t *li_vocabulary_ends(li_vocabulary *vocabulary)
{
    return &vocabulary->places->start;
}

uint8_t *li_vocabulary_bytes(li_vocabulary *vocabulary)
{
    return vocabulary->bytes;
}

uint32_t *li_vocabulary_eos(li_vocabulary *vocabulary)
{
    return vocabulary->eos;
}

uint32_t li_vocabulary_size(const li_vocabulary *vocabulary)
{
    return vocabulary->token_count;
}

uint32_t li_vocabulary_token_length(const li_vocabulary *vocabulary, uint32_t token)
{
    return token < vocabulary->token_count ? vocabulary->places[token].length : 0;
}

uint32_t li_vocabulary_eos_count(const li_vocabulary *vocabulary)
{
    return vocabulary->eos_count;
}

void li_vocabulary_free(li_vocabulary *vocabulary)
{
    if (!vocabulary) return;
    li_memory_free(vocabulary->bytes);
    li_memory_free(vocabulary->places);
    li_memory_free(vocabulary->eos);
    li_memory_free(vocabulary->ids);
    li_memory_free(vocabulary->nodes);
    li_memory_free(vocabulary->below);
    li_memory_free(vocabulary->heights);
    li_memory_free(vocabulary->repeats);
    li_memory_free(vocabulary);
}

bool li_vocabulary_has_sound_eos(const li_vocabulary *vocabulary)
{
    for (uint32_t i = 0; i < vocabulary->eos_count; i++) {
        uint32_t token = vocabulary->eos[i];
        if (token >= vocabulary->token_count || vocabulary->places[token].length) return false;
    }
    return true;
}

static li_status place_tokens(li_vocabulary *vocabulary)
{
    const uint32_t *ends = li_vocabulary_ends(vocabulary);
    for (uint32_t id = 0, start = 0; id < vocabulary->token_count; start = ends[id++])
        if (ends[id] < start || ends[id] > vocabulary->byte_count || ends[id] - start > LI_TOKEN_LIMIT)
            return LI_ERROR_BAD_ARGUMENT;
    // From the last to the first, because the ends lie in the same memory.
    for (uint32_t id = vocabulary->token_count; id-- > 0;) {
        uint32_t start = id ? ends[id - 1] : 0;
        vocabulary->places[id] = (li_token_place){start, ends[id] - start};
    }
    return li_vocabulary_has_sound_eos(vocabulary) ? LI_OK : LI_ERROR_BAD_ARGUMENT;
}

uint32_t li_common_length(const li_vocabulary *vocabulary, uint32_t rank)
{
    if (!rank) return 0;
    uint32_t left_length, right_length, common = 0;
    const uint8_t *left = li_token_bytes(vocabulary, vocabulary->ids[rank - 1], &left_length);
    const uint8_t *right = li_token_bytes(vocabulary, vocabulary->ids[rank], &right_length);
    while (common < left_length && common < right_length && left[common] == right[common]) common++;
    return common;
}

static li_status make_trie(li_vocabulary *vocabulary, uint16_t *commons)
{
    uint32_t length, count = 1;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        commons[rank] = (uint16_t)li_common_length(vocabulary, rank);
        count += length - commons[rank];
        if (length > vocabulary->longest) vocabulary->longest = length;
    }
    li_trie_builder builder;
    bool has_room = li_trie_builder_init(&builder, vocabulary, count);
    for (uint32_t rank = 0; has_room && rank < vocabulary->ranked_count; rank++) {
        const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        li_trie_builder_add(&builder, rank, bytes + commons[rank], commons[rank], length, commons[rank + 1]);
    }
    if (has_room) li_trie_builder_finish(&builder);
    li_memory_free(builder.open);
    return has_room ? LI_OK : LI_ERROR_OUT_OF_MEMORY;
}

li_status li_vocabulary_arrange(li_vocabulary *vocabulary)
{
    li_status status = place_tokens(vocabulary);
    if (status == LI_OK) status = li_vocabulary_sort(vocabulary);
    if (status != LI_OK) return status;
    uint16_t *commons = li_memory_alloc((vocabulary->ranked_count + 1) * sizeof *commons);
    status = commons ? make_trie(vocabulary, commons) : LI_ERROR_OUT_OF_MEMORY;
    li_memory_free(commons);
    return status;
}

bool li_vocabulary_find_heights(li_vocabulary *vocabulary)
{
    const li_trie_node *nodes = vocabulary->nodes;
    if (vocabulary->heights) return true;
    uint8_t *heights = vocabulary->heights = li_memory_alloc(vocabulary->node_count);
    if (!heights) return false;
    for (uint32_t node = vocabulary->node_count; node-- > 0;)
        for (uint32_t child = node + 1, end = node + nodes[node].size; child < end; child += nodes[child].size)
            if (heights[child] >= heights[node]) heights[node] = heights[child] < 255 ? heights[child] + 1 : 255;
    return true;
}
