// Sorts tokens by seven bytes at a time.
#include "grammar/mask/token_sort.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

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
    LI_ASSERT(count);
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

li_status li_vocabulary_sort(li_vocabulary *vocabulary)
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
