// Memory for objects that live longer than a call. In wasm a size-class allocator over memory.grow (no
// libc, no imports); natively malloc, so that the sanitizers see every byte.
#ifndef LI_MEMORY_H
#define LI_MEMORY_H

#include <stddef.h>

// `size` bytes, zeroed, aligned to 16; NULL when there is no memory. li_memory_free takes NULL too.
void *li_memory_alloc(size_t size);
void li_memory_free(void *pointer);
// Moves `old_size` bytes to a block of `size` bytes (the rest zeroed) and frees the old one; on NULL the
// old block is untouched.
void *li_memory_resize(void *pointer, size_t old_size, size_t size);

#endif
