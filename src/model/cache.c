#include "model/cache.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/attention_query.h"

#define BLOCK          LI_ATTENTION_BLOCK
#define FIRST_CAPACITY 64u

static size_t page_size(const li_cache *cache)
{
    const size_t rows = (size_t)cache->layers * cache->heads, floats = (size_t)cache->convolutions * cache->channels;
    return LI_CACHE_PAGE * (rows * (cache->key_size + cache->value_size) + floats * sizeof(float));
}

static uint32_t page_count(uint32_t slots)
{
    return (slots + LI_CACHE_PAGE - 1) / LI_CACHE_PAGE;
}

// Attention reads whole blocks, so the slots of a block are dropped together. Then they are also assigned together
// again, and their rows lie side by side. The rows of a pass read the windows before the last LI_ROWS_LIMIT positions,
// and a sequence can be cut by as many.
void li_cache_plan(li_cache *cache, uint32_t window)
{
    LI_ASSERT(cache->slots && cache->positions);
    cache->window = window;
    cache->kept = 0;
    cache->planned = cache->slots;
    if (window >= cache->positions) return;
    const uint32_t kept = (window + LI_ROWS_LIMIT - 1 + BLOCK - 1) / BLOCK * BLOCK;
    if (kept + BLOCK >= cache->positions || LI_WINDOWS_PLANNED * (kept + BLOCK) >= cache->slots) return;
    cache->kept = kept;
    cache->planned = LI_WINDOWS_PLANNED * (kept + BLOCK);
}

uint32_t li_cache_held(const li_cache *cache)
{
    return cache->kept ? cache->kept + BLOCK : cache->positions;
}

// Fits 64 bits: layers are below 2^13, heads times a width at most 2^20, slots at most 2^26.
uint64_t li_cache_size(const li_cache *cache)
{
    LI_ASSERT(cache->planned && cache->planned <= cache->slots);
    const uint64_t planned = (uint64_t)page_count(cache->planned) * LI_CACHE_PAGE;
    uint64_t rows = (uint64_t)cache->layers * cache->heads * planned;
    uint64_t numbers =
        (uint64_t)li_cache_row_size(cache->type, cache->head_dim) + li_cache_row_size(cache->type, cache->value_dim);
    uint64_t floats = (uint64_t)cache->convolutions * cache->channels * planned;
    return rows * numbers + sizeof(float) * floats + (2 * sizeof(uint32_t)) * (uint64_t)cache->slots +
           sizeof(uint8_t *) * (uint64_t)page_count(cache->slots) + sizeof(li_sequence) * (uint64_t)cache->sequences;
}

// Takes memory for the arrays over slots.
static bool create_slots(li_cache *cache)
{
    cache->pages = li_memory_alloc(page_count(cache->slots) * sizeof *cache->pages);
    cache->owners = li_memory_alloc(cache->slots * sizeof(uint32_t));
    cache->unused = li_memory_alloc(cache->slots * sizeof(uint32_t));
    return cache->pages && cache->owners && cache->unused;
}

static void destroy_slots(li_cache *cache)
{
    li_memory_free(cache->pages);
    li_memory_free(cache->owners);
    li_memory_free(cache->unused);
}

bool li_cache_create(li_cache *cache)
{
    LI_ASSERT(cache->slots && cache->sequences && cache->heads && cache->head_dim && cache->value_dim);
    LI_ASSERT(!cache->pages && !cache->tables);
    cache->key_size = li_cache_row_size(cache->type, cache->head_dim);
    cache->value_size = li_cache_row_size(cache->type, cache->value_dim);
    cache->tables = li_memory_alloc(cache->sequences * sizeof *cache->tables);
    if (!create_slots(cache) || !cache->tables) return false;
    cache->unused_count = cache->slots;
    for (uint32_t i = 0; i < cache->slots; i++) cache->unused[i] = cache->slots - 1 - i;
    return true;
}

void li_cache_destroy(li_cache *cache)
{
    for (uint32_t i = 0; cache->pages && i < page_count(cache->slots); i++) li_memory_free(cache->pages[i]);
    destroy_slots(cache);
    for (uint32_t i = 0; cache->tables && i < cache->sequences; i++) li_memory_free(cache->tables[i].slots);
    li_memory_free(cache->tables);
}

