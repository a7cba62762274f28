// Memory for objects that outlive a call. In wasm a size-class allocator over memory.grow (no libc, no imports);
// natively malloc, so that the sanitizers see every byte.
#ifndef LI_MEMORY_H
#define LI_MEMORY_H

#include <stddef.h>

// `size` zeroed bytes, aligned to 16; NULL: no memory. li_memory_free allows NULL.
void *li_memory_alloc(size_t size);
void li_memory_free(void *pointer);
// Copies `old_size` bytes to a block of `size` bytes, zeroes the rest and frees the old block. NULL: no memory; the old
// block stays.
void *li_memory_resize(void *pointer, size_t old_size, size_t size);
// From now on the memory grows by no more than it must, for a module that takes few large blocks. Otherwise it grows by
// an eighth of itself, since growing is slow in engines.
void li_memory_keep_tight(void);

#endif
