// Combined rows of logits, divergences and similarities, against the papers' formulas in float64.
#include "check.h"
#include "rows.h"

#define LN_2 0.69314718055994530942

static bool is_masked(float logit)
{
    return logit <= -1e30f;
}

// The log-softmax of a row.
static void log_softmax(const float *row, uint32_t count, double *out)
{
    double peak = -INFINITY, sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_masked(row[i])) peak = fmax(peak, (double)row[i]);
    for (uint32_t i = count; i-- > 0;)
        if (!is_masked(row[i])) sum += exp((double)row[i] - peak);
    for (uint32_t i = 0; i < count; i++)
        out[i] = is_masked(row[i]) ? -(double)INFINITY : (double)row[i] - peak - log(sum);
}

// The nearest logit that is neither masked nor infinite.
static bool is_near(double found, double expected)
{
    expected = fmin(fmax(expected, (double)nextafterf(-1e30f, 0.0f)), 3.4028234663852886e38);
    return found == expected || fabs(found - expected) <= 1e-6 * fmax(1.0, fabs(expected));
}

enum { MOST = 5000 };
static float first[MOST], second[MOST], into[MOST], kept[2][MOST];
static double first_log[MOST], second_log[MOST];

// Two rows with at least one token that is unmasked in both.
static void make_rows(uint32_t count, uint32_t salt)
{
    fill(first, count, (row_kind)(salt % ROW_KINDS), salt);
    fill(second, count, (row_kind)(salt / ROW_KINDS % ROW_KINDS), salt + 1);
    first[count / 2] = second[count / 2] = 1.0f;
    log_softmax(first, count, first_log);
    log_softmax(second, count, second_log);
    memcpy(kept[0], first, count * sizeof *first);
    memcpy(kept[1], second, count * sizeof *second);
}

static bool are_kept(uint32_t count)
{
    return memcmp(kept[0], first, count * sizeof *first) == 0 && memcmp(kept[1], second, count * sizeof *second) == 0;
}

static const uint32_t sizes[] = {1, 3, 4, 63, 64, 150, MOST};
#define SIZES (sizeof sizes / sizeof *sizes)

static void test_guidance_matches_the_formula(void)
{
    static const double scales[] = {0, 1, 1.5, 7, -0.5};
    for (uint32_t salt = 0; salt < 3 * ROW_KINDS * ROW_KINDS; salt++) {
        CHECK_CASE("salt %u", salt);
        uint32_t count = sizes[salt % SIZES];
        double scale = scales[salt % 5];
        make_rows(count, salt);
        CHECK_EQ(li_guide(first, second, count, scale, into), LI_OK);
        CHECK(are_kept(count));
        bool holds = true;
        for (uint32_t i = 0; i < count; i++) {
            double expected = (1.0 - scale) * second_log[i] + scale * first_log[i];
            bool masked = is_masked(first[i]) || is_masked(second[i]);
            holds &= masked ? into[i] == -INFINITY : is_near((double)into[i], expected);
        }
        CHECK(holds);
        float *row = salt % 2 ? first : second; // written over an input
        CHECK_EQ(li_guide(first, second, count, scale, row), LI_OK);
        CHECK_BYTES(row, into, count * sizeof *into);
    }
    // By hand: .5 * (.8 / .5)^2 = .5 * 2.56, and .5 * (.2 / .5)^2 = .5 * .16.
    const float conditional[2] = {(float)log(.8), (float)log(.2)}, unconditional[2] = {3, 3};
    CHECK_EQ(li_guide(conditional, unconditional, 2, 2, into), LI_OK);
    CHECK(is_near((double)into[0] - (double)into[1], log(16)));
    CHECK(is_near((double)into[0], log(.5 * 2.56)));
}

