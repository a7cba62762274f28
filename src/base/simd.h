// Vectors of 128 bits: WebAssembly SIMD where it is compiled in, otherwise scalar code with the same operations in the
// same order, so that both give the same bits. -DLI_SCALAR selects the scalar code.
#ifndef LI_SIMD_H
#define LI_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"

#if defined(__wasm_simd128__) && !defined(LI_SCALAR)
#include <wasm_simd128.h>

typedef v128_t li_f32x4;
typedef v128_t li_f64x2;

LI_INLINE li_f32x4 li_f32x4_load(const float *from)
{
    return wasm_v128_load(from);
}
LI_INLINE void li_f32x4_store(float *to, li_f32x4 a)
{
    wasm_v128_store(to, a);
}
LI_INLINE li_f32x4 li_f32x4_splat(float a)
{
    return wasm_f32x4_splat(a);
}
LI_INLINE li_f32x4 li_f32x4_add(li_f32x4 a, li_f32x4 b)
{
    return wasm_f32x4_add(a, b);
}
LI_INLINE li_f32x4 li_f32x4_mul(li_f32x4 a, li_f32x4 b)
{
    return wasm_f32x4_mul(a, b);
}
// b where a < b, else a; a where b is NaN.
LI_INLINE li_f32x4 li_f32x4_pmax(li_f32x4 a, li_f32x4 b)
{
    return wasm_f32x4_pmax(a, b);
}
// Bit i is set where from[i] >= every lane of b, for sixteen floats.
LI_INLINE uint32_t li_f32x16_ge_mask(const float *from, li_f32x4 b)
{
    v128_t low =
        wasm_i16x8_narrow_i32x4(wasm_f32x4_ge(wasm_v128_load(from), b), wasm_f32x4_ge(wasm_v128_load(from + 4), b));
    v128_t high = wasm_i16x8_narrow_i32x4(wasm_f32x4_ge(wasm_v128_load(from + 8), b),
                                          wasm_f32x4_ge(wasm_v128_load(from + 12), b));
    return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(low, high));
}
// Bit i is set where low <= from[i] <= high in every lane, for sixteen floats.
LI_INLINE v128_t li_between(const float *from, li_f32x4 low, li_f32x4 high)
{
    v128_t four = wasm_v128_load(from);
    return wasm_v128_and(wasm_f32x4_ge(four, low), wasm_f32x4_le(four, high));
}
LI_INLINE uint32_t li_f32x16_between_mask(const float *from, li_f32x4 low, li_f32x4 high)
{
    v128_t first = wasm_i16x8_narrow_i32x4(li_between(from, low, high), li_between(from + 4, low, high));
    v128_t second = wasm_i16x8_narrow_i32x4(li_between(from + 8, low, high), li_between(from + 12, low, high));
    return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(first, second));
}
// Lanes of a where c >= d, else lanes of b.
LI_INLINE li_f32x4 li_f32x4_select_ge(li_f32x4 a, li_f32x4 b, li_f32x4 c, li_f32x4 d)
{
    return wasm_v128_bitselect(a, b, wasm_f32x4_ge(c, d));
}
// Lanes of a where b > c, else 0.
LI_INLINE li_f32x4 li_f32x4_where_gt(li_f32x4 a, li_f32x4 b, li_f32x4 c)
{
    return wasm_v128_and(a, wasm_f32x4_gt(b, c));
}
LI_INLINE li_f32x4 li_f32x4_sub(li_f32x4 a, li_f32x4 b)
{
    return wasm_f32x4_sub(a, b);
}
LI_INLINE float li_f32x4_lane(li_f32x4 a, int i)
{
    float lanes[4];
    wasm_v128_store(lanes, a);
    return lanes[i];
}
// The largest of the four lanes, none of which is NaN.
LI_INLINE float li_f32x4_largest(li_f32x4 a)
{
    a = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 1, 0, 3, 2)), 0);
}
// (lane 0 + lane 2) + (lane 1 + lane 3).
LI_INLINE float li_f32x4_total(li_f32x4 a)
{
    a = wasm_f32x4_add(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(a, 0) + wasm_f32x4_extract_lane(a, 1);
}
// a * 2^n; 0 where a = 1 and n = -127. `shifted` is n + 1.5 * 2^23, whose low bits are those of n.
LI_INLINE li_f32x4 li_f32x4_scale_by_bits(li_f32x4 a, li_f32x4 shifted)
{
    return wasm_i32x4_add(a, wasm_i32x4_shl(shifted, 23));
}
LI_INLINE li_f64x2 li_f64x2_splat(double a)
{
    return wasm_f64x2_splat(a);
}
LI_INLINE li_f64x2 li_f64x2_add(li_f64x2 a, li_f64x2 b)
{
    return wasm_f64x2_add(a, b);
}
LI_INLINE li_f64x2 li_f64x2_sub(li_f64x2 a, li_f64x2 b)
{
    return wasm_f64x2_sub(a, b);
}
LI_INLINE li_f64x2 li_f64x2_mul(li_f64x2 a, li_f64x2 b)
{
    return wasm_f64x2_mul(a, b);
}
LI_INLINE li_f64x2 li_f64x2_div(li_f64x2 a, li_f64x2 b)
{
    return wasm_f64x2_div(a, b);
}
// b where a < b, else a.
LI_INLINE li_f64x2 li_f64x2_pmax(li_f64x2 a, li_f64x2 b)
{
    return wasm_f64x2_pmax(a, b);
}
LI_INLINE li_f64x2 li_f64x2_load(const double *from)
{
    return wasm_v128_load(from);
}
LI_INLINE void li_f64x2_store(double *to, li_f64x2 a)
{
    wasm_v128_store(to, a);
}
// a * 2^n for n from -2046 to 2046; `shifted` is n + 2046 + 1.5 * 2^52, whose low bits are those of n + 2046.
LI_INLINE li_f64x2 li_f64x2_scale_by_bits(li_f64x2 a, li_f64x2 shifted)
{
    // Two factors, because 2^n may itself be subnormal or infinite.
    v128_t both = wasm_i64x2_shl(shifted, 52);
    v128_t half = wasm_v128_and(wasm_u64x2_shr(both, 1), wasm_i64x2_splat(0x7ff0000000000000));
    return wasm_f64x2_mul(wasm_f64x2_mul(a, half), wasm_i64x2_sub(both, half));
}
// Lanes 0 and 1, or 2 and 3, of four floats.
LI_INLINE li_f64x2 li_f64x2_from_low(li_f32x4 a)
{
    return wasm_f64x2_promote_low_f32x4(a);
}
LI_INLINE li_f64x2 li_f64x2_from_high(li_f32x4 a)
{
    return wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(a, a, 1, 1));
}
LI_INLINE double li_f64x2_lane(li_f64x2 a, int i)
{
    return i ? wasm_f64x2_extract_lane(a, 1) : wasm_f64x2_extract_lane(a, 0);
}

