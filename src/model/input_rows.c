#include "model/input_rows.h"

#include <string.h>

#include "base/simd.h"

// Rounds to the 11 significant bits of a half float (Veltkamp's splitting), without the half's narrow range.
static float round_to_half(float a)
{
    float big = a * 8193.0f;
    return big - (big - a);
}

// Quantises x (LI_BLOCK) to quants (LI_BLOCK) in -127 .. 127. Returns the block's scale.
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
    // A block with a peak below 2^-100 becomes zeros.
    li_f32x4 inverse = li_f32x4_splat(most > 0x1p-100f ? 127.0f / most : 0.0f);
    for (uint32_t j = 0; j < LI_BLOCK; j += 8)
        li_i16x8_store_nearest(quants + j, li_f32x4_mul(li_f32x4_load(x + j), inverse),
                               li_f32x4_mul(li_f32x4_load(x + j + 4), inverse));
    return round_to_half(most / 127.0f) + (nans[0] + nans[1] + nans[2] + nans[3]);
}

// Writes the operands of a block for products by digits. Returns its start. `bits`: of a digit.
LI_INLINE int32_t arrange_digits(uint8_t *operands, const int16_t *quants, uint32_t bits)
{
    // 1 for all digits but the highest.
    static const int16_t lower[2][8] = {{1, 1, 0, 0, 1, 1, 0, 0}, {1, 1, 1, 1, 1, 1, 0, 0}};
    const bool in_twos = bits == 8;
    li_i16x8 ones = li_i16x8_load((const uint8_t *)lower[!in_twos]);
    li_i32x4 excess = li_i32x4_splat(0);
    for (uint32_t j = 0; j < LI_BLOCK; j += 8) {
        li_i16x8 x = li_i16x8_load((const uint8_t *)(quants + j));
        li_i16x8 carried = li_i16x8_shift_left(li_i16x8_pairs_before(x, in_twos), bits);
        li_i16x8_store(operands + 2 * j, li_i16x8_sub(x, carried));
        excess = li_i32x4_add(excess, li_i32x4_dot(x, ones));
    }
    return -li_i32x4_total(excess) * (1 << (bits - 1));
}

#ifdef __wasm_relaxed_simd__

// Writes the operands of a block for products by bytes. Returns its start. Byte b of a word belongs to half b / 2; byte
// 0 of a half holds the lower digits.
LI_INLINE int32_t arrange_bytes(uint8_t *operands, const int16_t *quants, uint32_t bits)
{
    const uint32_t group = 32 / bits;
    int32_t start = 0;
    for (uint32_t j = 0; j < LI_BLOCK; j += group, operands += 2 * group) {
        for (uint32_t b = 0; b < 4; b++) {
            int32_t x = quants[j + b % 2 * (group / 2) + b / 2], next = 0;
            if (bits == 8) {
                // The lower byte of a half is 128 too large; flipping its top bit corrects this.
                uint8_t top = b % 2 ? 0 : 0x80;
                operands[b] = (uint8_t)(x < 0 ? -x : x);
                operands[4 + b] = x < 0 ? top ^ 0xff : top;
                start += x < 0 ? -x : 0;
            } else {
                next = quants[j + b % 2 * (group / 2) + b / 2 + 2];
                operands[b] = (uint8_t)x;
                operands[4 + b] = (uint8_t)next;
                start -= 8 * (x + next);
            }
        }
    }
    return start;
}

// x86 without this instruction multiplies in pairs, which saturate at 16 bits if b exceeds 127.
static bool has_dot_of_bytes(void)
{
    const uint8_t a[4] = {127, 127, 127, 127}, b[4] = {255, 255, 255, 255};
    li_i32x4 sum = li_i32x4_add_dot_bytes(li_i32x4_splat(0), li_u8x16_load_four(a), li_u8x16_load_four(b));
    return li_i32x4_lane(sum, 0) != 2 * INT16_MAX;
}

static enum { UNKNOWN, BY_DIGITS, BY_BYTES } way;

bool li_goes_by_bytes(void)
{
    if (way == UNKNOWN) li_go_by_bytes(has_dot_of_bytes());
    return way == BY_BYTES;
}

void li_go_by_bytes(bool by_bytes)
{
    way = by_bytes ? BY_BYTES : BY_DIGITS;
}

#endif

LI_INLINE int32_t arrange_block(uint8_t *operands, const int16_t *quants, uint32_t bits)
{
#ifdef __wasm_relaxed_simd__
    if (li_goes_by_bytes()) return arrange_bytes(operands, quants, bits);
#endif
    return arrange_digits(operands, quants, bits);
}

// Quantises row `row` of the `rows` rows that begin at `first` and lie side by side.
static void quantise_row(li_input *input, uint32_t first, uint32_t rows, uint32_t row, li_weight_type type)
{
    const size_t blocks = input->columns / LI_BLOCK, start = first * blocks;
    const float *values = input->values + (size_t)(first + row) * input->columns;
    uint8_t *operands = input->operands + 2 * LI_BLOCK * start + 4 * (size_t)row;
    for (size_t block = 0; block < blocks; block++) {
        int16_t quants[LI_BLOCK];
        uint8_t arranged[2 * LI_BLOCK];
        size_t at = start + block * rows + row;
        input->scales[at] = quantise_block(quants, values + LI_BLOCK * block);
        input->starts[at] =
            type == LI_WEIGHT_Q4_0 ? arrange_block(arranged, quants, 4) : arrange_block(arranged, quants, 8);
        for (uint32_t j = 0; j < sizeof arranged; j += 4, operands += 4 * rows) memcpy(operands, arranged + j, 4);
    }
}

void li_input_quantise(li_input *input, uint32_t count, li_weight_type type)
{
    for (uint32_t first = 0; first < count;) {
        uint32_t rows = li_rows_at_once(count - first);
        for (uint32_t row = 0; row < rows; row++) quantise_row(input, first, rows, row, type);
        first += rows;
    }
    input->quantised_for = type;
}
