// A block: 32 columns of one row of quantised weights, as it is between file and tile. Readers of the file formats.
#ifndef LI_BLOCK_H
#define LI_BLOCK_H

#include <stdint.h>
#include <string.h>

#define LI_BLOCK       32u  // columns of a block, which share a scale of the inputs too
#define LI_SUPER_BLOCK 256u // columns that share the halves of formats whose scales are bytes

typedef struct li_block {
    uint8_t digits[LI_BLOCK];
    uint16_t scale, min; // bits of the halves of the format; min 0 where there is none
    // What these are multiplied with. LI_SCALING_BYTE: the factor; BYTE_MIN: of scale and min; BYTES: the factors of
    // columns 0 to 15 and 16 to 31; NIBBLE_MIN: of these, the factor of the scale in the low four bits, of min in the
    // high ones. Otherwise unused.
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

// Digits 0 to 15 are the low four bits of raw (16), digits 16 to 31 the high ones.
static inline void li_block_read_nibbles(li_block *block, const uint8_t *raw)
{
    for (uint32_t j = 0; j < LI_BLOCK / 2; j++) {
        block->digits[j] = raw[j] & 15;
        block->digits[LI_BLOCK / 2 + j] = raw[j] >> 4;
    }
}

// Digit j is made of the bits of raw[j] (LI_BLOCK) from `shift` on that `mask` has.
static inline void li_block_read_bits(li_block *block, const uint8_t *raw, uint32_t shift, uint32_t mask)
{
    for (uint32_t j = 0; j < LI_BLOCK; j++) block->digits[j] = (uint8_t)(raw[j] >> shift & mask);
}

// The same bits, above those that digits already have: `place` is the weight of the lowest.
static inline void li_block_add_bits(li_block *block, const uint8_t *raw, uint32_t shift, uint32_t mask, uint32_t place)
{
    for (uint32_t j = 0; j < LI_BLOCK; j++)
        block->digits[j] = (uint8_t)(block->digits[j] + (raw[j] >> shift & mask) * place);
}

#endif
