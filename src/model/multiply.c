// Products of weight tiles with input rows take nearly all the time of a forward pass. Four input rows share each load
// of the weights. `rows` (1 or 4) and the weight type are constants wherever these functions are inlined, so the small
// loops are unrolled and sums stay in registers. Every variant adds in the same order.
#include "model/multiply.h"

#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "model/multiply_blocks.h"

#define VECTORS  (LI_TILE_ROWS / 4u) // of four tile rows
#define ROWS_MAX LI_ROWS_AT_ONCE
// Multiply-adds of the smallest piece of work for a thread: about a microsecond.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 32768u
#endif

// ---- F32, F16, BF16 ----------------------------------------------------------------------------------

LI_INLINE li_f32x4 load_weights(const uint8_t *tile, size_t place, li_weight_type type)
{
    if (type == LI_WEIGHT_F32) return li_f32x4_load((const float *)(const void *)tile + place);
    const uint16_t *halves = (const uint16_t *)(const void *)tile + place;
    return type == LI_WEIGHT_F16 ? li_f32x4_load_f16(halves) : li_f32x4_load_brain(halves);
}

// Rows of an input of floats.
typedef struct float_rows {
    const float *values; // the first column of the first row
    size_t stride;       // from one row to the next
    uint32_t columns, rows;
} float_rows;

