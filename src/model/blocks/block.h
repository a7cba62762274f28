// A block: 32 columns of one row of quantised weights, on the way from the file to a tile. And the readers of file
// formats.
#ifndef LI_BLOCK_H
#define LI_BLOCK_H

#include <stdint.h>
#include <string.h>

#include "base/assert.h"

#define LI_BLOCK       32u  // columns of a block, which share a scale of the inputs too
#define LI_SUPER_BLOCK 256u // columns that share the halves of formats whose scales are bytes

typedef struct li_block {
    uint32_t groups[LI_BLOCK / 4]; // digits of four columns each, the first in the lowest byte
    uint16_t scale, min;           // bits of the halves of the format; min 0 where there is none
    // Factors of scale and min, by li_scaling. BYTE: [0] of scale. BYTE_MIN: [0] of scale, [1] of min. BYTES: of scale,
    // for columns 0 to 15 and 16 to 31. NIBBLE_MIN: for the same columns, of scale in the low four bits and of min in
    // the high four bits. Otherwise unused.
    uint8_t factors[2];
} li_block;

// Formats of 32 columns (small_blocks.c). `part` is 0.
void li_block_read_q4_0(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q4_1(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q5_0(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q5_1(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q8_0(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_mxfp4(li_block *block, const uint8_t *raw, uint32_t part);
// Formats of 256 columns (super_blocks.c).
void li_block_read_q2_k(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q3_k(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q4_k(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q5_k(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_q6_k(li_block *block, const uint8_t *raw, uint32_t part);
void li_block_read_iq4_xs(li_block *block, const uint8_t *raw, uint32_t part);

// ---- for the readers ----

static inline uint16_t li_read_half(const uint8_t *raw)
{
    uint16_t half;
    memcpy(&half, raw, sizeof half);
    return half;
}

// Four bytes at once: shifts each byte right and keeps the bits of `mask`. No bit may come from the next byte.
static inline uint32_t li_read_bits(const uint8_t *raw, uint32_t shift, uint32_t mask)
{
    LI_ASSERT(mask && mask << shift < 256); // no bit comes from the next byte
    uint32_t word;
    memcpy(&word, raw, sizeof word);
    return word >> shift & 0x01010101u * mask;
}

// Digits 0 to 15 are the low four bits of raw (16), digits 16 to 31 the high ones.
static inline void li_block_read_nibbles(li_block *block, const uint8_t *raw)
{
    for (uint32_t g = 0; g < LI_BLOCK / 8; g++) {
        block->groups[g] = li_read_bits(raw + 4 * g, 0, 15);
        block->groups[LI_BLOCK / 8 + g] = li_read_bits(raw + 4 * g, 4, 15);
    }
}

// Digit j = raw[j] >> shift & mask; raw (LI_BLOCK).
static inline void li_block_read_bits(li_block *block, const uint8_t *raw, uint32_t shift, uint32_t mask)
{
    for (uint32_t g = 0; g < LI_BLOCK / 4; g++) block->groups[g] = li_read_bits(raw + 4 * g, shift, mask);
}

// Digit j |= (raw[j] >> shift & mask) << place.
static inline void li_block_add_bits(li_block *block, const uint8_t *raw, uint32_t shift, uint32_t mask, uint32_t place)
{
    for (uint32_t g = 0; g < LI_BLOCK / 4; g++) block->groups[g] |= li_read_bits(raw + 4 * g, shift, mask) << place;
}

#endif