static void test_contrast_matches_the_formula(void)
{
    static const double weights[] = {1, 0.5, 0, 2}, plausibilities[] = {0.1, 0, 1, 0.01, 0.5};
    uint32_t cut = 0, left = 0;
    for (uint32_t salt = 0; salt < 3 * ROW_KINDS * ROW_KINDS; salt++) {
        CHECK_CASE("salt %u", salt);
        uint32_t count = sizes[salt % SIZES];
        double weight = weights[salt % 4], plausibility = plausibilities[salt % 5], peak = -INFINITY;
        make_rows(count, salt);
        for (uint32_t i = 0; i < count; i++) peak = fmax(peak, first_log[i]);
        bool holds = true, is_any_left = false;
        li_status status = li_contrast(first, second, count, weight, plausibility, into);
        for (uint32_t i = 0; i < count; i++) {
            double distance = first_log[i] - peak - log(plausibility);
            bool is_masked_in_any = is_masked(first[i]) || is_masked(second[i]);
            if (!is_masked_in_any && fabs(distance) < 1e-9 && plausibility < 1) continue; // rounding decides
            bool stays = !is_masked_in_any && (plausibility < 1 ? distance > 0 : first_log[i] == peak);
            is_any_left |= stays;
            double expected = first_log[i] - weight * second_log[i];
            holds &= stays ? is_near((double)into[i], expected) : into[i] == -INFINITY;
            left += stays;
            cut += !stays && !is_masked_in_any;
        }
        CHECK_EQ(status, is_any_left ? LI_OK : LI_ERROR_NOTHING_LEFT);
        CHECK(holds || status);
        CHECK(are_kept(count));
        CHECK_EQ(li_contrast(first, second, count, weight, plausibility, second), status);
        CHECK(status || memcmp(second, into, count * sizeof *into) == 0);
    }
    CHECK_GT(cut, 10000);
    CHECK_GT(left, 10000);
    // -1e30 is masked in either row; the next number is not.
    const float masked[3] = {-1e30f, nextafterf(-1e30f, 0.0f), 0}, zeros[3] = {0};
    CHECK_EQ(li_contrast(masked, zeros, 3, 1, 0, into), LI_OK);
    CHECK_EQ(into[0], -INFINITY);
    CHECK_GT(into[1], -INFINITY);
    CHECK_EQ(li_contrast(zeros, masked, 3, 1, 0, into), LI_OK);
    CHECK_EQ(into[0], -INFINITY);
    CHECK_GT(into[1], -INFINITY);
    // By hand: .05 is below a tenth of .6, so that token is removed. A token that is as likely in the weak model loses
    // its lead.
    const float strong[3] = {(float)log(.6), (float)log(.35), (float)log(.05)};
    const float weak[3] = {(float)log(.9), (float)log(.05), (float)log(.05)};
    CHECK_EQ(li_contrast(strong, weak, 3, 1, .1, into), LI_OK);
    CHECK_EQ(into[2], -INFINITY);
    CHECK(is_near((double)into[0], log(.6 / .9)));
    CHECK(is_near((double)into[1], log(7)));
}

