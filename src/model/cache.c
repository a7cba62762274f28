#include "model/cache.h"

#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY 64u

// The number of floats of all keys, which is that of all values.
static uint64_t numbers_of(const li_cache *cache)
{
    return (uint64_t)cache->layers * cache->heads * cache->slots * cache->head_dim;
}

uint64_t li_cache_size(const li_cache *cache)
{
    return 2 * sizeof(float) * numbers_of(cache) + 2 * sizeof(uint32_t) * (uint64_t)cache->slots +
           sizeof(li_sequence) * (uint64_t)cache->sequences;
}

// Takes memory for the arrays over slots.
static bool create_slots(li_cache *cache)
{
    size_t size = (size_t)numbers_of(cache) * sizeof(float);
    cache->keys = li_memory_alloc(size);
    cache->values = li_memory_alloc(size);
    cache->owners = li_memory_alloc(cache->slots * sizeof(uint32_t));
    cache->unused = li_memory_alloc(cache->slots * sizeof(uint32_t));
    return cache->keys && cache->values && cache->owners && cache->unused;
}

static void destroy_slots(li_cache *cache)
{
    li_memory_free(cache->keys);
    li_memory_free(cache->values);
    li_memory_free(cache->owners);
    li_memory_free(cache->unused);
}

bool li_cache_create(li_cache *cache)
{
    cache->tables = li_memory_alloc(cache->sequences * sizeof *cache->tables);
    if (!create_slots(cache) || !cache->tables) return false;
    cache->unused_count = cache->slots;
    for (uint32_t i = 0; i < cache->slots; i++) cache->unused[i] = cache->slots - 1 - i;
    return true;
}

void li_cache_destroy(li_cache *cache)
{
    destroy_slots(cache);
    for (uint32_t i = 0; cache->tables && i < cache->sequences; i++) li_memory_free(cache->tables[i].slots);
    li_memory_free(cache->tables);
}

// Copies the slots of every head to an array with `slots` slots a head.
static void copy_heads(const li_cache *cache, const float *from, float *to, uint32_t slots)
{
    size_t size = (size_t)cache->slots * cache->head_dim, stride = (size_t)slots * cache->head_dim;
    for (size_t i = 0; i < (size_t)cache->layers * cache->heads; i++)
        memcpy(to + i * stride, from + i * size, size * sizeof(float));
}

bool li_cache_grow(li_cache *cache, uint32_t slots, uint32_t positions)
{
    li_cache grown = *cache;
    grown.slots = slots;
    grown.positions = positions;
    if (!create_slots(&grown)) {
        destroy_slots(&grown);
        return false;
    }
    copy_heads(cache, cache->keys, grown.keys, slots);
    copy_heads(cache, cache->values, grown.values, slots);
    memcpy(grown.owners, cache->owners, cache->slots * sizeof(uint32_t));
    // New slots go to the bottom of the stack: they are used last.
    uint32_t more = slots - cache->slots;
    for (uint32_t i = 0; i < more; i++) grown.unused[i] = slots - 1 - i;
    memcpy(grown.unused + more, cache->unused, cache->unused_count * sizeof(uint32_t));
    grown.unused_count += more;
    destroy_slots(cache);
    *cache = grown;
    return true;
}

const uint32_t *li_cache_slots(const li_cache *cache, uint32_t sequence)
{
    return cache->tables[sequence].slots;
}

bool li_cache_reserve(li_cache *cache, uint32_t sequence, uint32_t length)
{
    li_sequence *table = &cache->tables[sequence];
    if (length <= table->capacity) return true;
    uint32_t capacity = table->capacity ? table->capacity : FIRST_CAPACITY;
    while (capacity < length) capacity *= 2;
    uint32_t *slots = li_memory_resize(table->slots, table->length * sizeof *slots, capacity * sizeof *slots);
    if (!slots) return false;
    table->slots = slots;
    table->capacity = capacity;
    return true;
}

uint32_t li_cache_append(li_cache *cache, uint32_t sequence)
{
    li_sequence *table = &cache->tables[sequence];
    uint32_t slot = cache->unused[--cache->unused_count];
    cache->owners[slot] = 1;
    table->slots[table->length++] = slot;
    return slot;
}

void li_cache_keep(li_cache *cache, uint32_t sequence, uint32_t length)
{
    li_sequence *table = &cache->tables[sequence];
    // Backwards, so that slots are reused in the order of their positions.
    while (table->length > length) {
        uint32_t slot = table->slots[--table->length];
        if (--cache->owners[slot] == 0) cache->unused[cache->unused_count++] = slot;
    }
}

void li_cache_share(li_cache *cache, uint32_t from, uint32_t to, uint32_t length)
{
    li_cache_keep(cache, to, from == to ? length : 0);
    if (from == to) return;
    const uint32_t *source = cache->tables[from].slots;
    li_sequence *table = &cache->tables[to];
    for (uint32_t i = 0; i < length; i++) {
        table->slots[i] = source[i];
        cache->owners[source[i]]++;
    }
    table->length = length;
}
