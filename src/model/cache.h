// Keys and values of past tokens, in slots that sequences share by reference. A slot belongs to one token
// at one position and is written once; a table per sequence says which slot each of its positions has.
#ifndef LI_CACHE_H
#define LI_CACHE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct li_cache {
    uint32_t layers;
    uint32_t width;     // numbers in a key: kv_heads * head_dim
    uint32_t slots;     // shared by all sequences
    uint32_t sequences; // that can exist
    uint32_t positions; // that a sequence can have
    uint32_t unused_count;
    float *keys;       // (layers, kv_heads, slots, head_dim)
    float *values;     // (layers, kv_heads, slots, head_dim)
    uint32_t *table;   // (sequences, positions) -> slot
    uint32_t *lengths; // (sequences) positions in use
    uint32_t *owners;  // (slots) sequences that hold the slot
    uint32_t *unused;  // (unused_count of slots) the slots without owner, last out first
} li_cache;

// Bytes for a cache of this shape; layers, width, slots, sequences and positions are set.
uint64_t li_cache_size(const li_cache *cache);
bool li_cache_create(li_cache *cache);
void li_cache_destroy(li_cache *cache);

// Gives the next position of `sequence` a slot. The caller has checked that there is room.
uint32_t li_cache_append(li_cache *cache, uint32_t sequence);
// The slots of `sequence`, (positions).
const uint32_t *li_cache_slots(const li_cache *cache, uint32_t sequence);
// Drops the positions from `length` on.
void li_cache_keep(li_cache *cache, uint32_t sequence, uint32_t length);
// `to` becomes the first `length` positions of `from`.
void li_cache_share(li_cache *cache, uint32_t from, uint32_t to, uint32_t length);

#endif