// Correctly rounded, like every operation here.
LI_INLINE li_f32x4 li_f32x4_div(li_f32x4 a, li_f32x4 b)
{
    return wasm_f32x4_div(a, b);
}
LI_INLINE li_f32x4 li_f32x4_sqrt(li_f32x4 a)
{
    return wasm_f32x4_sqrt(a);
}
LI_INLINE li_f32x4 li_f32x4_abs(li_f32x4 a)
{
    return wasm_f32x4_abs(a);
}
// The constants that widen a half. They are variables in another file, so that compilers load them into registers once
// before a loop; engines rebuild constant vectors at every use.
extern const uint32_t li_half_mask;
extern const float li_half_scale;
// Four IEEE half floats, times 2^-112: the bits of a half, shifted to the positions of a float's bits. Infinities and
// NaN become finite numbers.
LI_INLINE li_f32x4 li_f32x4_load_small(const uint16_t *from)
{
    v128_t moved = wasm_i32x4_shl(wasm_i32x4_load16x4(from), 13);
    return wasm_v128_and(moved, wasm_v128_load32_splat(&li_half_mask));
}
// Four IEEE half floats, exactly; infinities and NaN become finite numbers.
LI_INLINE li_f32x4 li_f32x4_load_f16(const uint16_t *from)
{
    return wasm_f32x4_mul(li_f32x4_load_small(from), wasm_v128_load32_splat(&li_half_scale));
}
// Four floats of which only the upper 16 bits are stored.
LI_INLINE li_f32x4 li_f32x4_load_brain(const uint16_t *from)
{
    return wasm_i32x4_shl(wasm_u32x4_load16x4(from), 16);
}

