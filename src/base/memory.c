#include "base/memory.h"

#include "base/assert.h"

#include <stdint.h>
#include <string.h>

#ifdef __wasm__

// A block is a 16-byte header (its size class) and the payload. 32 classes for each doubling of the size waste little
// of large blocks. Freed blocks go to the free list of their class, so objects can be freed in any order.
#define SMALLEST    512u
#define CLASS_COUNT (27u * 32u)
#define PAGE        65536u
typedef struct block {
    struct block *next;
    uint32_t class_index;
    uint32_t unused[2];
} block;

static block *free_lists[CLASS_COUNT];
static uint64_t region_next, region_end; // the pages grown last: blocks are cut from them
static uint64_t growth_share = 8;        // the memory grows by this fraction of itself more than it must

// Uses only pages from its own memory.grow calls, so another allocator may work in the same memory. The block is zero,
// because WebAssembly grows by zeroed pages.
static block *cut_block(uint32_t size)
{
    if (region_end - region_next < size) {
        uint64_t present = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
        if (present != region_end) region_next = region_end = present;
        uint64_t pages = (region_next + size - present + PAGE - 1) / PAGE;
        uint64_t more = pages + present / PAGE / growth_share;
        // Near the limit of the memory the surplus is halved until the engine grants it.
        while (__builtin_wasm_memory_grow(0, (uintptr_t)more) == (uintptr_t)-1) {
            if (more == pages) return NULL;
            more = (more + pages) / 2;
        }
        region_end += more * PAGE;
    }
    block *fresh = (block *)(uintptr_t)region_next;
    region_next += size;
    return fresh;
}

void *li_memory_alloc(size_t size)
{
    if (size > 0xf0000000u) return NULL;
    // Rounds up to six significant bits: the class is the position of the highest bit and the five bits below.
    uint32_t last = (uint32_t)(size + sizeof(block) - 1) | (SMALLEST - 1);
    uint32_t shift = 26u - (uint32_t)__builtin_clz(last), steps = last >> shift;
    uint32_t class_index = shift * 32u + steps - 32u;
    block *taken = free_lists[class_index];
    if (taken) {
        free_lists[class_index] = taken->next;
        return memset(taken + 1, 0, size);
    }
    // Staggers large blocks, because rows at equal distances that are read together would share cache lines.
    taken = cut_block(((steps + 1) << shift) + (size < PAGE ? 0 : 1088));
    if (!taken) return NULL;
    taken->class_index = class_index;
    return taken + 1;
}

void li_memory_keep_tight(void)
{
    growth_share = UINT64_MAX;
}

void li_memory_free(void *pointer)
{
    if (!pointer) return;
    block *freed = (block *)pointer - 1;
    freed->next = free_lists[freed->class_index];
    free_lists[freed->class_index] = freed;
}

#else

#include <stdlib.h>

void *li_memory_alloc(size_t size)
{
    return calloc(1, size ? size : 1);
}

void li_memory_free(void *pointer)
{
    free(pointer);
}

void li_memory_keep_tight(void)
{
}

#endif

void *li_memory_resize(void *pointer, size_t old_size, size_t size)
{
    LI_ASSERT(pointer || !old_size);
    void *fresh = li_memory_alloc(size);
    if (!fresh) return NULL;
    if (pointer) memcpy(fresh, pointer, old_size < size ? old_size : size);
    li_memory_free(pointer);
    return fresh;
}
