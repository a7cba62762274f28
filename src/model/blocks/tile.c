#include "model/blocks/tile.h"

#include <string.h>

#include "base/assert.h"
#include "base/simd.h"
#include "model/number.h"

// ---- digits ------------------------------------------------------------------------------------------

#define SIGNS 0x80008000u
#ifdef __wasm_relaxed_simd__
#define NIBBLE_SIGNS 0u // no product by digits reads nibbles
#else
#define NIBBLE_SIGNS SIGNS
#endif

const li_masks li_tile_masks = {0x0f0f0f0f, 0x03030303, 0x04040404, 0x10101010, 0x3f3f3f3f, SIGNS >> 8};

// The group at place i of word w in a plane of `bits`.
LI_INLINE uint32_t group_of(uint32_t bits, uint32_t w, uint32_t i)
{
    return bits >= 4 ? w + 4 * i : 4 * w + i;
}

// Moves bits `shift` to shift + bits - 1 of every digit into a plane. Returns the end of the plane.
LI_INLINE uint8_t *put_plane(uint8_t *plane, uint32_t row, uint32_t bits, uint32_t shift, uint32_t signs,
                             const uint32_t *groups)
{
    const uint32_t mask = 0x01010101u * ((1u << bits) - 1);
    for (uint32_t w = 0; w < bits; w++) {
        uint32_t word = signs;
        for (uint32_t i = 0; i < 8 / bits; i++) word ^= (groups[group_of(bits, w, i)] >> shift & mask) << bits * i;
        memcpy(plane + 4 * (size_t)(w * LI_TILE_ROWS + row), &word, 4);
    }
    return plane + 4 * (size_t)(bits * LI_TILE_ROWS);
}

LI_INLINE const uint8_t *get_plane(const uint8_t *plane, uint32_t row, uint32_t bits, uint32_t shift, uint32_t signs,
                                   uint32_t *groups)
{
    const uint32_t mask = 0x01010101u * ((1u << bits) - 1);
    for (uint32_t w = 0; w < bits; w++) {
        uint32_t word;
        memcpy(&word, plane + 4 * (size_t)(w * LI_TILE_ROWS + row), 4);
        word ^= signs;
        for (uint32_t i = 0; i < 8 / bits; i++) groups[group_of(bits, w, i)] |= (word >> bits * i & mask) << shift;
    }
    return plane + 4 * (size_t)(bits * LI_TILE_ROWS);
}

// Three words hold four groups of six bits: each word holds one group, and two bits of the fourth.
LI_INLINE void put_sixes(uint8_t *planes, uint32_t row, const uint32_t *groups)
{
    for (uint32_t w = 0; w < 6; w++) {
        const uint32_t *four = groups + w / 3 * 4;
        uint32_t word = four[w % 3] | (four[3] >> (4 - w % 3 * 2) & 0x03030303u) << 6;
        memcpy(planes + 4 * (size_t)(w * LI_TILE_ROWS + row), &word, 4);
    }
}

LI_INLINE void get_sixes(const uint8_t *planes, uint32_t row, uint32_t *groups)
{
    for (uint32_t w = 0; w < 6; w++) {
        uint32_t word, *four = groups + w / 3 * 4;
        memcpy(&word, planes + 4 * (size_t)(w * LI_TILE_ROWS + row), 4);
        four[w % 3] = word & 0x3f3f3f3fu;
        four[3] = four[3] << 2 | (word >> 6 & 0x03030303u);
    }
}

static void put_digits(li_digits digits, uint8_t *planes, uint32_t row, const uint32_t *groups)
{
    if (digits == LI_DIGITS_8) put_plane(planes, row, 8, 0, SIGNS, groups);
    if (digits == LI_DIGITS_4) put_plane(planes, row, 4, 0, NIBBLE_SIGNS, groups);
    if (digits == LI_DIGITS_5) planes = put_plane(planes, row, 1, 4, 0, groups);
    if (digits == LI_DIGITS_3) planes = put_plane(planes, row, 1, 2, 0, groups);
    if (digits == LI_DIGITS_6) put_sixes(planes, row, groups);
    if (li_digits_are_indices(digits) || digits == LI_DIGITS_5) put_plane(planes, row, 4, 0, 0, groups);
    if (digits == LI_DIGITS_3 || digits == LI_DIGITS_2) put_plane(planes, row, 2, 0, 0, groups);
}

