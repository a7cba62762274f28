// Products of weight tiles with rows of inputs: nearly all time of a forward pass. Four input rows share each load of
// the weights. `rows` (1 or 4) and the weight type are constants wherever these functions are inlined, so the small
// loops vanish and sums stay in registers. Each sum is added in the same order in every variant.
#include "model/multiply.h"

#include <string.h>

#include "base/parallel.h"
#include "base/simd.h"

#define VECTORS  (LI_TILE_ROWS / 4u) // of four tile rows
#define ROWS_MAX LI_ROWS_AT_ONCE
// Multiply-adds of one piece of work for a thread: enough that starting a piece costs nothing, few enough that threads
// end at about the same time.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 131072u
#endif

// ---- F32 and F16 -------------------------------------------------------------------------------------

LI_INLINE li_f32x4 load_weights(const uint8_t *tile, size_t place, bool is_half)
{
    return is_half ? li_f32x4_load_f16((const uint16_t *)(const void *)tile + place)
                   : li_f32x4_load((const float *)(const void *)tile + place);
}

// Writes sums[row][vector]. Even and odd columns have sums of their own: two chains of additions overlap.
LI_INLINE void multiply_float(const uint8_t *tile, bool is_half, uint32_t vectors, uint32_t rows, const float *values,
                              size_t stride, uint32_t columns, float (*sums)[LI_TILE_ROWS])
{
    li_f32x4 even[ROWS_MAX][VECTORS], odd[ROWS_MAX][VECTORS];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < vectors; v++) even[i][v] = odd[i][v] = li_f32x4_splat(0);
    uint32_t k = 0;
    for (; k + 2 <= columns; k += 2) {
        for (uint32_t v = 0; v < vectors; v++) {
            size_t place = LI_TILE_ROWS * (size_t)k + 4 * v;
            li_f32x4 first = load_weights(tile, place, is_half);
            li_f32x4 second = load_weights(tile, place + LI_TILE_ROWS, is_half);
            for (uint32_t i = 0; i < rows; i++) {
                const float *x = values + i * stride + k;
                even[i][v] = li_f32x4_add(even[i][v], li_f32x4_mul(first, li_f32x4_splat(x[0])));
                odd[i][v] = li_f32x4_add(odd[i][v], li_f32x4_mul(second, li_f32x4_splat(x[1])));
            }
        }
    }
    for (uint32_t v = 0; v < vectors && k < columns; v++) {
        li_f32x4 last = load_weights(tile, LI_TILE_ROWS * (size_t)k + 4 * v, is_half);
        for (uint32_t i = 0; i < rows; i++)
            even[i][v] = li_f32x4_add(even[i][v], li_f32x4_mul(last, li_f32x4_splat(values[i * stride + k])));
    }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < vectors; v++) li_f32x4_store(sums[i] + 4 * v, li_f32x4_add(even[i][v], odd[i][v]));
}

LI_INLINE void multiply_float_rows(const uint8_t *tile, bool is_half, uint32_t rows, const float *values, size_t stride,
                                   uint32_t columns, float (*sums)[LI_TILE_ROWS])
{
    if (rows == 1) {
        multiply_float(tile, is_half, VECTORS, 1, values, stride, columns, sums);
        return;
    }
    // Four tile rows at a time: more than eight sums would not fit the registers.
    const size_t four = 4 * (is_half ? sizeof(uint16_t) : sizeof(float));
    for (uint32_t v = 0; v < VECTORS; v++) {
        float part[ROWS_MAX][LI_TILE_ROWS];
        multiply_float(tile + v * four, is_half, 1, ROWS_MAX, values, stride, columns, part);
        for (uint32_t i = 0; i < ROWS_MAX; i++) li_f32x4_store(sums[i] + 4 * v, li_f32x4_load(part[i]));
    }
}

// ---- Q8_0 and Q4_0 -----------------------------------------------------------------------------------

// Adds one word of each tile row times `rows` inputs (see input_rows.h). The weights are loaded and split once for all
// inputs.
LI_INLINE void multiply_digits(const uint8_t *words, uint32_t bits, uint32_t rows, const uint8_t *operands,
                               li_i32x4 (*sums)[VECTORS])
{
    li_i16x8 halves[VECTORS];
    for (uint32_t v = 0; v < VECTORS; v++) halves[v] = li_i16x8_load(words + 16 * v);
        // Sums stay in registers only if every index is a constant.
#pragma clang loop unroll(full)
    for (uint32_t digit = 0; digit < 16 / bits; digit++) {
        for (uint32_t v = 0; v < VECTORS && digit; v++) halves[v] = li_i16x8_shift_right(halves[v], bits);
        for (uint32_t i = 0; i < rows; i++) {
            li_i16x8 x = li_i16x8_splat_pair(operands + 4 * (digit * rows + i));
            for (uint32_t v = 0; v < VECTORS; v++) sums[i][v] = li_i32x4_add(sums[i][v], li_i32x4_dot(halves[v], x));
        }
    }
}

