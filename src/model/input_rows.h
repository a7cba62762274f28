// The input rows of a product, and their quantised forms for products with quantised weights.
//
// ---- products by digits ----
// A product by digits needs no widening and few masks. A word (blocks/tile.h) is two halves of 16 bits. Each half is a
// number in base B whose digits are weights: half = d0 + d1 B + d2 B^2 + ... Let s_i = half >> (i * bits), which drops
// the digits below i. Then d_i = s_i - B s_(i+1), and so
//   sum of d_i x_i = sum of s_i (x_i - B x_(i-1)).
// The operands, x_i - B x_(i-1), are computed once a row. Sums may wrap at 32 bits on the way, because the final sum
// fits. The highest digit carries the sign of the half.
//
// ---- products by bytes and by pairs, in builds with relaxed SIMD ----
// One instruction multiplies signed bytes with bytes of 0 .. 127 and adds four products each to a sum of 32 bits
// (LI_WAY_BYTES). Processors without this instruction add two products each to a number of 16 bits, and another
// instruction adds these (LI_WAY_PAIRS).
// Weights of less than 8 bits are the second factor. For signed weights the second factor is |x|: with m all ones where
// x < 0 and 0 elsewhere, w x = (w ^ m) |x| + (m & |x|), and the last term is the same for all weights. No two of these
// products fit 16 bits, so signed weights are never multiplied by pairs.
#ifndef LI_INPUT_ROWS_H
#define LI_INPUT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/weight_type.h"

#define LI_ROWS_AT_ONCE 4u // input rows that share each load of the weights

// The number of input rows, of the next `left`, that are multiplied at once. Four rows at once take less time than
// three single rows, so three rows are multiplied with an unused fourth.
static inline uint32_t li_rows_at_once(uint32_t left)
{
    return left < LI_ROWS_AT_ONCE - 1 ? 1 : LI_ROWS_AT_ONCE;
}

// Rows of inputs for li_matrix_multiply, and their quantised form, computed when a matrix first needs it.
typedef struct li_input {
    uint32_t columns;             // length of a row of `values`
    li_weight_type quantised_for; // weight type that the fields below serve; LI_WEIGHT_F32: they are invalid
    float *values;                // (rows, columns)
    // The rows that are multiplied at once (4 or 1) lie side by side:
    uint8_t *operands; // (columns / 2, rows at once, 4); the form `bytes` uses the first half
    int32_t *starts;   // (columns / 32, rows at once, 2)
    int16_t *sums;     // (columns / 32, rows at once, 2)
    float *scales;     // (columns / 32, or / 256 for blocks of 256; rows at once)
} li_input;

// Takes memory for `rows` rows, rounded up to a multiple of LI_ROWS_AT_ONCE, of at most `columns` numbers. False: no
// memory; the caller calls li_input_destroy.
bool li_input_create(li_input *input, uint32_t rows, uint32_t columns);
void li_input_destroy(li_input *input);

// The integer arithmetic of products with quantised weights, described above.
typedef enum li_way {
    LI_WAY_DIGITS,
    LI_WAY_PAIRS,
    LI_WAY_BYTES,
} li_way;

// The arithmetic for a block format in this build, on this processor.
li_way li_way_of(const li_weight_format *format);

#ifdef __wasm_relaxed_simd__
// Whether the processor has the instruction of LI_WAY_BYTES, which engines otherwise emulate. Tests override the
// answer; that invalidates quantised inputs.
bool li_goes_by_bytes(void);
void li_go_by_bytes(bool by_bytes);
#endif

// Quantises the values for products with matrices of a quantised type, unless the fields already serve the type. As in
// llama.cpp the largest magnitude of 32 columns (256 for types with blocks of 256) becomes 127, and the scale of 32
// columns is rounded to half precision. Columns with NaN or an infinity get the scale NaN, so the logits of such a row
// are NaN too.
//   operands, in the order of columns unless said:
//     by digits, 4 bits (base 16):      x_i - 16 x_(i-1) as int16, (word, digit, half)
//     by digits, others (base 256):     x_i - 256 x_(i-1) as int16, (group, digit, half)
//     signed weights by bytes:          |x| of a group and its m, each (byte)
//     others, by bytes or pairs:        x as int8
//   starts, by digits: the first value of a block's sums, and 0. The value subtracts the excess, 8 or 128, of all
//     digits but the highest. Signed weights by bytes: the last term above, and 0. Others: for columns 0 to 15 and 16
//     to 31 the sums of x at even and at odd pairs of columns, two numbers of 16 bits.
//   sums: of the quantised inputs of columns 0 to 15 and 16 to 31
// Rows that are multiplied at once lie side by side, four bytes of operands of each row in turn: a product finds all
// operands at fixed distances.
void li_input_quantise(li_input *input, uint32_t count, li_weight_type type);

// Whether the quantised fields serve the type.
bool li_input_serves(const li_input *input, li_weight_type type);

#endif
