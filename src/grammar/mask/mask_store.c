#include "grammar/mask/mask_store.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

enum { FIRST_SLOTS = 64, FIRST_WORDS = 8192 };

bool li_mask_store_init(li_mask_store *store, uint32_t limit)
{
    *store = (li_mask_store){.limit = limit, .used = 1, .room = FIRST_WORDS, .slot_count = FIRST_SLOTS};
    store->words = li_memory_alloc(FIRST_WORDS * sizeof *store->words);
    store->slots = li_memory_alloc(FIRST_SLOTS * sizeof *store->slots);
    return store->words && store->slots;
}

void li_mask_store_clear(li_mask_store *store)
{
    li_memory_free(store->words);
    li_memory_free(store->slots);
}

void li_mask_store_forget(li_mask_store *store)
{
    memset(store->slots, 0, store->slot_count * sizeof *store->slots);
    store->used = 1;
    store->count = 0;
}

static uint32_t slot_of(const li_mask_store *store, uint32_t key)
{
    LI_ASSERT(store->count < store->slot_count); // a slot is free
    uint32_t slot = (key * 0x9e3779b1u >> 7) & (store->slot_count - 1);
    while (store->slots[slot] && store->words[store->slots[slot] - 1] != key)
        slot = (slot + 1) & (store->slot_count - 1);
    return slot;
}

uint32_t li_mask_store_find(const li_mask_store *store, uint32_t key)
{
    return store->slots[slot_of(store, key)];
}

static bool grow_slots(li_mask_store *store)
{
    uint32_t *former = store->slots, former_count = store->slot_count;
    uint32_t *slots = li_memory_alloc(2 * former_count * sizeof *slots);
    if (!slots) return false;
    store->slots = slots;
    store->slot_count = 2 * former_count;
    for (uint32_t i = 0; i < former_count; i++)
        if (former[i]) slots[slot_of(store, store->words[former[i] - 1])] = former[i];
    li_memory_free(former);
    return true;
}

uint32_t li_mask_store_add(li_mask_store *store, uint32_t key, uint32_t count)
{
    LI_ASSERT(store->used && !li_mask_store_find(store, key)); // a new key
    if (count >= store->limit || store->used + count + 1 > store->limit) return 0;
    uint32_t room = store->room;
    while (store->used + count + 1 > room) room *= 2;
    if (room > store->room) {
        uint32_t *words = li_memory_resize(store->words, store->room * sizeof *words, room * sizeof *words);
        if (!words) return 0;
        store->words = words;
        store->room = room;
    }
    if (2 * (store->count + 1) > store->slot_count && !grow_slots(store)) return 0;
    uint32_t slot = slot_of(store, key);
    store->words[store->used] = key;
    uint32_t at = store->slots[slot] = store->used + 1;
    store->used = at + count;
    store->count++;
    return at;
}
