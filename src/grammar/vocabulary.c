// Sorting tokens and building their trie.
#include "grammar/vocabulary.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/inside.h"

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
    vocabulary->bytes = li_memory_alloc(byte_count);
    vocabulary->ends = li_memory_alloc(token_count * sizeof *vocabulary->ends);
    vocabulary->eos = li_memory_alloc(eos_count * sizeof *vocabulary->eos);
    if (vocabulary->bytes && vocabulary->ends && vocabulary->eos) return vocabulary;
    li_vocabulary_destroy(vocabulary);
    return NULL;
}

uint32_t *li_vocabulary_ends(li_vocabulary *vocabulary)
{
    return vocabulary->ends;
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

uint32_t li_vocabulary_eos_count(const li_vocabulary *vocabulary)
{
    return vocabulary->eos_count;
}

void li_vocabulary_destroy(li_vocabulary *vocabulary)
{
    if (!vocabulary || --vocabulary->users) return;
    li_memory_free(vocabulary->bytes);
    li_memory_free(vocabulary->ends);
    li_memory_free(vocabulary->eos);
    li_memory_free(vocabulary->ids);
    li_memory_free(vocabulary->nodes);
    li_memory_free(vocabulary->below);
    li_inside_destroy(vocabulary->inside);
    li_memory_free(vocabulary);
}

// What sorting works in. An entry is seven bytes of a token, big-endian, and how many of the seven it has: so that keys
// are in the order of the bytes, and a token before its continuations.
enum { KEY_BYTES = 7, FEW = 24 };

typedef struct entry {
    uint64_t key;
    uint32_t id;
} entry;

typedef struct sorter {
    const li_vocabulary *vocabulary;
    entry *entries, *others; // (ranked_count)
    uint32_t *histograms;    // (8, 256)
} sorter;

static uint64_t key_at(const li_vocabulary *vocabulary, uint32_t id, uint32_t depth)
{
    uint32_t length;
    const uint8_t *bytes = li_token_bytes(vocabulary, id, &length);
    uint32_t left = length > depth ? length - depth : 0, count = left < KEY_BYTES ? left : KEY_BYTES;
    uint64_t key = 0;
    for (uint32_t i = 0; i < KEY_BYTES; i++) key = key << 8 | (i < count ? bytes[depth + i] : 0);
    return key << 8 | count;
}

static void insertion_sort(entry *entries, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        entry moved = entries[i];
        uint32_t at = i;
        for (; at && entries[at - 1].key > moved.key; at--) entries[at] = entries[at - 1];
        entries[at] = moved;
    }
}

// Least significant byte first, stable; the result lies in `entries` again.
static void radix_sort(const sorter *sorter, entry *entries, uint32_t count)
{
    entry *from = entries, *to = sorter->others;
    memset(sorter->histograms, 0, 8 * 256 * sizeof *sorter->histograms);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t byte = 0; byte < 8; byte++)
            sorter->histograms[byte * 256 + (entries[i].key >> (8 * byte) & 255)]++;
    for (uint32_t byte = 0; byte < 8; byte++) {
        uint32_t *starts = sorter->histograms + byte * 256, sum = 0;
        if (starts[from[0].key >> (8 * byte) & 255] == count) continue;
        for (uint32_t value = 0; value < 256; value++) {
            uint32_t here = starts[value];
            starts[value] = sum;
            sum += here;
        }
        for (uint32_t i = 0; i < count; i++) to[starts[from[i].key >> (8 * byte) & 255]++] = from[i];
        entry *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != entries) memcpy(entries, from, count * sizeof *entries);
}

// Sorts entries whose tokens agree in the first `depth` bytes; their number of levels is bounded by LI_TOKEN_LIMIT.
static void sort_from(const sorter *sorter, entry *entries, uint32_t count, uint32_t depth)
{
    for (uint32_t i = 0; i < count; i++) entries[i].key = key_at(sorter->vocabulary, entries[i].id, depth);
    if (count <= FEW)
        insertion_sort(entries, count);
    else
        radix_sort(sorter, entries, count);
    for (uint32_t start = 0, end; start < count; start = end) {
        for (end = start + 1; end < count && entries[end].key == entries[start].key;) end++;
        if (end - start > 1 && (entries[start].key & 255) == KEY_BYTES)
            sort_from(sorter, entries + start, end - start, depth + KEY_BYTES);
    }
}

