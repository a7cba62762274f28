// A hash over words. Without a .c file: its only function is inlined.
#ifndef LI_HASH_H
#define LI_HASH_H

#include <stdint.h>

#include "base/inline.h"

// A step of the hash.
LI_INLINE uint32_t li_mix(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * 0x85ebca6bu;
    return hash ^ hash >> 15;
}

#endif
