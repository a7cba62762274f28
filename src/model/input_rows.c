#include "model/input_rows.h"

#include <string.h>

#include "base/memory.h"
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

// Operands of a base, as li_input_quantise says.
typedef enum form { NONE, BASE_16, BASE_256, BYTES, MAGNITUDES } form;

static form form_of(li_weight_type type)
{
    switch (li_weight_format_of(type)->digits) {
    case LI_DIGITS_FLOAT:
        return NONE;
    case LI_DIGITS_4:
        return li_goes_by_bytes() ? BYTES : BASE_16;
    case LI_DIGITS_8:
        return li_goes_by_bytes() ? MAGNITUDES : BASE_256;
    case LI_DIGITS_TABLE:
        return LI_HAS_BYTES ? MAGNITUDES : BASE_256;
    default:
        return LI_HAS_BYTES ? BYTES : BASE_256;
    }
}

// The excess of digits in the sum of x (8); `lower` is 1 for all digits but the highest. Writes the operands of x.
LI_INLINE li_i32x4 arrange_digits(uint8_t *operands, li_i16x8 x, uint32_t bits, const int16_t *lower)
{
    li_i16x8 carried = li_i16x8_shift_left(li_i16x8_pairs_before(x, bits == 8), bits);
    li_i16x8_store(operands, li_i16x8_sub(x, carried));
    return li_i32x4_dot(x, li_i16x8_load((const uint8_t *)lower));
}

static int32_t arrange_base_256(uint8_t *operands, const int16_t *quants)
{
    static const int16_t lower[8] = {1, 1, 0, 0, 1, 1, 0, 0};
    li_i32x4 excess = li_i32x4_splat(0);
    for (uint32_t j = 0; j < LI_BLOCK; j += 8) {
        li_i16x8 x = li_i16x8_evens_first(li_i16x8_load((const uint8_t *)(quants + j)));
        excess = li_i32x4_add(excess, arrange_digits(operands + 2 * j, x, 8, lower));
    }
    return -128 * li_i32x4_total(excess);
}

// The digits of a word's halves are of the groups w and w + 4 in turn.
static int32_t arrange_base_16(uint8_t *operands, const int16_t *quants)
{
    static const int16_t lower[8] = {1, 1, 1, 1, 1, 1, 0, 0};
    li_i32x4 excess = li_i32x4_splat(0);
    for (uint32_t j = 0; j < LI_BLOCK / 2; j += 8, operands += 32) {
        li_i16x8 low = li_i16x8_evens_first(li_i16x8_load((const uint8_t *)(quants + j)));
        li_i16x8 high = li_i16x8_evens_first(li_i16x8_load((const uint8_t *)(quants + LI_BLOCK / 2 + j)));
        excess = li_i32x4_add(excess, arrange_digits(operands, li_i16x8_lower_pairs(low, high), 4, lower));
        excess = li_i32x4_add(excess, arrange_digits(operands + 16, li_i16x8_upper_pairs(low, high), 4, lower));
    }
    return -8 * li_i32x4_total(excess);
}

#ifdef __wasm_relaxed_simd__

static int32_t arrange_magnitudes(uint8_t *operands, const int16_t *quants)
{
    int32_t start = 0;
    for (uint32_t j = 0; j < LI_BLOCK; j++) {
        int32_t x = quants[j];
        uint8_t *at = operands + j / 4 * 8 + j % 4;
        // The even bytes of a word are 128 too large; flipping their top bits corrects this.
        uint8_t top = j % 2 ? 0 : 0x80;
        at[0] = (uint8_t)(x < 0 ? -x : x);
        at[4] = x < 0 ? top ^ 0xff : top;
        start += x < 0 ? -x : 0;
    }
    return start;
}

// x86 without this instruction multiplies in pairs, which saturate at 16 bits if b exceeds 127.
static bool has_dot_of_bytes(void)
{
    const uint8_t a[4] = {127, 127, 127, 127}, b[4] = {255, 255, 255, 255};
    li_i32x4 sum = li_i32x4_add_dot_bytes(li_i32x4_splat(0), li_i16x8_splat_pair(a), li_i16x8_splat_pair(b));
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

// Returns the block's start.
static int32_t arrange_block(uint8_t *operands, const int16_t *quants, form form)
{
    if (form == BASE_16) return arrange_base_16(operands, quants);
    if (form == BASE_256) return arrange_base_256(operands, quants);
#ifdef __wasm_relaxed_simd__
    if (form == MAGNITUDES) return arrange_magnitudes(operands, quants);
    for (uint32_t j = 0; j < LI_BLOCK; j++) operands[j] = (uint8_t)quants[j];
#endif
    return 0;
}

static int32_t sum_of(const int16_t *quants)
{
    const uint8_t ones[4] = {1, 0, 1, 0};
    li_i16x8 by = li_i16x8_splat_pair(ones);
    return li_i32x4_total(li_i32x4_add(li_i32x4_dot(li_i16x8_load((const uint8_t *)quants), by),
                                       li_i32x4_dot(li_i16x8_load((const uint8_t *)(quants + 8)), by)));
}

// Quantises row `row` of the `rows` rows that begin at `first` and lie side by side.
static void quantise_row(li_input *input, uint32_t first, uint32_t rows, uint32_t row, form form)
{
    const size_t blocks = input->columns / LI_BLOCK, start = first * blocks;
    const size_t size = form == BYTES ? LI_BLOCK : 2 * LI_BLOCK;
    const float *values = input->values + (size_t)(first + row) * input->columns;
    uint8_t *operands = input->operands + 2 * LI_BLOCK * start + 4 * (size_t)row;
    for (size_t block = 0; block < blocks; block++) {
        int16_t quants[LI_BLOCK];
        uint8_t arranged[2 * LI_BLOCK];
        size_t at = start + block * rows + row;
        input->scales[at] = quantise_block(quants, values + LI_BLOCK * block);
        input->starts[at] = arrange_block(arranged, quants, form);
        input->sums[2 * at] = sum_of(quants);
        input->sums[2 * at + 1] = sum_of(quants + LI_BLOCK / 2);
        for (size_t j = 0; j < size; j += 4, operands += 4 * rows) memcpy(operands, arranged + j, 4);
    }
}

void li_input_quantise(li_input *input, uint32_t count, li_weight_type type)
{
    form form = form_of(type);
    if (form == form_of(input->quantised_for)) return;
    for (uint32_t first = 0; first < count;) {
        uint32_t rows = li_rows_at_once(count - first);
        for (uint32_t row = 0; row < rows; row++) quantise_row(input, first, rows, row, form);
        first += rows;
    }
    input->quantised_for = type;
}

bool li_input_create(li_input *input, uint32_t rows, uint32_t columns)
{
    const size_t blocks = (size_t)rows * (columns / LI_BLOCK);
    input->values = li_memory_alloc((size_t)rows * columns * sizeof(float));
    input->operands = li_memory_alloc(blocks * 2 * LI_BLOCK);
    input->starts = li_memory_alloc(blocks * sizeof(int32_t));
    input->sums = li_memory_alloc(blocks * 2 * sizeof(int32_t));
    input->scales = li_memory_alloc(blocks * sizeof(float));
    return input->values && input->operands && input->starts && input->sums && input->scales;
}

void li_input_destroy(li_input *input)
{
    li_memory_free(input->values);
    li_memory_free(input->operands);
    li_memory_free(input->starts);
    li_memory_free(input->sums);
    li_memory_free(input->scales);
}
