// Weight matrices, repacked into tiles: one vector holds the same column of several rows. A product needs no horizontal
// sums, and one load of an input serves LI_TILE_ROWS rows.
#ifndef LI_MATRIX_H
#define LI_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/weight_type.h"

#define LI_TILE_ROWS 8u // the sums of four inputs fit the registers

// Tiles of LI_TILE_ROWS rows; the last one is padded with rows that are never asked for.
//   F32, F16:   (columns, LI_TILE_ROWS) numbers
//   Q8_0, Q4_0: (columns / 32) blocks of LI_TILE_ROWS half scales and (groups, LI_TILE_ROWS) words
// A word is one row's share of a group of 4 (Q8_0) or 8 (Q4_0) columns: two halves of 16 bits, each a number
// whose digits, to the base 256 or 16, are the weights of every other column. The digits are 128 or 8
// too large, but for the highest, which carries the sign; see input_rows.h.
typedef struct li_matrix {
    li_weight_type type;
    uint32_t rows;
    uint32_t columns;
    size_t tile_size; // bytes
    uint8_t *tiles;   // (ceil(rows / LI_TILE_ROWS), tile_size)
} li_matrix;

// Bytes of all tiles.
uint64_t li_matrix_size(li_weight_type type, uint32_t rows, uint32_t columns);

// Takes memory for a zeroed matrix; columns are a multiple of 32 for quantised types. False: no memory.
bool li_matrix_create(li_matrix *matrix, li_weight_type type, uint32_t rows, uint32_t columns);
void li_matrix_destroy(li_matrix *matrix);

// Repacks `count` rows of file bytes, raw (count, row size), into rows first_row and on, which lie in one tile. False:
// a weight is not a finite number.
bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw);
// Writes one row as floats to out (columns).
void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out);

#endif