static void test_bad_rows_are_refused(void)
{
    for (uint32_t at = 0; at < 70; at += 23)
        for (uint32_t which = 0; which < 2; which++) {
            CHECK_CASE("at %u, which %u", at, which);
            for (uint32_t bad = 0; bad < 3; bad++) {
                CHECK_CASE("bad %u", bad);
                make_rows(70, at + which);
                float *row = which ? second : first;
                row[at] = bad ? INFINITY : NAN;
                if (bad == 2) row[(at + 1) % 70] = -INFINITY; // infinities of both signs
                li_status expected = bad ? LI_ERROR_LOGITS_INFINITE : LI_ERROR_LOGITS_NAN;
                CHECK_EQ(li_guide(first, second, 70, 1.5, into), expected);
                CHECK_EQ(li_contrast(first, second, 70, 1, 0.1, into), expected);
                CHECK(isnan(li_divergence(first, second, 70)));
            }
            make_rows(70, at);
            for (uint32_t i = 0; i < 70; i++) (which ? second : first)[i] = i % 2 ? -INFINITY : -3.4e38f;
            CHECK_EQ(li_guide(first, second, 70, 1.5, into), LI_ERROR_NOTHING_LEFT);
            CHECK_EQ(li_contrast(first, second, 70, 1, 0.1, into), LI_ERROR_NOTHING_LEFT);
            CHECK(isnan(li_divergence(first, second, 70)));
        }
    const float even[2] = {1, -INFINITY}, odd[2] = {-INFINITY, 1};
    CHECK_EQ(li_guide(even, odd, 2, 1.5, into), LI_ERROR_NOTHING_LEFT);
    CHECK_EQ(li_contrast(even, odd, 2, 1, 0, into), LI_ERROR_NOTHING_LEFT);
    make_rows(70, 0);
    CHECK_EQ(li_guide(first, second, 0, 1.5, into), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_guide(first, second, 70, (double)NAN, into), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_guide(first, second, 70, (double)INFINITY, into), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_contrast(first, second, 70, (double)NAN, 0.1, into), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_contrast(first, second, 70, 1, 1.01, into), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_contrast(first, second, 70, 1, -0.01, into), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_contrast(first, second, 70, 1, (double)NAN, into), LI_ERROR_BAD_ARGUMENT);
}

// Every combined row, however extreme, is a row that a sampler accepts.
static void test_a_sampler_accepts_every_combined_row(void)
{
    li_sampler *sampler = li_sampler_create(150);
    for (uint32_t salt = 0; salt < ROW_KINDS * ROW_KINDS; salt++) {
        CHECK_CASE("salt %u", salt);
        make_rows(150, salt);
        if (salt % 3 == 0) first[7] = 3e38f;
        if (salt % 3 == 1) second[9] = 3e38f;
        CHECK_EQ(li_guide(first, second, 150, 1e30, into), LI_OK);
        CHECK_GE(li_sampler_sample(sampler, into), 0);
        CHECK(li_contrast(first, second, 150, 1e10, 0.1, into) == LI_ERROR_NOTHING_LEFT ||
              li_sampler_sample(sampler, into) >= 0);
    }
    li_sampler_destroy(sampler);
}

// ---- distances ----------------------------------------------------------------------------------------------

static double kullback_leibler(double p, double log_p, double log_m)
{
    return p > 0.0 ? p * (log_p - log_m) : 0.0;
}

static void test_divergence_matches_the_formula(void)
{
    for (uint32_t salt = 0; salt < 4 * ROW_KINDS * ROW_KINDS; salt++) {
        CHECK_CASE("salt %u", salt);
        uint32_t count = sizes[salt % SIZES];
        make_rows(count, salt);
        if (salt % 4 == 3) { // similar rows
            for (uint32_t i = 0; i < count; i++)
                second[i] = is_masked(first[i]) ? first[i] : first[i] + 0.2f * (float)normal(salt + i);
            log_softmax(second, count, second_log);
        }
        double expected = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            double p = exp(first_log[i]), q = exp(second_log[i]), log_m = log((p + q) / 2);
            expected += (kullback_leibler(p, first_log[i], log_m) + kullback_leibler(q, second_log[i], log_m)) / 2;
        }
        double found = li_divergence(first, second, count);
        // Single precision: the error is about a millionth of the sum and of the terms in it.
        CHECK_NEAR(found, expected, 1e-6 * expected + 2e-7);
        CHECK_GE(found, 0.0);
        CHECK_LE(found, LN_2 + 1e-6);
        CHECK_EQ(li_divergence(second, first, count), found);
        CHECK_EQ(li_divergence(first, first, count), 0.0);
    }
    const float even[4] = {1, -INFINITY, 2, -3.4e38f}, odd[4] = {-INFINITY, 5, -INFINITY, 5};
    CHECK_NEAR(li_divergence(even, odd, 4), LN_2, 1e-6);
    const float half[2] = {0, 0}, one[2] = {0, -INFINITY};
    CHECK_NEAR(li_divergence(half, one, 2), 0.2157615543388357, 1e-6);
}

