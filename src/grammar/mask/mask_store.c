#include "grammar/mask/mask_store.h"

#include "base/assert.h"
#include "base/memory.h"

enum { FIRST_WORDS = 8192, SLOT = 1 }; // SLOT: what an entry costs beside its words

bool li_mask_store_init(li_mask_store *store, uint32_t limit)
{
    *store = (li_mask_store){.limit = limit, .used = 1, .room = FIRST_WORDS};
    store->words = li_memory_alloc(FIRST_WORDS * sizeof *store->words);
    return store->words;
}

void li_mask_store_clear(li_mask_store *store)
{
    li_memory_free(store->words);
    li_table_clear(&store->places);
}

void li_mask_store_forget(li_mask_store *store)
{
    li_table_forget(&store->places);
    store->used = 1;
}

uint32_t li_mask_store_find(const li_mask_store *store, uint32_t key)
{
    uint32_t place = li_table_find(&store->places, key);
    return place == LI_TABLE_NONE ? 0 : place;
}

uint32_t li_mask_store_add(li_mask_store *store, uint32_t key, uint32_t count)
{
    LI_ASSERT(store->used && !li_mask_store_find(store, key)); // a new key
    if (count >= store->limit || store->used + count + SLOT > store->limit) return 0;
    uint32_t room = store->room;
    while (store->used + count + SLOT > room) room *= 2;
    if (room > store->room) {
        uint32_t *words = li_memory_resize(store->words, store->room * sizeof *words, room * sizeof *words);
        if (!words) return 0;
        store->words = words;
        store->room = room;
    }
    if (!li_table_reserve(&store->places, store->places.count + 1)) return 0;
    uint32_t at = store->used;
    li_table_put(&store->places, key, at);
    store->used = at + count + SLOT;
    return at;
}
