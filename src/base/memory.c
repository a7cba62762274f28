#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#ifdef __wasm__

// A block is a 16-byte header (its class) and the payload. With 32 classes to a doubling little is
// wasted on large weights; freed blocks wait in their class's list, so objects can be freed in any order.
#define CLASSES_PER_DOUBLING 32u
#define SMALLEST_LOG2        9u
#define CLASS_COUNT          ((32u - SMALLEST_LOG2) * CLASSES_PER_DOUBLING)
#define PAGE                 65536u

typedef struct block {
    struct block *next;
    uint32_t class_index;
    uint32_t unused[2];
} block;

static block *free_lists[CLASS_COUNT];
static uint64_t region_next, region_end; // the pages grown last: blocks are cut from them

static uint32_t class_size(uint32_t class_index)
{
    uint32_t base = 1u << (SMALLEST_LOG2 + class_index / CLASSES_PER_DOUBLING);
    return base + base / CLASSES_PER_DOUBLING * (class_index % CLASSES_PER_DOUBLING);
}

static uint32_t class_of(uint32_t size)
{
    if (size <= 1u << SMALLEST_LOG2) return 0;
    uint32_t log2 = 31u - (uint32_t)__builtin_clz(size);
    uint32_t step = (1u << log2) / CLASSES_PER_DOUBLING;
    uint32_t within = (size - (1u << log2) + step - 1) / step;
    return (log2 - SMALLEST_LOG2) * CLASSES_PER_DOUBLING + within;
}

// Only pages that memory.grow handed out are used, so another allocator may live in the same memory.
static block *cut_block(uint32_t size)
{
    if (region_end - region_next < size) {
        uint64_t pages = (size - (region_end - region_next) + PAGE - 1) / PAGE;
        uint64_t present = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
        if (present != region_end) {
            pages = (size + (uint64_t)PAGE - 1) / PAGE;
            region_next = region_end = present;
        }
        if (pages >= PAGE || __builtin_wasm_memory_grow(0, (uintptr_t)pages) == (uintptr_t)-1) return NULL;
        region_end += pages * PAGE;
    }
    block *fresh = (block *)(uintptr_t)region_next;
    region_next += size;
    return fresh;
}

void *li_memory_alloc(size_t size)
{
    if (size > 0xf0000000u) return NULL;
    uint32_t class_index = class_of((uint32_t)size + (uint32_t)sizeof(block));
    if (class_index >= CLASS_COUNT) return NULL;
    block *taken = free_lists[class_index];
    if (taken)
        free_lists[class_index] = taken->next;
    else
        taken = cut_block(class_size(class_index));
    if (!taken) return NULL;
    taken->class_index = class_index;
    memset(taken + 1, 0, size);
    return taken + 1;
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

#endif

void *li_memory_resize(void *pointer, size_t old_size, size_t size)
{
    void *fresh = li_memory_alloc(size);
    if (!fresh) return NULL;
    if (pointer) memcpy(fresh, pointer, old_size < size ? old_size : size);
    li_memory_free(pointer);
    return fresh;
}