static void test_degeneration_is_the_largest_cosine(void)
{
    enum { DIM = 300, STATES = 40 };
    static float states[STATES * DIM], state[DIM];
    for (uint32_t salt = 0; salt < 100; salt++) {
        CHECK_CASE("salt %u", salt);
        uint32_t dim = (uint32_t[]){1, 2, 5, 63, 64, 68, 128, 288, DIM}[salt % 9], count = salt % STATES;
        double largest = count ? -1.0 : 0.0, size = 0.0;
        for (uint32_t i = 0; i < dim; i++) state[i] = (float)(normal(salt * 1000 + i) * (salt % 3 ? 1 : 1e6));
        for (uint32_t i = 0; i < dim; i++) size += (double)state[i] * (double)state[i];
        for (uint32_t s = 0; s < count; s++) {
            double product = 0.0, sizes_product = 0.0;
            for (uint32_t i = 0; i < dim; i++) {
                float number = (float)(normal(70000 + s * 1000 + i) + (s % 7 == 3 ? (double)state[i] * 0.4 : 0.0));
                states[s * dim + i] = number;
                product += (double)number * (double)state[i];
                sizes_product += (double)number * (double)number;
            }
            largest = fmax(largest, product / sqrt(size * sizes_product));
        }
        CHECK_NEAR(li_degeneration(state, states, count, dim), largest, 1e-6);
    }
    const float right[2] = {2, 0}, others[6] = {-3, 0, 0, 5, 1, 1}, nothing[2] = {0, 0};
    CHECK_EQ(li_degeneration(right, others, 1, 2), -1.0);
    CHECK_EQ(li_degeneration(right, others, 2, 2), 0.0);
    CHECK_NEAR(li_degeneration(right, others, 3, 2), sqrt(.5), 1e-6);
    CHECK_EQ(li_degeneration(right, right, 1, 2), 1.0);
    CHECK_EQ(li_degeneration(right, others, 0, 2), 0.0);
    CHECK_EQ(li_degeneration(nothing, others, 3, 2), 0.0);
    CHECK_EQ(li_degeneration(right, nothing, 1, 2), 0.0);
    const float broken[2] = {NAN, 0};
    CHECK(isnan(li_degeneration(broken, others, 3, 2)));
}

// The order of the sums, on which their bits depend: four lanes over 64 products, the blocks in float64, and each of
// the last three products or fewer in float64.
static double sum_of_products(const float *a, const float *b, uint32_t dim)
{
    double total = 0.0;
    uint32_t fours = dim / 4 * 4;
    for (uint32_t start = 0; start < fours; start += 64) {
        float lanes[4] = {0};
        for (uint32_t i = start; i < fours && i < start + 64; i++) lanes[i % 4] += a[i] * b[i];
        total += (double)((lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
    }
    for (uint32_t i = fours; i < dim; i++) total += (double)a[i] * (double)b[i];
    return total;
}

static void test_similarities_have_the_same_bits_everywhere(void)
{
    for (uint32_t dim = 1; dim < 200; dim++) {
        CHECK_CASE("dim %u", dim);
        for (uint32_t i = 0; i < dim; i++) {
            first[i] = (float)normal(1000 * dim + i);
            second[i] = (float)normal(1000 * dim + i + 500);
        }
        double product_of_sizes = sqrt(sum_of_products(first, first, dim) * sum_of_products(second, second, dim));
        double expected = sum_of_products(first, second, dim) / product_of_sizes;
        CHECK_EQ(li_degeneration(first, second, 1, dim), fmin(expected, 1.0));
    }
}

int main(void)
{
    test_guidance_matches_the_formula();
    test_contrast_matches_the_formula();
    test_bad_rows_are_refused();
    test_a_sampler_accepts_every_combined_row();
    test_divergence_matches_the_formula();
    test_degeneration_is_the_largest_cosine();
    test_similarities_have_the_same_bits_everywhere();
    return check_done("contrast");
}
