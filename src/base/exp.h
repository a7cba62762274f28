// Exponential and logarithm that give the same bits everywhere: no libm, no fused multiply-add.
#ifndef LI_EXP_H
#define LI_EXP_H

#include "base/simd.h"

#define LI_LOG2_E 1.4426950408889634074
#define LI_LN_2   0.69314718055994530942

// e^x, within 2 units in the last place; 0 below -745, +infinity above 709.
double li_exp(double x);
// Natural logarithm of x > 0, within 2 units in the last place; -infinity for 0.
double li_log(double x);

// 2^y for four y <= 0 given as two pairs, within 2e-7 relative; 0 below 2^-126. The range is reduced in
// float64, so that the error does not grow with |y|.
static inline li_f32x4 li_exp2_f32x4(li_f64x2 low, li_f64x2 high)
{
    // A minimax-like polynomial of 2^f on [-0.5, 0.5]: the Taylor coefficients ln(2)^k / k!, whose
    // remainder after degree 7 is below 1e-9.
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

#endif
