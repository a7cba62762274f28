// The frequencies of YaRN against its rule in float64 (Peng et al., 2023), with llama.cpp's whole bounds, and
// where the bounds lie beyond the pairs.
#include <math.h>

#include "check.h"
#include "model/rope.h"

#define PI 3.14159265358979323846

static double clamped(double x, double least, double most)
{
    return fmin(fmax(x, least), most);
}

// The share of pair i that stays as it was.
static double share_of(const li_rope_scaling *scaling, uint32_t i)
{
    double width = 2.0 * scaling->pairs, per_turn = 2 * log(scaling->base), length = scaling->original_length;
    double low = clamped(floor(width * log(length / (scaling->beta_fast * 2 * PI)) / per_turn), 0, width - 1);
    double high = clamped(ceil(width * log(length / (scaling->beta_slow * 2 * PI)) / per_turn), 0, width - 1);
    return scaling->extrapolation * (1 - clamped((i - low) / fmax(0.001, high - low), 0, 1));
}

static void test_yarn_moves_frequencies_by_its_formula(void)
{
    static const double bases[] = {3, 1000, 1e6};
    static const uint32_t lengths[] = {16, 256, 1 << 20};
    for (int b = 0; b < 3; b++)
        for (int l = 0; l < 3; l++)
            for (uint32_t pairs = 1; pairs <= 64; pairs *= 4) {
                CHECK_CASE("b %d, l %d, pairs %u", b, l, pairs);
                li_rope_scaling scaling = {.pairs = pairs,
                                           .is_yarn = true,
                                           .base = bases[b],
                                           .factor = 8,
                                           .original_length = lengths[l],
                                           .extrapolation = l == 2 ? 0.7 : 1,
                                           .beta_fast = 32,
                                           .beta_slow = l == 1 ? 0.5 : 1};
                double frequencies[64];
                li_rope_frequencies(frequencies, &scaling, NULL);
                for (uint32_t i = 0; i < pairs; i++) {
                    double plain = pow(bases[b], -(double)i / pairs), share = share_of(&scaling, i);
                    double expected = plain / 8 * (1 - share) + plain * share;
                    CHECK_NEAR(frequencies[i], expected, 1e-12);
                }
            }
}

int main(void)
{
    test_yarn_moves_frequencies_by_its_formula();
    return check_done("rope");
}
