// Blocks in a tile of a weight matrix. A tile holds the rows side by side, so that one vector holds the same columns of
// several rows. The unit is what a block of the file is for LI_TILE_ROWS rows:
//   scales:  LI_TILE_ROWS halves; then as many minima, if the format has them
//   factors: (parts, 0 to 2, LI_TILE_ROWS) bytes; a part is 32 columns
//   planes:  (parts) planes of digits
// Four columns of a row are a group; the planes hold words, which have a byte for each column of a group:
//   8 bits: word g is group g
//   4 bits: the low bits of word w are group w, the high bits group w + 4
//   2 bits: bits 2i of word w are group 4w + i
//   1 bit:  bit i of the only word is group i
// A plane is (words, LI_TILE_ROWS) words. Digits of 5, 6 and 3 bits are two planes; that of the high bits comes first.
// In planes of 8 bits, and of 4 if they are all, the highest bits of bytes 1 and 3 of a word are flipped: products by
// digits (input_rows.h) then find the sign there.
#ifndef LI_TILE_H
#define LI_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/weight_type.h"

#define LI_TILE_ROWS 8u // the sums of four inputs fit the registers

// Whether scales hold for 16 columns rather than 32.
static inline bool li_tile_has_halves(const li_weight_format *format)
{
    return format->scaling == LI_SCALING_BYTES || format->scaling == LI_SCALING_NIBBLE_MIN;
}

static inline bool li_tile_has_minima(const li_weight_format *format)
{
    return format->scaling == LI_SCALING_HALF_MIN || format->scaling == LI_SCALING_BYTE_MIN ||
           format->scaling == LI_SCALING_NIBBLE_MIN;
}

// Bytes of the planes of 32 columns.
uint32_t li_tile_planes_size(const li_weight_format *format);
// Bytes before the planes of a unit: scales and factors.
uint32_t li_tile_head_size(const li_weight_format *format);
// Bytes of a unit.
uint32_t li_tile_unit_size(const li_weight_format *format);

// Writes a block to part `part` of row `row` of a unit, and reads the block back.
void li_tile_put(const li_weight_format *format, uint8_t *unit, uint32_t row, uint32_t part, const li_block *block);
void li_tile_get(const li_weight_format *format, const uint8_t *unit, uint32_t row, uint32_t part, li_block *block);

// The weights of a block, each the nearest float to its exact value, to out (LI_BLOCK).
void li_block_get_weights(const li_weight_format *format, const li_block *block, float *out);
// Whether the scale and the minimum are finite.
bool li_block_is_finite(const li_weight_format *format, const li_block *block);

// Scales and minima of a unit of LI_SUPER_BLOCK columns as floats. Of a format whose scales hold for 16 columns row
// 2 * part is for the first, row 2 * part + 1 for the others; otherwise row `part`.
typedef struct li_tile_scales {
    float scales[2 * LI_SUPER_BLOCK / LI_BLOCK][LI_TILE_ROWS];
    float minima[2 * LI_SUPER_BLOCK / LI_BLOCK][LI_TILE_ROWS]; // without meaning where the format has none
} li_tile_scales;

void li_tile_get_scales(const li_weight_format *format, const uint8_t *unit, li_tile_scales *out);

// Bits of a word. They are variables in another file than the products, so that vectors of them are loaded into
// registers once before a loop; engines rebuild constant vectors at every use.
typedef struct li_masks {
    uint32_t nibbles, bits_0_1, bit_2, bit_4, bits_4_5; // these of each byte
    uint32_t signs, lower_signs;                        // the highest of bytes 1 and 3, and of 0 and 2
} li_masks;
extern const li_masks li_tile_masks;

#endif
