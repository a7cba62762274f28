// The products of weight tiles with rows of inputs: nearly all the time of a forward pass is spent here.
// Four input rows at a time share each load of the weights. `rows` (1 or 4) and the weight type are
// constants wherever these functions are inlined, so the small loops vanish and the sums stay in
// registers; each sum is added up in the same order in every variant.
#include "base/simd.h"
#include "model/matrix.h"

#define VECTORS  (LI_TILE_ROWS / 4u) // of four tile rows
#define ROWS_MAX 4u

// ---- F32 and F16 -------------------------------------------------------------------------------------

LI_INLINE li_f32x4 load_weights(const uint8_t *tile, size_t place, bool is_half)
{
    return is_half ? li_f32x4_load_f16((const uint16_t *)(const void *)tile + place)
                   : li_f32x4_load((const float *)(const void *)tile + place);
}

// sums[row][vector] over the even and the odd columns apart: two chains of additions to overlap.
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
    // Half a tile at a time: sixteen sums would not fit the registers.
    const size_t half_tile = 4 * (is_half ? sizeof(uint16_t) : sizeof(float));
    for (uint32_t v = 0; v < VECTORS; v++) {
        float part[ROWS_MAX][LI_TILE_ROWS];
        multiply_float(tile + v * half_tile, is_half, 1, ROWS_MAX, values, stride, columns, part);
        for (uint32_t i = 0; i < ROWS_MAX; i++) li_f32x4_store(sums[i] + 4 * v, li_f32x4_load(part[i]));
    }
}

// ---- Q8_0 --------------------------------------------------------------------------------------------

// To the 11 significant bits of a half float (Veltkamp's splitting), without a half's narrow range.
static float round_to_half(float a)
{
    float big = a * 8193.0f;
    return big - (big - a);
}

// Quantises rows as llama.cpp does, so that results are near: a block's largest magnitude becomes 127 and
// the scale is rounded to half precision. A block that holds NaN or an infinity gets the scale NaN, so
// that a broken row shows in its logits.
static void quantise(li_input *input, uint32_t count)
{
    for (size_t at = 0; at < (size_t)count * input->columns; at += LI_BLOCK) {
        const float *x = input->values + at;
        li_f32x4 largest = li_f32x4_splat(0), broken = largest;
        for (uint32_t j = 0; j < LI_BLOCK; j += 4) {
            li_f32x4 a = li_f32x4_load(x + j);
            largest = li_f32x4_pmax(largest, li_f32x4_abs(a));
            broken = li_f32x4_add(broken, li_f32x4_sub(a, a));
        }
        float lanes[4], nans[4], most = 0;
        li_f32x4_store(lanes, largest);
        li_f32x4_store(nans, broken);
        for (uint32_t i = 0; i < 4; i++) most = most < lanes[i] ? lanes[i] : most;
        // Below 2^-100 nothing is left of a block beside any other.
        li_f32x4 inverse = li_f32x4_splat(most > 0x1p-100f ? 127.0f / most : 0.0f);
        input->scales[at / LI_BLOCK] = round_to_half(most / 127.0f) + (nans[0] + nans[1] + nans[2] + nans[3]);
        for (uint32_t j = 0; j < LI_BLOCK; j += 8)
            li_i16x8_store_nearest(input->quants + at + j, li_f32x4_mul(li_f32x4_load(x + j), inverse),
                                   li_f32x4_mul(li_f32x4_load(x + j + 4), inverse));
    }
    input->is_quantised = true;
}

// Each block's product is exact in 32 bits; blocks are then added as floats in order.
LI_INLINE void multiply_q8_0(const uint8_t *tile, uint32_t rows, const int16_t *quants, const float *scales,
                             size_t stride, uint32_t columns, float (*sums)[LI_TILE_ROWS])
{
    li_f32x4 total[ROWS_MAX][VECTORS];
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < VECTORS; v++) total[i][v] = li_f32x4_splat(0);
    for (uint32_t k = 0; k < columns; k += LI_BLOCK) {
        const float *weight_scales = (const float *)(const void *)tile;
        const int8_t *weights = (const int8_t *)tile + LI_TILE_ROWS * sizeof(float);
        li_i32x4 dot[ROWS_MAX][VECTORS];
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t v = 0; v < VECTORS; v++) dot[i][v] = li_i32x4_zero();
#pragma clang loop unroll(full)
        for (uint32_t j = 0; j < LI_BLOCK; j += 2) {
            li_i16x8 pairs[VECTORS];
            for (uint32_t v = 0; v < VECTORS; v++)
                pairs[v] = li_i16x8_load_i8(weights + LI_TILE_ROWS * (size_t)j + 8 * v);
            for (uint32_t i = 0; i < rows; i++) {
                li_i16x8 x = li_i16x8_splat_pair(quants + i * stride + k + j);
                for (uint32_t v = 0; v < VECTORS; v++) dot[i][v] = li_i32x4_add(dot[i][v], li_i32x4_dot(pairs[v], x));
            }
        }
        for (uint32_t i = 0; i < rows; i++) {
            li_f32x4 scale = li_f32x4_splat(scales[(i * stride + k) / LI_BLOCK]);
            for (uint32_t v = 0; v < VECTORS; v++) {
                li_f32x4 both = li_f32x4_mul(li_f32x4_load(weight_scales + 4 * v), scale);
                total[i][v] = li_f32x4_add(total[i][v], li_f32x4_mul(li_f32x4_from_i32x4(dot[i][v]), both));
            }
        }
        tile += LI_TILE_ROWS * (sizeof(float) + LI_BLOCK);
    }
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t v = 0; v < VECTORS; v++) li_f32x4_store(sums[i] + 4 * v, total[i][v]);
}

// ---- every tile with every row -----------------------------------------------------------------------

LI_INLINE void multiply_rows(const li_matrix *matrix, const uint8_t *tile, const li_input *input, uint32_t row,
                             uint32_t rows, float (*sums)[LI_TILE_ROWS])
{
    size_t stride = input->columns, at = row * stride;
    if (matrix->type == LI_WEIGHT_Q8_0)
        multiply_q8_0(tile, rows, input->quants + at, input->scales + at / LI_BLOCK, stride, matrix->columns, sums);
    else if (matrix->type == LI_WEIGHT_F16)
        multiply_float_rows(tile, true, rows, input->values + at, stride, matrix->columns, sums);
    else
        multiply_float_rows(tile, false, rows, input->values + at, stride, matrix->columns, sums);
}

void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output)
{
    if (matrix->type == LI_WEIGHT_Q8_0 && !input->is_quantised) quantise(input, count);
    const uint8_t *tile = matrix->tiles;
    for (uint32_t first = 0; first < matrix->rows; first += LI_TILE_ROWS, tile += matrix->tile_size) {
        uint32_t used = matrix->rows - first < LI_TILE_ROWS ? matrix->rows - first : LI_TILE_ROWS;
        for (uint32_t row = 0; row < count;) {
            float sums[ROWS_MAX][LI_TILE_ROWS];
            uint32_t rows = count - row >= ROWS_MAX ? ROWS_MAX : 1;
            if (rows == ROWS_MAX)
                multiply_rows(matrix, tile, input, row, ROWS_MAX, sums);
            else
                multiply_rows(matrix, tile, input, row, 1, sums);
            for (uint32_t i = 0; i < rows; i++)
                for (uint32_t r = 0; r < used; r++) output[(size_t)(row + i) * matrix->rows + first + r] = sums[i][r];
            row += rows;
        }
    }
}
