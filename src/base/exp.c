#include "base/exp.h"

#include <string.h>

#define TERMS 13u

// 1 / 13! and so on up to 1 / 0!.
static const double inverse_factorials[TERMS + 1] = {
    1.0 / 6227020800.0,
    1.0 / 479001600.0,
    1.0 / 39916800.0,
    1.0 / 3628800.0,
    1.0 / 362880.0,
    1.0 / 40320.0,
    1.0 / 5040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
};

// x becomes the remainder. Returns the power of 2 as li_f64x2_scale_by_bits takes it.
LI_INLINE li_f64x2 split(li_f64x2 *x)
{
    const li_f64x2 rounding = li_f64x2_splat(0x1.8p52 + 2046.0);
    *x = li_f64x2_pmax(*x, li_f64x2_splat(-746.0));
    li_f64x2 shifted = li_f64x2_add(li_f64x2_mul(*x, li_f64x2_splat(LI_LOG2_E)), rounding);
    li_f64x2 whole = li_f64x2_sub(shifted, rounding);
    // ln 2 in two parts (Cody and Waite): the remainder r is exact to the last bit.
    *x = li_f64x2_sub(*x, li_f64x2_mul(whole, li_f64x2_splat(0x1.62e42fee00000p-1)));
    *x = li_f64x2_sub(*x, li_f64x2_mul(whole, li_f64x2_splat(0x1.a39ef35793c76p-33)));
    return shifted;
}

void li_exp_many(double *x, uint32_t count)
{
    // Two pairs at a time, because each step waits for the one before.
    for (uint32_t i = 0; i < count; i += 4) {
        li_f64x2 a = li_f64x2_load(x + i), b = li_f64x2_load(x + i + 2), shifted_a = split(&a), shifted_b = split(&b);
        li_f64x2 term_a = li_f64x2_splat(inverse_factorials[0]), term_b = term_a;
        for (uint32_t k = 1; k <= TERMS; k++) {
            li_f64x2 next = li_f64x2_splat(inverse_factorials[k]);
            term_a = li_f64x2_add(li_f64x2_mul(term_a, a), next);
            term_b = li_f64x2_add(li_f64x2_mul(term_b, b), next);
        }
        li_f64x2_store(x + i, li_f64x2_scale_by_bits(term_a, shifted_a));
        li_f64x2_store(x + i + 2, li_f64x2_scale_by_bits(term_b, shifted_b));
    }
}

double li_exp(double x)
{
    if (!(x > -746.0)) return x != x ? x : 0.0;
    if (x > 709.8) return (double)__builtin_inff();
    double four[4] = {x};
    li_exp_many(four, 4);
    return four[0];
}

double li_log(double x)
{
    if (x == 0.0) return -(double)__builtin_inff();
    int exponent = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        exponent = -54;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    exponent += (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    // ln m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| <= 0.1716: the series needs 11 terms.
    double s = (m - 1.0) / (m + 1.0), s2 = s * s, series = 0.0;
    for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * s2;
    return (double)exponent * 0x1.62e42fee00000p-1 + ((double)exponent * 0x1.a39ef35793c76p-33 + 2.0 * s * series) +
           2.0 * s;
}

double li_log_factorial(double n)
{
    double product = 1.0;
    // Stirling's series needs a large argument.
    for (; n < 16.0; n += 1.0) product *= n + 1.0;
    double inverse = 1.0 / n, square = inverse * inverse;
    double series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    return (n + 0.5) * li_log(n) - n + 0.91893853320467274178 + series - li_log(product);
}
