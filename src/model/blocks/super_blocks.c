// Formats whose blocks have 256 columns: eight parts of 32 columns, whose scales are small integers.
#include "base/assert.h"
#include "model/blocks/block.h"

#define HALF_OF(part) ((part) / 4) // which 128 columns
#define IN_HALF(part) ((part) % 4)

// 16 bytes of scale and minimum, 64 bytes of 2 bits, half scale, half minimum. The four parts of 128 columns share 32
// bytes.
void li_block_read_q2_k(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part < LI_SUPER_BLOCK / LI_BLOCK);
    li_block_read_bits(block, raw + 16 + 32 * HALF_OF(part), 2 * IN_HALF(part), 3);
    memcpy(block->factors, raw + 2 * part, 2);
    block->scale = li_read_half(raw + 80);
    block->min = li_read_half(raw + 82);
}

// The six bits of scale `i` of 16: four in the first 8 bytes, two in the last 4.
static uint8_t read_q3_factor(const uint8_t *raw, uint32_t i)
{
    LI_ASSERT(i < 16);
    uint32_t low = raw[i % 8] >> i / 8 * 4 & 15, high = raw[8 + i % 4] >> i / 4 * 2 & 3;
    return (uint8_t)((low | high << 4) - 32);
}

// 32 bytes of third bits, 64 bytes of 2 bits, 12 bytes of scales, half scale.
void li_block_read_q3_k(li_block *block, const uint8_t *raw, uint32_t part)
{
    li_block_read_bits(block, raw + 32 + 32 * HALF_OF(part), 2 * IN_HALF(part), 3);
    li_block_add_bits(block, raw, part, 1, 2);
    for (uint32_t i = 0; i < 2; i++) block->factors[i] = read_q3_factor(raw + 96, 2 * part + i);
    block->scale = li_read_half(raw + 108);
}

// Q4_K and Q5_K begin with half scale, half minimum and 12 bytes of scales and minima, six bits each. The first four
// parts fill the low six bits of 8 bytes. Of the last four parts the low four bits fill 4 bytes, and the high two bits
// fill the top bits of the first 8 bytes.
static void read_scales(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part < LI_SUPER_BLOCK / LI_BLOCK);
    block->scale = li_read_half(raw);
    block->min = li_read_half(raw + 2);
    raw += 4;
    if (part < 4) {
        block->factors[0] = raw[part] & 63;
        block->factors[1] = raw[part + 4] & 63;
    } else {
        block->factors[0] = (uint8_t)((raw[part + 4] & 15) | raw[part - 4] >> 6 << 4);
        block->factors[1] = (uint8_t)(raw[part + 4] >> 4 | raw[part] >> 6 << 4);
    }
}

// Scales, 128 bytes: two parts share 32 bytes.
void li_block_read_q4_k(li_block *block, const uint8_t *raw, uint32_t part)
{
    read_scales(block, raw, part);
    li_block_read_bits(block, raw + 16 + 32 * (part / 2), 4 * (part % 2), 15);
}

// Scales, 32 bytes of fifth bits, 128 bytes.
void li_block_read_q5_k(li_block *block, const uint8_t *raw, uint32_t part)
{
    read_scales(block, raw, part);
    li_block_read_bits(block, raw + 48 + 32 * (part / 2), 4 * (part % 2), 15);
    li_block_add_bits(block, raw + 16, part, 1, 4);
}

// 128 bytes of low four bits, 64 bytes of high two, 16 signed scales, half scale. Parts 0 and 2 of 128 columns share
// 32 bytes, as do 1 and 3.
void li_block_read_q6_k(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part < LI_SUPER_BLOCK / LI_BLOCK);
    li_block_read_bits(block, raw + 64 * HALF_OF(part) + 32 * (part % 2), IN_HALF(part) / 2 * 4, 15);
    li_block_add_bits(block, raw + 128 + 32 * HALF_OF(part), 2 * IN_HALF(part), 3, 4);
    memcpy(block->factors, raw + 192 + 2 * part, 2);
    block->scale = li_read_half(raw + 208);
}

// half scale, 16 bits with the high two of each part's scale, 4 bytes with the low four, 128 bytes of indices.
void li_block_read_iq4_xs(li_block *block, const uint8_t *raw, uint32_t part)
{
    LI_ASSERT(part < LI_SUPER_BLOCK / LI_BLOCK);
    uint32_t low = raw[4 + part / 2] >> part % 2 * 4 & 15, high = li_read_half(raw + 2) >> 2 * part & 3;
    block->factors[0] = (uint8_t)((low | high << 4) - 32);
    block->scale = li_read_half(raw);
    li_block_read_nibbles(block, raw + 8 + 16 * part);
}
