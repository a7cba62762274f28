// Defines a function for every shape of products, and the table of these functions. Included by
// multiply_small.c and multiply_super.c, which define multiply_tile and three lists of (digits, scaling, offset):
// NUMBERS of signed bytes, INDICES into a table of signed bytes, and UNSIGNED digits below 64, from which the offset is
// taken.
//
// The functions are called through pointers, so that no tool inlines them: engines optimise very large functions badly.
#ifndef LI_MULTIPLY_FORMATS_H
#define LI_MULTIPLY_FORMATS_H

#include "model/multiply_blocks.h"

#define LI_DEFINE_ONE(name, digits, scaling, offset, way, rows)                                                        \
    static void name(const li_weight_format *format, const uint8_t *tile, const li_input *input, uint32_t row,         \
                     float(*sums)[LI_TILE_ROWS])                                                                       \
    {                                                                                                                  \
        multiply_tile((shape){LI_DIGITS_##digits, LI_SCALING_##scaling, offset, way, rows}, format, tile, input, row,  \
                      sums);                                                                                           \
    }
#define LI_DEFINE_WAY(way, digits, scaling, offset)                                                                    \
    LI_DEFINE_ONE(way##_one_##digits##scaling, digits, scaling, offset, LI_WAY_##way, 1)                               \
    LI_DEFINE_ONE(way##_four_##digits##scaling, digits, scaling, offset, LI_WAY_##way, ROWS_MAX)
#define LI_WAY_ROW(way, digits, scaling, offset)                                                                       \
    {LI_DIGITS_##digits,                                                                                               \
     LI_SCALING_##scaling,                                                                                             \
     LI_WAY_##way,                                                                                                     \
     {way##_one_##digits##scaling, way##_four_##digits##scaling}},

#define LI_BY_DIGITS(digits, scaling, offset)  LI_DEFINE_WAY(DIGITS, digits, scaling, offset)
#define LI_BY_PAIRS(digits, scaling, offset)   LI_DEFINE_WAY(PAIRS, digits, scaling, offset)
#define LI_BY_BYTES(digits, scaling, offset)   LI_DEFINE_WAY(BYTES, digits, scaling, offset)
#define LI_DIGITS_ROW(digits, scaling, offset) LI_WAY_ROW(DIGITS, digits, scaling, offset)
#define LI_PAIRS_ROW(digits, scaling, offset)  LI_WAY_ROW(PAIRS, digits, scaling, offset)
#define LI_BYTES_ROW(digits, scaling, offset)  LI_WAY_ROW(BYTES, digits, scaling, offset)
#define LI_END_ROW                                                                                                     \
    {                                                                                                                  \
        .products = { NULL, NULL }                                                                                     \
    }

#ifdef __wasm_relaxed_simd__
#define LI_DEFINE_PRODUCTS(name)                                                                                       \
    NUMBERS(LI_BY_DIGITS)                                                                                              \
    NUMBERS(LI_BY_BYTES)                                                                                               \
    INDICES(LI_BY_BYTES)                                                                                               \
    UNSIGNED(LI_BY_PAIRS)                                                                                              \
    UNSIGNED(LI_BY_BYTES)                                                                                              \
    const li_products_row name[] = {NUMBERS(LI_DIGITS_ROW) NUMBERS(LI_BYTES_ROW) INDICES(LI_BYTES_ROW)                 \
                                        UNSIGNED(LI_PAIRS_ROW) UNSIGNED(LI_BYTES_ROW) LI_END_ROW};
#else
#define LI_DEFINE_PRODUCTS(name)                                                                                       \
    NUMBERS(LI_BY_DIGITS)                                                                                              \
    INDICES(LI_BY_DIGITS)                                                                                              \
    UNSIGNED(LI_BY_DIGITS)                                                                                             \
    const li_products_row name[] = {NUMBERS(LI_DIGITS_ROW) INDICES(LI_DIGITS_ROW) UNSIGNED(LI_DIGITS_ROW) LI_END_ROW};
#endif

#endif
