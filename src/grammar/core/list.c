// The growth of lists. All lists have the same layout but not the same type, so a list is read and written as bytes.
#include "grammar/core/list.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/arena.h"
#include "grammar/core/grammar.h"

enum { FIRST_IN_ARENA = 16, FIRST_ON_HEAP = 256 };

typedef LI_LIST(void) any_list;

_Static_assert(sizeof(any_list) == sizeof(LI_LIST(uint64_t)), "pointers of all types have one form");

static uint32_t larger(uint32_t room, uint32_t first, uint32_t wanted)
{
    room = room ? room : first;
    while (room < wanted) room = room > UINT32_MAX / 2 ? wanted : room * 2;
    return room;
}

// A product of 32 bits could wrap in wasm.
static bool fits(li_grammar *grammar, uint32_t room, size_t size)
{
    if (room <= SIZE_MAX / size) return true;
    li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
    return false;
}

bool li_arena_reserve(li_grammar *grammar, void *list, uint32_t wanted, size_t size)
{
    any_list old;
    memcpy(&old, list, sizeof old);
    LI_ASSERT(size && (!old.room || old.at));
    if (wanted <= old.room) return true;
    any_list grown = {.count = old.count, .room = larger(old.room, FIRST_IN_ARENA, wanted)};
    if (!fits(grammar, grown.room, size)) return false;
    grown.at = li_grammar_alloc(grammar, grown.room * size);
    if (!grown.at) return false;
    if (old.room) memcpy(grown.at, old.at, old.room * size);
    memcpy(list, &grown, sizeof grown);
    return true;
}

bool li_heap_grow(li_grammar *grammar, void *list, uint32_t wanted, size_t size)
{
    any_list old;
    memcpy(&old, list, sizeof old);
    LI_ASSERT(size && wanted > old.room);
    any_list grown = {.count = old.count, .room = larger(2 * old.room, FIRST_ON_HEAP, wanted)};
    if (!fits(grammar, grown.room, size)) return false;
    grown.at = li_memory_resize(old.at, old.room * size, grown.room * size);
    if (!grown.at) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    memcpy(list, &grown, sizeof grown);
    return true;
}