#ifdef __wasm_relaxed_simd__
LI_INLINE void multiply_bytes(const uint8_t *words, uint32_t bits, uint32_t rows, const uint8_t *operands,
                              li_i32x4 (*sums)[VECTORS])
{
    static const uint8_t signs[4] = {0, 0x80, 0, 0x80};
    li_u8x16 low[VECTORS], high[VECTORS];
    for (uint32_t v = 0; v < VECTORS; v++) {
        low[v] = high[v] = li_u8x16_load(words + 16 * v);
        if (bits == 8) continue;
        high[v] = li_u8x16_high_nibbles(li_u8x16_xor(low[v], li_u8x16_load_four(signs)));
        low[v] = li_u8x16_low_nibbles(low[v]);
    }
    for (uint32_t i = 0; i < rows; i++) {
        li_u8x16 first = li_u8x16_load_four(operands + 4 * i);
        li_u8x16 second = li_u8x16_load_four(operands + 4 * (rows + i));
        for (uint32_t v = 0; v < VECTORS; v++) {
            if (bits == 8) {
                sums[i][v] = li_i32x4_add_dot_bytes(sums[i][v], li_u8x16_xor(low[v], second), first);
            } else {
                sums[i][v] = li_i32x4_add_dot_bytes(sums[i][v], first, low[v]);
                sums[i][v] = li_i32x4_add_dot_bytes(sums[i][v], second, high[v]);
            }
        }
    }
}
#endif

LI_INLINE void multiply_words(const uint8_t *words, uint32_t bits, bool by_bytes, uint32_t rows,
                              const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
#ifdef __wasm_relaxed_simd__
    if (by_bytes) {
        multiply_bytes(words, bits, rows, operands, sums);
        return;
    }
#endif
    (void)by_bytes;
    multiply_digits(words, bits, rows, operands, sums);
}

// The product of each block is exact in 32 bits. Blocks are added as floats, in order.
LI_INLINE void multiply_blocks(const uint8_t *tile, uint32_t bits, bool by_bytes, const li_input *input, uint32_t row,
                               uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    const uint32_t group = 32 / bits;
    const size_t blocks = input->columns / LI_BLOCK;
    const float *scales = input->scales + row * blocks;
    const int32_t *starts = input->starts + row * blocks;
    const uint8_t *operands = input->operands + row * blocks * 2 * LI_BLOCK;
    li_f32x4 total[ROWS_MAX][VECTORS];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < VECTORS; v++) total[i][v] = li_f32x4_splat(0);
    for (size_t block = 0; block < blocks; block++) {
        li_f32x4 weight_scales[VECTORS];
        for (uint32_t v = 0; v < VECTORS; v++)
            weight_scales[v] = li_f32x4_load_f16((const uint16_t *)(const void *)tile + 4 * v);
        const uint8_t *words = tile + LI_TILE_ROWS * sizeof(uint16_t);
        li_i32x4 dot[ROWS_MAX][VECTORS];
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t v = 0; v < VECTORS; v++) dot[i][v] = li_i32x4_splat(starts[i]);
                // If unrolled, all loads would come first and push the sums out of the registers.
#pragma clang loop unroll(disable)
        for (uint32_t j = 0; j < LI_BLOCK; j += group) {
            multiply_words(words, bits, by_bytes, rows, operands, dot);
            words += 4 * LI_TILE_ROWS;
            operands += 2 * group * rows;
        }
        for (uint32_t i = 0; i < rows; i++) {
            li_f32x4 scale = li_f32x4_splat(scales[i]);
            for (uint32_t v = 0; v < VECTORS; v++) {
                li_f32x4 both = li_f32x4_mul(weight_scales[v], scale);
                total[i][v] = li_f32x4_add(total[i][v], li_f32x4_mul(li_f32x4_from_i32x4(dot[i][v]), both));
            }
        }
        tile += LI_TILE_ROWS * (sizeof(uint16_t) + LI_BLOCK * bits / 8);
        starts += rows;
        scales += rows;
    }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < VECTORS; v++) li_f32x4_store(sums[i] + 4 * v, total[i][v]);
}

LI_INLINE void multiply_blocks_rows(const uint8_t *tile, uint32_t bits, const li_input *input, uint32_t row,
                                    uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    if (li_goes_by_bytes())
        multiply_blocks(tile, bits, true, input, row, rows, sums);
    else
        multiply_blocks(tile, bits, false, input, row, rows, sums);
}

// ---- every tile with every row -----------------------------------------------------------------------

LI_INLINE void multiply_rows(const li_matrix *matrix, const uint8_t *tile, const li_input *input, uint32_t row,
                             uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    const float *values = input->values + (size_t)row * input->columns;
    switch (matrix->type) {
    case LI_WEIGHT_Q8_0:
        multiply_blocks_rows(tile, 8, input, row, rows, sums);
        break;
    case LI_WEIGHT_Q4_0:
        multiply_blocks_rows(tile, 4, input, row, rows, sums);
        break;
    case LI_WEIGHT_F16:
        multiply_float_rows(tile, true, rows, values, input->columns, matrix->columns, sums);
        break;
    case LI_WEIGHT_F32:
        multiply_float_rows(tile, false, rows, values, input->columns, matrix->columns, sums);
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
    if (li_weight_is_quantised(matrix->type) && input->quantised_for != matrix->type)
        li_input_quantise(input, count, matrix->type);
    const product product = {matrix, input, count, output};
    uint32_t tiles = (matrix->rows + LI_TILE_ROWS - 1) / LI_TILE_ROWS;
    uint32_t piece = PIECE_WORK / (LI_TILE_ROWS * matrix->columns * count);
    li_parallel_for(tiles, piece ? piece : 1, multiply_tiles, &product);
}
