// Products of tiles of blocks of 32 columns, whose scales are floats: Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, IQ4_NL, MXFP4.
#include "base/assert.h"
#include "model/multiply_digits.h"
#include "model/multiply_formats.h"

// Scales and minima of the rows of a block.
typedef struct block_scales {
    li_f32x4 scales[VECTORS], minima[VECTORS];
} block_scales;

FOR_SHAPE block_scales load_scales(shape shape, const uint8_t *unit)
{
    const uint16_t *halves = (const uint16_t *)(const void *)unit;
    block_scales of;
    if (shape.scaling == LI_SCALING_BRAIN) {
        EACH_VECTOR of.scales[v] = of.minima[v] = li_f32x4_load_brain(halves + 4 * v);
        return of;
    }
    EACH_VECTOR of.scales[v] = of.minima[v] = li_f32x4_load_f16(halves + 4 * v);
    if (shape.scaling == LI_SCALING_HALF_MIN)
        EACH_VECTOR of.minima[v] = li_f32x4_load_f16(halves + LI_TILE_ROWS + 4 * v);
    return of;
}

// Adds the products of a block to the totals.
FOR_SHAPE void add_scaled(shape shape, li_i32x4 (*dots)[VECTORS], const block_scales *of, const int16_t *input_sums,
                          const float *input_scales, li_f32x4 (*totals)[VECTORS])
{
    EACH_ROW(shape.rows)
    {
        li_f32x4 scale = li_f32x4_splat(input_scales[i]);
        EACH_VECTOR
        {
            li_f32x4 both = li_f32x4_mul(of->scales[v], scale);
            totals[i][v] = li_f32x4_add(totals[i][v], li_f32x4_mul(li_f32x4_from_i32x4(dots[i][v]), both));
        }
    }
    if (shape.scaling != LI_SCALING_HALF_MIN) return;
    EACH_ROW(shape.rows)
    {
        li_f32x4 inputs = li_f32x4_splat((float)(input_sums[2 * i] + input_sums[2 * i + 1]) * input_scales[i]);
        EACH_VECTOR totals[i][v] = li_f32x4_sub(totals[i][v], li_f32x4_mul(of->minima[v], inputs));
    }
}

// Each product of a block is exact in 32 bits. Blocks are added as floats, in order.
FOR_SHAPE void multiply_tile(shape shape, const li_weight_format *format, const uint8_t *tile, const li_input *input,
                             uint32_t row, float (*sums)[LI_TILE_ROWS])
{
    LI_ASSERT(input->columns % LI_BLOCK == 0 && format->columns == LI_BLOCK);
    LI_ASSERT(format->digits == shape.digits && format->scaling == shape.scaling && format->offset == shape.offset);
    LI_ASSERT(input->quantised_for != LI_WEIGHT_F32);
    const uint32_t rows = shape.rows;
    const size_t blocks = input->columns / LI_BLOCK;
    const float *scales = input->scales + row * blocks;
    const int32_t *starts = input->starts + row * blocks * 2;
    const int16_t *input_sums = input->sums + row * blocks * 2;
    const uint8_t *operands = input->operands + row * blocks * 2 * LI_BLOCK;
    const li_weight_format known = {
        .columns = LI_BLOCK, .digits = (uint8_t)shape.digits, .scaling = (uint8_t)shape.scaling};
    const uint32_t head = li_tile_head_size(&known), planes_size = li_tile_planes_size(&known);
    li_f32x4 totals[ROWS_MAX][VECTORS];
    EACH_ROW(rows) EACH_VECTOR totals[i][v] = li_f32x4_splat(0);
    for (size_t block = 0; block < blocks; block++) {
        li_i32x4 dots[ROWS_MAX][VECTORS];
        multiply_part(shape, 2, (tile_block){tile + head, operands, format->table, starts, input_sums}, dots);
        block_scales of = load_scales(shape, tile);
        add_scaled(shape, dots, &of, input_sums, scales, totals);
        tile += head + planes_size;
        operands += 8 * operands_size(shape);
        starts += 2 * rows;
        input_sums += 2 * rows;
        scales += rows;
    }
    EACH_ROW(rows) EACH_VECTOR li_f32x4_store(sums[i] + 4 * v, totals[i][v]);
}

// digits, scaling, offset.
#define NUMBERS(EACH) EACH(8, HALF, 128)
#define INDICES(EACH) EACH(TABLE, HALF, 0)
#define UNSIGNED(EACH)                                                                                                 \
    EACH(4, HALF, 8)                                                                                                   \
    EACH(4, HALF_MIN, 0)                                                                                               \
    EACH(5, HALF, 16)                                                                                                  \
    EACH(5, HALF_MIN, 0)                                                                                               \
    EACH(LOW, BRAIN, 12)

LI_DEFINE_PRODUCTS(li_small_products)
