#include "model/quantise.h"

#include <string.h>

#include "base/simd.h"

// To the 11 significant bits of a half float (Veltkamp's splitting), without a half's narrow range.
static float round_to_half(float a)
{
    float big = a * 8193.0f;
    return big - (big - a);
}

// Returns the block's scale; x (LI_BLOCK), quants (LI_BLOCK) in -127 .. 127.
static float quantise_block(int16_t *quants, const float *x)
{
    li_f32x4 largest = li_f32x4_splat(0), broken = largest;
    for (uint32_t j = 0; j < LI_BLOCK; j += 4) {
        li_f32x4 a = li_f32x4_load(x + j);
        largest = li_f32x4_pmax(largest, li_f32x4_abs(a));
        broken = li_f32x4_add(broken, li_f32x4_sub(a, a));
    }
    float nans[4], most = li_f32x4_largest(largest);
    li_f32x4_store(nans, broken);
    // Below 2^-100 nothing is left of a block beside any other.
    li_f32x4 inverse = li_f32x4_splat(most > 0x1p-100f ? 127.0f / most : 0.0f);
    for (uint32_t j = 0; j < LI_BLOCK; j += 8)
        li_i16x8_store_nearest(quants + j, li_f32x4_mul(li_f32x4_load(x + j), inverse),
                               li_f32x4_mul(li_f32x4_load(x + j + 4), inverse));
    return round_to_half(most / 127.0f) + (nans[0] + nans[1] + nans[2] + nans[3]);
}

// Returns the block's start. `group` columns make a word; `bits` of a digit.
LI_INLINE int32_t arrange_block(uint8_t *operands, const int16_t *quants, uint32_t bits)
{
    const uint32_t group = 32 / bits;
    const int32_t base = 1 << bits;
    int16_t arranged[LI_BLOCK];
    int32_t excess = 0;
    for (uint32_t j = 0; j < LI_BLOCK; j++) {
        bool is_lowest = j % group < 2, is_highest = j % group >= group - 2;
        arranged[j] = (int16_t)(is_lowest ? quants[j] : quants[j] - base * quants[j - 2]);
        excess += is_highest ? 0 : quants[j];
    }
    memcpy(operands, arranged, sizeof arranged);
    return -excess * (base / 2);
}

void li_quantise(li_input *input, uint32_t count, li_weight_type type)
{
    for (size_t at = 0; at < (size_t)count * input->columns; at += LI_BLOCK) {
        int16_t quants[LI_BLOCK];
        input->scales[at / LI_BLOCK] = quantise_block(quants, input->values + at);
        uint8_t *operands = input->operands + 2 * at;
        input->starts[at / LI_BLOCK] =
            type == LI_WEIGHT_Q4_0 ? arrange_block(operands, quants, 4) : arrange_block(operands, quants, 8);
    }
    input->quantised_for = type;
}
