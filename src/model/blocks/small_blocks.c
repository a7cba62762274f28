// Formats whose blocks have 32 columns.
#include "model/blocks/block.h"

// half scale, 16 bytes. IQ4_NL is the same with digits that are indices.
void li_block_read_q4_0(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    block->scale = li_read_half(raw);
    li_block_read_nibbles(block, raw + 2);
}

// half scale, half, 16 bytes; the second half is added.
void li_block_read_q4_1(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    block->scale = li_read_half(raw);
    block->min = li_read_half(raw + 2) ^ 0x8000;
    li_block_read_nibbles(block, raw + 4);
}

// Bit j of raw (4) is bit 4 of digit j.
static void add_fifth_bits(li_block *block, const uint8_t *raw)
{
    for (uint32_t j = 0; j < LI_BLOCK; j++) block->digits[j] |= (raw[j / 8] >> j % 8 & 1) << 4;
}

// half scale, 32 bits, 16 bytes.
void li_block_read_q5_0(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    block->scale = li_read_half(raw);
    li_block_read_nibbles(block, raw + 6);
    add_fifth_bits(block, raw + 2);
}

// half scale, half, 32 bits, 16 bytes.
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
    (void)part;
    block->scale = li_read_half(raw);
    for (uint32_t j = 0; j < LI_BLOCK; j++) block->digits[j] = raw[2 + j] ^ 0x80;
}

// Exponent, 16 bytes. The scale is 2^(exponent - 128), because the table has doubled values. Exponents of 253 and more
// would allow infinite weights (255 is a NaN by definition), so they give an infinite scale.
void li_block_read_mxfp4(li_block *block, const uint8_t *raw, uint32_t part)
{
    (void)part;
    uint32_t exponent = raw[0];
    block->scale = (uint16_t)(exponent > 252 ? 0x7f80u : exponent < 2 ? 0x20u << exponent : (exponent - 1) << 7);
    li_block_read_nibbles(block, raw + 1);
}
