// Weight matrices, repacked into tiles: one vector holds the same columns of several rows. A product needs no
// horizontal sums, and one load of an input serves LI_TILE_ROWS rows.
#ifndef LI_MATRIX_H
#define LI_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/blocks/tile.h"
#include "model/weight_type.h"

// Tiles of LI_TILE_ROWS rows; the last tile is padded with unused rows.
//   F32, F16, BF16: (columns, LI_TILE_ROWS) numbers
//   blocks:         (columns / columns of a block) units of blocks/tile.h
// If is_looked_up, the rows are kept in the layout of the file.
typedef struct li_matrix {
    li_weight_type type;
    uint32_t rows;
    uint32_t columns;
    bool is_looked_up; // rows are read, and never multiplied
    size_t tile_size;  // bytes
    uint8_t *tiles;    // (ceil(rows / LI_TILE_ROWS), tile_size)
} li_matrix;

// Bytes of all tiles of a matrix whose type, rows, columns and is_looked_up are set. The columns are a multiple of the
// type's columns.
uint64_t li_matrix_size(const li_matrix *matrix);

// Takes memory for the tiles, zeroed. False: no memory.
bool li_matrix_create(li_matrix *matrix);
void li_matrix_destroy(li_matrix *matrix);

// Repacks `count` rows of file bytes, raw (count, row size), into rows first_row and on, which lie in one tile. False:
// a weight or a scale is not a finite number.
bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw);
// Writes one row as floats to out (columns). Every weight is the float nearest to its exact value.
void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out);

#endif
