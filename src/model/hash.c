#include "model/hash.h"

#include <string.h>

#include "base/inline.h"

#define BLOCK   sizeof((li_hash){0}.rest)
#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C(0x165667b19e3779f9)
#define PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C(0x27d4eb2f165667c5)

LI_INLINE uint64_t rotate(uint64_t x, uint32_t count)
{
    return x << count | x >> (64 - count);
}

LI_INLINE uint64_t mix(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

LI_INLINE uint64_t read_word(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void li_hash_begin(li_hash *hash, uint64_t seed)
{
    *hash = (li_hash){.lanes = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1}, .seed = seed};
}

// Lanes of their own stay in registers.
static void add_blocks(li_hash *hash, const uint8_t *bytes, size_t count)
{
    uint64_t a = hash->lanes[0], b = hash->lanes[1], c = hash->lanes[2], d = hash->lanes[3];
    for (; count; count--, bytes += BLOCK) {
        a = mix(a, read_word(bytes));
        b = mix(b, read_word(bytes + 8));
        c = mix(c, read_word(bytes + 16));
        d = mix(d, read_word(bytes + 24));
    }
    hash->lanes[0] = a, hash->lanes[1] = b, hash->lanes[2] = c, hash->lanes[3] = d;
}

void li_hash_add(li_hash *hash, const uint8_t *bytes, size_t size)
{
    const size_t staged = hash->length % BLOCK, lacking = staged ? BLOCK - staged : 0;
    hash->length += size;
    const size_t first = size < lacking ? size : lacking;
    memcpy(hash->rest + staged, bytes, first);
    if (first < lacking) return;
    if (lacking) add_blocks(hash, hash->rest, 1);
    const size_t blocks = (size - first) / BLOCK;
    add_blocks(hash, bytes + first, blocks);
    memcpy(hash->rest, bytes + first + blocks * BLOCK, (size - first) % BLOCK);
}

uint64_t li_hash_value(const li_hash *hash)
{
    uint64_t value = hash->seed + PRIME_5;
    if (hash->length >= BLOCK) {
        value = 0;
        for (uint32_t i = 0; i < 4; i++) value += rotate(hash->lanes[i], (uint32_t[]){1, 7, 12, 18}[i]);
        for (uint32_t i = 0; i < 4; i++) value = (value ^ mix(0, hash->lanes[i])) * PRIME_1 + PRIME_4;
    }
    value += hash->length;
    const uint8_t *at = hash->rest, *end = at + hash->length % BLOCK;
    for (; end - at >= 8; at += 8) value = rotate(value ^ mix(0, read_word(at)), 27) * PRIME_1 + PRIME_4;
    if (end - at >= 4) {
        uint32_t half;
        memcpy(&half, at, sizeof half);
        value = rotate(value ^ half * PRIME_1, 23) * PRIME_2 + PRIME_3;
        at += 4;
    }
    for (; at < end; at++) value = rotate(value ^ *at * PRIME_5, 11) * PRIME_1;
    value = (value ^ value >> 33) * PRIME_2;
    value = (value ^ value >> 29) * PRIME_3;
    return value ^ value >> 32;
}
