// A cache of lists of words by a key, of limited size.
#ifndef LI_MASK_STORE_H
#define LI_MASK_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "grammar/core/table.h"

typedef struct li_mask_store {
    uint32_t *words; // what is kept, one after the other, from word 1 on
    uint32_t used, room, limit;
    li_table places; // by key
} li_mask_store;

bool li_mask_store_init(li_mask_store *store, uint32_t limit);
void li_mask_store_clear(li_mask_store *store); // frees the memory
void li_mask_store_forget(li_mask_store *store);
// The place of the words of the key, or 0.
uint32_t li_mask_store_find(const li_mask_store *store, uint32_t key);
// Room for `count` words under a new key. 0: the cache is full, or no memory. May move the words.
uint32_t li_mask_store_add(li_mask_store *store, uint32_t key, uint32_t count);

#endif
