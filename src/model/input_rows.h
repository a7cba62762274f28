// The rows of inputs of a product, and their quantised form, which products with Q8_0 and Q4_0 tiles take.
//
// ---- the way of digits ----
// A product of digits costs no widening and no masks. Let half = d0 + d1 B + d2 B^2 + ... with the base B
// and s_i = half >> (i * bits), which drops the digits below i. Then d_i = s_i - B s_(i+1), and so
//   sum of d_i x_i = sum of s_i (x_i - B x_(i-1)).
// The brackets are made once a row: they are the operands. The sums wrap at 32 bits, which changes nothing,
// because the last one fits.
//
// ---- the way of bytes, in builds with relaxed SIMD ----
// One instruction adds four products of signed bytes with bytes of 0 .. 127. For Q8_0 the latter are |x|: with
// m all ones where x < 0, else 0, w x = (w ^ m) |x| + (m & |x|), and the last term is the same for all weights.
// For Q4_0 they are the weights.
#ifndef LI_INPUT_ROWS_H
#define LI_INPUT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/weight_type.h"

#define LI_ROWS_AT_ONCE 4u // input rows that share each load of the weights

// How many of the next `left` input rows are multiplied at once.
static inline uint32_t li_rows_at_once(uint32_t left)
{
    return left < LI_ROWS_AT_ONCE ? 1 : LI_ROWS_AT_ONCE;
}

// Rows of inputs for li_matrix_multiply, and their quantised form, made when a matrix first needs it.
typedef struct li_input {
    uint32_t columns;             // length of a row, here and in `values`
    li_weight_type quantised_for; // the type that the fields after `values` serve; LI_WEIGHT_F32: none
    float *values;                // (rows, columns)
    // Of the rows that are multiplied at once (4 or 1) side by side:
    uint8_t *operands; // (columns / 2, rows at once, 4)
    int32_t *starts;   // (columns / 32, rows at once)
    float *scales;     // (columns / 32, rows at once)
} li_input;

#ifdef __wasm_relaxed_simd__
// Whether products go by bytes. At first they do where the processor has that instruction; where it has not,
// engines make it from several, and the way of digits is faster. Inputs quantised before a change are void.
bool li_goes_by_bytes(void);
void li_go_by_bytes(bool by_bytes);
#else
#define li_goes_by_bytes() false
#endif

// Fills operands, starts and scales of `count` rows for matrices of this type. A block's largest magnitude
// becomes 127 and the scale is rounded to half precision, as llama.cpp does, so that results are near. A
// block that holds NaN or an infinity gets the scale NaN, so that a broken row shows in its logits.
//   operands: of a group, in the order of the digits or bytes of a word
//     digits: x_i - B x_(i-1) as int16, (digit, half)
//     bytes:  Q8_0 |x| and m, each (byte); Q4_0 x of the low and x of the high nibbles, each (byte)
//   starts: what a block's sums begin with, to take off what the digits are too large
// Rows that are multiplied at once lie side by side, four bytes of operands of each in turn, so that a product finds
// all it needs at fixed distances.
void li_quantise(li_input *input, uint32_t count, li_weight_type type);

#endif