static void get_digits(li_digits digits, const uint8_t *planes, uint32_t row, uint32_t *groups)
{
    if (digits == LI_DIGITS_8) get_plane(planes, row, 8, 0, SIGNS, groups);
    if (digits == LI_DIGITS_4) get_plane(planes, row, 4, 0, NIBBLE_SIGNS, groups);
    if (digits == LI_DIGITS_5) planes = get_plane(planes, row, 1, 4, 0, groups);
    if (digits == LI_DIGITS_3) planes = get_plane(planes, row, 1, 2, 0, groups);
    if (digits == LI_DIGITS_6) get_sixes(planes, row, groups);
    if (li_digits_are_indices(digits) || digits == LI_DIGITS_5) get_plane(planes, row, 4, 0, 0, groups);
    if (digits == LI_DIGITS_3 || digits == LI_DIGITS_2) get_plane(planes, row, 2, 0, 0, groups);
}

// ---- blocks ------------------------------------------------------------------------------------------

void li_tile_put(const li_weight_format *format, uint8_t *unit, uint32_t row, uint32_t part, const li_block *block)
{
    LI_ASSERT(row < LI_TILE_ROWS && part < format->columns / LI_BLOCK);
    LI_ASSERT(format->digits > LI_DIGITS_FLOAT);
    uint32_t count = li_tile_factor_count(format);
    memcpy(unit + 2 * row, &block->scale, 2);
    if (li_tile_has_minima(format)) memcpy(unit + 2 * (LI_TILE_ROWS + row), &block->min, 2);
    uint8_t *factors = unit + li_tile_factors_at(format) + part * count * LI_TILE_ROWS + row;
    for (uint32_t i = 0; i < count; i++) factors[i * LI_TILE_ROWS] = block->factors[i];
    put_digits((li_digits)format->digits, unit + li_tile_head_size(format) + part * li_tile_planes_size(format), row,
               block->groups);
}

void li_tile_get(const li_weight_format *format, const uint8_t *unit, uint32_t row, uint32_t part, li_block *block)
{
    LI_ASSERT(row < LI_TILE_ROWS && part < format->columns / LI_BLOCK);
    uint32_t count = li_tile_factor_count(format);
    block->scale = li_read_half(unit + 2 * row);
    block->min = li_tile_has_minima(format) ? li_read_half(unit + 2 * (LI_TILE_ROWS + row)) : 0;
    const uint8_t *factors = unit + li_tile_factors_at(format) + part * count * LI_TILE_ROWS + row;
    for (uint32_t i = 0; i < count; i++) block->factors[i] = factors[i * LI_TILE_ROWS];
    memset(block->groups, 0, sizeof block->groups);
    get_digits((li_digits)format->digits, unit + li_tile_head_size(format) + part * li_tile_planes_size(format), row,
               block->groups);
}

// All products are exact: a half has 11 significant bits, a factor and a digit at most 13 together.
void li_block_get_weights(const li_weight_format *format, const li_block *block, float *out)
{
    LI_ASSERT(li_digits_are_indices((li_digits)format->digits) == !!format->table);
    const bool is_brain = format->scaling == LI_SCALING_BRAIN;
    const float scale = is_brain ? li_brain_to_float(block->scale) : li_half_to_float(block->scale);
    const float min = li_tile_has_minima(format) ? li_half_to_float(block->min) : 0;
    for (uint32_t j = 0; j < LI_BLOCK; j++) {
        const uint8_t factor = block->factors[li_tile_has_halves(format) ? j / 16 : 0];
        const uint32_t digit = block->groups[j / 4] >> j % 4 * 8 & 255;
        float part = scale, least = min;
        if (format->scaling == LI_SCALING_NIBBLE_MIN) {
            part *= (float)(factor & 15);
            least *= (float)(factor >> 4);
        } else if (li_tile_factor_count(format)) {
            part *= (float)(int8_t)factor;
            if (format->scaling == LI_SCALING_BYTE_MIN) least *= (float)block->factors[1];
        }
        out[j] = part * (float)((format->table ? format->table[digit] : (int32_t)digit) - format->offset) - least;
    }
}

bool li_block_is_finite(const li_weight_format *format, const li_block *block)
{
    const uint32_t exponent = format->scaling == LI_SCALING_BRAIN ? 0x7f80u : 0x7c00u;
    const uint32_t min = li_tile_has_minima(format) ? block->min : 0u;
    return (block->scale & exponent) != exponent && (min & exponent) != exponent;
}
