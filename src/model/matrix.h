// Weight matrices, repacked so that one vector holds the same column of several rows: a product then
// needs no horizontal sums, and one load of an input serves LI_TILE_ROWS rows.
#ifndef LI_MATRIX_H
#define LI_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LI_TILE_ROWS 8u  // so many sums of four inputs fit the registers
#define LI_BLOCK     32u // columns that share a scale in Q8_0 and Q4_0, and in quantised inputs

// Numbered as GGML does.
typedef enum li_weight_type {
    LI_WEIGHT_F32 = 0,
    LI_WEIGHT_F16 = 1,
    LI_WEIGHT_Q4_0 = 2,
    LI_WEIGHT_Q8_0 = 8,
} li_weight_type;

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

static inline bool li_is_quantised(li_weight_type type)
{
    return type == LI_WEIGHT_Q8_0 || type == LI_WEIGHT_Q4_0;
}

// Bits of a weight of a quantised type.
static inline uint32_t li_digit_bits(li_weight_type type)
{
    return type == LI_WEIGHT_Q4_0 ? 4 : 8;
}

// Bytes of a row as the file has it; bytes of all tiles.
uint64_t li_matrix_row_size(li_weight_type type, uint32_t columns);
uint64_t li_matrix_size(li_weight_type type, uint32_t rows, uint32_t columns);

// Takes memory for a zeroed matrix (columns a multiple of 32 for quantised types); false: none left.
bool li_matrix_create(li_matrix *matrix, li_weight_type type, uint32_t rows, uint32_t columns);
void li_matrix_destroy(li_matrix *matrix);

// Repacks `count` rows from the file's bytes, raw (count, row size), as rows first_row and on, which must
// lie in one tile. false: a weight is not a finite number.
bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw);
// One row as floats, out (columns).
void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out);

#define LI_ROWS_AT_ONCE 4u // input rows that share each load of the weights

// How many of the next `left` input rows are multiplied at once.
static inline uint32_t li_rows_at_once(uint32_t left)
{
    return left < LI_ROWS_AT_ONCE ? 1 : LI_ROWS_AT_ONCE;
}

// Rows of inputs for li_matrix_multiply, and their quantised form, made when a matrix first needs it.
typedef struct li_input {
    uint32_t columns;             // length of a row, here and in `values`
    li_weight_type quantised_for; // the type that the fields after `values` serve; LI_WEIGHT_F32: none
    float *values;                // (rows, columns)
    // Of the rows that are multiplied at once (4 or 1) side by side:
    uint8_t *operands; // (columns / 2, rows at once, 4)
    int32_t *starts;   // (columns / 32, rows at once)
    float *scales;     // (columns / 32, rows at once)
} li_input;

// output[i][r] = matrix row r * input row i, for `count` input rows of matrix->columns numbers; a row of
// output is matrix->rows long. Every result is summed in the same order whatever the count is.
void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output);

#endif
