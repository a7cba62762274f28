// The arena: a list of blocks. An allocation takes the next bytes of the last block.
#include "grammar/core/arena.h"

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

void li_arena_destroy(li_grammar *grammar)
{
    for (struct li_block *block = grammar->blocks, *next; block; block = next) {
        next = block->next;
        li_memory_free(block);
    }
}
