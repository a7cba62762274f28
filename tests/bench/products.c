// Products of one matrix with rows of inputs, for products.js: the matrix is so large that no cache holds it, or so
// small that the nearest one does.
#include <string.h>

#include "base/memory.h"
#include "base/simd.h"
#include "model/multiply.h"

// Makes a matrix of this type with random digits and scales of 2^-6, and `count` rows of random inputs. false: no
// memory. A call frees what the call before made.
bool make_product(uint32_t type, uint32_t rows, uint32_t columns, uint32_t count);
// Multiplies `rows` rows of the inputs, of which only the first call quantises them, with the matrix.
void multiply_rows(uint32_t rows);
// Bytes of the matrix.
uint32_t matrix_size(void);
// A digest of the last outputs of `rows` rows.
uint32_t digest(uint32_t rows);
// Reads the matrix and does nothing else.
float read_matrix(void);

static li_matrix matrix;
static li_input input;
static float *output;
static uint32_t quantised_rows;

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void fill(void)
{
    const size_t row_size = (size_t)li_weight_row_size(matrix.type, matrix.columns);
    uint8_t *raw = li_memory_alloc(row_size);
    uint32_t state = 1;
    for (uint32_t row = 0; row < matrix.rows; row++) {
        for (size_t i = 0; i < row_size; i++) raw[i] = (uint8_t)next(&state);
        // No scale may be infinite, NaN or subnormal: clear the top exponent bit of every even half, set a lower one.
        for (size_t i = 1; i < row_size; i += 2) raw[i] = (uint8_t)((raw[i] & 0x8f) | 0x20);
        // The first byte of 17 is an exponent: near 127, or products would be subnormal too.
        for (size_t i = 0; i < row_size && matrix.type == LI_WEIGHT_MXFP4; i += 17) raw[i] = 120 + raw[i] % 8;
        li_matrix_pack(&matrix, row, 1, raw);
    }
    li_memory_free(raw);
}

bool make_product(uint32_t type, uint32_t rows, uint32_t columns, uint32_t count)
{
    li_matrix_destroy(&matrix);
    li_input_destroy(&input);
    li_memory_free(output);
    matrix = (li_matrix){.type = (li_weight_type)type, .rows = rows, .columns = columns};
    input = (li_input){.columns = columns};
    output = li_memory_alloc((size_t)count * rows * sizeof(float));
    if (!li_matrix_create(&matrix) || !li_input_create(&input, count, columns) || !output) return false;
    fill();
    uint32_t state = 2;
    for (size_t i = 0; i < (size_t)count * columns; i++) input.values[i] = (float)(int32_t)next(&state) * 0x1p-31f;
    quantised_rows = 0;
    return true;
}

void multiply_rows(uint32_t rows)
{
    if (rows != quantised_rows) input.quantised_for = LI_WEIGHT_F32;
    quantised_rows = rows;
    li_matrix_multiply(&matrix, &input, rows, output);
}

uint32_t matrix_size(void)
{
    return (uint32_t)li_matrix_size(&matrix);
}

uint32_t digest(uint32_t rows)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < (size_t)rows * matrix.rows; i++) {
        uint32_t bits;
        memcpy(&bits, &output[i], sizeof bits);
        sum = sum * 31 + bits;
    }
    return sum;
}

float read_matrix(void)
{
    const uint8_t *bytes = matrix.tiles, *end = bytes + li_matrix_size(&matrix);
    li_f32x4 sums[4];
    for (int i = 0; i < 4; i++) sums[i] = li_f32x4_splat(0);
    for (; bytes + 64 <= end; bytes += 64)
        for (int i = 0; i < 4; i++)
            sums[i] = li_f32x4_pmax(sums[i], li_f32x4_load((const float *)(const void *)bytes + 4 * i));
    return li_f32x4_lane(li_f32x4_pmax(li_f32x4_pmax(sums[0], sums[1]), li_f32x4_pmax(sums[2], sums[3])), 0);
}