// Lane i: the sum of the lanes of vector i, (0 + 2) + (1 + 3).
LI_INLINE li_f32x4 li_f32x4_sums(li_f32x4 a, li_f32x4 b, li_f32x4 c, li_f32x4 d)
{
    v128_t ab = wasm_f32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
    v128_t cd = wasm_f32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
    return wasm_f32x4_add(wasm_i64x2_shuffle(ab, cd, 0, 2), wasm_i64x2_shuffle(ab, cd, 1, 3));
}

typedef v128_t li_i32x4;
typedef v128_t li_i16x8;

LI_INLINE li_i32x4 li_i32x4_splat(int32_t a)
{
    return wasm_i32x4_splat(a);
}
LI_INLINE li_i32x4 li_i32x4_load(const uint32_t *from)
{
    return wasm_v128_load(from);
}
LI_INLINE void li_i32x4_store(uint32_t *to, li_i32x4 a)
{
    wasm_v128_store(to, a);
}
// Wraps at 32 bits, as li_i32x4_dot does: only the final sum must fit.
LI_INLINE li_i32x4 li_i32x4_add(li_i32x4 a, li_i32x4 b)
{
    return wasm_i32x4_add(a, b);
}
// Bits 0 to 3 of each lane.
LI_INLINE li_i32x4 li_i32x4_low_nibbles(li_i32x4 a)
{
    return wasm_v128_and(a, wasm_i32x4_splat(15));
}
LI_INLINE li_i32x4 li_i32x4_mul(li_i32x4 a, li_i32x4 b)
{
    return wasm_i32x4_mul(a, b);
}
// Eight signed bytes.
LI_INLINE li_i16x8 li_i16x8_load_bytes(const int8_t *from)
{
    return wasm_i16x8_load8x8(from);
}
// Lanes 0 to 3, and 4 to 7.
LI_INLINE li_i32x4 li_i32x4_widen_low(li_i16x8 a)
{
    return wasm_i32x4_extend_low_i16x8(a);
}
LI_INLINE li_i32x4 li_i32x4_widen_high(li_i16x8 a)
{
    return wasm_i32x4_extend_high_i16x8(a);
}
// Lanes 0 to 3, and 4 to 7, of a and b interleaved: a0 b0 a1 b1.
LI_INLINE li_i16x8 li_i16x8_interleave_low(li_i16x8 a, li_i16x8 b)
{
    return wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
LI_INLINE li_i16x8 li_i16x8_interleave_high(li_i16x8 a, li_i16x8 b)
{
    return wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
LI_INLINE li_i16x8 li_i16x8_load(const uint8_t *from)
{
    return wasm_v128_load(from);
}
LI_INLINE li_i16x8 li_i16x8_and(li_i16x8 a, li_i16x8 b)
{
    return wasm_v128_and(a, b);
}
LI_INLINE li_i16x8 li_i16x8_or(li_i16x8 a, li_i16x8 b)
{
    return wasm_v128_or(a, b);
}
LI_INLINE li_i16x8 li_i16x8_xor(li_i16x8 a, li_i16x8 b)
{
    return wasm_v128_xor(a, b);
}
// Byte i: byte index[i] of the table; every index is less than 16.
LI_INLINE li_i16x8 li_i8x16_look_up(li_i16x8 table, li_i16x8 index)
{
#ifdef __wasm_relaxed_simd__
    return wasm_i8x16_relaxed_swizzle(table, index);
#else
    return wasm_i8x16_swizzle(table, index);
#endif
}
// Arithmetic shift.
LI_INLINE li_i16x8 li_i16x8_shift_right(li_i16x8 a, uint32_t bits)
{
    return wasm_i16x8_shr(a, bits);
}
// Zeros come in.
LI_INLINE li_i16x8 li_i16x8_shift_down(li_i16x8 a, uint32_t bits)
{
    return wasm_u16x8_shr(a, bits);
}
LI_INLINE li_i16x8 li_i16x8_shift_left(li_i16x8 a, uint32_t bits)
{
    return wasm_i16x8_shl(a, bits);
}
// Wraps.
LI_INLINE li_i16x8 li_i16x8_sub(li_i16x8 a, li_i16x8 b)
{
    return wasm_i16x8_sub(a, b);
}
LI_INLINE void li_i16x8_store(uint8_t *to, li_i16x8 a)
{
    wasm_v128_store(to, a);
}
// Moves each pair of lanes up by one pair; zeros in the first pair, or with in_twos in the first pair of each half.
LI_INLINE li_i16x8 li_i16x8_pairs_before(li_i16x8 a, bool in_twos)
{
    v128_t zero = wasm_i32x4_splat(0);
    return in_twos ? wasm_i32x4_shuffle(zero, a, 0, 4, 0, 6) : wasm_i32x4_shuffle(zero, a, 0, 4, 5, 6);
}
// Of each four lanes the even ones, then the odd ones.
LI_INLINE li_i16x8 li_i16x8_evens_first(li_i16x8 a)
{
    return wasm_i16x8_shuffle(a, a, 0, 2, 1, 3, 4, 6, 5, 7);
}
// Pairs of lanes of a and b interleaved, of the lower or upper halves: a0 b0 a1 b1.
LI_INLINE li_i16x8 li_i16x8_lower_pairs(li_i16x8 a, li_i16x8 b)
{
    return wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
}
LI_INLINE li_i16x8 li_i16x8_upper_pairs(li_i16x8 a, li_i16x8 b)
{
    return wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
}
// The same four bytes in every 32-bit lane.
LI_INLINE li_i16x8 li_i16x8_splat_pair(const uint8_t *from)
{
    return wasm_v128_load32_splat(from);
}
// Lane i: a[2i] * b[2i] + a[2i + 1] * b[2i + 1].
LI_INLINE li_i32x4 li_i32x4_dot(li_i16x8 a, li_i16x8 b)
{
    return wasm_i32x4_dot_i16x8(a, b);
}
// The sum of all lanes.
LI_INLINE int32_t li_i32x4_total(li_i32x4 a)
{
    a = wasm_i32x4_add(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
    return wasm_i32x4_extract_lane(a, 0) + wasm_i32x4_extract_lane(a, 1);
}
LI_INLINE li_f32x4 li_f32x4_from_i32x4(li_i32x4 a)
{
    return wasm_f32x4_convert_i32x4(a);
}
// Stores eight floats (|a| < 2^15, or NaN, which gives any number), rounded to the nearest whole number, ties to even:
// added to 1.5 * 2^23 they are the low bits of a float.
LI_INLINE void li_i16x8_store_nearest(int16_t *to, li_f32x4 low, li_f32x4 high)
{
    const v128_t unit = wasm_f32x4_splat(0x1.8p23f);
    low = wasm_f32x4_add(low, unit);
    high = wasm_f32x4_add(high, unit);
    wasm_v128_store(to, wasm_i16x8_shuffle(low, high, 0, 2, 4, 6, 8, 10, 12, 14));
}

#ifdef __wasm_relaxed_simd__
LI_INLINE int32_t li_i32x4_lane(li_i32x4 a, int i)
{
    int32_t lanes[4];
    wasm_v128_store(lanes, a);
    return lanes[i];
}
// Lane i: sum[i] plus four products of signed bytes of `a` with bytes of `b`. For bytes of `b` in 0 .. 127 all
// processors agree.
LI_INLINE li_i32x4 li_i32x4_add_dot_bytes(li_i32x4 sum, li_i16x8 a, li_i16x8 b)
{
    return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(a, b, sum);
}
// Lane i: two products of signed bytes of `a` with bytes of `b` in 0 .. 127.
LI_INLINE li_i16x8 li_i16x8_dot_bytes(li_i16x8 a, li_i16x8 b)
{
    return wasm_i16x8_relaxed_dot_i8x16_i7x16(a, b);
}
// Wrap at 16 bits.
LI_INLINE li_i16x8 li_i16x8_add(li_i16x8 a, li_i16x8 b)
{
    return wasm_i16x8_add(a, b);
}
LI_INLINE li_i16x8 li_i16x8_scale(li_i16x8 a, int32_t by)
{
    return wasm_i16x8_mul(a, wasm_i16x8_splat((int16_t)by));
}
// Lane i: a[2i] + a[2i + 1].
LI_INLINE li_i32x4 li_i32x4_add_pairs(li_i16x8 a)
{
    return wasm_i32x4_extadd_pairwise_i16x8(a);
}
#endif

#else

typedef struct li_f32x4 {
    float lane[4];
} li_f32x4;
typedef struct li_f64x2 {
    double lane[2];
} li_f64x2;

#define LI_EACH4(expression)                                                                                           \
    li_f32x4 result;                                                                                                   \
    for (int i = 0; i < 4; i++) result.lane[i] = (expression);                                                         \
    return result
#define LI_EACH2(expression)                                                                                           \
    li_f64x2 result;                                                                                                   \
    for (int i = 0; i < 2; i++) result.lane[i] = (expression);                                                         \
    return result

LI_INLINE li_f32x4 li_f32x4_load(const float *from)
{
    LI_EACH4(from[i]);
}
LI_INLINE void li_f32x4_store(float *to, li_f32x4 a)
{
    for (int i = 0; i < 4; i++) to[i] = a.lane[i];
}
LI_INLINE li_f32x4 li_f32x4_splat(float a)
{
    LI_EACH4(a);
}
LI_INLINE li_f32x4 li_f32x4_add(li_f32x4 a, li_f32x4 b)
{
    LI_EACH4(a.lane[i] + b.lane[i]);
}
LI_INLINE li_f32x4 li_f32x4_mul(li_f32x4 a, li_f32x4 b)
{
    LI_EACH4(a.lane[i] * b.lane[i]);
}
LI_INLINE li_f32x4 li_f32x4_pmax(li_f32x4 a, li_f32x4 b)
{
    LI_EACH4(a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i]);
}
LI_INLINE uint32_t li_f32x16_ge_mask(const float *from, li_f32x4 b)
{
    uint32_t mask = 0;
    for (int i = 0; i < 16; i++) mask |= (uint32_t)(from[i] >= b.lane[i & 3]) << i;
    return mask;
}
LI_INLINE uint32_t li_f32x16_between_mask(const float *from, li_f32x4 low, li_f32x4 high)
{
    uint32_t mask = 0;
    for (int i = 0; i < 16; i++) mask |= (uint32_t)(from[i] >= low.lane[i & 3] && from[i] <= high.lane[i & 3]) << i;
    return mask;
}
LI_INLINE li_f32x4 li_f32x4_select_ge(li_f32x4 a, li_f32x4 b, li_f32x4 c, li_f32x4 d)
{
    LI_EACH4(c.lane[i] >= d.lane[i] ? a.lane[i] : b.lane[i]);
}
LI_INLINE li_f32x4 li_f32x4_where_gt(li_f32x4 a, li_f32x4 b, li_f32x4 c)
{
    LI_EACH4(b.lane[i] > c.lane[i] ? a.lane[i] : 0.0f);
}
LI_INLINE li_f32x4 li_f32x4_sub(li_f32x4 a, li_f32x4 b)
{
    LI_EACH4(a.lane[i] - b.lane[i]);
}
LI_INLINE float li_f32x4_lane(li_f32x4 a, int i)
{
    return a.lane[i];
}
LI_INLINE float li_f32x4_largest(li_f32x4 a)
{
    float largest = a.lane[0];
    for (int i = 1; i < 4; i++) largest = largest < a.lane[i] ? a.lane[i] : largest;
    return largest;
}
LI_INLINE float li_f32x4_total(li_f32x4 a)
{
    return (a.lane[0] + a.lane[2]) + (a.lane[1] + a.lane[3]);
}
LI_INLINE float li_scale_by_bits(float a, float shifted)
{
    uint32_t bits, shift;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&shift, &shifted, sizeof shift);
    bits += shift << 23;
    memcpy(&a, &bits, sizeof a);
    return a;
}
LI_INLINE li_f32x4 li_f32x4_scale_by_bits(li_f32x4 a, li_f32x4 shifted)
{
    LI_EACH4(li_scale_by_bits(a.lane[i], shifted.lane[i]));
}
LI_INLINE li_f64x2 li_f64x2_splat(double a)
{
    LI_EACH2(a);
}
LI_INLINE li_f64x2 li_f64x2_add(li_f64x2 a, li_f64x2 b)
{
    LI_EACH2(a.lane[i] + b.lane[i]);
}
LI_INLINE li_f64x2 li_f64x2_sub(li_f64x2 a, li_f64x2 b)
{
    LI_EACH2(a.lane[i] - b.lane[i]);
}
LI_INLINE li_f64x2 li_f64x2_mul(li_f64x2 a, li_f64x2 b)
{
    LI_EACH2(a.lane[i] * b.lane[i]);
}
LI_INLINE li_f64x2 li_f64x2_div(li_f64x2 a, li_f64x2 b)
{
    LI_EACH2(a.lane[i] / b.lane[i]);
}
LI_INLINE li_f64x2 li_f64x2_pmax(li_f64x2 a, li_f64x2 b)
{
    LI_EACH2(a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i]);
}
LI_INLINE li_f64x2 li_f64x2_load(const double *from)
{
    LI_EACH2(from[i]);
}
LI_INLINE void li_f64x2_store(double *to, li_f64x2 a)
{
    for (int i = 0; i < 2; i++) to[i] = a.lane[i];
}
LI_INLINE double li_double_scale_by_bits(double a, double shifted)
{
    uint64_t both, half;
    memcpy(&both, &shifted, sizeof both);
    both <<= 52;
    half = both >> 1 & 0x7ff0000000000000u;
    both -= half;
    double first, second;
    memcpy(&first, &half, sizeof first);
    memcpy(&second, &both, sizeof second);
    return a * first * second;
}
LI_INLINE li_f64x2 li_f64x2_scale_by_bits(li_f64x2 a, li_f64x2 shifted)
{
    LI_EACH2(li_double_scale_by_bits(a.lane[i], shifted.lane[i]));
}
LI_INLINE li_f64x2 li_f64x2_from_low(li_f32x4 a)
{
    LI_EACH2((double)a.lane[i]);
}
LI_INLINE li_f64x2 li_f64x2_from_high(li_f32x4 a)
{
    LI_EACH2((double)a.lane[i + 2]);
}
LI_INLINE double li_f64x2_lane(li_f64x2 a, int i)
{
    return a.lane[i];
}

