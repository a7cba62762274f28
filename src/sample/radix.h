// Radix sort: four passes, one for each byte of a key. Takes linear time and compares nothing.
#ifndef LI_RADIX_H
#define LI_RADIX_H

#include <stdint.h>

// Sorts items (count) of `width` words, 1 or 2, by their first word, largest first; equal items stay in their order.
// `other` is room for as many.
void li_radix_sort(uint32_t *items, uint32_t *other, uint32_t count, uint32_t width);

#endif
