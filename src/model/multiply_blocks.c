// Products of tiles of blocks: nearly all time of a forward pass. The digits, `rows` and the way are constants wherever
// these functions are inlined, so the small loops vanish and sums stay in registers.
#include "model/multiply_blocks.h"

#include "base/simd.h"

#define VECTORS  (LI_TILE_ROWS / 4u) // of four tile rows
#define ROWS_MAX LI_ROWS_AT_ONCE
#define PARTS    (LI_SUPER_BLOCK / LI_BLOCK) // whose scales are unpacked together

// What the compiler knows of a product.
typedef struct shape {
    li_digits digits;
    li_scaling scaling; // of IQ4_NL and MXFP4 the former
    uint8_t offset;
    bool by_bytes;
    uint32_t rows;
} shape;

LI_INLINE bool is_signed(shape shape)
{
    return shape.digits == LI_DIGITS_8 || shape.digits == LI_DIGITS_TABLE;
}

LI_INLINE bool has_halves(shape shape)
{
    return shape.digits == LI_DIGITS_6 || shape.digits == LI_DIGITS_3 || shape.digits == LI_DIGITS_2;
}

// Bytes of the operands of a group (see input_rows.h) for all rows.
LI_INLINE uint32_t operands_size(shape shape)
{
    return (shape.by_bytes && !is_signed(shape) ? 4 : 8) * shape.rows;
}

// Unrolled at every level of optimisation: sums stay in registers only if every index is a constant.
#define EACH_VECTOR    _Pragma("clang loop unroll(full)") for (uint32_t v = 0; v < VECTORS; v++)
#define EACH_ROW(rows) _Pragma("clang loop unroll(full)") for (uint32_t i = 0; i < (rows); i++)

// ---- words of one group ------------------------------------------------------------------------------

// Adds the products of a group's words, of four tile rows each, with its operands.
LI_INLINE void add_group(shape shape, li_i16x8 *words, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
#ifdef __wasm_relaxed_simd__
    if (shape.by_bytes) {
        EACH_ROW(shape.rows)
        {
            li_i16x8 x = li_i16x8_splat_pair(operands + 4 * i);
            if (!is_signed(shape)) {
                EACH_VECTOR sums[i][v] = li_i32x4_add_dot_bytes(sums[i][v], x, words[v]);
                continue;
            }
            li_i16x8 flips = li_i16x8_splat_pair(operands + 4 * (shape.rows + i));
            EACH_VECTOR
            sums[i][v] = li_i32x4_add_dot_bytes(sums[i][v], li_i16x8_xor(words[v], flips), x);
        }
        return;
    }
#endif
    EACH_ROW(shape.rows)
    {
        li_i16x8 x = li_i16x8_splat_pair(operands + 4 * i);
        EACH_VECTOR sums[i][v] = li_i32x4_add(sums[i][v], li_i32x4_dot(words[v], x));
    }
    EACH_VECTOR words[v] = li_i16x8_shift_right(words[v], 8);
    EACH_ROW(shape.rows)
    {
        li_i16x8 x = li_i16x8_splat_pair(operands + 4 * (shape.rows + i));
        EACH_VECTOR sums[i][v] = li_i32x4_add(sums[i][v], li_i32x4_dot(words[v], x));
    }
}

LI_INLINE li_i16x8 load_mask(const uint32_t *mask)
{
    return li_i16x8_splat_pair((const uint8_t *)mask);
}

// If unrolled, all loads would come first and push the sums out of the registers.
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")

LI_INLINE void load_words(li_i16x8 *words, const uint8_t *planes, uint32_t w)
{
    EACH_VECTOR words[v] = li_i16x8_load(planes + 4 * (w * LI_TILE_ROWS + 4 * v));
}

// ---- blocks ------------------------------------------------------------------------------------------

LI_INLINE void multiply_8(shape shape, const uint8_t *planes, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
    KEEP_ROLLED
    for (uint32_t g = 0; g < LI_BLOCK / 4; g++) {
        li_i16x8 words[VECTORS];
        load_words(words, planes, g);
        add_group(shape, words, operands, sums);
        operands += operands_size(shape);
    }
}

LI_INLINE void multiply_base_16(shape shape, const uint8_t *planes, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
    KEEP_ROLLED
    for (uint32_t w = 0; w < 4; w++) {
        li_i16x8 halves[VECTORS];
        load_words(halves, planes, w);
#pragma clang loop unroll(full)
        for (uint32_t digit = 0; digit < 4; digit++) {
            EACH_VECTOR if (digit) halves[v] = li_i16x8_shift_right(halves[v], 4);
            for (uint32_t i = 0; i < shape.rows; i++, operands += 4) {
                li_i16x8 x = li_i16x8_splat_pair(operands);
                EACH_VECTOR sums[i][v] = li_i32x4_add(sums[i][v], li_i32x4_dot(halves[v], x));
            }
        }
    }
}