LI_INLINE li_f32x4 li_f32x4_sqrt(li_f32x4 a)
{
    LI_EACH4(__builtin_sqrtf(a.lane[i]));
}
LI_INLINE li_f32x4 li_f32x4_div(li_f32x4 a, li_f32x4 b)
{
    LI_EACH4(a.lane[i] / b.lane[i]);
}
LI_INLINE li_f32x4 li_f32x4_abs(li_f32x4 a)
{
    LI_EACH4(__builtin_fabsf(a.lane[i]));
}
LI_INLINE li_f32x4 li_f32x4_sums(li_f32x4 a, li_f32x4 b, li_f32x4 c, li_f32x4 d)
{
    return (li_f32x4){{li_f32x4_total(a), li_f32x4_total(b), li_f32x4_total(c), li_f32x4_total(d)}};
}
LI_INLINE float li_half_move(uint32_t half)
{
    uint32_t bits = (half & 0x8000u) << 16 | (half & 0x7fffu) << 13;
    float small;
    memcpy(&small, &bits, sizeof small);
    return small;
}
LI_INLINE li_f32x4 li_f32x4_load_small(const uint16_t *from)
{
    LI_EACH4(li_half_move(from[i]));
}
LI_INLINE li_f32x4 li_f32x4_load_f16(const uint16_t *from)
{
    LI_EACH4(li_half_move(from[i]) * 0x1p112f);
}
LI_INLINE float li_brain_widen(uint16_t brain)
{
    uint32_t bits = (uint32_t)brain << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
LI_INLINE li_f32x4 li_f32x4_load_brain(const uint16_t *from)
{
    LI_EACH4(li_brain_widen(from[i]));
}

typedef struct li_i32x4 {
    int32_t lane[4];
} li_i32x4;
typedef struct li_i16x8 {
    int16_t lane[8];
} li_i16x8;

LI_INLINE li_i32x4 li_i32x4_splat(int32_t a)
{
    return (li_i32x4){{a, a, a, a}};
}
LI_INLINE li_i32x4 li_i32x4_load(const uint32_t *from)
{
    li_i32x4 result;
    memcpy(&result, from, sizeof result);
    return result;
}
LI_INLINE void li_i32x4_store(uint32_t *to, li_i32x4 a)
{
    memcpy(to, &a, sizeof a);
}
LI_INLINE li_i32x4 li_i32x4_add(li_i32x4 a, li_i32x4 b)
{
    for (int i = 0; i < 4; i++) a.lane[i] = (int32_t)((uint32_t)a.lane[i] + (uint32_t)b.lane[i]);
    return a;
}
LI_INLINE li_i32x4 li_i32x4_low_nibbles(li_i32x4 a)
{
    for (int i = 0; i < 4; i++) a.lane[i] &= 15;
    return a;
}
LI_INLINE li_i32x4 li_i32x4_mul(li_i32x4 a, li_i32x4 b)
{
    for (int i = 0; i < 4; i++) a.lane[i] = (int32_t)((uint32_t)a.lane[i] * (uint32_t)b.lane[i]);
    return a;
}
LI_INLINE li_i16x8 li_i16x8_load_bytes(const int8_t *from)
{
    li_i16x8 result;
    for (int i = 0; i < 8; i++) result.lane[i] = from[i];
    return result;
}
LI_INLINE li_i32x4 li_i32x4_widen_low(li_i16x8 a)
{
    return (li_i32x4){{a.lane[0], a.lane[1], a.lane[2], a.lane[3]}};
}
LI_INLINE li_i32x4 li_i32x4_widen_high(li_i16x8 a)
{
    return (li_i32x4){{a.lane[4], a.lane[5], a.lane[6], a.lane[7]}};
}
LI_INLINE li_i16x8 li_i16x8_interleave_low(li_i16x8 a, li_i16x8 b)
{
    return (li_i16x8){{a.lane[0], b.lane[0], a.lane[1], b.lane[1], a.lane[2], b.lane[2], a.lane[3], b.lane[3]}};
}
LI_INLINE li_i16x8 li_i16x8_interleave_high(li_i16x8 a, li_i16x8 b)
{
    return (li_i16x8){{a.lane[4], b.lane[4], a.lane[5], b.lane[5], a.lane[6], b.lane[6], a.lane[7], b.lane[7]}};
}
LI_INLINE li_i16x8 li_i16x8_and(li_i16x8 a, li_i16x8 b)
{
    for (int i = 0; i < 8; i++) a.lane[i] &= b.lane[i];
    return a;
}
LI_INLINE li_i16x8 li_i16x8_or(li_i16x8 a, li_i16x8 b)
{
    for (int i = 0; i < 8; i++) a.lane[i] |= b.lane[i];
    return a;
}
LI_INLINE li_i16x8 li_i16x8_xor(li_i16x8 a, li_i16x8 b)
{
    for (int i = 0; i < 8; i++) a.lane[i] ^= b.lane[i];
    return a;
}
LI_INLINE li_i16x8 li_i8x16_look_up(li_i16x8 table, li_i16x8 index)
{
    uint8_t entries[16], bytes[16];
    memcpy(entries, &table, sizeof entries);
    memcpy(bytes, &index, sizeof bytes);
    for (int i = 0; i < 16; i++) bytes[i] = entries[bytes[i]];
    memcpy(&table, bytes, sizeof bytes);
    return table;
}
LI_INLINE li_i16x8 li_i16x8_shift_down(li_i16x8 a, uint32_t bits)
{
    for (int i = 0; i < 8; i++) a.lane[i] = (int16_t)((uint16_t)a.lane[i] >> bits);
    return a;
}
LI_INLINE li_i16x8 li_i16x8_evens_first(li_i16x8 a)
{
    return (li_i16x8){{a.lane[0], a.lane[2], a.lane[1], a.lane[3], a.lane[4], a.lane[6], a.lane[5], a.lane[7]}};
}
LI_INLINE li_i16x8 li_i16x8_lower_pairs(li_i16x8 a, li_i16x8 b)
{
    return (li_i16x8){{a.lane[0], a.lane[1], b.lane[0], b.lane[1], a.lane[2], a.lane[3], b.lane[2], b.lane[3]}};
}
LI_INLINE li_i16x8 li_i16x8_upper_pairs(li_i16x8 a, li_i16x8 b)
{
    return (li_i16x8){{a.lane[4], a.lane[5], b.lane[4], b.lane[5], a.lane[6], a.lane[7], b.lane[6], b.lane[7]}};
}
LI_INLINE li_i16x8 li_i16x8_load(const uint8_t *from)
{
    li_i16x8 result;
    memcpy(&result, from, sizeof result);
    return result;
}
LI_INLINE li_i16x8 li_i16x8_shift_right(li_i16x8 a, uint32_t bits)
{
    for (int i = 0; i < 8; i++) a.lane[i] = (int16_t)(a.lane[i] >> bits);
    return a;
}
LI_INLINE li_i16x8 li_i16x8_shift_left(li_i16x8 a, uint32_t bits)
{
    for (int i = 0; i < 8; i++) a.lane[i] = (int16_t)((uint32_t)a.lane[i] << bits);
    return a;
}
LI_INLINE li_i16x8 li_i16x8_sub(li_i16x8 a, li_i16x8 b)
{
    for (int i = 0; i < 8; i++) a.lane[i] = (int16_t)(a.lane[i] - b.lane[i]);
    return a;
}
LI_INLINE void li_i16x8_store(uint8_t *to, li_i16x8 a)
{
    memcpy(to, &a, sizeof a);
}
LI_INLINE li_i16x8 li_i16x8_pairs_before(li_i16x8 a, bool in_twos)
{
    li_i16x8 result;
    for (int i = 0; i < 8; i++) result.lane[i] = i < 2 || (in_twos && i / 2 == 2) ? 0 : a.lane[i - 2];
    return result;
}
LI_INLINE li_i16x8 li_i16x8_splat_pair(const uint8_t *from)
{
    li_i16x8 result;
    for (int i = 0; i < 4; i++) memcpy(&result.lane[2 * i], from, 4);
    return result;
}
LI_INLINE li_i32x4 li_i32x4_dot(li_i16x8 a, li_i16x8 b)
{
    li_i32x4 result;
    for (int i = 0; i < 4; i++) {
        uint32_t even = (uint32_t)(a.lane[2 * i] * b.lane[2 * i]);
        result.lane[i] = (int32_t)(even + (uint32_t)(a.lane[2 * i + 1] * b.lane[2 * i + 1]));
    }
    return result;
}
LI_INLINE int32_t li_i32x4_total(li_i32x4 a)
{
    return a.lane[0] + a.lane[1] + a.lane[2] + a.lane[3];
}
LI_INLINE li_f32x4 li_f32x4_from_i32x4(li_i32x4 a)
{
    LI_EACH4((float)a.lane[i]);
}
// Adding and subtracting 1.5 * 2^23 rounds to the nearest whole number, ties to even, for |a| < 2^22.
LI_INLINE int16_t li_int16_nearest(float a)
{
    return a == a ? (int16_t)((a + 0x1.8p23f) - 0x1.8p23f) : (int16_t)0;
}
LI_INLINE void li_i16x8_store_nearest(int16_t *to, li_f32x4 low, li_f32x4 high)
{
    for (int i = 0; i < 8; i++) to[i] = li_int16_nearest(i < 4 ? low.lane[i] : high.lane[i - 4]);
}

#undef LI_EACH4
#undef LI_EACH2
#endif

#endif