static li_status check(const li_vocabulary *vocabulary)
{
    uint32_t start = 0;
    for (uint32_t id = 0; id < vocabulary->token_count; id++) {
        uint32_t end = vocabulary->ends[id];
        if (end < start || end > vocabulary->byte_count || end - start > LI_TOKEN_LIMIT) return LI_ERROR_BAD_ARGUMENT;
        start = end;
    }
    for (uint32_t i = 0, length = 0; i < vocabulary->eos_count; i++) {
        if (vocabulary->eos[i] >= vocabulary->token_count) return LI_ERROR_BAD_ARGUMENT;
        li_token_bytes(vocabulary, vocabulary->eos[i], &length);
        if (length) return LI_ERROR_BAD_ARGUMENT;
    }
    return LI_OK;
}

static li_status sort_tokens(li_vocabulary *vocabulary)
{
    uint32_t count = 0, length;
    for (uint32_t id = 0; id < vocabulary->token_count; id++) {
        li_token_bytes(vocabulary, id, &length);
        count += length > 0;
    }
    sorter sorter = {vocabulary, li_memory_alloc(count * sizeof(entry)), li_memory_alloc(count * sizeof(entry)),
                     li_memory_alloc(8 * 256 * sizeof(uint32_t))};
    vocabulary->ids = li_memory_alloc(count * sizeof *vocabulary->ids);
    bool has_room = sorter.entries && sorter.others && sorter.histograms && vocabulary->ids;
    if (has_room) {
        for (uint32_t id = 0, at = 0; id < vocabulary->token_count; id++) {
            li_token_bytes(vocabulary, id, &length);
            if (length) sorter.entries[at++].id = id;
        }
        if (count) sort_from(&sorter, sorter.entries, count, 0);
        for (uint32_t rank = 0; rank < count; rank++) vocabulary->ids[rank] = sorter.entries[rank].id;
        vocabulary->ranked_count = count;
    }
    li_memory_free(sorter.entries);
    li_memory_free(sorter.others);
    li_memory_free(sorter.histograms);
    return has_room ? LI_OK : LI_ERROR_OUT_OF_MEMORY;
}

// How many bytes the token of a rank has in common with the one before.
static uint32_t common_length(const li_vocabulary *vocabulary, uint32_t rank)
{
    if (!rank) return 0;
    uint32_t left_length, right_length, common = 0;
    const uint8_t *left = li_token_bytes(vocabulary, vocabulary->ids[rank - 1], &left_length);
    const uint8_t *right = li_token_bytes(vocabulary, vocabulary->ids[rank], &right_length);
    while (common < left_length && common < right_length && left[common] == right[common]) common++;
    return common;
}

// The trie as it is built, token after token in their order.
typedef struct builder {
    li_vocabulary *vocabulary;
    uint32_t *open; // (longest + 1) the nodes above the last one
    uint32_t count, depth;
} builder;

static bool builder_init(builder *builder, li_vocabulary *vocabulary, uint32_t node_count)
{
    *builder = (struct builder){.vocabulary = vocabulary, .count = 1};
    vocabulary->node_count = node_count;
    vocabulary->nodes = li_memory_alloc((node_count + 1) * sizeof *vocabulary->nodes);
    vocabulary->below = li_memory_alloc(node_count * sizeof *vocabulary->below);
    builder->open = li_memory_alloc((vocabulary->longest + 1) * sizeof *builder->open);
    return vocabulary->nodes && vocabulary->below && builder->open;
}

static void close_nodes(builder *builder, uint32_t depth)
{
    li_trie_node *nodes = builder->vocabulary->nodes;
    for (; builder->depth > depth; builder->depth--) {
        uint32_t node = builder->open[builder->depth];
        nodes[node].byte_and_size |= (builder->count - node) << 8;
    }
}