// A plane of 4 bits: numbers by bytes, indices, or the low bits of five.
LI_INLINE void multiply_nibbles(shape shape, const uint8_t *planes, const uint8_t *operands, const int8_t *table,
                                li_i32x4 (*sums)[VECTORS])
{
    const li_i16x8 nibble = load_mask(&li_tile_masks.nibbles), fifth = load_mask(&li_tile_masks.bit_4);
    li_i16x8 bits[VECTORS], signs = nibble, values = nibble;
    if (shape.digits == LI_DIGITS_5) {
        load_words(bits, planes, 0);
        planes += 4 * LI_TILE_ROWS;
    }
    if (shape.digits == LI_DIGITS_4) signs = load_mask(&li_tile_masks.signs);
    if (shape.digits == LI_DIGITS_TABLE) {
        signs = load_mask(&li_tile_masks.lower_signs);
        values = li_i16x8_load((const uint8_t *)table);
    }
    KEEP_ROLLED
    for (uint32_t w = 0; w < 4; w++) {
        li_i16x8 low[VECTORS], high[VECTORS];
        load_words(low, planes, w);
        EACH_VECTOR
        {
            if (shape.digits == LI_DIGITS_4) low[v] = li_i16x8_xor(low[v], signs);
            high[v] = li_i16x8_and(li_i16x8_shift_down(low[v], 4), nibble);
            low[v] = li_i16x8_and(low[v], nibble);
            if (shape.digits == LI_DIGITS_TABLE) {
                low[v] = li_i16x8_xor(li_i8x16_look_up(values, low[v]), signs);
                high[v] = li_i16x8_xor(li_i8x16_look_up(values, high[v]), signs);
            } else if (shape.digits == LI_DIGITS_5) {
                low[v] = li_i16x8_or(low[v], li_i16x8_and(li_i16x8_shift_left(bits[v], 4), fifth));
                high[v] = li_i16x8_or(high[v], li_i16x8_and(bits[v], fifth));
                bits[v] = li_i16x8_shift_down(bits[v], 1);
            }
        }
        add_group(shape, low, operands, sums);
        add_group(shape, high, operands + 4 * operands_size(shape), sums);
        operands += operands_size(shape);
    }
}

// Sixteen columns of digits of 6, 3 or 2 bits: half 0 or 1 of a block.
LI_INLINE void multiply_half(shape shape, const uint8_t *planes, uint32_t half, const uint8_t *operands,
                             li_i32x4 (*sums)[VECTORS])
{
    const uint32_t plane = 4 * LI_TILE_ROWS;
    const li_i16x8 nibble = load_mask(&li_tile_masks.nibbles), upper = load_mask(&li_tile_masks.bits_4_5),
                   lower = load_mask(&li_tile_masks.bits_0_1), third = load_mask(&li_tile_masks.bit_2);
    li_i16x8 bits[VECTORS], twos[VECTORS];
    if (shape.digits == LI_DIGITS_3) {
        load_words(bits, planes, 0);
        EACH_VECTOR bits[v] = li_i16x8_shift_down(bits[v], 4 * half);
        planes += plane;
    }
    load_words(twos, planes, half);
    planes += 2 * plane;
    KEEP_ROLLED
    for (uint32_t i = 0; i < 4; i++) {
        li_i16x8 words[VECTORS];
        if (shape.digits == LI_DIGITS_6) load_words(words, planes, i);
        EACH_VECTOR
        {
            if (shape.digits == LI_DIGITS_6) {
                if (half) words[v] = li_i16x8_shift_down(words[v], 4);
                words[v] =
                    li_i16x8_or(li_i16x8_and(words[v], nibble), li_i16x8_and(li_i16x8_shift_left(twos[v], 4), upper));
            } else {
                words[v] = li_i16x8_and(twos[v], lower);
            }
            if (shape.digits == LI_DIGITS_3) {
                words[v] = li_i16x8_or(words[v], li_i16x8_and(li_i16x8_shift_left(bits[v], 2), third));
                bits[v] = li_i16x8_shift_down(bits[v], 1);
            }
            twos[v] = li_i16x8_shift_down(twos[v], 2);
        }
        add_group(shape, words, operands, sums);
        operands += operands_size(shape);
    }
}

// ---- tiles -------------------------------------------------------------------------------------------

// Scales and minima of the rows of 32 or 16 columns.
typedef struct part_scales {
    li_f32x4 scales[VECTORS], minima[VECTORS];
} part_scales;

