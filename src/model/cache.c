#include "model/cache.h"

#include "base/memory.h"

uint64_t li_cache_size(const li_cache *cache)
{
    uint64_t numbers = 2 * (uint64_t)cache->layers * cache->slots * cache->width;
    uint64_t tables = (uint64_t)cache->sequences * cache->positions + cache->sequences + 2 * (uint64_t)cache->slots;
    return sizeof(float) * numbers + sizeof(uint32_t) * tables;
}

bool li_cache_create(li_cache *cache)
{
    size_t numbers = (size_t)cache->layers * cache->slots * cache->width;
    cache->keys = li_memory_alloc(numbers * sizeof(float));
    cache->values = li_memory_alloc(numbers * sizeof(float));
    cache->table = li_memory_alloc((size_t)cache->sequences * cache->positions * sizeof(uint32_t));
    cache->lengths = li_memory_alloc(cache->sequences * sizeof(uint32_t));
    cache->owners = li_memory_alloc(cache->slots * sizeof(uint32_t));
    cache->unused = li_memory_alloc(cache->slots * sizeof(uint32_t));
    if (!cache->keys || !cache->values || !cache->table || !cache->lengths || !cache->owners || !cache->unused)
        return false;
    cache->unused_count = cache->slots;
    for (uint32_t i = 0; i < cache->slots; i++) cache->unused[i] = cache->slots - 1 - i;
    return true;
}

void li_cache_destroy(li_cache *cache)
{
    li_memory_free(cache->keys);
    li_memory_free(cache->values);
    li_memory_free(cache->table);
    li_memory_free(cache->lengths);
    li_memory_free(cache->owners);
    li_memory_free(cache->unused);
}

static uint32_t *slots_of(const li_cache *cache, uint32_t sequence)
{
    return cache->table + (size_t)sequence * cache->positions;
}

const uint32_t *li_cache_slots(const li_cache *cache, uint32_t sequence)
{
    return slots_of(cache, sequence);
}

uint32_t li_cache_append(li_cache *cache, uint32_t sequence)
{
    uint32_t slot = cache->unused[--cache->unused_count];
    cache->owners[slot] = 1;
    slots_of(cache, sequence)[cache->lengths[sequence]++] = slot;
    return slot;
}

void li_cache_keep(li_cache *cache, uint32_t sequence, uint32_t length)
{
    const uint32_t *slots = slots_of(cache, sequence);
    // From the end, so that slots are taken again in the order in which they were.
    while (cache->lengths[sequence] > length) {
        uint32_t slot = slots[--cache->lengths[sequence]];
        if (--cache->owners[slot] == 0) cache->unused[cache->unused_count++] = slot;
    }
}

void li_cache_share(li_cache *cache, uint32_t from, uint32_t to, uint32_t length)
{
    li_cache_keep(cache, to, from == to ? length : 0);
    if (from == to) return;
    const uint32_t *source = slots_of(cache, from);
    uint32_t *slots = slots_of(cache, to);
    for (uint32_t i = 0; i < length; i++) {
        slots[i] = source[i];
        cache->owners[source[i]]++;
    }
    cache->lengths[to] = length;
}
