// Sorts tokens and builds their trie; saves and loads vocabularies.
#include "grammar/mask/vocabulary.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/mask/string_tokens.h"

// Bytes are copied in pieces of this size, so room for one piece follows them.
enum { COPIED = 16 };

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
    vocabulary->bytes = li_memory_alloc(byte_count + COPIED);
    vocabulary->places = li_memory_alloc(token_count * sizeof *vocabulary->places);
    vocabulary->eos = li_memory_alloc(eos_count * sizeof *vocabulary->eos);
    if (vocabulary->bytes && vocabulary->places && vocabulary->eos) return vocabulary;
    li_vocabulary_destroy(vocabulary);
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

void li_vocabulary_destroy(li_vocabulary *vocabulary)
{
    if (!vocabulary || --vocabulary->users) return;
    li_memory_free(vocabulary->bytes);
    li_memory_free(vocabulary->places);
    li_memory_free(vocabulary->eos);
    li_memory_free(vocabulary->ids);
    li_memory_free(vocabulary->nodes);
    li_memory_free(vocabulary->below);
    li_memory_free(vocabulary->heights);
    li_memory_free(vocabulary->repeats);
    li_string_tokens_destroy(vocabulary->inside);
    li_memory_free(vocabulary);
}

// Scratch memory of the sort. A key is seven bytes of a token, big-endian, then the number of these bytes that the
// token has. So keys are in the order of the bytes, and a token comes before its continuations.
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

// A stable radix sort, least significant byte first. The result is in `entries`.
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

static bool has_sound_eos(const li_vocabulary *vocabulary)
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
    return has_sound_eos(vocabulary) ? LI_OK : LI_ERROR_BAD_ARGUMENT;
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

// The number of bytes that the token of a rank shares with the token before.
static uint32_t common_length(const li_vocabulary *vocabulary, uint32_t rank)
{
    if (!rank) return 0;
    uint32_t left_length, right_length, common = 0;
    const uint8_t *left = li_token_bytes(vocabulary, vocabulary->ids[rank - 1], &left_length);
    const uint8_t *right = li_token_bytes(vocabulary, vocabulary->ids[rank], &right_length);
    while (common < left_length && common < right_length && left[common] == right[common]) common++;
    return common;
}

// A node above the last node, and the classes of the bytes known to be below the node.
typedef struct open_node {
    uint32_t node, below;
} open_node;

// The trie under construction, token after token in order.
typedef struct builder {
    li_vocabulary *vocabulary;
    open_node *open; // (LI_TOKEN_LIMIT + 1) by depth
    uint32_t count;
    uint32_t bits[256]; // the class of each byte, as a bit
    li_trie_node *nodes;
    uint32_t *below; // of the vocabulary
} builder;

