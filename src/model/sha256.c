// SHA-256 (FIPS 180-4) of bytes that come in pieces. Browsers hash only whole buffers.
#include <string.h>

#include "base/memory.h"
#include "lastinch.h"

enum { BLOCK = 64 };

struct li_sha256 {
    uint64_t length; // bytes so far
    uint32_t state[8];
    uint8_t rest[BLOCK]; // the block that is not full yet; in the end the digest
};

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void mix(uint32_t state[8], const uint8_t *block)
{
    uint32_t words[64];
    for (int i = 0; i < 16; i++) {
        uint32_t word;
        memcpy(&word, block + 4 * i, sizeof word);
        words[i] = __builtin_bswap32(word);
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t sum =
            h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i];
        uint32_t other = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + sum;
        d = c;
        c = b;
        b = a;
        a = sum + other;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

li_sha256 *li_sha256_create(void)
{
    static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    li_sha256 *hash = li_memory_alloc(sizeof *hash);
    if (hash) memcpy(hash->state, initial, sizeof initial);
    return hash;
}

void li_sha256_update(li_sha256 *hash, const uint8_t *bytes, uint32_t length)
{
    uint32_t filled = hash->length % BLOCK;
    hash->length += length;
    if (filled) {
        uint32_t some = length < BLOCK - filled ? length : BLOCK - filled;
        memcpy(hash->rest + filled, bytes, some);
        if (filled + some < BLOCK) return;
        mix(hash->state, hash->rest);
        bytes += some;
        length -= some;
    }
    for (; length >= BLOCK; bytes += BLOCK, length -= BLOCK) mix(hash->state, bytes);
    memcpy(hash->rest, bytes, length);
}

const uint8_t *li_sha256_finish(li_sha256 *hash)
{
    uint64_t bits = 8 * hash->length;
    uint32_t filled = hash->length % BLOCK;
    uint8_t padding[2 * BLOCK] = {0x80};
    uint32_t length = (filled < BLOCK - 8 ? BLOCK : 2 * BLOCK) - filled;
    for (int i = 0; i < 8; i++) padding[length - 1 - i] = (uint8_t)(bits >> 8 * i);
    li_sha256_update(hash, padding, length);
    for (int i = 0; i < 32; i++) hash->rest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
    return hash->rest;
}
