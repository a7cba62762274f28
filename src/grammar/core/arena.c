// The arena: a list of blocks. An allocation takes the next bytes of the last block.
#include "grammar/core/arena.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/core/grammar.h"

#define BLOCK_SIZE 32768u
#define MOST_BYTES ((size_t)512 << 20)

struct li_block {
    struct li_block *next;
    size_t used, size;
};

void *li_grammar_alloc(li_grammar *grammar, size_t size)
{
    LI_ASSERT(size <= SIZE_MAX - 7);
    size = (size + 7) & ~(size_t)7;
    struct li_block *block = grammar->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size + sizeof *block > BLOCK_SIZE ? size + sizeof *block : BLOCK_SIZE;
        if (room > MOST_BYTES - grammar->block_bytes) {
            li_grammar_exceed(grammar, LI_LIMIT_MEMORY);
            return NULL;
        }
        block = li_memory_alloc(room);
        if (!block) {
            li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
            return NULL;
        }
        *block = (struct li_block){.next = grammar->blocks, .used = sizeof *block, .size = room};
        grammar->blocks = block;
        grammar->block_bytes += room;
    }
    void *memory = (uint8_t *)block + block->used;
    LI_ASSERT(block->used % 8 == 0 && block->used + size <= block->size);
    block->used += size;
    return memory;
}

bool li_reserve(li_grammar *grammar, void **array, uint32_t *room, uint32_t count, size_t size)
{
    LI_ASSERT(size && (!*room || *array));
    if (count <= *room) return true;
    uint32_t larger = *room ? *room : 16;
    while (larger < count) larger = larger > UINT32_MAX / 2 ? count : larger * 2;
    void *moved = li_grammar_alloc(grammar, (size_t)larger * size);
    if (!moved) return false;
    if (*room) memcpy(moved, *array, (size_t)*room * size);
    *array = moved;
    *room = larger;
    return true;
}

void li_arena_destroy(li_grammar *grammar)
{
    for (struct li_block *block = grammar->blocks, *next; block; block = next) {
        next = block->next;
        li_memory_free(block);
    }
}
