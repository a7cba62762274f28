#include "model/rope.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/exp.h"

// The pair that turns `turns` times within the original length; it need not be whole.
static double pair_of(const li_rope_scaling *scaling, double turns)
{
    LI_ASSERT(turns > 0 && scaling->base > 1 && scaling->original_length);
    const double two_pi = 6.28318530717958647692;
    return scaling->pairs * li_log(scaling->original_length / (turns * two_pi)) / li_log(scaling->base);
}

static double clamp(double x, double least, double most)
{
    LI_ASSERT(least <= most);
    return x < least ? least : x > most ? most : x;
}

// YaRN's ramp: the unscaled share of pair i, 1 before the pair of beta_fast, 0 after the pair of beta_slow.
static double yarn_ramp(const li_rope_scaling *scaling, uint32_t i)
{
    LI_ASSERT(scaling->is_yarn && i < scaling->pairs);
    double last = 2.0 * scaling->pairs - 1;
    // Rounded down and up, as in llama.cpp.
    int32_t low = (int32_t)clamp(pair_of(scaling, scaling->beta_fast), 0, last);
    double slow = clamp(pair_of(scaling, scaling->beta_slow), 0, last);
    int32_t high = (int32_t)slow + (slow > (int32_t)slow);
    double width = high > low ? high - low : 0.001;
    return (1 - clamp(((int32_t)i - low) / width, 0, 1)) * scaling->extrapolation;
}

void li_rope_frequencies(double *frequencies, const li_rope_scaling *scaling, const float *divisors)
{
    LI_ASSERT(scaling->base >= 1 && scaling->factor >= LI_ROPE_DIVISOR_MIN);
    double log_base = li_log(scaling->base);
    for (uint32_t i = 0; i < scaling->pairs; i++) {
        double unscaled = li_exp(-log_base * i / scaling->pairs);
        if (divisors) unscaled /= (double)divisors[i];
        LI_ASSERT(!divisors || (double)divisors[i] >= LI_ROPE_DIVISOR_MIN);
        double ramp = scaling->is_yarn ? yarn_ramp(scaling, i) : 0;
        frequencies[i] = unscaled / scaling->factor * (1 - ramp) + unscaled * ramp;
    }
}

// Taylor series on [-pi/4, pi/4]; the remainder is below 1e-17.
static double sine_series(double x)
{
    double x2 = x * x, sum = 0;
    for (int n = 17; n >= 3; n -= 2) sum = (1 + sum) * -x2 / (n * (n - 1));
    return x + x * sum;
}

static double cosine_series(double x)
{
    double x2 = x * x, sum = 0;
    for (int n = 18; n >= 2; n -= 2) sum = (1 + sum) * -x2 / (n * (n - 1));
    return 1 + sum;
}

void li_rope_turns(const double *frequencies, uint32_t pairs, uint32_t position, double magnitude, float *turns)
{
    LI_ASSERT(position < 1u << 24);
    // pi / 2 in two parts; the products of the first part with numbers up to 2^20 are exact.
    const double half_pi_high = 0x1.921fb544p+0, half_pi_low = 0x1.0b4611a626331p-34;
    for (uint32_t i = 0; i < pairs; i++) {
        double angle = position * frequencies[i];
        double quarters = (angle * 0.63661977236758134308 + 0x1.8p52) - 0x1.8p52;
        LI_ASSERT(quarters < 0x1p32);
        double rest = (angle - quarters * half_pi_high) - quarters * half_pi_low;
        double cosine = cosine_series(rest) * magnitude, sine = sine_series(rest) * magnitude;
        uint32_t quarter = (uint32_t)quarters & 3u;
        turns[2 * i] = (float)(quarter == 0 ? cosine : quarter == 1 ? -sine : quarter == 2 ? -cosine : sine);
        turns[2 * i + 1] = (float)(quarter == 0 ? sine : quarter == 1 ? cosine : quarter == 2 ? -sine : -cosine);
    }
}

void li_rope_apply(float *heads, uint32_t count, uint32_t head_dim, const float *turns, uint32_t pairs, bool halves)
{
    LI_ASSERT(2 * pairs <= head_dim);
    const uint32_t step = halves ? 1 : 2, distance = halves ? pairs : 1;
    for (uint32_t h = 0; h < count; h++) {
        float *head = heads + (size_t)h * head_dim;
        for (uint32_t i = 0; i < pairs; i++) {
            float *x = head + i * step, *y = x + distance;
            float turned = *x * turns[2 * i] - *y * turns[2 * i + 1];
            *y = *x * turns[2 * i + 1] + *y * turns[2 * i];
            *x = turned;
        }
    }
}
