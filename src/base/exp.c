#include "base/exp.h"

#include <string.h>

static double power_of_two(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

double li_exp(double x)
{
    if (!(x > -746.0)) return x != x ? x : 0.0;
    if (x > 709.8) return (double)__builtin_inff();
    // ln 2 in two parts (Cody and Waite): the remainder r is exact to the last bit.
    double whole = (x * LI_LOG2_E + 0x1.8p52) - 0x1.8p52;
    double r = (x - whole * 0x1.62e42fee00000p-1) - whole * 0x1.a39ef35793c76p-33;
    double term = 1.0 / 6227020800.0; // 1 / 13!
    static const double inverse_factorials[] = {
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
    for (unsigned i = 0; i < sizeof inverse_factorials / sizeof *inverse_factorials; i++)
        term = term * r + inverse_factorials[i];
    // Two factors, because 2^whole may itself be subnormal or infinite.
    int n = (int)whole;
    return term * power_of_two(n / 2) * power_of_two(n - n / 2);
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
