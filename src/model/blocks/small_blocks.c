// Formats whose blocks have 32 columns.
#include "base/assert.h"
#include "model/blocks/block.h"

// half scale, 16 bytes. IQ4_NL has the same layout; its digits are indices.
void li_block_read_q4_0(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part == 0);
    (void)part;
    block->scale = li_read_half(raw);
    li_block_read_nibbles(block, raw + 2);
}

// half scale, half minimum, 16 bytes. The minimum is added, so its sign is flipped here.
void li_block_read_q4_1(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    block->scale = li_read_half(raw);
    block->min = li_read_half(raw + 2) ^ 0x8000;
    li_block_read_nibbles(block, raw + 4);
}

// Bit j of raw (4) is bit 4 of digit j. The multiplication spreads the four bits of a group to bits 0, 8, 16 and 24.
static void add_fifth_bits(li_block *block, const uint8_t *raw)
{
    for (uint32_t g = 0; g < LI_BLOCK / 4; g++) {
        uint32_t bits = raw[g / 2] >> g % 2 * 4 & 15u;
        block->groups[g] |= (bits * 0x00204081u & 0x01010101u) << 4;
    }
}

// half scale, 32 bits, 16 bytes.
void li_block_read_q5_0(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    block->scale = li_read_half(raw);
    li_block_read_nibbles(block, raw + 6);
    add_fifth_bits(block, raw + 2);
}

// half scale, half minimum, 32 bits, 16 bytes.
void li_block_read_q5_1(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    block->scale = li_read_half(raw);
    block->min = li_read_half(raw + 2) ^ 0x8000;
    li_block_read_nibbles(block, raw + 8);
    add_fifth_bits(block, raw + 4);
}

// half scale, 32 signed bytes.
void li_block_read_q8_0(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part == 0);
    (void)part;
    block->scale = li_read_half(raw);
    li_block_read_bits(block, raw + 2, 0, 255);
    for (uint32_t g = 0; g < LI_BLOCK / 4; g++) block->groups[g] ^= 0x80808080u;
}

// Exponent, 16 bytes. The scale is 2^(exponent - 128), because the table has doubled values. Exponents of 253 and more
// would allow infinite weights (255 is a NaN by definition), so they give an infinite scale.
void li_block_read_mxfp4(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part == 0);
    (void)part;
    uint32_t exponent = raw[0];
    block->scale = (uint16_t)(exponent > 252 ? 0x7f80u : exponent < 2 ? 0x20u << exponent : (exponent - 1) << 7);
    li_block_read_nibbles(block, raw + 1);
}
