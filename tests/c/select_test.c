// Cuts of sets of values, called directly: with a bracket that holds the cut or not, and with scratch of the
// size that select.h asks for. And the weight on which a running sum falls.
#include "check.h"
#include "rows.h"
#include "sample/select.h"
#include "sample/softmax.h"

static int falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x > y ? -1 : x < y;
}

static float *sorted(const float *values, uint32_t count)
{
    float *copy = malloc(count * sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, falling);
    return copy;
}

static void test_the_cut_is_found_between_bounds_that_hold_it_and_not_beyond_them(void)
{
    static const uint32_t counts[] = {3, 64, 128, 200, 1000};
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        CHECK_CASE("%u values", counts[c]);
        uint32_t count = counts[c];
        float *values = malloc(count * sizeof *values), *masses = malloc(count * sizeof *masses);
        uint32_t *keys = malloc(count * sizeof *keys);
        for (uint32_t i = 0; i < count; i++) values[i] = (float)(i * 7919 % 1009); // all different
        float *order = sorted(values, count);
        uint32_t first = count / 4, last = count / 2;
        for (uint32_t target = 1; target <= count; target++) {
            bool is_inside = target > first && target <= last + 1;
            li_bracket bracket = {order[last], order[first], NULL};
            li_select_scratch scratch = {keys, masses};
            li_cut cut = li_select_within(values, NULL, count, &bracket, target, &scratch);
            CHECK_EQ(cut.ties != 0, is_inside);
            if (is_inside) {
                CHECK_EQ(cut.value, order[target - 1]);
                CHECK_EQ(cut.ties, UINT32_MAX);
            }
        }
        free(order), free(keys), free(masses), free(values);
    }
}

static void test_large_sets_need_scratch_of_their_own_size(void)
{
    static const uint32_t counts[] = {16384, 16385, 20000, 32769};
    for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
        CHECK_CASE("%u values", counts[c]);
        uint32_t count = counts[c];
        float *values = malloc(count * sizeof *values), *masses = malloc(count * sizeof *masses);
        uint32_t *keys = malloc(count * sizeof *keys);
        fill(values, count, FLAT, c);
        float *order = sorted(values, count);
        for (uint32_t target = 1; target < count; target += count / 7) {
            li_select_scratch scratch = {keys, masses};
            float value = li_select_upper_set(values, NULL, count, count, target, &scratch).value;
            CHECK_EQ(value, order[target - 1]);
        }
        free(order), free(keys), free(masses), free(values);
    }
}

static void test_zeros_of_both_signs_are_equal(void)
{
    uint32_t keys[6];
    float values[6] = {-1, -0.0f, 0, -0.0f, 1, 0}, masses[6];
    const uint32_t expected[6] = {4, 1, 2, 3, 5, 0};
    li_cut cut = li_select_upper_set(values, NULL, 6, 6, 3, &(li_select_scratch){keys, masses});
    CHECK_EQ(cut.value, 0);
    CHECK_EQ(cut.ties, 2);
    li_sampler *sampler = li_sampler_create(6);
    CHECK_EQ(li_sampler_distribution(sampler, values), 6);
    CHECK_BYTES(li_sampler_get_arrays(sampler)->tokens, expected, sizeof expected);
    li_sampler_destroy(sampler);
}

static void test_a_target_falls_on_the_first_weight_that_exceeds_it(void)
{
    enum { COUNT = 200 };
    float values[COUNT] = {0}, weights[256];
    double blocks[4];
    CHECK_EQ(li_softmax_sum(values, COUNT, 0.0f, 1.0, blocks, weights), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK_EQ(li_softmax_find(weights, COUNT, blocks, i), i);
        CHECK_EQ(li_softmax_find(weights, COUNT, blocks, i + 0.5), i);
    }
}

int main(void)
{
    test_the_cut_is_found_between_bounds_that_hold_it_and_not_beyond_them();
    test_large_sets_need_scratch_of_their_own_size();
    test_zeros_of_both_signs_are_equal();
    test_a_target_falls_on_the_first_weight_that_exceeds_it();
    return check_done("select");
}
