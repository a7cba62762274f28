// Products of digits with operands in integer arithmetic, for multiply_small.c and multiply_super.c. The shape is a
// constant wherever these functions are inlined, so the small loops are unrolled and sums stay in registers.
#ifndef LI_MULTIPLY_DIGITS_H
#define LI_MULTIPLY_DIGITS_H

#include "base/simd.h"
#include "model/blocks/tile.h"
#include "model/input_rows.h"

#define VECTORS  (LI_TILE_ROWS / 4u) // of four tile rows
#define ROWS_MAX LI_ROWS_AT_ONCE

// The compile-time constants of a product.
typedef struct shape {
    li_digits digits;
    li_scaling scaling;
    uint8_t offset;
    li_way way;
    uint32_t rows;
} shape;

LI_INLINE bool is_signed(shape shape)
{
    return shape.digits == LI_DIGITS_8 || shape.digits == LI_DIGITS_TABLE;
}

// Whether a scale holds for 16 columns.
LI_INLINE bool has_halves(shape shape)
{
    return shape.digits == LI_DIGITS_6 || shape.digits == LI_DIGITS_3 || shape.digits == LI_DIGITS_2;
}

// Bytes of the operands of a group (see input_rows.h) for all rows.
LI_INLINE uint32_t operands_size(shape shape)
{
    return (shape.way != LI_WAY_DIGITS && !is_signed(shape) ? 4 : 8) * shape.rows;
}

#ifdef __wasm__
#define FOR_SHAPE LI_INLINE
// Unrolled at every level of optimisation: sums stay in registers only if every index is a constant.
#define UNROLLED    _Pragma("clang loop unroll(full)")
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)") // unrolled, the loads come first and the sums are spilled
#else
// Native code is only for tests: without inlining it is compiled in a tenth of the time.
#define FOR_SHAPE static inline
#define UNROLLED
#define KEEP_ROLLED
#endif
#define EACH_VECTOR    UNROLLED for (uint32_t v = 0; v < VECTORS; v++)
#define EACH_ROW(rows) UNROLLED for (uint32_t i = 0; i < (rows); i++)

// ---- words of one group ------------------------------------------------------------------------------

