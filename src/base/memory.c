#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#ifdef __wasm__

// A block is a 16-byte header (its class) and the payload. Eight classes to a doubling waste at most an
// eighth; freed blocks wait in their class's list, so objects can be freed in any order.
#define CLASSES_PER_DOUBLING 8u
#define SMALLEST_LOG2        7u
#define CLASS_COUNT          ((32u - SMALLEST_LOG2) * CLASSES_PER_DOUBLING)
#define PAGE                 65536u

typedef struct block {
    struct block *next;
    uint32_t class_index;
    uint32_t unused[2];
} block;

extern unsigned char __heap_base;
static block *free_lists[CLASS_COUNT];
static uintptr_t heap_end;

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

static block *grow_heap(uint32_t size)
{
    if (heap_end == 0) heap_end = ((uintptr_t)&__heap_base + 15u) & ~(uintptr_t)15u;
    uint64_t wanted = (uint64_t)heap_end + size;
    uint64_t present = (uint64_t)__builtin_wasm_memory_size(0) * PAGE;
    if (wanted > present) {
        uint64_t pages = (wanted - present + PAGE - 1) / PAGE;
        if (pages > PAGE || __builtin_wasm_memory_grow(0, (uintptr_t)pages) == (uintptr_t)-1) return NULL;
    }
    block *fresh = (block *)heap_end;
    heap_end += size;
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
        taken = grow_heap(class_size(class_index));
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
