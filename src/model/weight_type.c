// The table of GGML's types. Layouts: ggml-common.h of llama.cpp.
#include "model/weight_type.h"

#include <stddef.h>

// What the indices of IQ4_NL and IQ4_XS stand for. For MXFP4: twice the value plus 12 (OCP Microscaling Formats 1.0,
// E2M1).
static const int8_t iq4_table[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const int8_t mxfp4_table[16] = {12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0};

// By number; a row of zeros: no such type. Types that the forward pass does not compute with have rows too, because the
// offsets of a file depend on the sizes of all tensors.
#define FLOATS(size)                                                                                                   \
    {                                                                                                                  \
        1, size, LI_DIGITS_FLOAT, LI_SCALING_NONE, 0, NULL, NULL                                                       \
    }
#define BLOCKS(columns, size, digits, scaling, offset, table, read)                                                    \
    {                                                                                                                  \
        columns, size, LI_DIGITS_##digits, LI_SCALING_##scaling, offset, table, li_block_read_##read                   \
    }
#define UNKNOWN(columns, size)                                                                                         \
    {                                                                                                                  \
        columns, size, LI_DIGITS_UNKNOWN, LI_SCALING_NONE, 0, NULL, NULL                                               \
    }
static const li_weight_format formats[] = {
    [LI_WEIGHT_F32] = FLOATS(4),
    [LI_WEIGHT_F16] = FLOATS(2),
    [LI_WEIGHT_BF16] = FLOATS(2),
    [LI_WEIGHT_Q4_0] = BLOCKS(32, 18, 4, HALF, 8, NULL, q4_0),
    [LI_WEIGHT_Q4_1] = BLOCKS(32, 20, 4, HALF_MIN, 0, NULL, q4_1),
    [LI_WEIGHT_Q5_0] = BLOCKS(32, 22, 5, HALF, 16, NULL, q5_0),
    [LI_WEIGHT_Q5_1] = BLOCKS(32, 24, 5, HALF_MIN, 0, NULL, q5_1),
    [LI_WEIGHT_Q8_0] = BLOCKS(32, 34, 8, HALF, 128, NULL, q8_0),
    [LI_WEIGHT_Q2_K] = BLOCKS(256, 84, 2, NIBBLE_MIN, 0, NULL, q2_k),
    [LI_WEIGHT_Q3_K] = BLOCKS(256, 110, 3, BYTES, 4, NULL, q3_k),
    [LI_WEIGHT_Q4_K] = BLOCKS(256, 144, 4, BYTE_MIN, 0, NULL, q4_k),
    [LI_WEIGHT_Q5_K] = BLOCKS(256, 176, 5, BYTE_MIN, 0, NULL, q5_k),
    [LI_WEIGHT_Q6_K] = BLOCKS(256, 210, 6, BYTES, 32, NULL, q6_k),
    [LI_WEIGHT_IQ4_NL] = BLOCKS(32, 18, TABLE, HALF, 0, iq4_table, q4_0),
    [LI_WEIGHT_IQ4_XS] = BLOCKS(256, 136, TABLE, BYTE, 0, iq4_table, iq4_xs),
    [LI_WEIGHT_MXFP4] = BLOCKS(32, 17, LOW, BRAIN, 12, mxfp4_table, mxfp4),
    [9] = UNKNOWN(32, 36),    // Q8_1
    [15] = UNKNOWN(256, 292), // Q8_K
    [16] = UNKNOWN(256, 66),  // IQ2_XXS
    [17] = UNKNOWN(256, 74),  // IQ2_XS
    [18] = UNKNOWN(256, 98),  // IQ3_XXS
    [19] = UNKNOWN(256, 50),  // IQ1_S
    [21] = UNKNOWN(256, 110), // IQ3_S
    [22] = UNKNOWN(256, 82),  // IQ2_S
    [24] = UNKNOWN(1, 1),     // I8
    [25] = UNKNOWN(1, 2),     // I16
    [26] = UNKNOWN(1, 4),     // I32
    [27] = UNKNOWN(1, 8),     // I64
    [28] = UNKNOWN(1, 8),     // F64
    [29] = UNKNOWN(256, 56),  // IQ1_M
    [34] = UNKNOWN(256, 54),  // TQ1_0
    [35] = UNKNOWN(256, 66),  // TQ2_0
    [40] = UNKNOWN(64, 36),   // NVFP4
    [41] = UNKNOWN(128, 18),  // Q1_0
    [42] = UNKNOWN(64, 18),   // Q2_0
};

const li_weight_format *li_weight_format_of(uint32_t number)
{
    bool is_listed = number < sizeof formats / sizeof *formats && formats[number].size;
    return is_listed ? &formats[number] : NULL;
}