// A token that has `common` bytes in common with the one before, and `more` besides.
static void builder_add(builder *builder, uint32_t rank, uint32_t common, const uint8_t *bytes, uint32_t more)
{
    close_nodes(builder, common);
    for (uint32_t i = 0; i < more; i++) {
        builder->vocabulary->nodes[builder->count] = (li_trie_node){bytes[i], rank};
        builder->open[++builder->depth] = builder->count++;
    }
}

static uint32_t class_of(uint8_t byte)
{
    // Letters, digits, space and control characters; common marks each by themselves.
    static const char marks[] = "\"\\_-./:,@+=()[]{}'#%&*?!";
    if (byte >= 'a' && byte <= 'z') return 0;
    if (byte >= 'A' && byte <= 'Z') return 1;
    if (byte >= '0' && byte <= '9') return 2;
    if (byte <= ' ') return byte == ' ' ? 3 : 4;
    if (byte >= 0x80) return byte == 0xe2 ? LI_CLASS_E2 : LI_CLASS_BEYOND;
    for (uint32_t i = 0; marks[i]; i++)
        if (marks[i] == byte) return i + 6;
    return 5;
}

static void note_below(li_vocabulary *vocabulary)
{
    for (uint32_t byte = 0; byte < 256; byte++) vocabulary->classes[byte] = (uint8_t)class_of((uint8_t)byte);
    const li_trie_node *nodes = vocabulary->nodes;
    for (uint32_t node = vocabulary->node_count; node-- > 0;) {
        uint32_t end = node + (nodes[node].byte_and_size >> 8), below = 0;
        for (uint32_t child = node + 1; child < end; child += nodes[child].byte_and_size >> 8)
            below |= vocabulary->below[child] | 1u << vocabulary->classes[nodes[child].byte_and_size & 255];
        vocabulary->below[node] = below;
    }
}

static void builder_finish(builder *builder)
{
    li_vocabulary *vocabulary = builder->vocabulary;
    close_nodes(builder, 0);
    vocabulary->nodes[0].byte_and_size = vocabulary->node_count << 8;
    vocabulary->nodes[vocabulary->node_count] = (li_trie_node){1u << 8, vocabulary->ranked_count};
    note_below(vocabulary);
}

static li_status make_trie(li_vocabulary *vocabulary, uint16_t *commons)
{
    uint32_t length, count = 1;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        commons[rank] = (uint16_t)common_length(vocabulary, rank);
        count += length - commons[rank];
        if (length > vocabulary->longest) vocabulary->longest = length;
    }
    builder builder;
    bool has_room = builder_init(&builder, vocabulary, count);
    for (uint32_t rank = 0; has_room && rank < vocabulary->ranked_count; rank++) {
        const uint8_t *bytes = li_token_bytes(vocabulary, vocabulary->ids[rank], &length);
        builder_add(&builder, rank, commons[rank], bytes + commons[rank], length - commons[rank]);
    }
    if (has_room) builder_finish(&builder);
    li_memory_free(builder.open);
    return has_room ? LI_OK : LI_ERROR_OUT_OF_MEMORY;
}

li_status li_vocabulary_prepare(li_vocabulary *vocabulary)
{
    li_status status = check(vocabulary);
    if (status == LI_OK) status = sort_tokens(vocabulary);
    if (status != LI_OK) return status;
    uint16_t *commons = li_memory_alloc(vocabulary->ranked_count * sizeof *commons);
    status = commons ? make_trie(vocabulary, commons) : LI_ERROR_OUT_OF_MEMORY;
    li_memory_free(commons);
    return status;
}

// ---- as bytes ----

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
        uint32_t common = common_length(vocabulary, rank), more = length - common;
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
        uint32_t id = vocabulary->ids[rank], common = common_length(vocabulary, rank);
        const uint8_t *bytes = li_token_bytes(vocabulary, id, &length);
        to = write_number(write_number(to, common), length - common);
        memcpy(to, bytes + common, length - common);
        to += length - common;
        for (uint32_t i = 0; i < 3; i++) *to++ = (uint8_t)(id >> (8 * i));
    }
}

typedef struct saved_token {
    uint32_t common, more, id;
    const uint8_t *bytes; // those that the one before has not
} saved_token;

