// Keys and values of past tokens, in slots that sequences share by reference. A slot belongs to one token
// at one position and is written once; a table per sequence says which slot each of its positions has. Tables grow
// with their sequences.
#ifndef LI_CACHE_H
#define LI_CACHE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct li_sequence {
    uint32_t *slots; // (capacity) of its positions
    uint32_t length; // positions in use
    uint32_t capacity;
} li_sequence;

typedef struct li_cache {
    uint32_t layers;
    uint32_t heads; // of keys and of values
    uint32_t head_dim;
    uint32_t slots;     // shared by all sequences
    uint32_t sequences; // that can exist
    uint32_t positions; // that a sequence can have
    uint32_t unused_count;
    float *keys;         // (layers, heads, slots, head_dim)
    float *values;       // (layers, heads, slots, head_dim)
    uint32_t *owners;    // (slots) sequences that hold the slot
    uint32_t *unused;    // (unused_count of slots) the slots without owner, last out first
    li_sequence *tables; // (sequences)
} li_cache;

// Bytes for a cache of this shape with empty sequences; layers, heads, head_dim, slots, sequences and positions are
// set.
uint64_t li_cache_size(const li_cache *cache);
bool li_cache_create(li_cache *cache);
void li_cache_destroy(li_cache *cache);
// Makes more slots of it, so that sequences can have `positions` positions. False: there is no memory, and nothing
// changed.
bool li_cache_grow(li_cache *cache, uint32_t slots, uint32_t positions);

// Room for so many positions of a sequence. False: there is no memory, and nothing changed.
bool li_cache_reserve(li_cache *cache, uint32_t sequence, uint32_t length);
// Gives the next position of `sequence` a slot. The caller has checked that there is one, and reserved room.
uint32_t li_cache_append(li_cache *cache, uint32_t sequence);
// The slots of `sequence`.
const uint32_t *li_cache_slots(const li_cache *cache, uint32_t sequence);
// Drops the positions from `length` on.
void li_cache_keep(li_cache *cache, uint32_t sequence, uint32_t length);
// `to` becomes the first `length` positions of `from`. The caller has reserved room.
void li_cache_share(li_cache *cache, uint32_t from, uint32_t to, uint32_t length);

#endif