bool li_cache_grow(li_cache *cache, uint32_t slots, uint32_t positions)
{
    LI_ASSERT(slots > cache->slots && positions >= cache->positions);
    li_cache grown = *cache;
    grown.slots = slots;
    grown.positions = positions;
    li_cache_plan(&grown, cache->window);
    if (!create_slots(&grown)) {
        destroy_slots(&grown);
        return false;
    }
    memcpy(grown.pages, cache->pages, page_count(cache->slots) * sizeof *grown.pages);
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

bool li_cache_take_pages(li_cache *cache, uint32_t count)
{
    const size_t size = page_size(cache); // 0: all layers slide
    for (uint32_t i = 1; size && i <= count && i <= cache->unused_count; i++) {
        uint8_t **page = &cache->pages[cache->unused[cache->unused_count - i] / LI_CACHE_PAGE];
        LI_ASSERT(cache->owners[cache->unused[cache->unused_count - i]] == 0);
        if (!*page) *page = li_memory_alloc(size);
        if (!*page) return false;
    }
    return true;
}

const uint32_t *li_cache_slots(const li_cache *cache, uint32_t sequence)
{
    LI_ASSERT(sequence < cache->sequences);
    return cache->tables[sequence].slots;
}

bool li_cache_reserve(li_cache *cache, uint32_t sequence, uint32_t length)
{
    LI_ASSERT(sequence < cache->sequences && length <= cache->positions);
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

static void release(li_cache *cache, uint32_t slot)
{
    LI_ASSERT(slot < cache->slots && cache->owners[slot] && cache->unused_count < cache->slots);
    if (--cache->owners[slot] == 0) cache->unused[cache->unused_count++] = slot;
}

// Drops the slots of the positions before `end`, backwards, so that they are reused in the order of their positions.
static void drop_before(li_cache *cache, li_sequence *table, uint32_t end)
{
    LI_ASSERT(end <= table->length);
    if (end <= table->first) return;
    for (uint32_t i = end; i > table->first; i--) release(cache, table->slots[i - 1]);
    table->first = end;
}

void li_cache_drop(li_cache *cache, uint32_t sequence, uint32_t first)
{
    LI_ASSERT(sequence < cache->sequences && first % BLOCK == 0);
    drop_before(cache, &cache->tables[sequence], first);
}

uint32_t li_cache_append(li_cache *cache, uint32_t sequence)
{
    LI_ASSERT(sequence < cache->sequences);
    li_sequence *table = &cache->tables[sequence];
    LI_ASSERT(table->length < table->capacity); // room is reserved
    if (cache->kept && table->length % BLOCK == 0 && table->length > cache->kept)
        drop_before(cache, table, table->length - cache->kept);
    LI_ASSERT(cache->unused_count); // a slot is free
    uint32_t slot = cache->unused[--cache->unused_count];
    LI_ASSERT(slot < cache->slots && cache->owners[slot] == 0);
    cache->owners[slot] = 1;
    table->slots[table->length++] = slot;
    return slot;
}

uint32_t li_cache_need(const li_cache *cache, uint32_t sequence, uint32_t count)
{
    LI_ASSERT(sequence < cache->sequences);
    if (!cache->kept) return count;
    const li_sequence *table = &cache->tables[sequence];
    // Of the slots that the sequence holds, those that no other sequence shares become free when they are dropped.
    uint32_t more = li_cache_held(cache);
    for (uint32_t i = table->first; i < table->length; i++) more -= cache->owners[table->slots[i]] == 1;
    LI_ASSERT(more <= li_cache_held(cache));
    return count < more ? count : more;
}

uint32_t li_cache_least(const li_cache *cache, uint32_t sequence)
{
    LI_ASSERT(sequence < cache->sequences);
    const uint32_t first = cache->tables[sequence].first;
    return first ? first + cache->window - 1 : 0;
}

void li_cache_keep(li_cache *cache, uint32_t sequence, uint32_t length)
{
    LI_ASSERT(sequence < cache->sequences);
    LI_ASSERT(!length || length >= li_cache_least(cache, sequence) || length >= cache->tables[sequence].length);
    li_sequence *table = &cache->tables[sequence];
    // Backwards, as in drop_before.
    for (; table->length > length && table->length > table->first; table->length--)
        release(cache, table->slots[table->length - 1]);
    if (table->length > length) table->length = length;
    if (!length) table->first = 0;
    if (table->read > length) table->read = length;
    if (cache->unused_count == cache->slots) cache->has_nan = false;
}

void li_cache_share(li_cache *cache, uint32_t from, uint32_t to, uint32_t length)
{
    LI_ASSERT(from < cache->sequences && to < cache->sequences);
    LI_ASSERT(length <= cache->tables[from].length && (!length || length >= li_cache_least(cache, from)));
    li_cache_keep(cache, to, from == to ? length : 0);
    if (from == to) return;
    const uint32_t *source = cache->tables[from].slots;
    li_sequence *table = &cache->tables[to];
    LI_ASSERT(length <= table->capacity); // room is reserved
    table->first = length ? cache->tables[from].first : 0;
    for (uint32_t i = table->first; i < length; i++) {
        table->slots[i] = source[i];
        cache->owners[source[i]]++;
        LI_ASSERT(cache->owners[source[i]] > 1 && cache->owners[source[i]] <= cache->sequences);
    }
    table->length = length;
    LI_ASSERT(table->first <= length);
    table->read = cache->tables[from].read < length ? cache->tables[from].read : length;
}
