// The keys and values of past tokens, in slots that sequences share by reference count. A slot belongs to one token at
// one position and is written once. Each sequence has a table that names the slots of its positions and grows with it.
// Slots lie in pages, which never move and take memory when one of their slots is first used.
//
// Sliding-window layers have a cache of their own, in which a sequence keeps only the slots of its last positions.
// Otherwise a layer that sees 512 positions would hold all 32,768 of a long text, and in Gemma 3 five of six layers
// slide. llama.cpp divides its cache in the same way (llama_kv_cache_iswa), but overwrites cells in a ring. Here slots
// are counted by reference, so a text that shares a prefix holds the window at the end of the prefix while the other
// text goes on, without a copy.
#ifndef LI_CACHE_H
#define LI_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/inline.h"
#include "model/cache_row.h"

#define LI_CACHE_PAGE 256u // slots

typedef struct li_sequence {
    uint32_t *slots; // (length of capacity) the slot of each position
    uint32_t length; // positions in use
    uint32_t first;  // the slots of earlier positions are dropped; a multiple of LI_ATTENTION_BLOCK
    uint32_t capacity;
    uint32_t read; // see li_sequence_read
} li_sequence;

typedef struct li_cache {
    li_cache_type type;
    uint32_t layers; // layers with keys and values
    // Layers with a row of floats for each slot, and the length of the row. The last of them are the states after the
    // final norm, for a block that predicts later tokens (draft.c).
    uint32_t convolutions, channels;
    uint32_t heads;     // key heads, and as many value heads
    uint32_t head_dim;  // width of a key head
    uint32_t value_dim; // width of a value head
    uint32_t slots;     // shared by all sequences
    uint32_t sequences;
    uint32_t positions; // limit of a sequence's length
    uint32_t window;    // positions that a row sees, where `kept` is not 0
    uint32_t kept;      // positions that a sequence keeps before the present block of positions; 0: all
    uint32_t planned;   // slots whose memory li_cache_size counts
    uint32_t unused_count;
    size_t key_size, value_size; // bytes of a row: one head of one slot
    bool has_nan;                // a row may hold NaN
    // (slots / LI_CACHE_PAGE, rounded up) keys (layers, heads, LI_CACHE_PAGE, key_size), then values, then rows of
    // convolutions
    uint8_t **pages;
    uint32_t *owners;    // (slots) number of sequences that hold the slot
    uint32_t *unused;    // (unused_count of slots) stack of the slots that no sequence holds
    li_sequence *tables; // (sequences)
} li_cache;

// Plans the slots of a cache of sliding-window layers, or of layers that see all positions (window UINT32_MAX). A
// sequence drops the slots before the windows of its last LI_ROWS_LIMIT positions, if those of LI_WINDOWS_PLANNED
// sequences are fewer than all slots.
void li_cache_plan(li_cache *cache, uint32_t window);
// Bytes of a cache with empty sequences and the pages of all planned slots. type, layers, heads, head_dim, value_dim,
// convolutions, channels, slots, sequences and positions must be set, and the slots planned, here and for
// li_cache_create.
uint64_t li_cache_size(const li_cache *cache);
bool li_cache_create(li_cache *cache);
void li_cache_destroy(li_cache *cache);
// Grows the cache to `slots` slots and `positions` positions a sequence. False: no memory, and nothing changed.
bool li_cache_grow(li_cache *cache, uint32_t slots, uint32_t positions);

// Takes memory for the next `count` slots that are appended. False: there was memory for only some of them.
bool li_cache_take_pages(li_cache *cache, uint32_t count);

// Where the rows of a head begin in a page, in bytes.
LI_INLINE size_t li_cache_keys_at(const li_cache *cache, uint32_t layer, uint32_t head)
{
    LI_ASSERT(layer < cache->layers && head < cache->heads);
    return ((size_t)layer * cache->heads + head) * LI_CACHE_PAGE * cache->key_size;
}
LI_INLINE size_t li_cache_values_at(const li_cache *cache, uint32_t layer, uint32_t head)
{
    const size_t keys = (size_t)cache->layers * cache->heads * LI_CACHE_PAGE * cache->key_size;
    return keys + ((size_t)layer * cache->heads + head) * LI_CACHE_PAGE * cache->value_size;
}
// The row of floats (channels) of a slot whose page has memory.
LI_INLINE float *li_cache_convolution(const li_cache *cache, uint32_t convolution, uint32_t slot)
{
    LI_ASSERT(convolution < cache->convolutions && slot < cache->slots && cache->pages[slot / LI_CACHE_PAGE]);
    const size_t values_end = li_cache_values_at(cache, cache->layers, 0), size = cache->channels * sizeof(float);
    const size_t at = values_end + convolution * LI_CACHE_PAGE * size;
    return (float *)(void *)(cache->pages[slot / LI_CACHE_PAGE] + at + slot % LI_CACHE_PAGE * size);
}
// The row (`size` bytes) of a slot whose page has memory; `at` is where the rows of the head begin.
LI_INLINE uint8_t *li_cache_row(const li_cache *cache, size_t at, uint32_t slot, size_t size)
{
    LI_ASSERT(slot < cache->slots && cache->pages[slot / LI_CACHE_PAGE]);
    return cache->pages[slot / LI_CACHE_PAGE] + at + slot % LI_CACHE_PAGE * size;
}

// Reserves room for `length` positions of a sequence. False: no memory, and nothing changed.
bool li_cache_reserve(li_cache *cache, uint32_t sequence, uint32_t length);
// Assigns a free slot to the next position of a sequence, and drops slots that no later row sees. Returns the slot.
uint32_t li_cache_append(li_cache *cache, uint32_t sequence);
// Drops the slots of the positions before `first`, a multiple of LI_ATTENTION_BLOCK and at most the length.
void li_cache_drop(li_cache *cache, uint32_t sequence, uint32_t first);
// The slots of a sequence (length), by position.
const uint32_t *li_cache_slots(const li_cache *cache, uint32_t sequence);
// The most slots that a sequence holds at once.
uint32_t li_cache_held(const li_cache *cache);
// The most free slots that the next `count` positions of a sequence take: the sequence drops slots meanwhile.
uint32_t li_cache_need(const li_cache *cache, uint32_t sequence, uint32_t count);
// The least length above 0 that a sequence can be cut to or shared at, or 0: any.
uint32_t li_cache_least(const li_cache *cache, uint32_t sequence);
// Drops the positions from `length` on. `length`: 0, or at least li_cache_least.
void li_cache_keep(li_cache *cache, uint32_t sequence, uint32_t length);
// Makes `to` the first `length` positions of `from`, 0 or at least li_cache_least.
void li_cache_share(li_cache *cache, uint32_t from, uint32_t to, uint32_t length);

#endif
