// The types of weights that the forward pass computes with, and how files store them. To add a block format: its number
// and sizes here, its repacking in matrix.c, what its products take from the inputs in input_rows.c, its product in
// multiply.c.
#ifndef LI_WEIGHT_TYPE_H
#define LI_WEIGHT_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#define LI_BLOCK 32u // columns that share a scale in Q8_0, Q4_0 and quantised inputs

// Numbers of GGML.
typedef enum li_weight_type {
    LI_WEIGHT_F32 = 0,
    LI_WEIGHT_F16 = 1,
    LI_WEIGHT_Q4_0 = 2,
    LI_WEIGHT_Q8_0 = 8,
} li_weight_type;

// Whether weights of this type are blocks of LI_BLOCK numbers that share a scale.
static inline bool li_weight_is_quantised(li_weight_type type)
{
    return type == LI_WEIGHT_Q8_0 || type == LI_WEIGHT_Q4_0;
}

// Whether a number of GGML is one of these types.
static inline bool li_weight_is_known(uint32_t number)
{
    return number == LI_WEIGHT_F32 || number == LI_WEIGHT_F16 || li_weight_is_quantised((li_weight_type)number);
}

// Bits of a weight of a quantised type.
static inline uint32_t li_weight_digit_bits(li_weight_type type)
{
    return type == LI_WEIGHT_Q4_0 ? 4 : 8;
}

// Bytes of a block of a quantised type in the file: a half scale and the digits.
static inline uint32_t li_weight_block_size(li_weight_type type)
{
    return 2 + LI_BLOCK * li_weight_digit_bits(type) / 8;
}

// Bytes of a row of `columns` weights in the file; for quantised types a multiple of LI_BLOCK.
static inline uint64_t li_weight_row_size(li_weight_type type, uint32_t columns)
{
    if (li_weight_is_quantised(type)) return (uint64_t)columns / LI_BLOCK * li_weight_block_size(type);
    return (uint64_t)columns * (type == LI_WEIGHT_F16 ? 2 : 4);
}

#endif
