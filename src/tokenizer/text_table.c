// Open addressing with linear probes, at most half full. The hash is FNV-1a, continued from one part to the next.
#include "tokenizer/text_table.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

#define HASH_START 2166136261u

static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

bool li_text_table_open(li_text_table *table, li_texts texts, uint32_t count)
{
    LI_ASSERT(count && texts.bytes && texts.ends);
    uint32_t size = 16;
    while (size < 2 * count) size *= 2;
    table->slots = li_memory_alloc(size * sizeof *table->slots);
    if (!table->slots) return false;
    memset(table->slots, 0xff, size * sizeof *table->slots);
    table->texts = texts;
    table->mask = size - 1;
    LI_ASSERT(size >= 2 * count);
    table->longest = 0;
    return true;
}

void li_text_table_close(li_text_table *table)
{
    li_memory_free(table->slots);
    table->slots = NULL;
}

// The slot of the text, or the free slot for it. NULL: neither is within LI_PROBES_MOST probes.
static uint32_t *slot_of(const li_text_table *table, const uint8_t *text, uint32_t length, const uint8_t *more,
                         uint32_t more_length)
{
    LI_ASSERT(table->slots && (table->mask & (table->mask + 1)) == 0);
    uint32_t hash = hash_bytes(hash_bytes(HASH_START, text, length), more, more_length);
    hash ^= hash >> 15;
    for (uint32_t i = 0; i < LI_PROBES_MOST; i++) {
        uint32_t *slot = &table->slots[(hash + i) & table->mask];
        if (*slot == LI_NO_TOKEN) return slot;
        uint32_t stored_length;
        const uint8_t *stored = li_text_at(&table->texts, *slot, &stored_length);
        if (stored_length == length + more_length && memcmp(stored, text, length) == 0 &&
            (!more_length || memcmp(stored + length, more, more_length) == 0))
            return slot;
    }
    return NULL;
}

bool li_text_table_add(li_text_table *table, uint32_t id)
{
    uint32_t length;
    const uint8_t *text = li_text_at(&table->texts, id, &length);
    uint32_t *slot = slot_of(table, text, length, text, 0);
    if (!slot) return false;
    if (*slot == LI_NO_TOKEN) *slot = id;
    if (length > table->longest) table->longest = length;
    return true;
}

uint32_t li_text_table_find(const li_text_table *table, const uint8_t *text, uint32_t length, const uint8_t *more,
                            uint32_t more_length)
{
    LI_ASSERT(!more_length || more);
    if (length > table->longest || more_length > table->longest - length) return LI_NO_TOKEN;
    const uint32_t *slot = slot_of(table, text, length, more, more_length);
    return slot ? *slot : LI_NO_TOKEN;
}
