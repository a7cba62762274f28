// Cuts that keep a large part of a large row: kept sets against the float64 reference, draws against a walk over the
// kept set.
#include "check.h"
#include "lastinch.h"
#include "reference.h"

#include "base/random.h"

static double uniform(uint32_t step)
{
    return li_random_uniform(7, 0, step, LI_RANDOM_DRAW, 3);
}

static double normal(uint32_t step)
{
    return sqrt(-2.0 * log(1.0 - uniform(2 * step))) * cos(6.283185307179586 * uniform(2 * step + 1));
}

typedef enum row_kind { FLAT, HALVES, TIED_AT_THE_CUT, ALL_EQUAL, MASKED, SORTED, HEAVY_HEAD, ROW_KINDS } row_kind;

static void fill(float *row, uint32_t count, row_kind kind)
{
    for (uint32_t id = 0; id < count; id++) {
        float value = (float)normal(id);
        if (kind == HALVES) value = (float)floor((double)value * 512.0) / 512.0f; // with float16 precision
        if (kind == TIED_AT_THE_CUT) value = value < -1.0f && value > -3.0f ? -2.0f : value;
        if (kind == ALL_EQUAL) value = 3.0f;
        if (kind == MASKED && id % 3) value = id % 2 ? -INFINITY : -3.4e38f;
        if (kind == SORTED) value = 4.0f - 8.0f * (float)id / (float)count;
        if (kind == HEAVY_HEAD && id % 1000 == 0) value += 12.0f;
        row[id] = value;
    }
}

static const uint32_t order[] = {LI_STAGE_TEMPERATURE, LI_STAGE_TOP_K,   LI_STAGE_TOP_P, LI_STAGE_MIN_P,
                                 LI_STAGE_TYPICAL,     LI_STAGE_EPSILON, LI_STAGE_TFS,   LI_STAGE_XTC};

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const reference_token *)a)->id, y = ((const reference_token *)b)->id;
    return x < y ? -1 : x > y;
}

// Checks distribution, trace and draws of one row under one setting.
static void compare(li_sampler *sampler, float *row, uint32_t count, const reference_options *expected_options)
{
    li_options *options = (li_options *)li_sampler_options(sampler);
    options->temperature = expected_options->temperature;
    options->top_k = expected_options->top_k;
    options->top_p = expected_options->top_p;
    options->min_p = expected_options->min_p;
    options->epsilon_cutoff = expected_options->epsilon;
    options->typical_p = expected_options->typical_p;
    options->tfs_z = expected_options->tfs_z;
    options->xtc_probability = expected_options->xtc_probability;
    options->xtc_threshold = expected_options->xtc_threshold;
    options->min_keep = expected_options->min_keep;
    CHECK_EQ(li_sampler_set_order(sampler, order, sizeof order / sizeof *order, 0), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    reference_result expected = reference_run(row, count, expected_options);

    int32_t kept = li_sampler_distribution(sampler, row);
    bool is_same = (uint32_t)kept == expected.count;
    for (uint32_t i = 0; i < expected.count && is_same; i++) {
        is_same = li_sampler_get_arrays(sampler)->tokens[i] == expected.tokens[i].id;
        double error = li_sampler_get_arrays(sampler)->probabilities[i] - expected.tokens[i].probability;
        if (!(fabs(error) < 1e-9)) {
            CHECK(is_same);
            CHECK_LT(fabs(error), 1e-9);
        }
    }
    CHECK(is_same || expected.margin < 1e-6);
    CHECK_EQ(li_sampler_trace(sampler, row), kept);
    uint32_t left = 0;
    for (uint32_t id = 0; id < count; id++) left += li_sampler_get_arrays(sampler)->trace_removed_by[id] == 255;
    CHECK_EQ(left, (uint32_t)kept);

    qsort(expected.tokens, expected.count, sizeof *expected.tokens, by_id);
    for (uint32_t i = 0; i < 20; i++) {
        double u = uniform(i + 1000000), before = 0.0, sum = 0.0;
        uint32_t at = 0;
        while (at + 1 < expected.count && !((sum = before + expected.tokens[at].probability) > u)) {
            before = sum;
            at++;
        }
        int32_t token = li_sampler_pick(sampler, row, u);
        double margin = fmin(fabs(u - before), fabs(u - (before + expected.tokens[at].probability)));
        CHECK((uint32_t)token == expected.tokens[at].id || margin < 1e-6 || !is_same);
    }
    free(expected.tokens);
}

int main(void)
{
    static const uint32_t sizes[] = {16385, 70003};
    static const double top_ps[] = {0.999, 0.95, 0.5, 0.99999, 1.0 - 1e-7};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK_CASE("vocabulary of %u", sizes[s]);
        uint32_t count = sizes[s];
        float *row = malloc(count * sizeof *row), *before = malloc(count * sizeof *before);
        li_sampler *sampler = li_sampler_create(count);
        for (row_kind kind = FLAT; kind < ROW_KINDS; kind++) {
            CHECK_CASE("kind %d", kind);
            fill(row, count, kind);
            memcpy(before, row, count * sizeof *row);
            for (uint32_t variant = 0; variant < 13; variant += s && !CHECK_IS_LONG ? 3 : 1) {
                CHECK_CASE("variant %u", variant);
                reference_options options = {.temperature = 1, .top_p = 1, .typical_p = 1, .tfs_z = 1, .repetition = 1};
                options.min_keep = 1;
                options.order = order;
                options.order_count = sizeof order / sizeof *order;
                if (variant < 5) options.top_p = top_ps[variant];
                if (variant == 2) options.min_keep = count / 2 + 77; // more tokens than p keeps
                if (variant == 3) options.min_p = 0.1;               // a stage after a large cut
                if (variant == 4) options.temperature = 1.5;
                if (variant == 5) options.epsilon = 0.3 / count;
                if (variant == 6) options.top_k = count / 2;
                if (variant == 7) options.top_p = 0.9, options.epsilon = 0.5 / count, options.top_k = count - 5;
                if (variant == 8 || variant == 9) options.typical_p = variant == 8 ? 0.9 : 0.3;
                if (variant == 9) options.min_keep = 700; // more tokens than p keeps where some tokens weigh much
                if (variant == 10 || variant == 11) options.tfs_z = variant == 10 ? 0.95 : 0.999;
                if (variant == 12) options.xtc_probability = 1, options.xtc_threshold = 0.1 / count;
                compare(sampler, row, count, &options);
            }
            CHECK_BYTES(before, row, count * sizeof *row);
        }
        li_sampler_destroy(sampler);
        free(before);
        free(row);
    }
    return check_done("large_cut");
}
