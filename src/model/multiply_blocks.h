// The product of a tile of blocks with rows of inputs.
#ifndef LI_MULTIPLY_BLOCKS_H
#define LI_MULTIPLY_BLOCKS_H

#include "model/blocks/tile.h"
#include "model/input_rows.h"

// sums[i][r] = dot product of row r of the tile and input row `row` + i. The inputs must be quantised for the type.
// `one` and `four` add in the same order.
typedef void (*li_block_product)(const li_weight_format *format, const uint8_t *tile, const li_input *input,
                                 uint32_t row, float (*sums)[LI_TILE_ROWS]);

typedef struct li_block_products {
    li_block_product one;  // input row at once
    li_block_product four; // LI_ROWS_AT_ONCE
} li_block_products;

// The products of a block format, for the arithmetic that li_way_of returns.
li_block_products li_block_products_of(const li_weight_format *format);

// Rows of the tables of multiply_small.c and multiply_super.c, which end with a row without products.
typedef struct li_products_row {
    uint8_t digits, scaling, way;
    li_block_products products;
} li_products_row;
extern const li_products_row li_small_products[], li_super_products[];

#endif
