// Lists that grow.
#ifndef LI_LIST_H
#define LI_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lastinch.h"

// Zeros: the empty list. A list grows either in the arena of its grammar or on the heap, where its owner frees `at` by
// li_memory_free.
#define LI_LIST(T)                                                                                                     \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        uint32_t count, room;                                                                                          \
    }

// Makes room for `wanted` elements in all; `at` may change. False: no memory, and the grammar has failed.
#define LI_ARENA_RESERVE(grammar, list, wanted) li_arena_reserve(grammar, list, wanted, sizeof *(list)->at)
#define LI_HEAP_RESERVE(grammar, list, wanted)                                                                         \
    ((wanted) <= (list)->room || li_heap_grow(grammar, list, wanted, sizeof *(list)->at))

// Appends an element; its expression must not mention the list. False: no memory, and the grammar has failed.
#define LI_ARENA_PUSH(grammar, list, ...)                                                                              \
    (LI_ARENA_RESERVE(grammar, list, (list)->count + 1) && ((list)->at[(list)->count++] = __VA_ARGS__, true))
#define LI_HEAP_PUSH(grammar, list, ...)                                                                               \
    (LI_HEAP_RESERVE(grammar, list, (list)->count + 1) && ((list)->at[(list)->count++] = __VA_ARGS__, true))

// For the macros above. `list` is an LI_LIST of elements of `size` bytes.
bool li_arena_reserve(li_grammar *grammar, void *list, uint32_t wanted, size_t size);
bool li_heap_grow(li_grammar *grammar, void *list, uint32_t wanted, size_t size);

#endif
