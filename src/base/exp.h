// Exponential and logarithm with the same bits everywhere: no libm, no fused multiply-add.
#ifndef LI_EXP_H
#define LI_EXP_H

#include "base/simd.h"

#define LI_LOG2_E 1.4426950408889634074

// e^x, within 2 units in the last place; 0 below -745, +infinity above 709.
double li_exp(double x);
// Replaces x (count, rounded up to whole fours), each <= 709.8 or -infinity, by e^x with the bits of li_exp.
void li_exp_many(double *x, uint32_t count);
// Natural logarithm of x > 0, within 2 units in the last place; -infinity for 0.
double li_log(double x);
// Natural logarithm of n! for a whole n of 0 or more, within 4 units in the last place of the largest term.
double li_log_factorial(double n);

// Adding 1.5 * 2^23 rounds a float to an integer, which the low bits then hold.
#define LI_ROUNDING 0x1.8p23f

// 2^(n + f) for four f in -0.5 .. 0.5; `shifted` is n + LI_ROUNDING. Relative error below 1e-7.
LI_INLINE li_f32x4 li_exp2_parts(li_f32x4 f, li_f32x4 shifted)
{
    // Minimax polynomial with 2^0 = 1 exactly, so that 2^-127 gives 0.
    li_f32x4 power = li_f32x4_splat(0.0013275432866066694f);
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.009671561419963837f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.055506978183984756f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.24022240936756134f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(0.6931470036506653f));
    power = li_f32x4_add(li_f32x4_mul(power, f), li_f32x4_splat(1.0f));
    return li_f32x4_scale_by_bits(power, shifted);
}

// 2^y for four y <= 0 (or -infinity); 0 below -127. Rounding y to a float adds a relative error of |y| * 6e-8: the
// larger the error, the smaller the weight.
LI_INLINE li_f32x4 li_exp2_single(li_f32x4 y)
{
    y = li_f32x4_pmax(y, li_f32x4_splat(-127.0f));
    const li_f32x4 rounding = li_f32x4_splat(LI_ROUNDING);
    li_f32x4 shifted = li_f32x4_add(y, rounding);
    return li_exp2_parts(li_f32x4_sub(y, li_f32x4_sub(shifted, rounding)), shifted);
}

// e^x for four x <= 0 (or -infinity), relative error below 2e-7; e^-87 below -87.
LI_INLINE li_f32x4 li_exp_single(li_f32x4 x)
{
    x = li_f32x4_pmax(x, li_f32x4_splat(-87.0f));
    const li_f32x4 rounding = li_f32x4_splat(LI_ROUNDING), log2_e = li_f32x4_splat((float)LI_LOG2_E);
    li_f32x4 shifted = li_f32x4_add(li_f32x4_mul(x, log2_e), rounding);
    li_f32x4 n = li_f32x4_sub(shifted, rounding);
    // ln 2 in two parts (Cody and Waite): n times the first is exact.
    x = li_f32x4_sub(x, li_f32x4_mul(n, li_f32x4_splat(0x1.62ep-1f)));
    x = li_f32x4_sub(x, li_f32x4_mul(n, li_f32x4_splat(0x1.0bfbe8p-15f)));
    return li_exp2_parts(li_f32x4_mul(x, log2_e), shifted);
}

#endif
