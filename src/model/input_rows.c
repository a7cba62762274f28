#include "model/input_rows.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/simd.h"

// Rounds to the 11 significant bits of a half float (Veltkamp's splitting), without the half's narrow range.
static float round_to_half(float a)
{
    float big = a * 8193.0f;
    return big - (big - a);
}

// Quantises x (count) to quants in -127 .. 127. Returns their scale, not rounded.
static float quantise(int16_t *quants, const float *x, uint32_t count)
{
    LI_ASSERT(count && count % LI_BLOCK == 0 && count <= LI_SUPER_BLOCK);
    li_f32x4 largest = li_f32x4_splat(0), broken = largest;
    for (uint32_t j = 0; j < count; j += 4) {
        li_f32x4 a = li_f32x4_load(x + j);
        largest = li_f32x4_pmax(largest, li_f32x4_abs(a));
        broken = li_f32x4_add(broken, li_f32x4_sub(a, a));
    }
    float nans[4], most = li_f32x4_largest(largest);
    li_f32x4_store(nans, broken);
    // Numbers with a peak below 2^-100 become zeros.
    li_f32x4 inverse = li_f32x4_splat(most > 0x1p-100f ? 127.0f / most : 0.0f);
    for (uint32_t j = 0; j < count; j += 8)
        li_i16x8_store_nearest(quants + j, li_f32x4_mul(li_f32x4_load(x + j), inverse),
                               li_f32x4_mul(li_f32x4_load(x + j + 4), inverse));
    return most / 127.0f + (nans[0] + nans[1] + nans[2] + nans[3]);
}

// The form of the operands: li_input_quantise.
typedef enum form { NONE, BASE_16, BASE_256, BYTES, MAGNITUDES, FLIPPED_MAGNITUDES } form;

static form form_of(li_weight_type type)
{
    const li_weight_format *format = li_weight_format_of(type);
    if (format->digits == LI_DIGITS_FLOAT) return NONE;
    if (li_way_of(format) == LI_WAY_DIGITS) return format->digits == LI_DIGITS_4 ? BASE_16 : BASE_256;
    if (format->digits == LI_DIGITS_8) return FLIPPED_MAGNITUDES;
    return format->digits == LI_DIGITS_TABLE ? MAGNITUDES : BYTES;
}

// Writes the operands of x (8). Returns the sum of x over the digits whose place in `lower` is 1: all but the highest.
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

// The digits of a half alternate between the groups w and w + 4.
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

// `is_flipped`: the even bytes of a word of weights are 128 too large. Flipping their top bits corrects this.
static int32_t arrange_magnitudes(uint8_t *operands, const int16_t *quants, bool is_flipped)
{
    int32_t start = 0;
    for (uint32_t j = 0; j < LI_BLOCK; j++) {
        int32_t x = quants[j];
        uint8_t *at = operands + j / 4 * 8 + j % 4;
        uint8_t top = is_flipped && j % 2 == 0 ? 0x80 : 0;
        at[0] = (uint8_t)(x < 0 ? -x : x);
        at[4] = x < 0 ? top ^ 0xff : top;
        start += x < 0 ? -x : 0;
    }
    return start;
}

// Two sums of 16 bits: of the quants at even pairs of columns, and of those at odd pairs.
static int32_t pair_sums(const int16_t *quants)
{
    int16_t sums[2] = {0, 0};
    for (uint32_t j = 0; j < LI_BLOCK / 2; j++) sums[j / 2 % 2] = (int16_t)(sums[j / 2 % 2] + quants[j]);
    int32_t both;
    memcpy(&both, sums, sizeof both);
    return both;
}

// Whether the processor has an instruction for li_i32x4_add_dot_bytes. Other x86 processors add pairs of products,
// which saturate at 16 bits if b exceeds 127.
static bool has_dot_of_bytes(void)
{
    const uint8_t a[4] = {127, 127, 127, 127}, b[4] = {255, 255, 255, 255};
    li_i32x4 sum = li_i32x4_add_dot_bytes(li_i32x4_splat(0), li_i16x8_splat_pair(a), li_i16x8_splat_pair(b));
    return li_i32x4_lane(sum, 0) != 2 * INT16_MAX;
}

static enum { UNKNOWN, BY_PAIRS, BY_BYTES } way;

bool li_goes_by_bytes(void)
{
    if (way == UNKNOWN) li_go_by_bytes(has_dot_of_bytes());
    return way == BY_BYTES;
}

void li_go_by_bytes(bool by_bytes)
{
    way = by_bytes ? BY_BYTES : BY_PAIRS;
}

#endif

li_way li_way_of(const li_weight_format *format)
{
#ifdef __wasm_relaxed_simd__
    if (format->digits == LI_DIGITS_TABLE || li_goes_by_bytes()) return LI_WAY_BYTES;
    if (format->digits != LI_DIGITS_8) return LI_WAY_PAIRS;
#else
    (void)format;
#endif
    return LI_WAY_DIGITS;
}

