// The types of tensors: their layout in files and in tiles. A block format is a row of the table in weight_type.c and a
// reader in blocks/. A new layout of digits also needs a product in multiply_digits.h.
#ifndef LI_WEIGHT_TYPE_H
#define LI_WEIGHT_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "model/blocks/block.h"

// GGML's numbers of the types that the forward pass computes with.
typedef enum li_weight_type {
    LI_WEIGHT_F32 = 0,
    LI_WEIGHT_F16 = 1,
    LI_WEIGHT_Q4_0 = 2,
    LI_WEIGHT_Q4_1 = 3,
    LI_WEIGHT_Q5_0 = 6,
    LI_WEIGHT_Q5_1 = 7,
    LI_WEIGHT_Q8_0 = 8,
    LI_WEIGHT_Q2_K = 10,
    LI_WEIGHT_Q3_K = 11,
    LI_WEIGHT_Q4_K = 12,
    LI_WEIGHT_Q5_K = 13,
    LI_WEIGHT_Q6_K = 14,
    LI_WEIGHT_IQ4_NL = 20,
    LI_WEIGHT_IQ4_XS = 23,
    LI_WEIGHT_BF16 = 30,
    LI_WEIGHT_MXFP4 = 39,
} li_weight_type;

// How tiles store the weights of a type. The digits of blocks lie in planes (blocks/tile.h).
typedef enum li_digits {
    LI_DIGITS_UNKNOWN, // the forward pass does not compute with the type
    LI_DIGITS_FLOAT,   // F32, F16, BF16: numbers, no digits
    LI_DIGITS_8,       // bytes
    LI_DIGITS_4,       // one plane of 4 bits
    LI_DIGITS_TABLE,   // the same, of indices into a table of signed bytes
    LI_DIGITS_LOW,     // the same, of indices into a table of bytes below 32
    LI_DIGITS_5,       // a plane of 1 bit and one of 4
    LI_DIGITS_6,       // 2 and 4 bits
    LI_DIGITS_3,       // 1 and 2 bits
    LI_DIGITS_2,       // 2 bits
} li_digits;

// The scale and the minimum of a block: a weight is digit * scale - minimum.
typedef enum li_scaling {
    LI_SCALING_NONE,
    LI_SCALING_HALF,       // a half scale for 32 columns
    LI_SCALING_BRAIN,      // the upper 16 bits of a float, for 32 columns
    LI_SCALING_HALF_MIN,   // a half scale and a half minimum for 32 columns
    LI_SCALING_BYTE,       // a half for 256 columns times a signed byte for 32
    LI_SCALING_BYTE_MIN,   // LI_SCALING_BYTE, and a minimum of the same form
    LI_SCALING_BYTES,      // a half for 256 columns times a signed byte for 16
    LI_SCALING_NIBBLE_MIN, // a half for 256 columns times 4 bits for 16, and a minimum of the same form
} li_scaling;

typedef struct li_weight_format {
    uint16_t columns; // of a block in the file
    uint16_t size;    // bytes of a block in the file
    uint8_t digits;   // li_digits
    uint8_t scaling;  // li_scaling
    uint8_t offset;   // the weight of a digit is digit - offset; of indices table[digit] - offset
    const int8_t *table;
    // Reads columns 32 * part to 32 * part + 31 of a block of the file.
    void (*read)(li_block *block, const uint8_t *raw, uint32_t part);
} li_weight_format;

// Whether the digits are indices into the format's table.
static inline bool li_digits_are_indices(li_digits digits)
{
    return digits == LI_DIGITS_TABLE || digits == LI_DIGITS_LOW;
}

// The format of a type. NULL: GGML has no type of this number.
const li_weight_format *li_weight_format_of(uint32_t number);

// Whether the forward pass computes with the type of this number of GGML.
static inline bool li_weight_is_known(uint32_t number)
{
    const li_weight_format *format = li_weight_format_of(number);
    return format && format->digits != LI_DIGITS_UNKNOWN;
}

// Whether weights of a known type are blocks of numbers that share a scale.
static inline bool li_weight_is_quantised(li_weight_type type)
{
    LI_ASSERT(li_weight_is_known(type));
    return li_weight_format_of(type)->columns > 1;
}

// Bytes of a row of `columns` weights of a known type in the file; a multiple of the format's columns.
static inline uint64_t li_weight_row_size(li_weight_type type, uint32_t columns)
{
    const li_weight_format *format = li_weight_format_of(type);
    LI_ASSERT(format && columns % format->columns == 0);
    return (uint64_t)columns / format->columns * format->size;
}

#endif