static bool read_number(const uint8_t **at, const uint8_t *end, uint32_t *value)
{
    if (*at == end) return false;
    *value = *(*at)++;
    if (*value < 128) return true;
    if (*at == end || **at > 127) return false;
    *value = (*value & 127) | (uint32_t) * (*at)++ << 7;
    return true;
}

static bool read_token(const uint8_t **at, const uint8_t *end, saved_token *token)
{
    if (!read_number(at, end, &token->common) || !read_number(at, end, &token->more)) return false;
    if ((size_t)(end - *at) < token->more + 3u) return false;
    token->bytes = *at;
    *at += token->more;
    token->id = *(*at)++;
    for (uint32_t i = 1; i < 3; i++) token->id |= (uint32_t) * (*at)++ << (8 * i);
    return true;
}

// Lengths first, since tokens lie by id. Returns the number of nodes, or 0.
static uint32_t read_lengths(li_vocabulary *vocabulary, const uint8_t *at, const uint8_t *end)
{
    uint32_t length = 0, total = 0, nodes = 1;
    saved_token token;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        if (!read_token(&at, end, &token) || token.common > length) return 0;
        length = token.common + token.more;
        total += length;
        nodes += token.more;
        if (!length || length > LI_TOKEN_LIMIT || total > vocabulary->byte_count) return 0;
        if (token.id >= vocabulary->token_count || vocabulary->ends[token.id]) return 0;
        vocabulary->ends[token.id] = length;
        vocabulary->ids[rank] = token.id;
        if (length > vocabulary->longest) vocabulary->longest = length;
    }
    if (at != end || total != vocabulary->byte_count) return 0;
    for (uint32_t id = 1; id < vocabulary->token_count; id++) vocabulary->ends[id] += vocabulary->ends[id - 1];
    return nodes;
}

// Then the bytes, each after what it has in common with the one before.
static bool read_bytes(builder *builder, const uint8_t *at, const uint8_t *end)
{
    li_vocabulary *vocabulary = builder->vocabulary;
    const uint8_t *before = NULL;
    uint32_t length = 0;
    saved_token token;
    for (uint32_t rank = 0; rank < vocabulary->ranked_count; rank++) {
        uint32_t id = vocabulary->ids[rank], former = length;
        read_token(&at, end, &token);
        uint8_t *bytes = vocabulary->bytes + (id ? vocabulary->ends[id - 1] : 0);
        for (uint32_t i = 0; i < token.common; i++) bytes[i] = before[i];
        for (uint32_t i = 0; i < token.more; i++) bytes[token.common + i] = token.bytes[i];
        length = token.common + token.more;
        // In order: a continuation of the one before, the same, or greater where they part.
        if (token.common < former && (!token.more || token.bytes[0] <= before[token.common])) return false;
        builder_add(builder, rank, token.common, token.bytes, token.more);
        before = bytes;
    }
    return true;
}

static li_status read_tokens(li_vocabulary *vocabulary, const uint8_t *tokens, const uint8_t *end)
{
    uint32_t nodes = read_lengths(vocabulary, tokens, end);
    if (!nodes || check(vocabulary) != LI_OK) return LI_ERROR_VOCABULARY_CORRUPT;
    builder builder;
    li_status status = LI_ERROR_OUT_OF_MEMORY;
    if (builder_init(&builder, vocabulary, nodes)) {
        bool is_sound = read_bytes(&builder, tokens, end);
        status = is_sound ? LI_OK : LI_ERROR_VOCABULARY_CORRUPT;
        if (is_sound) builder_finish(&builder);
    }
    li_memory_free(builder.open);
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
    const uint8_t *at = bytes + sizeof header + header[3] * sizeof *vocabulary->eos;
    memcpy(vocabulary->eos, bytes + sizeof header, header[3] * sizeof *vocabulary->eos);
    vocabulary->ranked_count = header[4];
    vocabulary->ids = li_memory_alloc(header[4] * sizeof *vocabulary->ids);
    if (vocabulary->ids) *status = read_tokens(vocabulary, at, bytes + size);
    if (*status == LI_OK) return vocabulary;
    li_vocabulary_destroy(vocabulary);
    return NULL;
}
