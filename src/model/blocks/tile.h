// Blocks in a tile of a weight matrix. A tile interleaves LI_TILE_ROWS rows, so that one vector holds the same columns
// of several rows. A unit holds one block of the file for each of the rows:
//   scales:  LI_TILE_ROWS halves; then as many minima, if the format has them
//   factors: (parts, 0 to 2, LI_TILE_ROWS) bytes; a part is 32 columns
//   planes:  (parts) planes of digits
// Four columns of a row are a group; the planes hold words, which have a byte for each column of a group:
//   8 bits: word g is group g
//   4 bits: the low bits of word w are group w, the high bits group w + 4
//   2 bits: bits 2i of word w are group 4w + i
//   1 bit:  bit i of the only word is group i
//   6 bits: bits 0 to 5 of words 0 to 2 are groups 0 to 2, their bits 6 and 7 group 3, the high bits first;
//           words 3 to 5 are groups 4 to 7 in the same way
// A plane is (words, LI_TILE_ROWS) words. Digits of 5 and 3 bits have two planes, the plane of the high bits first.
// For products by digits (input_rows.h) the top bits of bytes 1 and 3 of a word are flipped in planes of 8 bits, and in
// planes of 4 bits that hold whole digits: they are the signs there.
#ifndef LI_TILE_H
#define LI_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"
#include "model/weight_type.h"

#define LI_TILE_ROWS 8u // the sums of four inputs fit the registers

// Whether scales hold for 16 columns rather than 32.
LI_INLINE bool li_tile_has_halves(const li_weight_format *format)
{
    return format->scaling == LI_SCALING_BYTES || format->scaling == LI_SCALING_NIBBLE_MIN;
}

LI_INLINE bool li_tile_has_minima(const li_weight_format *format)
{
    return format->scaling == LI_SCALING_HALF_MIN || format->scaling == LI_SCALING_BYTE_MIN ||
           format->scaling == LI_SCALING_NIBBLE_MIN;
}

// Bytes before the factors of a unit.
LI_INLINE uint32_t li_tile_factors_at(const li_weight_format *format)
{
    return (li_tile_has_minima(format) ? 2 : 1) * LI_TILE_ROWS * (uint32_t)sizeof(uint16_t);
}

// Factors of 32 columns.
LI_INLINE uint32_t li_tile_factor_count(const li_weight_format *format)
{
    return format->scaling < LI_SCALING_BYTE ? 0 : format->scaling == LI_SCALING_BYTE ? 1 : 2;
}

// Bytes before the planes of a unit: scales and factors.
LI_INLINE uint32_t li_tile_head_size(const li_weight_format *format)
{
    return li_tile_factors_at(format) + format->columns / LI_BLOCK * li_tile_factor_count(format) * LI_TILE_ROWS;
}

// Bytes of the planes of 32 columns.
LI_INLINE uint32_t li_tile_planes_size(const li_weight_format *format)
{
    // Bits of a digit, by li_digits.
    static const uint8_t bits[] = {0, 0, 8, 4, 4, 4, 5, 6, 3, 2};
    return LI_TILE_ROWS * LI_BLOCK / 8 * bits[format->digits];
}

// Bytes of a unit.
LI_INLINE uint32_t li_tile_unit_size(const li_weight_format *format)
{
    return li_tile_head_size(format) + format->columns / LI_BLOCK * li_tile_planes_size(format);
}

// Writes a block to part `part` of row `row` of a unit, and reads the block back.
void li_tile_put(const li_weight_format *format, uint8_t *unit, uint32_t row, uint32_t part, const li_block *block);
void li_tile_get(const li_weight_format *format, const uint8_t *unit, uint32_t row, uint32_t part, li_block *block);

// The weights of a block, each the nearest float to its exact value, to out (LI_BLOCK).
void li_block_get_weights(const li_weight_format *format, const li_block *block, float *out);
// Whether the scale and the minimum are finite.
bool li_block_is_finite(const li_weight_format *format, const li_block *block);

// Masks of words. They are variables, in a file other than the products', so that compilers load vectors of them into
// registers once before a loop. Engines rebuild constant vectors at every use.
typedef struct li_masks {
    uint32_t nibbles, bits_0_1, bit_2, bit_4, bits_0_5; // these bits of each byte
    uint32_t lower_signs;                               // the top bits of bytes 0 and 2
} li_masks;
extern const li_masks li_tile_masks;

#endif
