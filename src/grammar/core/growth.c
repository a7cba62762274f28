// Arrays that grow.
#include "grammar/core/growth.h"

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/grammar.h"

bool li_array_grow(li_grammar *grammar, void **array, uint32_t *room, uint32_t count, size_t size)
{
    LI_ASSERT(count > *room && size);
    uint32_t larger = *room ? *room * 2 : 256;
    while (larger < count) larger *= 2;
    void *moved = li_memory_resize(*array, *room * size, larger * size);
    if (!moved) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return false;
    }
    *array = moved;
    *room = larger;
    return true;
}