LI_INLINE part_scales load_halves(shape shape, const li_weight_format *format, const uint8_t *unit)
{
    const uint16_t *halves = (const uint16_t *)(const void *)unit;
    part_scales of;
    if (shape.digits == LI_DIGITS_TABLE && format->scaling == LI_SCALING_BRAIN) {
        EACH_VECTOR of.scales[v] = of.minima[v] = li_f32x4_load_brain(halves + 4 * v);
        return of;
    }
    EACH_VECTOR of.scales[v] = of.minima[v] = li_f32x4_load_f16(halves + 4 * v);
    if (shape.scaling == LI_SCALING_HALF_MIN)
        EACH_VECTOR of.minima[v] = li_f32x4_load_f16(halves + LI_TILE_ROWS + 4 * v);
    return of;
}

// Adds the products of 32 columns, or of half of these, to the totals.
LI_INLINE void add_scaled(uint32_t rows, li_i32x4 (*dots)[VECTORS], const part_scales *of, bool has_minima,
                          const int32_t *input_sums, const float *input_scales, li_f32x4 (*totals)[VECTORS])
{
    EACH_ROW(rows)
    {
        li_f32x4 scale = li_f32x4_splat(input_scales[i]);
        EACH_VECTOR
        {
            li_f32x4 both = li_f32x4_mul(of->scales[v], scale);
            totals[i][v] = li_f32x4_add(totals[i][v], li_f32x4_mul(li_f32x4_from_i32x4(dots[i][v]), both));
        }
    }
    if (!has_minima) return;
    EACH_ROW(rows)
    {
        li_f32x4 inputs = li_f32x4_splat((float)input_sums[i] * input_scales[i]);
        EACH_VECTOR totals[i][v] = li_f32x4_sub(totals[i][v], li_f32x4_mul(of->minima[v], inputs));
    }
}

// Each product of 32 columns, or of 16 where scales hold for so many, is exact in 32 bits. Blocks are added as floats,
// in order.
LI_INLINE void multiply_tile(shape shape, const li_weight_format *format, const uint8_t *tile, const li_input *input,
                             uint32_t row, float (*sums)[LI_TILE_ROWS])
{
    const uint32_t rows = shape.rows, halves = has_halves(shape) ? 2 : 1;
    const size_t blocks = input->columns / LI_BLOCK;
    const float *scales = input->scales + row * blocks;
    const int32_t *starts = input->starts + row * blocks, *input_sums = input->sums + row * blocks * 2;
    const uint8_t *operands = input->operands + row * blocks * 2 * LI_BLOCK;
    const bool is_small = shape.scaling < LI_SCALING_BYTE; // blocks of 32 columns
    const li_weight_format known = {.columns = is_small ? LI_BLOCK : LI_SUPER_BLOCK,
                                    .digits = (uint8_t)shape.digits,
                                    .scaling = (uint8_t)shape.scaling};
    const uint32_t head = li_tile_head_size(&known), planes_size = li_tile_planes_size(&known);
    const bool has_minima = li_tile_has_minima(&known);
    // The operands of base 16 and their starts are for weights of digit - 8.
    const bool is_base_16 = shape.digits == LI_DIGITS_4 && !shape.by_bytes;
    const int32_t shift = (is_base_16 ? 8 : 0) - shape.offset;
    li_tile_scales unpacked;
    li_f32x4 totals[ROWS_MAX][VECTORS];
    EACH_ROW(rows) EACH_VECTOR totals[i][v] = li_f32x4_splat(0);
    for (size_t block = 0; block < blocks; block++) {
        const uint32_t part = block % PARTS;
        const uint8_t *unit = tile;
        if (is_small || part == 0) tile += head;
        if (!is_small && part == 0) li_tile_get_scales(format, unit, &unpacked);
        part_scales of;
        if (is_small) of = load_halves(shape, format, unit);
        for (uint32_t half = 0; half < halves; half++) {
            li_i32x4 dots[ROWS_MAX][VECTORS];
            int32_t block_sums[ROWS_MAX];
            EACH_ROW(rows)
            {
                block_sums[i] = halves == 2 ? input_sums[2 * i + half] : input_sums[2 * i] + input_sums[2 * i + 1];
                int32_t start = is_signed(shape) || is_base_16 ? starts[i] : 0;
                if (!is_signed(shape)) start += shift * block_sums[i];
                EACH_VECTOR dots[i][v] = li_i32x4_splat(start);
            }
            if (halves == 2)
                multiply_half(shape, tile, half, operands + 4 * half * operands_size(shape), dots);
            else if (shape.digits == LI_DIGITS_8)
                multiply_8(shape, tile, operands, dots);
            else if (is_base_16)
                multiply_base_16(shape, tile, operands, dots);
            else
                multiply_nibbles(shape, tile, operands, format->table, dots);
            if (!is_small) EACH_VECTOR
                {
                    of.scales[v] = li_f32x4_load(unpacked.scales[halves * part + half] + 4 * v);
                    of.minima[v] = li_f32x4_load(unpacked.minima[halves * part + half] + 4 * v);
                }
            add_scaled(rows, dots, &of, has_minima, block_sums, scales, totals);
        }
        tile += planes_size;
        operands += 8 * operands_size(shape);
        starts += rows;
        input_sums += 2 * rows;
        scales += rows;
    }
    EACH_ROW(rows) EACH_VECTOR li_f32x4_store(sums[i] + 4 * v, totals[i][v]);
}