// Writes sums[row][vector]. Even and odd columns have separate sums, so two chains of additions overlap.
LI_INLINE void multiply_float(const uint8_t *tile, li_weight_type type, uint32_t vectors, float_rows of,
                              float (*sums)[LI_TILE_ROWS])
{
    const uint32_t rows = of.rows, columns = of.columns;
    const float *values = of.values;
    const size_t stride = of.stride;
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

LI_INLINE void multiply_float_rows(const uint8_t *tile, li_weight_type type, float_rows of, float (*sums)[LI_TILE_ROWS])
{
    // The number of rows is a constant wherever it is used.
    if (of.rows == 1) {
        of.rows = 1;
        multiply_float(tile, type, VECTORS, of, sums);
        return;
    }
    of.rows = ROWS_MAX;
    // Four tile rows at a time: more than eight sums would not fit the registers.
    const size_t four = 4 * (type == LI_WEIGHT_F32 ? sizeof(float) : sizeof(uint16_t));
    for (uint32_t v = 0; v < VECTORS; v++) {
        float part[ROWS_MAX][LI_TILE_ROWS];
        multiply_float(tile + v * four, type, 1, of, part);
        for (uint32_t i = 0; i < ROWS_MAX; i++) li_f32x4_store(sums[i] + 4 * v, li_f32x4_load(part[i]));
    }
}

// ---- every tile with every row -----------------------------------------------------------------------

// For weights that are not quantised.
LI_INLINE void multiply_numbers(const li_matrix *matrix, const uint8_t *tile, const li_input *input, uint32_t row,
                                uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    LI_ASSERT(rows == 1 || rows == ROWS_MAX);
    const float_rows of = {input->values + (size_t)row * input->columns, input->columns, matrix->columns, rows};
    if (matrix->type == LI_WEIGHT_F32)
        multiply_float_rows(tile, LI_WEIGHT_F32, of, sums);
    else if (matrix->type == LI_WEIGHT_F16)
        multiply_float_rows(tile, LI_WEIGHT_F16, of, sums);
    else
        multiply_float_rows(tile, LI_WEIGHT_BF16, of, sums);
}

typedef struct product {
    const li_matrix *matrix;
    const li_weight_format *format;
    li_block_products blocks; // if the format has blocks
    uint32_t tiles;
    float *output;
} product;

// One parallel loop: the tiles of all its matrices, one matrix after the other.
typedef struct loop {
    const li_input *input;
    uint32_t count; // rows of the input
    uint32_t tiles;
    uint32_t matrices;
    product products[LI_PRODUCTS_MOST]; // (matrices)
} loop;

static void multiply_rows(const product *product, const uint8_t *tile, const li_input *input, uint32_t row,
                          uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    LI_ASSERT(rows == 1 || rows == ROWS_MAX);
    LI_ASSERT(product->format->digits == LI_DIGITS_FLOAT || (product->blocks.one && product->blocks.four));
    if (product->format->digits != LI_DIGITS_FLOAT)
        (rows == ROWS_MAX ? product->blocks.four : product->blocks.one)(product->format, tile, input, row, sums);
    else if (rows == ROWS_MAX)
        multiply_numbers(product->matrix, tile, input, row, ROWS_MAX, sums);
    else
        multiply_numbers(product->matrix, tile, input, row, 1, sums);
}

static void multiply_tile(const loop *loop, const product *product, uint32_t t)
{
    const li_matrix *matrix = product->matrix;
    LI_ASSERT(t < product->tiles && matrix->tiles);
    const uint8_t *tile = matrix->tiles + t * matrix->tile_size;
    const uint32_t start = t * LI_TILE_ROWS;
    LI_ASSERT(start < matrix->rows);
    const uint32_t used = matrix->rows - start < LI_TILE_ROWS ? matrix->rows - start : LI_TILE_ROWS;
    for (uint32_t row = 0; row < loop->count;) {
        float sums[ROWS_MAX][LI_TILE_ROWS];
        uint32_t rows = li_rows_at_once(loop->count - row);
        multiply_rows(product, tile, loop->input, row, rows, sums);
        float *output = product->output + (size_t)row * matrix->rows + start;
        for (uint32_t i = 0; i < rows && row + i < loop->count; i++, output += matrix->rows)
            if (used == LI_TILE_ROWS)
                memcpy(output, sums[i], sizeof sums[i]);
            else
                memcpy(output, sums[i], used * sizeof(float));
        row += rows;
    }
}

static void multiply_tiles(const void *context, uint32_t first, uint32_t end)
{
    const loop *loop = context;
    LI_ASSERT(end <= loop->tiles);
    const product *product = loop->products;
    uint32_t before = 0; // tiles of the matrices before this one
    for (uint32_t t = first; t < end; t++) {
        while (t - before >= product->tiles) before += product++->tiles;
        LI_ASSERT(product < loop->products + loop->matrices);
        multiply_tile(loop, product, t - before);
    }
}

// Adds a matrix to the loop, and quantises the input for its type. False: the input is quantised for another type.
static bool add_product(loop *loop, const li_product *wanted, li_input *input)
{
    LI_ASSERT(loop->matrices < LI_PRODUCTS_MOST);
    LI_ASSERT(wanted->matrix->columns == input->columns && !wanted->matrix->is_looked_up);
    LI_ASSERT(wanted->output);
    const li_matrix *matrix = wanted->matrix;
    const li_weight_format *format = li_weight_format_of(matrix->type);
    product *product = &loop->products[loop->matrices];
    *product = (struct product){.matrix = matrix, .format = format, .output = wanted->output};
    product->tiles = (matrix->rows + LI_TILE_ROWS - 1) / LI_TILE_ROWS;
    if (format->digits != LI_DIGITS_FLOAT) {
        bool is_quantised = false;
        for (uint32_t i = 0; i < loop->matrices; i++)
            is_quantised |= loop->products[i].format->digits != LI_DIGITS_FLOAT;
        if (is_quantised && !li_input_serves(input, matrix->type)) return false;
        li_input_quantise(input, loop->count, matrix->type);
        product->blocks = li_block_products_of(format);
    }
    loop->matrices++;
    loop->tiles += product->tiles;
    return true;
}

void li_matrices_multiply(const li_product *products, uint32_t matrices, li_input *input, uint32_t count)
{
    LI_ASSERT(matrices && matrices <= LI_PRODUCTS_MOST && count);
    LI_ASSERT(input->columns && input->values);
    const uint32_t piece = PIECE_WORK / (LI_TILE_ROWS * input->columns * count);
    for (uint32_t i = 0; i < matrices;) {
        loop loop = {.input = input, .count = count};
        while (i < matrices && add_product(&loop, &products[i], input)) i++;
        li_parallel_for(loop.tiles, piece ? piece : 1, multiply_tiles, &loop);
    }
}

void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output)
{
    li_matrices_multiply(&(li_product){matrix, output}, 1, input, count);
}
