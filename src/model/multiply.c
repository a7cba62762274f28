// Products of weight tiles with rows of inputs: nearly all time of a forward pass. Four input rows share each load of
// the weights. `rows` (1 or 4) and the weight type are constants wherever these functions are inlined, so the small
// loops vanish and sums stay in registers. Each sum is added in the same order in every variant.
#include "model/multiply.h"

#include <string.h>

#include "base/parallel.h"
#include "base/simd.h"
#include "model/multiply_blocks.h"

#define VECTORS  (LI_TILE_ROWS / 4u) // of four tile rows
#define ROWS_MAX LI_ROWS_AT_ONCE
// Multiply-adds of one piece of work for a thread: enough that starting a piece costs nothing, few enough that threads
// end at about the same time.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 131072u
#endif

// ---- F32, F16, BF16 ----------------------------------------------------------------------------------

LI_INLINE li_f32x4 load_weights(const uint8_t *tile, size_t place, li_weight_type type)
{
    if (type == LI_WEIGHT_F32) return li_f32x4_load((const float *)(const void *)tile + place);
    const uint16_t *halves = (const uint16_t *)(const void *)tile + place;
    return type == LI_WEIGHT_F16 ? li_f32x4_load_f16(halves) : li_f32x4_load_brain(halves);
}

// Writes sums[row][vector]. Even and odd columns have sums of their own: two chains of additions overlap.
LI_INLINE void multiply_float(const uint8_t *tile, li_weight_type type, uint32_t vectors, uint32_t rows,
                              const float *values, size_t stride, uint32_t columns, float (*sums)[LI_TILE_ROWS])
{
    li_f32x4 even[ROWS_MAX][VECTORS], odd[ROWS_MAX][VECTORS];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < vectors; v++) even[i][v] = odd[i][v] = li_f32x4_splat(0);
    uint32_t k = 0;
    for (; k + 2 <= columns; k += 2) {
        for (uint32_t v = 0; v < vectors; v++) {
            size_t place = LI_TILE_ROWS * (size_t)k + 4 * v;
            li_f32x4 first = load_weights(tile, place, type);
            li_f32x4 second = load_weights(tile, place + LI_TILE_ROWS, type);
            for (uint32_t i = 0; i < rows; i++) {
                const float *x = values + i * stride + k;
                even[i][v] = li_f32x4_add(even[i][v], li_f32x4_mul(first, li_f32x4_splat(x[0])));
                odd[i][v] = li_f32x4_add(odd[i][v], li_f32x4_mul(second, li_f32x4_splat(x[1])));
            }
        }
    }
    for (uint32_t v = 0; v < vectors && k < columns; v++) {
        li_f32x4 last = load_weights(tile, LI_TILE_ROWS * (size_t)k + 4 * v, type);
        for (uint32_t i = 0; i < rows; i++)
            even[i][v] = li_f32x4_add(even[i][v], li_f32x4_mul(last, li_f32x4_splat(values[i * stride + k])));
    }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < vectors; v++) li_f32x4_store(sums[i] + 4 * v, li_f32x4_add(even[i][v], odd[i][v]));
}

LI_INLINE void multiply_float_rows(const uint8_t *tile, li_weight_type type, uint32_t rows, const float *values,
                                   size_t stride, uint32_t columns, float (*sums)[LI_TILE_ROWS])
{
    if (rows == 1) {
        multiply_float(tile, type, VECTORS, 1, values, stride, columns, sums);
        return;
    }
    // Four tile rows at a time: more than eight sums would not fit the registers.
    const size_t four = 4 * (type == LI_WEIGHT_F32 ? sizeof(float) : sizeof(uint16_t));
    for (uint32_t v = 0; v < VECTORS; v++) {
        float part[ROWS_MAX][LI_TILE_ROWS];
        multiply_float(tile + v * four, type, 1, ROWS_MAX, values, stride, columns, part);
        for (uint32_t i = 0; i < ROWS_MAX; i++) li_f32x4_store(sums[i] + 4 * v, li_f32x4_load(part[i]));
    }
}

// ---- every tile with every row -----------------------------------------------------------------------

LI_INLINE void multiply_rows(const li_matrix *matrix, const uint8_t *tile, const li_input *input, uint32_t row,
                             uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    const float *values = input->values + (size_t)row * input->columns;
    switch (matrix->type) {
    case LI_WEIGHT_F32:
        multiply_float_rows(tile, LI_WEIGHT_F32, rows, values, input->columns, matrix->columns, sums);
        break;
    case LI_WEIGHT_F16:
        multiply_float_rows(tile, LI_WEIGHT_F16, rows, values, input->columns, matrix->columns, sums);
        break;
    case LI_WEIGHT_BF16:
        multiply_float_rows(tile, LI_WEIGHT_BF16, rows, values, input->columns, matrix->columns, sums);
        break;
    default:
        li_multiply_blocks(li_weight_format_of(matrix->type), tile, input, row, rows, sums);
        break;
    }
}

typedef struct product {
    const li_matrix *matrix;
    const li_input *input;
    uint32_t count;
    float *output;
} product;

static void multiply_tiles(const void *context, uint32_t first, uint32_t end)
{
    const product *product = context;
    const li_matrix *matrix = product->matrix;
    for (uint32_t t = first; t < end; t++) {
        const uint8_t *tile = matrix->tiles + t * matrix->tile_size;
        uint32_t start = t * LI_TILE_ROWS;
        uint32_t used = matrix->rows - start < LI_TILE_ROWS ? matrix->rows - start : LI_TILE_ROWS;
        for (uint32_t row = 0; row < product->count;) {
            float sums[ROWS_MAX][LI_TILE_ROWS];
            uint32_t rows = li_rows_at_once(product->count - row);
            if (rows == ROWS_MAX)
                multiply_rows(matrix, tile, product->input, row, ROWS_MAX, sums);
            else
                multiply_rows(matrix, tile, product->input, row, 1, sums);
            float *output = product->output + (size_t)row * matrix->rows + start;
            for (uint32_t i = 0; i < rows; i++, output += matrix->rows)
                if (used == LI_TILE_ROWS)
                    memcpy(output, sums[i], sizeof sums[i]);
                else
                    memcpy(output, sums[i], used * sizeof(float));
            row += rows;
        }
    }
}

void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output)
{
    if (li_weight_is_quantised(matrix->type)) li_input_quantise(input, count, matrix->type);
    const product product = {matrix, input, count, output};
    uint32_t tiles = (matrix->rows + LI_TILE_ROWS - 1) / LI_TILE_ROWS;
    uint32_t piece = PIECE_WORK / (LI_TILE_ROWS * matrix->columns * count);
    li_parallel_for(tiles, piece ? piece : 1, multiply_tiles, &product);
}
