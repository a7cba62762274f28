// Exponential and logarithm that give the same bits everywhere: no libm, no fused multiply-add.
#ifndef LI_EXP_H
#define LI_EXP_H

#include "base/simd.h"

#define LI_LOG2_E 1.4426950408889634074

// e^x, within 2 units in the last place; 0 below -745, +infinity above 709.
double li_exp(double x);
// Natural logarithm of x > 0, within 2 units in the last place; -infinity for 0.
double li_log(double x);

// 2^y for four y <= 0 given as two pairs, within 2e-7 relative; 0 below 2^-126. The range is reduced in
// float64, so that the error does not grow with |y|.
LI_INLINE li_f32x4 li_exp2_f32x4(li_f64x2 low, li_f64x2 high)
{
    // Taylor's coefficients ln(2)^k / k!: on [-0.5, 0.5] the remainder after degree 7 is below 1e-9.
    const li_f64x2 floor = li_f64x2_splat(-127.0);
    low = li_f64x2_pmax(low, floor);
    high = li_f64x2_pmax(high, floor);
    li_f64x2 low_whole = li_f64x2_nearest(low), high_whole = li_f64x2_nearest(high);
    li_f32x4 whole = li_f32x4_from_f64x2(low_whole, high_whole);
    li_f32x4 f = li_f32x4_from_f64x2(li_f64x2_sub(low, low_whole), li_f64x2_sub(high, high_whole));
    li_f32x4 power = li_f32x4_splat(1.5252734e-5f);
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(1.5403530e-4f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(1.3333558e-3f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(9.6181291e-3f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(5.5504109e-2f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(2.4022651e-1f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(6.9314718e-1f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(1.0f));
    return li_f32x4_scale(power, whole);
}

// 2^y for four y <= 0 (or -infinity); 0 below -127. The polynomial is within 1e-7 relative; rounding y to a
// float adds |y| * 6e-8, which falls on weights that are smaller the larger it is.
LI_INLINE li_f32x4 li_exp2_single(li_f32x4 y)
{
    y = li_f32x4_pmax(y, li_f32x4_splat(-127.0f));
    // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits.
    const li_f32x4 shift = li_f32x4_splat(0x1.8p23f);
    li_f32x4 shifted = li_f32x4_add(y, shift);
    li_f32x4 f = li_f32x4_sub(y, li_f32x4_sub(shifted, shift));
    // Minimax on [-0.5, 0.5] with 2^0 = 1 held exactly, so that 2^-127 comes out as 0.
    li_f32x4 power = li_f32x4_splat(0.0013275432866066694f);
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.009671561419963837f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.055506978183984756f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.24022240936756134f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.6931470036506653f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(1.0f));
    return li_f32x4_scale_by_bits(power, shifted);
}

#endif
