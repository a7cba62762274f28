// Weight matrices, repacked so that one vector holds the same column of several rows: a product then
// needs no horizontal sums, and one load of an input serves LI_TILE_ROWS rows.
#ifndef LI_MATRIX_H
#define LI_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LI_TILE_ROWS 8u
#define LI_BLOCK     32u // columns that share a scale in Q8_0, and in quantised inputs

// Numbered as GGML does.
typedef enum li_weight_type {
    LI_WEIGHT_F32 = 0,
    LI_WEIGHT_F16 = 1,
    LI_WEIGHT_Q8_0 = 8,
} li_weight_type;

// Tiles of eight rows; the last one is padded with zeros.
//   F32, F16: (columns, 8) numbers
//   Q8_0:     (columns / 32) blocks of 8 float scales and (16, 8, 2) bytes: pairs of columns of each row
typedef struct li_matrix {
    li_weight_type type;
    uint32_t rows;
    uint32_t columns;
    size_t tile_size; // bytes
    uint8_t *tiles;   // (ceil(rows / 8), tile_size)
} li_matrix;

// Bytes of a row as the file has it; bytes of all tiles.
uint64_t li_matrix_row_size(li_weight_type type, uint32_t columns);
uint64_t li_matrix_size(li_weight_type type, uint32_t rows, uint32_t columns);

// Takes memory for a zeroed matrix (columns a multiple of 32 for Q8_0); false: none left.
bool li_matrix_create(li_matrix *matrix, li_weight_type type, uint32_t rows, uint32_t columns);
void li_matrix_destroy(li_matrix *matrix);

// Repacks `count` rows from the file's bytes, raw (count, row size), as rows first_row and on, which must
// lie in one tile. false: a weight is not a finite number.
bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw);
// One row as floats, out (columns).
void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out);

// Rows of inputs for li_matrix_multiply, and their quantised form, made when a Q8_0 matrix first needs it.
typedef struct li_input {
    uint32_t columns; // length of a row, here and in `values`
    bool is_quantised;
    float *values;   // (rows, columns)
    int16_t *quants; // (rows, columns) in -127 .. 127, kept as wide as the product needs them
    float *scales;   // (rows, columns / 32)
} li_input;

// output[i][r] = matrix row r * input row i, for `count` input rows of matrix->columns numbers; a row of
// output is matrix->rows long. Every result is summed in the same order whatever the count is.
void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output);

#endif
