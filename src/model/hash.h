// XXH64, a 64-bit hash of bytes, in pieces of any size. It tells files and damaged bytes apart. It does not stop a
// person who wants two files with one hash. Source: Collet, "xxHash fast digest algorithm", doc/xxhash_spec.md.
#ifndef LI_HASH_H
#define LI_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct li_hash {
    uint64_t lanes[4];
    uint64_t length; // bytes so far
    uint64_t seed;
    uint8_t rest[32]; // (length % 32) bytes that no block has yet
} li_hash;

void li_hash_begin(li_hash *hash, uint64_t seed);
void li_hash_add(li_hash *hash, const uint8_t *bytes, size_t size);
// The hash of all bytes so far; more may follow.
uint64_t li_hash_value(const li_hash *hash);

#endif
