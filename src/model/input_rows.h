// The rows of inputs of a product, and the quantised form that products with Q8_0 and Q4_0 tiles take.
//
// ---- products by digits ----
// A product of digits needs no widening and no masks. Let half = d0 + d1 B + d2 B^2 + ... with the base B, and
// s_i = half >> (i * bits), which drops the digits below i. Then d_i = s_i - B s_(i+1), and so
//   sum of d_i x_i = sum of s_i (x_i - B x_(i-1)).
// The brackets are computed once a row: they are the operands. The sums may wrap at 32 bits, because the last sum fits.
//
// ---- products by bytes, in builds with relaxed SIMD ----
// One instruction adds four products of signed bytes with bytes of 0 .. 127. For Q8_0 the second factor is |x|: with m
// all ones where x < 0 and 0 elsewhere, w x = (w ^ m) |x| + (m & |x|), and the last term is the same for all weights.
// For Q4_0 the second factor is the weight.
#ifndef LI_INPUT_ROWS_H
#define LI_INPUT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/weight_type.h"

#define LI_ROWS_AT_ONCE 4u // input rows that share each load of the weights

// The number of input rows, of the next `left`, that are multiplied at once.
static inline uint32_t li_rows_at_once(uint32_t left)
{
    return left < LI_ROWS_AT_ONCE ? 1 : LI_ROWS_AT_ONCE;
}

// Rows of inputs for li_matrix_multiply, and their quantised form, computed when a matrix first needs it.
typedef struct li_input {
    uint32_t columns;             // length of a row of `values`
    li_weight_type quantised_for; // type of the weights that the fields below are for; LI_WEIGHT_F32: none
    float *values;                // (rows, columns)
    // The rows that are multiplied at once (4 or 1) lie side by side:
    uint8_t *operands; // (columns / 2, rows at once, 4)
    int32_t *starts;   // (columns / 32, rows at once)
    float *scales;     // (columns / 32, rows at once)
} li_input;

#ifdef __wasm_relaxed_simd__
// Whether products use bytes. The default is yes on processors with the instruction; on others engines emulate it,
// which is slower than digits. A change invalidates inputs that are quantised.
bool li_goes_by_bytes(void);
void li_go_by_bytes(bool by_bytes);
#else
#define li_goes_by_bytes() false
#endif

// Fills operands, starts and scales of `count` rows for matrices of this type. As in llama.cpp the largest magnitude of
// a block becomes 127 and the scale is rounded to half precision. A block with NaN or an infinity gets the scale NaN,
// so the logits of such a row are NaN too.
//   operands, in the order of the digits or bytes of a word:
//     by digits: x_i - B x_(i-1) as int16, (digit, half)
//     by bytes:  Q8_0 |x| and m, each (byte); Q4_0 x of the low and x of the high nibbles, each (byte)
//   starts: the first value of a block's sums, which subtracts the excess of the digits
// Rows that are multiplied at once lie side by side, four bytes of operands of each row in turn: a product finds all
// operands at fixed distances.
void li_input_quantise(li_input *input, uint32_t count, li_weight_type type);

#endif