static uint32_t class_of(uint8_t byte)
{
    // Letters, digits, space and control characters; each common mark is a class.
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

// Makes room for `count` nodes.
static bool builder_init(builder *builder, li_vocabulary *vocabulary, uint32_t node_count)
{
    *builder = (struct builder){.vocabulary = vocabulary, .count = 1};
    for (uint32_t byte = 0; byte < 256; byte++) {
        vocabulary->classes[byte] = (uint8_t)class_of((uint8_t)byte);
        builder->bits[byte] = 1u << vocabulary->classes[byte];
    }
    builder->nodes = vocabulary->nodes = li_memory_alloc((node_count + 1) * sizeof *vocabulary->nodes);
    builder->below = vocabulary->below = li_memory_alloc(node_count * sizeof *vocabulary->below);
    builder->open = li_memory_alloc((LI_TOKEN_LIMIT + 1) * sizeof *builder->open);
    return vocabulary->nodes && vocabulary->below && builder->open;
}

// Adds a token that shares `common` bytes with the token before and `next` bytes with the token after:
// (length - common) bytes are new.
LI_INLINE void builder_add(builder *builder, uint32_t rank, const uint8_t *bytes, uint32_t common, uint32_t length,
                           uint32_t next)
{
    li_trie_node *nodes = builder->nodes;
    uint32_t *all_below = builder->below, count = builder->count, depth = length, below = 0;
    uint32_t at = count + length - common, end = at;
    const uint8_t *byte = bytes + length - common;
    // Closes the nodes that get no more children, the last first.
    for (uint32_t stay = next > common ? next : common; depth > stay; depth--) {
        all_below[--at] = below;
        nodes[at] = (li_trie_node){.byte = *--byte, .size = (end - at), .first = rank};
        below |= builder->bits[*byte];
    }
    builder->count = end;
    open_node *open = &builder->open[depth];
    if (depth > common) {
        for (open->below = below; depth > common; depth--, open--) {
            nodes[--at] = (li_trie_node){.byte = *--byte, .first = rank};
            open->node = at;
            if (depth > common + 1) open[-1].below = 0;
        }
        return;
    }
    for (open->below |= below; depth > next; depth--, open--) {
        li_trie_node *node = &nodes[open->node];
        all_below[open->node] = open->below;
        open[-1].below |= open->below | builder->bits[node->byte];
        node->size = (end - open->node);
    }
}

static void builder_finish(builder *builder)
{
    li_vocabulary *vocabulary = builder->vocabulary;
    vocabulary->node_count = builder->count;
    vocabulary->below[0] = builder->open[0].below;
    vocabulary->nodes[0].size = builder->count;
    vocabulary->nodes[builder->count] = (li_trie_node){.size = 1, .first = vocabulary->ranked_count};
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
        builder_add(&builder, rank, bytes + commons[rank], commons[rank], length, commons[rank + 1]);
    }
    if (has_room) builder_finish(&builder);
    li_memory_free(builder.open);
    return has_room ? LI_OK : LI_ERROR_OUT_OF_MEMORY;
}

li_status li_vocabulary_prepare(li_vocabulary *vocabulary)
{
    li_status status = place_tokens(vocabulary);
    if (status == LI_OK) status = sort_tokens(vocabulary);
    if (status != LI_OK) return status;
    uint16_t *commons = li_memory_alloc((vocabulary->ranked_count + 1) * sizeof *commons);
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
    uint8_t copied[COPIED];
    memcpy(copied, from, COPIED);
    memcpy(to, copied, COPIED);
}

// The tokens by rank. `seen` (token_count, a bit each) marks their ids.
static bool read_tokens(builder *builder, const uint8_t *at, const uint8_t *end, uint32_t *seen)
{
    li_vocabulary *vocabulary = builder->vocabulary;
    li_token_place *places = vocabulary->places;
    uint8_t *bytes = vocabulary->bytes, *bytes_end = bytes + vocabulary->byte_count;
    uint32_t length = 0, id = 0, longest = 0;
    // A saved token takes five bytes or more, its numbers at most four: the place where the token must end, so that
    // the rest has room.
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
        if (common <= COPIED)
            copy_some(bytes, bytes_before);
        else
            memcpy(bytes, bytes_before, common);
        if (more <= COPIED && end - added >= COPIED)
            copy_some(bytes + common, added);
        else
            memcpy(bytes + common, added, more);
        next = rank + 1 < vocabulary->ranked_count ? read_number(&at) : 0;
        if (next > length) return false;
        builder_add(builder, rank, added, common, length, next);
    }
    vocabulary->longest = longest;
    return at == end && bytes + length == bytes_end;
}

static li_status load_tokens(li_vocabulary *vocabulary, const uint8_t *tokens, uint32_t size)
{
    // Each node is one saved byte. Each token has five bytes or more that are no nodes.
    uint32_t fixed = 5 * vocabulary->ranked_count, nodes = size - fixed;
    if (size < fixed) return LI_ERROR_VOCABULARY_CORRUPT;
    if (nodes > vocabulary->byte_count) nodes = vocabulary->byte_count;
    li_status status = LI_ERROR_OUT_OF_MEMORY;
    builder builder;
    uint32_t *seen = li_memory_alloc((vocabulary->token_count + 31) / 32 * sizeof *seen);
    if (builder_init(&builder, vocabulary, nodes + 1) && seen) {
        bool is_sound = read_tokens(&builder, tokens, tokens + size, seen) && has_sound_eos(vocabulary);
        status = is_sound ? LI_OK : LI_ERROR_VOCABULARY_CORRUPT;
        if (is_sound) builder_finish(&builder);
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
    if (*status == LI_OK) return vocabulary;
    li_vocabulary_destroy(vocabulary);
    return NULL;
}