// Adds the products of a group's words, of four tile rows each, with its operands.
FOR_SHAPE void add_group(shape shape, li_i16x8 *words, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
#ifdef __wasm_relaxed_simd__
    if (shape.way == LI_WAY_PAIRS) {
        EACH_ROW(shape.rows)
        {
            li_i16x8 x = li_i16x8_splat_pair(operands + 4 * i);
            EACH_VECTOR sums[i][v] = li_i16x8_add(sums[i][v], li_i16x8_dot_bytes(x, words[v]));
        }
        return;
    }
    if (shape.way == LI_WAY_BYTES) {
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

FOR_SHAPE li_i16x8 load_mask(const uint32_t *mask)
{
    return li_i16x8_splat_pair((const uint8_t *)mask);
}

FOR_SHAPE void load_words(li_i16x8 *words, const uint8_t *planes, uint32_t w)
{
    EACH_VECTOR words[v] = li_i16x8_load(planes + 4 * (w * LI_TILE_ROWS + 4 * v));
}

// ---- blocks ------------------------------------------------------------------------------------------

FOR_SHAPE void multiply_8(shape shape, const uint8_t *planes, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
    KEEP_ROLLED
    for (uint32_t g = 0; g < LI_BLOCK / 4; g++) {
        li_i16x8 words[VECTORS];
        load_words(words, planes, g);
        add_group(shape, words, operands, sums);
        operands += operands_size(shape);
    }
}

FOR_SHAPE void multiply_base_16(shape shape, const uint8_t *planes, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
    KEEP_ROLLED
    for (uint32_t w = 0; w < 4; w++) {
        li_i16x8 halves[VECTORS];
        load_words(halves, planes, w);
        UNROLLED
        for (uint32_t digit = 0; digit < 4; digit++) {
            EACH_VECTOR if (digit) halves[v] = li_i16x8_shift_right(halves[v], 4);
            for (uint32_t i = 0; i < shape.rows; i++, operands += 4) {
                li_i16x8 x = li_i16x8_splat_pair(operands);
                EACH_VECTOR sums[i][v] = li_i32x4_add(sums[i][v], li_i32x4_dot(halves[v], x));
            }
        }
    }
}

// A block of a tile with the operands of its input rows. `starts` and `sums`: the fields of li_input, at the block.
typedef struct tile_block {
    const uint8_t *planes, *operands;
    const int8_t *table; // of the weight format
    const int32_t *starts;
    const int16_t *sums;
} tile_block;

// Halves `first` to `end` - 1 of a plane of 4 bits: numbers, indices, or the low bits of 5-bit digits.
FOR_SHAPE void multiply_nibbles(shape shape, tile_block of, uint32_t first, uint32_t end, li_i32x4 (*sums)[VECTORS])
{
    const uint8_t *planes = of.planes, *operands = of.operands;
    const bool are_indices = li_digits_are_indices(shape.digits);
    const li_i16x8 nibble = load_mask(&li_tile_masks.nibbles), fifth = load_mask(&li_tile_masks.bit_4);
    li_i16x8 bits[VECTORS], values = nibble, signs = nibble;
    // The lower digit of a half is a byte without a sign.
    const bool is_flipped = shape.digits == LI_DIGITS_TABLE && shape.way == LI_WAY_DIGITS;
    if (is_flipped) signs = load_mask(&li_tile_masks.lower_signs);
    if (shape.digits == LI_DIGITS_5) {
        load_words(bits, planes, 0);
        planes += 4 * LI_TILE_ROWS;
    }
    if (are_indices) values = li_i16x8_load((const uint8_t *)of.table);
    KEEP_ROLLED
    for (uint32_t w = 0; w < 4; w++) {
        li_i16x8 both[VECTORS], words[VECTORS];
        load_words(both, planes, w);
        UNROLLED
        for (uint32_t half = first; half < end; half++) {
            EACH_VECTOR
            {
                words[v] = li_i16x8_and(half ? li_i16x8_shift_down(both[v], 4) : both[v], nibble);
                if (are_indices) words[v] = li_i8x16_look_up(values, words[v]);
                if (is_flipped) words[v] = li_i16x8_xor(words[v], signs);
                if (shape.digits == LI_DIGITS_5) {
                    li_i16x8 high = half ? bits[v] : li_i16x8_shift_left(bits[v], 4);
                    words[v] = li_i16x8_or(words[v], li_i16x8_and(high, fifth));
                    if (half == end - 1) bits[v] = li_i16x8_shift_down(bits[v], 1);
                }
            }
            add_group(shape, words, operands + 4 * half * operands_size(shape), sums);
        }
        operands += operands_size(shape);
    }
}

// Sixteen columns of digits of 6 bits.
FOR_SHAPE void multiply_sixes(shape shape, const uint8_t *planes, const uint8_t *operands, li_i32x4 (*sums)[VECTORS])
{
    const li_i16x8 six = load_mask(&li_tile_masks.bits_0_5), two = load_mask(&li_tile_masks.bits_0_1);
    li_i16x8 last[VECTORS];
    EACH_VECTOR last[v] = li_i16x8_sub(two, two);
    KEEP_ROLLED
    for (uint32_t w = 0; w < 3; w++) {
        li_i16x8 words[VECTORS];
        load_words(words, planes, w);
        EACH_VECTOR
        {
            last[v] = li_i16x8_or(li_i16x8_shift_left(last[v], 2), li_i16x8_and(li_i16x8_shift_down(words[v], 6), two));
            words[v] = li_i16x8_and(words[v], six);
        }
        add_group(shape, words, operands, sums);
        operands += operands_size(shape);
    }
    add_group(shape, last, operands, sums);
}

// Sixteen columns of digits of 3 or 2 bits: half 0 or 1 of a block.
FOR_SHAPE void multiply_half(shape shape, const uint8_t *planes, uint32_t half, const uint8_t *operands,
                             li_i32x4 (*sums)[VECTORS])
{
    const li_i16x8 lower = load_mask(&li_tile_masks.bits_0_1), third = load_mask(&li_tile_masks.bit_2);
    li_i16x8 bits[VECTORS], twos[VECTORS];
    if (shape.digits == LI_DIGITS_3) {
        load_words(bits, planes, 0);
        EACH_VECTOR bits[v] = li_i16x8_shift_down(bits[v], 4 * half);
        planes += 4 * LI_TILE_ROWS;
    }
    load_words(twos, planes, half);
    KEEP_ROLLED
    for (uint32_t i = 0; i < 4; i++) {
        li_i16x8 words[VECTORS];
        EACH_VECTOR
        {
            words[v] = li_i16x8_and(twos[v], lower);
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

// ---- sums of a block ---------------------------------------------------------------------------------

#ifdef __wasm_relaxed_simd__
// The number that LI_WAY_PAIRS subtracts from digits, so that sums fit 16 bits: 16 columns of digits below 16, or 8
// columns of digits below 32, times 127.
FOR_SHAPE int32_t centre_of(shape shape)
{
    return shape.digits == LI_DIGITS_5 ? 16 : shape.offset;
}
#endif

// Initialises the sums of half `half` of a block, or of the whole block (half 2).
FOR_SHAPE void begin_sums(shape shape, uint32_t half, tile_block of, li_i32x4 (*dots)[VECTORS])
{
    const int32_t *starts = of.starts;
    const int16_t *sums = of.sums;
    EACH_ROW(shape.rows)
    {
        li_i32x4 start;
#ifdef __wasm_relaxed_simd__
        if (shape.way == LI_WAY_PAIRS) {
            start = li_i16x8_splat_pair((const uint8_t *)(starts + 2 * i + half % 2));
            if (half == 2) start = li_i16x8_add(start, li_i16x8_splat_pair((const uint8_t *)(starts + 2 * i + 1)));
            start = li_i16x8_scale(start, -centre_of(shape));
            EACH_VECTOR dots[i][v] = start;
            continue;
        }
#endif
        // The operands of base 16 and their starts are for weights of digit - 8.
        const bool is_base_16 = shape.digits == LI_DIGITS_4 && shape.way == LI_WAY_DIGITS;
        const int32_t shift = (is_base_16 ? 8 : 0) - shape.offset;
        int32_t first = is_signed(shape) || is_base_16 ? starts[2 * i] : 0;
        if (!is_signed(shape)) first += shift * (half == 2 ? sums[2 * i] + sums[2 * i + 1] : sums[2 * i + half]);
        start = li_i32x4_splat(first);
        EACH_VECTOR dots[i][v] = start;
    }
}

#ifdef __wasm_relaxed_simd__
// Widens the sums of LI_WAY_PAIRS to lanes of 32 bits.
FOR_SHAPE void add_pairs(shape shape, uint32_t half, const int16_t *sums, li_i32x4 (*dots)[VECTORS])
{
    const int32_t missing = centre_of(shape) - shape.offset;
    EACH_ROW(shape.rows)
    {
        EACH_VECTOR dots[i][v] = li_i32x4_add_pairs(dots[i][v]);
        if (!missing) continue;
        li_i32x4 rest = li_i32x4_splat(missing * (half == 2 ? sums[2 * i] + sums[2 * i + 1] : sums[2 * i + half]));
        EACH_VECTOR dots[i][v] = li_i32x4_add(dots[i][v], rest);
    }
}
#endif

// Adds the products of half `half` of a block, or of the whole block (half 2).
FOR_SHAPE void multiply_digits(shape shape, uint32_t half, tile_block of, li_i32x4 (*dots)[VECTORS])
{
    const uint8_t *planes = of.planes, *operands = of.operands;
    if (shape.digits == LI_DIGITS_6)
        multiply_sixes(shape, planes + 12 * half * LI_TILE_ROWS, operands + 4 * half * operands_size(shape), dots);
    else if (half < 2)
        multiply_half(shape, planes, half, operands + 4 * half * operands_size(shape), dots);
    else if (shape.digits == LI_DIGITS_8)
        multiply_8(shape, planes, operands, dots);
    else if (shape.digits == LI_DIGITS_4 && shape.way == LI_WAY_DIGITS)
        multiply_base_16(shape, planes, operands, dots);
    else if (shape.rows == 1 || shape.digits == LI_DIGITS_TABLE || shape.digits == LI_DIGITS_5) {
        multiply_nibbles(shape, of, 0, 2, dots);
    } else {
        // One loop for each half: in a single loop compilers delay the sums of the first half and run out of registers.
        multiply_nibbles(shape, of, 0, 1, dots);
        multiply_nibbles(shape, of, 1, 2, dots);
    }
}

// The dot products of half `half` of a block, or of the whole block (half 2), with weights `digit - offset`.
FOR_SHAPE void multiply_part(shape shape, uint32_t half, tile_block of, li_i32x4 (*dots)[VECTORS])
{
    begin_sums(shape, half, of, dots);
    multiply_digits(shape, half, of, dots);
#ifdef __wasm_relaxed_simd__
    if (shape.way == LI_WAY_PAIRS) add_pairs(shape, half, of.sums, dots);
#endif
}

#endif