// ---- a function for every shape ----------------------------------------------------------------------

// digits, scaling, offset. MXFP4 is computed as IQ4_NL.
#define FORMATS_OF_TWO_WAYS(EACH)                                                                                      \
    EACH(8, HALF, 128)                                                                                                 \
    EACH(4, HALF, 8)                                                                                                   \
    EACH(4, HALF_MIN, 0)                                                                                               \
    EACH(4, BYTE_MIN, 0)
// Where there are products by bytes, most of these are faster that way even if emulated; a second way costs bytes.
#define FORMATS_OF_ONE_WAY(EACH)                                                                                       \
    EACH(5, HALF, 16)                                                                                                  \
    EACH(5, HALF_MIN, 0)                                                                                               \
    EACH(5, BYTE_MIN, 0)                                                                                               \
    EACH(6, BYTES, 32)                                                                                                 \
    EACH(3, BYTES, 4)                                                                                                  \
    EACH(2, NIBBLE_MIN, 0)                                                                                             \
    EACH(TABLE, HALF, 0)                                                                                               \
    EACH(TABLE, BYTE, 0)

#define DEFINE(name, digits, scaling, offset, by_bytes, rows)                                                          \
    static void name(const li_weight_format *format, const uint8_t *tile, const li_input *input, uint32_t row,         \
                     float(*sums)[LI_TILE_ROWS])                                                                       \
    {                                                                                                                  \
        multiply_tile((shape){LI_DIGITS_##digits, LI_SCALING_##scaling, offset, by_bytes, rows}, format, tile, input,  \
                      row, sums);                                                                                      \
    }
#define DEFINE_DIGITS(digits, scaling, offset)                                                                         \
    DEFINE(digits_one_##digits##scaling, digits, scaling, offset, false, 1)                                            \
    DEFINE(digits_four_##digits##scaling, digits, scaling, offset, false, ROWS_MAX)
#define DEFINE_BYTES(digits, scaling, offset)                                                                          \
    DEFINE(bytes_one_##digits##scaling, digits, scaling, offset, true, 1)                                              \
    DEFINE(bytes_four_##digits##scaling, digits, scaling, offset, true, ROWS_MAX)
#define DIGITS_ROW(digits, scaling, offset)                                                                            \
    {LI_DIGITS_##digits, LI_SCALING_##scaling, {digits_one_##digits##scaling, digits_four_##digits##scaling}},
#define BYTES_ROW(digits, scaling, offset)                                                                             \
    {LI_DIGITS_##digits, LI_SCALING_##scaling, {bytes_one_##digits##scaling, bytes_four_##digits##scaling}},

// Called through pointers, so that no tool joins the functions: engines optimise very large ones badly.
typedef struct table_row {
    uint8_t digits, scaling;
    li_block_products products;
} table_row;

FORMATS_OF_TWO_WAYS(DEFINE_DIGITS)
#ifdef __wasm_relaxed_simd__
FORMATS_OF_TWO_WAYS(DEFINE_BYTES)
FORMATS_OF_ONE_WAY(DEFINE_BYTES)
static const table_row by_digits[] = {FORMATS_OF_TWO_WAYS(DIGITS_ROW) FORMATS_OF_ONE_WAY(BYTES_ROW)};
static const table_row by_bytes[] = {FORMATS_OF_TWO_WAYS(BYTES_ROW) FORMATS_OF_ONE_WAY(BYTES_ROW)};
#else
FORMATS_OF_ONE_WAY(DEFINE_DIGITS)
static const table_row by_digits[] = {FORMATS_OF_TWO_WAYS(DIGITS_ROW) FORMATS_OF_ONE_WAY(DIGITS_ROW)};
#define by_bytes by_digits
#endif

li_block_products li_block_products_of(const li_weight_format *format)
{
    const uint8_t scaling = format->scaling == LI_SCALING_BRAIN ? LI_SCALING_HALF : format->scaling;
    const table_row *row = li_goes_by_bytes() ? by_bytes : by_digits;
    while (row->digits != format->digits || row->scaling != scaling) row++;
    return row->products;
}
