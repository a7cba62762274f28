// Inputs quantised as the products with Q8_0 and Q4_0 tiles take them.
//
// A product of digits costs no widening and no masks. Let half = d0 + d1 B + d2 B^2 + ... with the base B
// and s_i = half >> (i * bits), which drops the digits below i. Then d_i = s_i - B s_(i+1), and so
//   sum of d_i x_i = sum of s_i (x_i - B x_(i-1)).
// The brackets are made once a row: they are the operands. The sums wrap at 32 bits, which changes nothing,
// because the last one fits.
#ifndef LI_QUANTISE_H
#define LI_QUANTISE_H

#include "model/matrix.h"

// Fills operands, starts and scales of `count` rows for matrices of this type. A block's largest magnitude
// becomes 127 and the scale is rounded to half precision, as llama.cpp does, so that results are near. A
// block that holds NaN or an infinity gets the scale NaN, so that a broken row shows in its logits.
//   operands: x_i - B x_(i-1) as int16, (digit, half) within a group
//   starts:   what a block's sums begin with, to take off what the digits are too large
void li_quantise(li_input *input, uint32_t count, li_weight_type type);

#endif
