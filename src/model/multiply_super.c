// Products of tiles of blocks of 256 columns, whose scales are integers times a half: Q2_K to Q6_K, IQ4_XS. The inputs
// also have one scale for 256 columns, so sums over 256 columns stay integers.
#include "base/assert.h"
#include "model/multiply_digits.h"
#include "model/multiply_formats.h"

#define PARTS (LI_SUPER_BLOCK / LI_BLOCK)

// Factors of 32 columns of each row: of the scale in lanes of 32 bits; of the minimum in pairs of 16 bits, for columns
// 0 to 15 and 16 to 31.
typedef struct part_factors {
    li_i32x4 scales[2][VECTORS];
    li_i16x8 minima[VECTORS];
} part_factors;

FOR_SHAPE part_factors load_factors(shape shape, const uint8_t *factors)
{
    const int8_t *bytes = (const int8_t *)factors;
    li_i16x8 first = li_i16x8_load_bytes(bytes), second = first;
    part_factors of;
    if (shape.scaling != LI_SCALING_BYTE) second = li_i16x8_load_bytes(bytes + LI_TILE_ROWS);
    of.scales[0][0] = li_i32x4_widen_low(first);
    of.scales[0][1] = li_i32x4_widen_high(first);
    if (shape.scaling == LI_SCALING_BYTE_MIN) {
        of.minima[0] = li_i16x8_interleave_low(second, second);
        of.minima[1] = li_i16x8_interleave_high(second, second);
    } else if (shape.scaling == LI_SCALING_BYTES) {
        of.scales[1][0] = li_i32x4_widen_low(second);
        of.scales[1][1] = li_i32x4_widen_high(second);
    } else if (shape.scaling == LI_SCALING_NIBBLE_MIN) {
        EACH_VECTOR of.scales[0][v] = li_i32x4_low_nibbles(of.scales[0][v]);
        of.scales[1][0] = li_i32x4_low_nibbles(li_i32x4_widen_low(second));
        of.scales[1][1] = li_i32x4_low_nibbles(li_i32x4_widen_high(second));
        // The bytes were sign-extended: bits 4 to 7 of each lane are the high nibble.
        first = li_i16x8_shift_down(li_i16x8_shift_left(first, 8), 12);
        second = li_i16x8_shift_down(li_i16x8_shift_left(second, 8), 12);
        of.minima[0] = li_i16x8_interleave_low(first, second);
        of.minima[1] = li_i16x8_interleave_high(first, second);
    }
    return of;
}

// Adds a unit's integer sums, times its halves and the scales of the inputs, to the totals, or subtracts them.
FOR_SHAPE void add_scaled(uint32_t rows, li_i32x4 (*whole)[VECTORS], const uint16_t *halves, const float *input_scales,
                          bool is_subtracted, li_f32x4 (*totals)[VECTORS])
{
    EACH_VECTOR
    {
        li_f32x4 half = li_f32x4_load_f16(halves + 4 * v);
        EACH_ROW(rows)
        {
            li_f32x4 both = li_f32x4_mul(half, li_f32x4_splat(input_scales[i]));
            li_f32x4 product = li_f32x4_mul(li_f32x4_from_i32x4(whole[i][v]), both);
            totals[i][v] = is_subtracted ? li_f32x4_sub(totals[i][v], product) : li_f32x4_add(totals[i][v], product);
        }
    }
}

// The sums of a unit are exact in 32 bits. Units are added as floats, in order.
FOR_SHAPE void multiply_tile(shape shape, const li_weight_format *format, const uint8_t *tile, const li_input *input,
                             uint32_t row, float (*sums)[LI_TILE_ROWS])
{
    LI_ASSERT(input->columns % LI_SUPER_BLOCK == 0 && format->columns == LI_SUPER_BLOCK);
    LI_ASSERT(format->digits == shape.digits && format->scaling == shape.scaling && format->offset == shape.offset);
    LI_ASSERT(input->quantised_for != LI_WEIGHT_F32);
    const uint32_t rows = shape.rows, halves = has_halves(shape) ? 2 : 1;
    const size_t blocks = input->columns / LI_BLOCK;
    const float *scales = input->scales + row * blocks;
    const int32_t *starts = input->starts + row * blocks * 2;
    const int16_t *input_sums = input->sums + row * blocks * 2;
    const uint8_t *operands = input->operands + row * blocks * 2 * LI_BLOCK;
    const li_weight_format known = {
        .columns = LI_SUPER_BLOCK, .digits = (uint8_t)shape.digits, .scaling = (uint8_t)shape.scaling};
    const bool has_minima = li_tile_has_minima(&known);
    const uint32_t factors_at = li_tile_factors_at(&known), head = li_tile_head_size(&known),
                   planes_size = li_tile_planes_size(&known),
                   factors_size = li_tile_factor_count(&known) * LI_TILE_ROWS;
    li_f32x4 totals[ROWS_MAX][VECTORS];
    EACH_ROW(rows) EACH_VECTOR totals[i][v] = li_f32x4_splat(0);
    for (size_t unit = 0; unit < blocks / PARTS; unit++) {
        li_i32x4 whole[ROWS_MAX][VECTORS], minima[ROWS_MAX][VECTORS];
        EACH_ROW(rows) EACH_VECTOR whole[i][v] = minima[i][v] = li_i32x4_splat(0);
        const uint8_t *factors = tile + factors_at, *planes = tile + head;
        KEEP_ROLLED
        for (uint32_t part = 0; part < PARTS; part++) {
            for (uint32_t half = 0; half < halves; half++) {
                li_i32x4 dots[ROWS_MAX][VECTORS];
                const tile_block at = {planes, operands, format->table, starts, input_sums};
                multiply_part(shape, halves == 1 ? 2 : half, at, dots);
                part_factors of = load_factors(shape, factors);
                EACH_ROW(rows)
                EACH_VECTOR whole[i][v] = li_i32x4_add(whole[i][v], li_i32x4_mul(dots[i][v], of.scales[half][v]));
            }
            if (has_minima) {
                part_factors of = load_factors(shape, factors);
                EACH_ROW(rows)
                {
                    li_i16x8 pair = li_i16x8_splat_pair((const uint8_t *)(input_sums + 2 * i));
                    EACH_VECTOR minima[i][v] = li_i32x4_add(minima[i][v], li_i32x4_dot(of.minima[v], pair));
                }
            }
            factors += factors_size;
            planes += planes_size;
            operands += 8 * operands_size(shape);
            starts += 2 * rows;
            input_sums += 2 * rows;
        }
        add_scaled(rows, whole, (const uint16_t *)(const void *)tile, scales, false, totals);
        if (has_minima)
            add_scaled(rows, minima, (const uint16_t *)(const void *)tile + LI_TILE_ROWS, scales, true, totals);
        tile = planes;
        scales += rows;
    }
    EACH_ROW(rows) EACH_VECTOR li_f32x4_store(sums[i] + 4 * v, totals[i][v]);
}

// digits, scaling, offset.
#define NUMBERS(EACH)
#define INDICES(EACH) EACH(TABLE, BYTE, 0)
#define UNSIGNED(EACH)                                                                                                 \
    EACH(4, BYTE_MIN, 0)                                                                                               \
    EACH(5, BYTE_MIN, 0)                                                                                               \
    EACH(6, BYTES, 32)                                                                                                 \
    EACH(3, BYTES, 4)                                                                                                  \
    EACH(2, NIBBLE_MIN, 0)

LI_DEFINE_PRODUCTS(li_super_products)
