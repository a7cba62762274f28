// The product of a tile of blocks with rows of inputs.
#ifndef LI_MULTIPLY_BLOCKS_H
#define LI_MULTIPLY_BLOCKS_H

#include "model/blocks/tile.h"
#include "model/input_rows.h"

// sums[i][r] = dot product of row r of the tile and input row `row` + i, for i < `rows` (1 or LI_ROWS_AT_ONCE). The
// inputs must be quantised for the type. Every result is summed in the same order for every `rows`.
void li_multiply_blocks(const li_weight_format *format, const uint8_t *tile, const li_input *input, uint32_t row,
                        uint32_t rows, float (*sums)[LI_TILE_ROWS]);

#endif
