// Random numbers against the published vectors; exp and log against libm; memory; half floats.
#include <math.h>
#include <string.h>

#include "base/exp.h"
#include "base/half.h"
#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static bool is_close(double a, double b, double relative)
{
    return a == b || fabs(a - b) <= relative * fabs(b);
}

// Known-answer vectors of Random123 (kat_vectors, philox4x32-10).
static void test_philox_matches_the_published_vectors(void)
{
    static const uint32_t counters[3][4] = {
        {0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    static const uint32_t keys[3][2] = {{0, 0}, {~0u, ~0u}, {0xa4093822, 0x299f31d0}};
    static const uint32_t answers[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                           {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                           {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        li_random_philox(counters[i], keys[i], out);
        CHECK_BYTES(out, answers[i], sizeof out);
    }
}

static void test_uniforms_are_uniform_and_streams_differ(void)
{
    int bins[100] = {0}, equal = 0;
    for (uint32_t step = 0; step < 100000; step++) {
        double u = li_random_uniform(0, 0, step, LI_RANDOM_DRAW, 0);
        CHECK_GE(u, 0.0);
        CHECK_LT(u, 1.0);
        bins[(int)(u * 100)]++;
        equal += u == li_random_uniform(0, 1, step, LI_RANDOM_DRAW, 0);
    }
    double chi_square = 0.0;
    for (int i = 0; i < 100; i++) chi_square += (bins[i] - 1000.0) * (bins[i] - 1000.0) / 1000.0;
    CHECK_LT(chi_square, 148.2); // 99 degrees of freedom, p = 0.001
    CHECK_EQ(equal, 0);
    CHECK_NE(li_random_uniform(1, 0, 0, LI_RANDOM_DRAW, 0), li_random_uniform(1ull << 52, 0, 0, LI_RANDOM_DRAW, 0));
}

// The seed is the key, its low half first; the rest is the counter.
static void test_a_uniform_is_53_bits_of_a_block(void)
{
    const uint64_t seed = UINT64_C(0x1abcde89abcdef);
    const uint32_t counter[4] = {7, 5, LI_RANDOM_XTC, 11}, key[2] = {0x89abcdef, 0x1abcde};
    uint32_t block[4];
    li_random_philox(counter, key, block);
    const double expected = ldexp(block[0] >> 5, -27) + ldexp(block[1] >> 6, -53);
    CHECK_EQ(li_random_uniform(seed, 5, 7, LI_RANDOM_XTC, 11), expected);
}

static void test_exp_and_log_match_libm(void)
{
    for (int i = -74000; i <= 70900; i++) {
        double x = i * 0.01 + 0.003;
        if (x > -708.0)
            CHECK(is_close(li_exp(x), exp(x), 2.5e-16));
        else
            CHECK_NEAR(li_exp(x), exp(x), 0x1p-1074); // subnormal
    }
    for (double x = -760.0; x < 709.8; x += 0.37) {
        double many[8] = {x, -x, x / 3, x * 1e-9, -INFINITY, x / 7, -0.0, x};
        for (int i = 0; i < 8; i++) many[i] = fmin(many[i], 709.8);
        double single[8];
        for (int i = 0; i < 8; i++) single[i] = li_exp(many[i]);
        li_exp_many(many, 5);
        CHECK_BYTES(many, single, sizeof many);
    }
    CHECK_EQ(li_exp(0.0), 1.0);
    CHECK_EQ(li_exp(-800.0), 0.0);
    CHECK(isinf(li_exp(800.0)));
    CHECK(isnan(li_exp(NAN)));
    for (int i = 1; i < 200000; i++) {
        double x = exp((i - 100000) * 0.007);
        if (x == 0.0 || isinf(x)) continue;
        CHECK_NEAR(li_log(x), log(x), 3e-16 * fmax(1.0, fabs(log(x))));
    }
    CHECK(is_close(li_log(5e-324), log(5e-324), 1e-15));
    CHECK_EQ(li_log(1.0), 0.0);
    CHECK(isinf(li_log(0.0)));
}

static void test_vector_exp_is_within_2e_7(void)
{
    for (int i = 0; i < 87000; i++) {
        float x[4] = {-(float)i * 0.001f, -(float)i * 0.001f - 0.0005f, 0, -INFINITY};
        li_f32x4 power = li_exp_single(li_f32x4_load(x));
        CHECK(is_close((double)li_f32x4_lane(power, 0), exp((double)x[0]), 2e-7));
        CHECK(is_close((double)li_f32x4_lane(power, 1), exp((double)x[1]), 2e-7));
        CHECK_EQ(li_f32x4_lane(power, 2), 1.0f);
        CHECK_LT(li_f32x4_lane(power, 3), 1e-37f);
    }
}

static void test_half_floats_widen_exactly(void)
{
    for (uint32_t bits = 0; bits < 65536; bits++) {
        int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        double magnitude = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
        float value = li_half_to_float((uint16_t)bits);
        if (exponent == 31)
            CHECK(fraction ? isnan(value) : isinf(value));
        else
            CHECK_EQ((double)value, bits >> 15 ? -magnitude : magnitude);
        CHECK(isnan(value) || (signbit(value) != 0) == (bits >> 15));
    }
}

static void test_memory_is_zeroed_aligned_and_reused(void)
{
    for (int round = 0; round < 3; round++) {
        unsigned char *blocks[200];
        for (size_t i = 0; i < 200; i++) {
            size_t size = i * i * 13 % 70000;
            blocks[i] = li_memory_alloc(size);
            CHECK(blocks[i]);
            CHECK_EQ((uintptr_t)blocks[i] % 16, 0);
            for (size_t k = 0; k < size; k++)
                if (blocks[i][k]) CHECK_EQ(blocks[i][k], 0);
            memset(blocks[i], 255, size);
        }
        for (size_t i = 0; i < 200; i++) li_memory_free(blocks[i * 7 % 200]);
    }
    unsigned char *text = li_memory_alloc(5);
    memcpy(text, "hello", 5);
    text = li_memory_resize(text, 5, 5000);
    CHECK_BYTES(text, "hello", 5);
    CHECK_EQ(text[5], 0);
    CHECK_EQ(text[4999], 0);
    li_memory_free(text);
    li_memory_free(NULL);
}

int main(void)
{
    test_philox_matches_the_published_vectors();
    test_uniforms_are_uniform_and_streams_differ();
    test_a_uniform_is_53_bits_of_a_block();
    test_exp_and_log_match_libm();
    test_vector_exp_is_within_2e_7();
    test_half_floats_widen_exactly();
    test_memory_is_zeroed_aligned_and_reused();
    return check_done("base");
}
