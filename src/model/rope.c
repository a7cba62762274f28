#include "model/rope.h"

#include "base/exp.h"

void li_rope_frequencies(double *frequencies, uint32_t pairs, double base)
{
    double log_base = li_log(base);
    for (uint32_t i = 0; i < pairs; i++) frequencies[i] = li_exp(-log_base * i / pairs);
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

void li_rope_turns(const double *frequencies, uint32_t pairs, uint32_t position, float *turns)
{
    // pi / 2 in two parts; the products of the first part with numbers up to 2^20 are exact.
    const double half_pi_high = 0x1.921fb544p+0, half_pi_low = 0x1.0b4611a626331p-34;
    for (uint32_t i = 0; i < pairs; i++) {
        double angle = position * frequencies[i];
        double quarters = (angle * 0.63661977236758134308 + 0x1.8p52) - 0x1.8p52;
        double rest = (angle - quarters * half_pi_high) - quarters * half_pi_low;
        double cosine = cosine_series(rest), sine = sine_series(rest);
        uint32_t quarter = (uint32_t)quarters & 3u;
        turns[2 * i] = (float)(quarter == 0 ? cosine : quarter == 1 ? -sine : quarter == 2 ? -cosine : sine);
        turns[2 * i + 1] = (float)(quarter == 0 ? sine : quarter == 1 ? cosine : quarter == 2 ? -sine : -cosine);
    }
}

void li_rope_apply(float *heads, uint32_t count, uint32_t head_dim, const float *turns, uint32_t pairs)
{
    for (uint32_t h = 0; h < count; h++) {
        float *head = heads + (size_t)h * head_dim;
        for (uint32_t i = 0; i < 2 * pairs; i += 2) {
            float x = head[i], y = head[i + 1];
            head[i] = x * turns[i] - y * turns[i + 1];
            head[i + 1] = x * turns[i + 1] + y * turns[i];
        }
    }
}