// Writes the operands and starts (2) of a block.
static void arrange_block(uint8_t *operands, int32_t *starts, const int16_t *quants, form form)
{
    LI_ASSERT(form != NONE);
    starts[1] = 0;
    if (form == BASE_16) starts[0] = arrange_base_16(operands, quants);
    if (form == BASE_256) starts[0] = arrange_base_256(operands, quants);
#ifdef __wasm_relaxed_simd__
    if (form == MAGNITUDES) starts[0] = arrange_magnitudes(operands, quants, false);
    if (form == FLIPPED_MAGNITUDES) starts[0] = arrange_magnitudes(operands, quants, true);
    if (form != BYTES) return;
    starts[0] = pair_sums(quants);
    starts[1] = pair_sums(quants + LI_BLOCK / 2);
    for (uint32_t j = 0; j < LI_BLOCK; j++) operands[j] = (uint8_t)quants[j];
#endif
}

static int16_t sum_of(const int16_t *quants)
{
    const uint8_t ones[4] = {1, 0, 1, 0};
    li_i16x8 by = li_i16x8_splat_pair(ones);
    return (int16_t)li_i32x4_total(li_i32x4_add(li_i32x4_dot(li_i16x8_load((const uint8_t *)quants), by),
                                                li_i32x4_dot(li_i16x8_load((const uint8_t *)(quants + 8)), by)));
}

// Quantises row `row` of the `rows` rows that begin at `first` and lie side by side.
static void quantise_row(li_input *input, uint32_t first, uint32_t rows, uint32_t row, form form, uint32_t span)
{
    LI_ASSERT(row < rows && (rows == 1 || rows == LI_ROWS_AT_ONCE));
    LI_ASSERT(form != NONE && input->columns % span == 0);
    const size_t blocks = input->columns / LI_BLOCK, start = first * blocks;
    const size_t size = form == BYTES ? LI_BLOCK : 2 * LI_BLOCK;
    const float *values = input->values + (size_t)(first + row) * input->columns;
    uint8_t *operands = input->operands + 2 * LI_BLOCK * start + 4 * (size_t)row;
    int16_t quants[LI_SUPER_BLOCK];
    for (size_t block = 0; block < blocks; block++) {
        const uint32_t at_quant = LI_BLOCK * block % span;
        size_t at = start + block * rows + row;
        if (at_quant == 0) {
            float scale = quantise(quants, values + LI_BLOCK * block, span);
            input->scales[start + LI_BLOCK * block / span * rows + row] =
                span == LI_BLOCK ? round_to_half(scale) : scale;
        }
        uint8_t arranged[2 * LI_BLOCK];
        arrange_block(arranged, input->starts + 2 * at, quants + at_quant, form);
        input->sums[2 * at] = sum_of(quants + at_quant);
        input->sums[2 * at + 1] = sum_of(quants + at_quant + LI_BLOCK / 2);
        for (size_t j = 0; j < size; j += 4, operands += 4 * rows) memcpy(operands, arranged + j, 4);
    }
}

bool li_input_serves(const li_input *input, li_weight_type type)
{
    return form_of(type) == form_of(input->quantised_for) &&
           li_weight_format_of(type)->columns == li_weight_format_of(input->quantised_for)->columns;
}

typedef struct rows_to_quantise {
    li_input *input;
    uint32_t count;
    form form;
    uint32_t span;
} rows_to_quantise;

// Quantises groups of LI_ROWS_AT_ONCE rows. The rows of an incomplete last group are laid out singly.
static void quantise_groups(const void *context, uint32_t first, uint32_t end)
{
    const rows_to_quantise *all = context;
    LI_ASSERT(first < end && first * LI_ROWS_AT_ONCE < all->count);
    const uint32_t last = end * LI_ROWS_AT_ONCE < all->count ? end * LI_ROWS_AT_ONCE : all->count;
    for (uint32_t at = first * LI_ROWS_AT_ONCE; at < last;) {
        uint32_t rows = li_rows_at_once(last - at);
        for (uint32_t row = 0; row < rows && at + row < last; row++)
            quantise_row(all->input, at, rows, row, all->form, all->span);
        at += rows;
    }
}

void li_input_quantise(li_input *input, uint32_t count, li_weight_type type)
{
    LI_ASSERT(count && li_weight_is_quantised(type));
    LI_ASSERT(input->columns % li_weight_format_of(type)->columns == 0);
    if (li_input_serves(input, type)) return;
    const rows_to_quantise all = {input, count, form_of(type), li_weight_format_of(type)->columns};
    li_parallel_for((count + LI_ROWS_AT_ONCE - 1) / LI_ROWS_AT_ONCE, 1, quantise_groups, &all);
    input->quantised_for = type;
}

bool li_input_create(li_input *input, uint32_t rows, uint32_t columns)
{
    LI_ASSERT(rows && columns);
    rows = (rows + LI_ROWS_AT_ONCE - 1) / LI_ROWS_AT_ONCE * LI_ROWS_AT_ONCE;
    const size_t blocks = (size_t)rows * (columns / LI_BLOCK);
    input->values = li_memory_alloc((size_t)rows * columns * sizeof(float));
    input->operands = li_memory_alloc(blocks * 2 * LI_BLOCK);
    input->starts = li_memory_alloc(blocks * 2 * sizeof(int32_t));
    input->sums = li_memory_alloc(blocks * 2 * sizeof(int16_t));
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
