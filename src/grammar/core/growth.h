// Growing arrays outside the arena, which their owners free.
#ifndef LI_GROWTH_H
#define LI_GROWTH_H

#include <stddef.h>

#include "base/inline.h"
#include "lastinch.h"

// Makes room for `count` elements of `size` bytes, more than the present *room. The array may move; li_memory_free
// frees the array. False: no memory, and the grammar has failed.
bool li_array_grow(li_grammar *grammar, void **array, uint32_t *room, uint32_t count, size_t size);

// Likewise; does nothing where there is room.
LI_INLINE bool li_array_reserve(li_grammar *grammar, void **array, uint32_t *room, uint32_t count, size_t size)
{
    return count <= *room || li_array_grow(grammar, array, room, count, size);
}

#endif
