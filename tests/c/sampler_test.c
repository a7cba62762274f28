// The sampler against the float64 reference, and its documented properties.
#include "check.h"
#include "lastinch.h"
#include "reference.h"
#include "rows.h"

// The tested orders: the default, llama.cpp's, vLLM's, Hugging Face's and two invented ones.
static const struct {
    const uint32_t *stages;
    uint32_t count;
    uint32_t rules;
} orders[] = {
    {STAGES(LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TEMPERATURE, LI_STAGE_TOP_K,
            LI_STAGE_TOP_P, LI_STAGE_MIN_P, LI_STAGE_TYPICAL, LI_STAGE_EPSILON, LI_STAGE_ETA, LI_STAGE_TOP_N_SIGMA,
            LI_STAGE_TOP_H, LI_STAGE_TFS, LI_STAGE_TOP_A, LI_STAGE_P_LESS, LI_STAGE_ENTROPY_EQUILIBRIUM,
            LI_STAGE_SMOOTHING, LI_STAGE_XTC),
     0},
    {STAGES(LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TOP_N_SIGMA, LI_STAGE_TOP_K,
            LI_STAGE_TYPICAL, LI_STAGE_TOP_P, LI_STAGE_MIN_P, LI_STAGE_XTC, LI_STAGE_TEMPERATURE),
     LI_RULE_TYPICAL_EXCEEDS},
    {STAGES(LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TEMPERATURE, LI_STAGE_MIN_P,
            LI_STAGE_TOP_K, LI_STAGE_TOP_P),
     LI_RULE_KEEP_TIES},
    {STAGES(LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TEMPERATURE, LI_STAGE_TOP_H,
            LI_STAGE_TOP_K, LI_STAGE_TOP_P, LI_STAGE_MIN_P, LI_STAGE_TYPICAL, LI_STAGE_EPSILON, LI_STAGE_ETA),
     LI_RULE_KEEP_TIES},
    {STAGES(LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_XTC, LI_STAGE_TEMPERATURE,
            LI_STAGE_SMOOTHING, LI_STAGE_TFS, LI_STAGE_TOP_N_SIGMA, LI_STAGE_ETA, LI_STAGE_EPSILON, LI_STAGE_MIN_P,
            LI_STAGE_P_LESS, LI_STAGE_TOP_H, LI_STAGE_TYPICAL, LI_STAGE_ENTROPY_EQUILIBRIUM, LI_STAGE_TOP_A,
            LI_STAGE_TOP_P, LI_STAGE_TOP_K),
     LI_RULE_TOP_P_STAYS_BELOW},
    {STAGES(LI_STAGE_BIAS, LI_STAGE_REPETITION, LI_STAGE_FREQUENCY, LI_STAGE_TYPICAL, LI_STAGE_XTC, LI_STAGE_TOP_K,
            LI_STAGE_TEMPERATURE, LI_STAGE_TOP_N_SIGMA, LI_STAGE_MIN_P, LI_STAGE_TFS, LI_STAGE_TOP_P, LI_STAGE_EPSILON,
            LI_STAGE_TOP_H, LI_STAGE_ETA),
     LI_RULE_KEEP_TIES | LI_RULE_TYPICAL_EXCEEDS},
};
enum { ORDERS = sizeof orders / sizeof *orders };

// A sampler with every mechanism off, in one of the orders.
static reference_options all_off(uint32_t order)
{
    return (reference_options){
        .temperature = 1,
        .top_p = 1,
        .typical_p = 1,
        .tfs_z = 1,
        .repetition = 1,
        .dynatemp_exponent = 1,
        .xtc_threshold = 0.1,
        .min_keep = 1,
        .order = orders[order].stages,
        .order_count = orders[order].count,
        .keep_ties = (orders[order].rules & LI_RULE_KEEP_TIES) != 0,
        .typical_exceeds = (orders[order].rules & LI_RULE_TYPICAL_EXCEEDS) != 0,
        .top_p_stays_below = (orders[order].rules & LI_RULE_TOP_P_STAYS_BELOW) != 0,
        .smoothing_curve = 1,
    };
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool same_set(const reference_result *expected, const uint32_t *ids, uint32_t count)
{
    if (count != expected->count) return false;
    uint32_t *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    for (uint32_t i = 0; i < count; i++) a[i] = expected->tokens[i].id;
    memcpy(b, ids, count * sizeof *b);
    qsort(a, count, sizeof *a, compare_ids);
    qsort(b, count, sizeof *b, compare_ids);
    bool is_same = memcmp(a, b, count * sizeof *a) == 0;
    free(a);
    free(b);
    return is_same;
}

// Up to 8 biases.
static li_status set_bias(li_sampler *sampler, const uint32_t *ids, const float *values, uint32_t count)
{
    uint32_t words[16];
    for (uint32_t i = 0; i < count; i++) {
        words[2 * i] = ids[i];
        words[2 * i + 1] = bits_of(values[i]);
    }
    return li_sampler_set_list(sampler, LI_LIST_BIAS, words, 2 * count);
}

// Checks one row under one setting: kept set, order, probabilities, trace, and the restored row.
static void compare(li_sampler *sampler, float *row, uint32_t vocab_size, const reference_options *expected_options)
{
    li_options *options = options_of(sampler);
    options->temperature = expected_options->temperature;
    options->top_k = expected_options->top_k;
    options->top_p = expected_options->top_p;
    options->min_p = expected_options->min_p;
    options->typical_p = expected_options->typical_p;
    options->epsilon_cutoff = expected_options->epsilon;
    options->eta_cutoff = expected_options->eta;
    options->top_n_sigma = expected_options->n_sigma;
    options->top_h = expected_options->top_h;
    options->tfs_z = expected_options->tfs_z;
    options->top_a = expected_options->top_a;
    options->p_less = expected_options->p_less;
    options->entropy_equilibrium = expected_options->entropy_equilibrium;
    options->smoothing_factor = expected_options->smoothing_factor;
    options->smoothing_curve = expected_options->smoothing_curve;
    options->xtc_probability = expected_options->xtc_probability;
    options->xtc_threshold = expected_options->xtc_threshold;
    options->dynatemp_range = expected_options->dynatemp_range;
    options->dynatemp_exponent = expected_options->dynatemp_exponent;
    options->min_keep = expected_options->min_keep;
    uint32_t rules = (expected_options->keep_ties ? LI_RULE_KEEP_TIES : 0) |
                     (expected_options->typical_exceeds ? LI_RULE_TYPICAL_EXCEEDS : 0) |
                     (expected_options->top_p_stays_below ? LI_RULE_TOP_P_STAYS_BELOW : 0);
    CHECK_EQ(li_sampler_set_order(sampler, expected_options->order, expected_options->order_count, rules), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    float *before = malloc(vocab_size * sizeof *before);
    memcpy(before, row, vocab_size * sizeof *before);
    reference_result expected = reference_run(row, vocab_size, expected_options);

    int32_t count = li_sampler_distribution(sampler, row);
    CHECK_GT(count, 0);
    bool is_same = same_set(&expected, li_sampler_get_arrays(sampler)->tokens, (uint32_t)count);
    // Bent logits are rounded to float32.
    bool is_smooth = expected_options->smoothing_factor > 0;
    CHECK(is_same || expected.margin < (is_smooth ? 1e-4 : 1e-6));
    const uint32_t *tokens = li_sampler_get_arrays(sampler)->tokens;
    const double *probabilities = li_sampler_get_arrays(sampler)->probabilities;
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) {
        sum += probabilities[i];
        if (i && !(probabilities[i] < probabilities[i - 1] || (probabilities[i] == probabilities[i - 1])))
            CHECK_LE(probabilities[i], probabilities[i - 1]);
        if (i && probabilities[i] == probabilities[i - 1] && row[tokens[i]] == row[tokens[i - 1]] &&
            !expected_options->context_counts && !expected_options->generated_counts)
            CHECK_GT(tokens[i], tokens[i - 1]);
        // Edits are rounded to float32, which a low temperature magnifies. A dynamic temperature comes from
        // single-precision weights.
        double tolerance = expected_options->context_counts       ? 1e-5 / fmin(1.0, expected.tokens[0].probability)
                           : expected_options->dynatemp_range > 0 ? 1e-6
                           : is_smooth                            ? 1e-5
                                                                  : 1e-9;
        if (is_same && expected_options->temperature >= 0.1 &&
            fabs(probabilities[i] - expected.tokens[i].probability) > tolerance)
            CHECK_NEAR(probabilities[i], expected.tokens[i].probability, tolerance);
    }
    CHECK_NEAR(sum, 1.0, 1e-9);

    uint32_t first = tokens[0];
    int32_t kept = li_sampler_trace(sampler, row);
    CHECK_EQ(kept, count);
    const uint8_t *removed_by = li_sampler_get_arrays(sampler)->trace_removed_by;
    uint32_t stages = li_sampler_get_arrays(sampler)->trace_stages, left = 0, by_stage[LI_STAGE_COUNT] = {0};
    for (uint32_t id = 0; id < vocab_size; id++) {
        left += removed_by[id] == 255;
        if (removed_by[id] != 255) by_stage[removed_by[id]]++;
    }
    CHECK_EQ(left, (uint32_t)kept);
    CHECK_EQ(removed_by[first], 255);
    const li_stage_record *records = li_sampler_get_arrays(sampler)->trace_records;
    for (uint32_t i = 0; i < stages; i++) {
        CHECK_EQ(records[i].before - records[i].after, by_stage[i]);
        if (i) CHECK_EQ(records[i].before, records[i - 1].after);
    }
    double whole = 0.0;
    for (uint32_t id = 0; id < vocab_size; id++) whole += li_sampler_get_arrays(sampler)->trace_probabilities[id];
    CHECK_NEAR(whole, 1.0, 1e-9);
    CHECK_BYTES(before, row, vocab_size * sizeof *before);
    free(before);
    free(expected.tokens);
}

static void test_kept_sets_equal_the_reference(void)
{
    static const uint32_t sizes[] = {1, 2, 5, 63, 2048, 32000};
    uint32_t salt = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK_CASE("vocabulary of %u", sizes[s]);
        uint32_t vocab_size = sizes[s];
        float *row = malloc(vocab_size * sizeof *row);
        li_sampler *sampler = li_sampler_create(vocab_size);
        for (int kind = 0; kind < ROW_KINDS; kind++) {
            CHECK_CASE("kind %d", kind);
            for (int variant = 0; variant < (vocab_size > 10000 ? 12 : 40); variant++, salt++) {
                CHECK_CASE("variant %d", variant);
                static const double temperatures[] = {1, 0.7, 0, 2, 1e-3, 1e3, 0.1};
                static const double top_ps[] = {1, 0.9, 0.95, 0.5, 1e-6, 1 - 1e-7, 0, 0.999};
                static const double min_ps[] = {0, 0, 0.05, 0.1, 1, 1e-6};
                static const uint32_t top_ks[] = {0, 40, 1, 3, 1000, 0, 7};
                reference_options options = all_off(salt % 3);
                options.temperature = temperatures[salt % 7];
                options.top_p = top_ps[salt / 2 % 8];
                options.min_p = min_ps[salt / 3 % 6];
                options.top_k = top_ks[salt / 5 % 7];
                options.keep_ties = salt % 2;
                options.min_keep = salt % 4 ? 1 : salt % 9 + 1;
                fill(row, vocab_size, (row_kind)kind, salt);
                if (kind == MASKED) row[vocab_size / 2] = 1.0f;
                compare(sampler, row, vocab_size, &options);
            }
        }
        li_sampler_destroy(sampler);
        free(row);
    }
}

// One mechanism at a time, at ordinary and extreme values, in the orders that contain it.
static void switch_on(reference_options *options, uint32_t mechanism, uint32_t salt)
{
    static const double shares[] = {0.95, 0.5, 0.2, 1e-6, 1 - 1e-7, 0, 0.9, 0.999};
    static const double cutoffs[] = {3e-4, 1e-2, 0.3, 1e-6, 1, 0.05};
    static const double sigmas[] = {1, 0.5, 2, 1e-3, 5, 1000};
    static const double heights[] = {0.4, 0.9, 0.1, 1, 1e-6, 0.7};
    static const double thresholds[] = {0.1, 0.05, 0.5, 1e-4, 0, 0.01, 0.51};
    static const double chances[] = {1, 0.5, 0.9};
    static const double ranges[] = {0.5, 0.2, 1, 3, 0.9};
    static const double exponents[] = {1, 2, 0.5, 0};
    static const double factors[] = {0.2, 1, 5, 1e-3, 100};
    static const double curves[] = {1, 2, 3, 1.5};
    if (mechanism == 0) options->typical_p = shares[salt % 8];
    if (mechanism == 1) options->epsilon = cutoffs[salt % 6];
    if (mechanism == 2) options->eta = cutoffs[salt % 6];
    if (mechanism == 3) options->n_sigma = sigmas[salt % 6];
    if (mechanism == 4) options->top_h = heights[salt % 6];
    if (mechanism == 5) options->tfs_z = shares[salt % 8];
    if (mechanism == 6) {
        options->xtc_probability = chances[salt % 3];
        options->xtc_threshold = thresholds[salt % 7];
    }
    if (mechanism == 7 && options->temperature > 0.0) {
        options->dynatemp_range = ranges[salt % 5];
        options->dynatemp_exponent = exponents[salt % 4];
    }
    if (mechanism == 8) options->top_a = cutoffs[salt % 6];
    if (mechanism == 9) options->p_less = salt % 2 + 1;
    if (mechanism == 10) options->entropy_equilibrium = 1;
    if (mechanism == 11) {
        options->smoothing_factor = factors[salt % 5];
        options->smoothing_curve = curves[salt % 4];
    }
}

enum { MECHANISMS = 12 };

static void test_kept_sets_are_exact_at_real_vocabulary_sizes(void)
{
    static const uint32_t sizes[] = {128256, 151936, 262144};
    for (unsigned s = 0; s < 3; s++) {
        float *row = malloc(sizes[s] * sizeof *row);
        li_sampler *sampler = li_sampler_create(sizes[s]);
        for (uint32_t kind = 0; kind < ROW_KINDS; kind++) {
            CHECK_CASE("kind %u", kind);
            if (!CHECK_IS_LONG && kind % 3 != s) continue;
            fill(row, sizes[s], (row_kind)kind, kind);
            reference_options options = all_off(0);
            options.temperature = 0.8;
            options.top_p = 0.95;
            options.min_p = kind % 2 ? 0.01 : 0;
            options.top_k = kind % 3 ? 0 : 50;
            compare(sampler, row, sizes[s], &options);
            options = all_off(0);
            options.top_p = 0.999;
            compare(sampler, row, sizes[s], &options);
            options = all_off(0);
            switch_on(&options, (kind + s) % MECHANISMS, kind);
            options.xtc_u = li_random_uniform(0, 0, 0, LI_RANDOM_XTC, 0);
            compare(sampler, row, sizes[s], &options);
        }
        li_sampler_destroy(sampler);
        free(row);
    }
}

static bool has_stage(uint32_t order, uint32_t mechanism)
{
    static const uint32_t stages[MECHANISMS] = {LI_STAGE_TYPICAL,
                                                LI_STAGE_EPSILON,
                                                LI_STAGE_ETA,
                                                LI_STAGE_TOP_N_SIGMA,
                                                LI_STAGE_TOP_H,
                                                LI_STAGE_TFS,
                                                LI_STAGE_XTC,
                                                LI_STAGE_TEMPERATURE,
                                                LI_STAGE_TOP_A,
                                                LI_STAGE_P_LESS,
                                                LI_STAGE_ENTROPY_EQUILIBRIUM,
                                                LI_STAGE_SMOOTHING};
    for (uint32_t i = 0; i < orders[order].count; i++)
        if (orders[order].stages[i] == stages[mechanism]) return true;
    return false;
}

static void test_every_truncation_equals_its_reference(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 8, 99, 150, 2048, 32000};
    static const double temperatures[] = {1, 0.7, 2, 1e-2, 100};
    static const uint32_t min_keeps[] = {1, 1, 1, 2, 7, 120};
    uint32_t salt = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK_CASE("s %u", s);
        uint32_t vocab_size = sizes[s];
        float *row = malloc(vocab_size * sizeof *row);
        li_sampler *sampler = li_sampler_create(vocab_size);
        for (uint32_t kind = 0; kind < ROW_KINDS; kind++) {
            CHECK_CASE("kind %u", kind);
            for (uint32_t variant = 0; variant < (vocab_size > 10000 ? 2 * MECHANISMS : 10 * MECHANISMS); variant++) {
                CHECK_CASE("variant %u", variant);
                uint32_t mechanism = variant % (MECHANISMS + 1), order = salt++ / 2 % ORDERS;
                reference_options options = all_off(order);
                options.temperature = temperatures[salt / 3 % 5];
                options.min_keep = min_keeps[salt % 6];
                for (uint32_t each = 0; each < MECHANISMS; each++)
                    if (has_stage(order, each) && (each == mechanism || (mechanism == MECHANISMS && salt >> each & 1)))
                        switch_on(&options, each, salt / 2 + each);
                if (salt % 5 == 0) options.top_k = 50;
                if (salt % 7 == 0) options.min_p = 0.02;
                if (salt % 11 == 0) options.top_p = 0.98;
                options.xtc_u = li_random_uniform(0, 0, 0, LI_RANDOM_XTC, 0);
                fill(row, vocab_size, (row_kind)kind, salt);
                if (kind == MASKED) row[vocab_size / 2] = 1.0f;
                compare(sampler, row, vocab_size, &options);
            }
        }
        li_sampler_destroy(sampler);
        free(row);
    }
}

// One mechanism after the other at its extremes, where sums of many thousand small weights must be right.
static void test_extreme_settings_at_real_vocabulary_sizes(void)
{
    static const uint32_t sizes[] = {32000, 128256, 151936, 262144};
    static const double temperatures[] = {1e-3, 1e3, 1, 30, 0.05};
    static const double shares[] = {1e-6, 1 - 1e-7, 0.5};
    for (uint32_t s = 0; s < 4; s++) {
        float *row = malloc(sizes[s] * sizeof *row);
        li_sampler *sampler = li_sampler_create(sizes[s]);
        for (uint32_t i = 0; i < 2 * (MECHANISMS + 2); i++) {
            if (!CHECK_IS_LONG && (i + s) % 3) continue;
            reference_options options = all_off(0);
            options.temperature = temperatures[(i + s) % 5];
            double share = shares[(i + s) % 3];
            uint32_t mechanism = i % (MECHANISMS + 2);
            if (mechanism == 0) options.typical_p = share;
            if (mechanism == 1) options.epsilon = share;
            if (mechanism == 2) options.eta = share;
            if (mechanism == 3) options.n_sigma = i % 2 ? 1e-3 : 1000;
            if (mechanism == 4) options.top_h = share;
            if (mechanism == 5) options.tfs_z = share;
            if (mechanism == 6) options.xtc_probability = 1;
            if (mechanism == 6) options.xtc_threshold = i % 2 ? 1e-6 : 0.5;
            if (mechanism == 7) options.dynatemp_range = options.temperature;
            if (mechanism == 8) options.top_a = share;
            if (mechanism == 9) options.p_less = i % 2 + 1;
            if (mechanism == 10) options.entropy_equilibrium = 1;
            if (mechanism == 11) options.smoothing_factor = share;
            if (mechanism == 12) options.top_p = share;
            if (mechanism == 13) options.min_p = share;
            options.xtc_u = li_random_uniform(0, 0, 0, LI_RANDOM_XTC, 0);
            row_kind kind = (row_kind)((i / 3 + 3 * s) % ROW_KINDS);
            fill(row, sizes[s], kind, i);
            if (kind == MASKED) row[sizes[s] / 2] = 1.0f;
            compare(sampler, row, sizes[s], &options);
        }
        li_sampler_destroy(sampler);
        free(row);
    }
}

static void test_penalties_count_their_scope_and_window(void)
{
    enum { VOCAB = 50 };
    float row[VOCAB];
    for (uint32_t round = 0; round < 60; round++) {
        CHECK_CASE("round %u", round);
        li_sampler *sampler = li_sampler_create(VOCAB);
        li_options *options = options_of(sampler);
        uint32_t window = round % 3 == 0 ? 0 : round % 3 == 1 ? 5 : 64;
        options->penalty_window = window;
        options->repetition_penalty = 1.3;
        options->frequency_penalty = 0.5;
        options->presence_penalty = round % 2 ? 0.4 : -0.3;
        options->repetition_scope = round % 4 == 3;
        options->count_scope = round % 4 == 2;
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        uint32_t history[400], length = 0, prompt = 20 + round;
        for (; length < 100 + round * 3; length++) {
            history[length] =
                (uint32_t)(uniform(round * 1000 + length) * (double)VOCAB * uniform(round * 1000 + length + 500));
            CHECK_EQ(li_sampler_accept(sampler, &history[length], 1, length < prompt), LI_OK);
        }
        uint32_t counts[2][VOCAB] = {{0}};
        for (uint32_t i = window && length > window ? length - window : 0; i < length; i++) {
            counts[0][history[i]]++;
            if (i >= prompt) counts[1][history[i]]++;
        }
        fill(row, VOCAB, FLAT, round);
        reference_options expected = all_off(0);
        expected.top_p = 0.9;
        expected.repetition = 1.3;
        expected.frequency = 0.5;
        expected.presence = options->presence_penalty;
        expected.context_counts = counts[(int)options->repetition_scope];
        expected.generated_counts = counts[(int)options->count_scope];
        compare(sampler, row, VOCAB, &expected);

        // The same after saving and loading a state, and with counting switched on only afterwards.
        uint32_t size = li_sampler_state_size(sampler);
        uint8_t *state = malloc(size);
        li_sampler_save_state(sampler, state);
        li_sampler *other = li_sampler_create(VOCAB);
        CHECK_EQ(li_sampler_load_state(other, state, size), LI_OK);
        *options_of(other) = *options;
        compare(other, row, VOCAB, &expected);
        CHECK_EQ(li_sampler_load_state(other, state, size - 1), LI_ERROR_BAD_STATE);
        state[0] ^= 1;
        CHECK_EQ(li_sampler_load_state(other, state, size), LI_ERROR_BAD_STATE);
        free(state);
        li_sampler_destroy(other);
        li_sampler_destroy(sampler);
    }
}

static void test_draws_follow_the_distribution(void)
{
    enum { VOCAB = 300, DRAWS = 200000 };
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 5);
    li_sampler *sampler = li_sampler_create(VOCAB);
    options_of(sampler)->seed = 42;
    options_of(sampler)->top_p = 0.97;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    int32_t count = li_sampler_distribution(sampler, row);
    static uint32_t seen[VOCAB];
    uint32_t tokens[VOCAB];
    double probabilities[VOCAB];
    memcpy(tokens, li_sampler_get_arrays(sampler)->tokens, (size_t)count * sizeof *tokens);
    memcpy(probabilities, li_sampler_get_arrays(sampler)->probabilities, (size_t)count * sizeof *probabilities);
    for (int i = 0; i < DRAWS; i++) seen[li_sampler_sample(sampler, row)]++;
    double chi_square = 0.0;
    uint32_t total = 0;
    for (int32_t i = 0; i < count; i++) {
        double expected = probabilities[i] * (double)DRAWS, difference = seen[tokens[i]] - expected;
        chi_square += difference * difference / expected;
        total += seen[tokens[i]];
    }
    CHECK_EQ(total, DRAWS); // no removed token was drawn
    CHECK_LT(chi_square, chi_square_limit(count - 1));
    li_sampler_destroy(sampler);
}

static void test_xtc_excludes_at_its_probability_and_distributions_change_nothing(void)
{
    enum { STEPS = 20000 };
    float row[] = {4, 3, 2, 3, 1};
    li_sampler *sampler = li_sampler_create(5), *blind = li_sampler_create(5);
    for (int i = 0; i < 2; i++) {
        li_options *options = options_of(i ? blind : sampler);
        options->xtc_probability = 0.3;
        options->xtc_threshold = 0.15;
        options->seed = 8;
        CHECK_EQ(li_sampler_configure(i ? blind : sampler), LI_OK);
    }
    uint32_t excluded = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        // p = .54, .20, .07, .20, .03: three top choices; of the two that tie the higher id stays.
        int32_t count = li_sampler_distribution(sampler, row);
        CHECK(count == 5 || (count == 3 && li_sampler_get_arrays(sampler)->tokens[0] == 3));
        bool applies = li_random_uniform(8, 0, step, LI_RANDOM_XTC, 0) < 0.3;
        CHECK_EQ(count == 3, applies);
        excluded += count == 3;
        CHECK_EQ(li_sampler_trace(sampler, row), count);
        int32_t token = li_sampler_sample(sampler, row);
        CHECK_EQ(li_sampler_get_arrays(sampler)->trace_removed_by[token], 255);
        CHECK_EQ(li_sampler_sample(blind, row), token);
    }
    CHECK_GT(excluded, STEPS * 3 / 10 - 300);
    CHECK_LT(excluded, STEPS * 3 / 10 + 300);
    // A threshold above one half, or a temperature of 0, switches it off.
    options_of(sampler)->xtc_probability = 1;
    options_of(sampler)->xtc_threshold = 0.500001;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 5);
    options_of(sampler)->xtc_threshold = 0.1;
    options_of(sampler)->temperature = 0;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_sample(sampler, row), 0);
    li_sampler_destroy(sampler);
    li_sampler_destroy(blind);
}

static void test_a_draw_walks_ascending_ids(void)
{
    enum { VOCAB = 1000 };
    float row[VOCAB];
    fill(row, VOCAB, REALISTIC, 3);
    li_sampler *sampler = li_sampler_create(VOCAB);
    double cumulative[VOCAB], sum = 0.0;
    for (int id = 0; id < VOCAB; id++) cumulative[id] = sum += exp((double)row[id]);
    for (uint32_t i = 0; i < 2000; i++) {
        double u = uniform(i + 123456);
        uint32_t expected = 0;
        while (!(cumulative[expected] > u * sum)) expected++;
        double margin =
            fmin(fabs(cumulative[expected] - u * sum), expected ? fabs(cumulative[expected - 1] - u * sum) : 1.0) / sum;
        int32_t token = li_sampler_pick(sampler, row, u);
        CHECK((uint32_t)token == expected || margin < 1e-6);
    }
    CHECK_EQ(li_sampler_pick(sampler, row, 0.0), 0);
    CHECK_GE(li_sampler_pick(sampler, row, 1.0 - 0x1p-53), 0);
    CHECK_EQ(li_sampler_pick(sampler, row, 1.0), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_pick(sampler, row, NAN), LI_ERROR_BAD_ARGUMENT);
    li_sampler_destroy(sampler);
}

static void test_greedy_takes_the_lowest_id_and_no_random_number(void)
{
    float row[] = {1, 3, -2, 3, 3, 0};
    li_sampler *sampler = li_sampler_create(6), *fresh = li_sampler_create(6);
    options_of(sampler)->temperature = 0;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    for (int i = 0; i < 5; i++) CHECK_EQ(li_sampler_sample(sampler, row), 1);
    options_of(sampler)->temperature = 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    for (int i = 0; i < 50; i++) CHECK_EQ(li_sampler_sample(sampler, row), li_sampler_sample(fresh, row));
    li_sampler_destroy(sampler);
    li_sampler_destroy(fresh);
}

static void test_biases_bans_and_allowed_tokens_by_hand(void)
{
    float row[] = {6, 5, 4.5f, 3.5f, 2, 0, 50, 60};
    float before[8];
    memcpy(before, row, sizeof row);
    li_sampler *sampler = li_sampler_create(8);
    options_of(sampler)->token_count = 6;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 6);
    CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[0], 0);

    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, (uint32_t[]){0, 7}, 2), LI_OK);
    CHECK_EQ(set_bias(sampler, (uint32_t[]){5, 1}, (float[]){10, -INFINITY}, 2), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 4);
    CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[0], 5);
    CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[1], 2);
    CHECK_EQ(li_sampler_trace(sampler, row), 4);
    const uint8_t *removed_by = li_sampler_get_arrays(sampler)->trace_removed_by;
    CHECK_EQ(removed_by[0], 1);
    CHECK_EQ(removed_by[1], 1);
    CHECK_EQ(removed_by[6], 0);
    CHECK_EQ(removed_by[7], 0);
    CHECK_EQ(removed_by[5], 255);

    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_ALLOWED, (uint32_t[]){0, 3, 6}, 3), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 4); // no effect before configure
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 1);
    CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[0], 3);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_ALLOWED, (uint32_t[]){0, 6}, 2), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_NOTHING_LEFT);
    CHECK_BYTES(before, row, sizeof row);

    CHECK_EQ(set_bias(sampler, (uint32_t[]){1}, (float[]){INFINITY}, 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(set_bias(sampler, (uint32_t[]){1}, (float[]){NAN}, 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, (uint32_t[]){8}, 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_ALLOWED, (uint32_t[]){3, 3}, 2), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){8}, 1, 0), LI_ERROR_BAD_ARGUMENT);
    li_sampler_destroy(sampler);
}

static void test_broken_logits_are_errors_and_leave_no_trace(void)
{
    float nan_row[] = {1, NAN, 2}, infinite[] = {1, INFINITY, 2}, masked[] = {-INFINITY, -3.4e38f, -INFINITY};
    li_sampler *sampler = li_sampler_create(3);
    for (int greedy = 0; greedy < 2; greedy++) {
        CHECK_CASE("greedy %d", greedy);
        options_of(sampler)->temperature = !greedy;
        options_of(sampler)->repetition_penalty = 1.5;
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){2, 0}, 2, 0), LI_OK);
        CHECK_EQ(li_sampler_sample(sampler, nan_row), LI_ERROR_LOGITS_NAN);
        CHECK_EQ(nan_row[0], 1);
        CHECK(isnan(nan_row[1]));
        CHECK_EQ(nan_row[2], 2);
        CHECK_EQ(li_sampler_sample(sampler, infinite), LI_ERROR_LOGITS_INFINITE);
        CHECK_EQ(li_sampler_sample(sampler, masked), LI_ERROR_NOTHING_LEFT);
        CHECK_EQ(li_sampler_distribution(sampler, masked), LI_ERROR_NOTHING_LEFT);
        CHECK_EQ(li_sampler_trace(sampler, nan_row), LI_ERROR_LOGITS_NAN);
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, (uint32_t[]){1}, 1),
                 LI_OK); // a ban does not hide the NaN
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        CHECK_EQ(li_sampler_sample(sampler, nan_row), LI_ERROR_LOGITS_NAN);
        CHECK_EQ(masked[1], -3.4e38f);
    }
    li_sampler_destroy(sampler);
}

static void test_bad_options_are_refused_and_change_nothing(void)
{
    li_sampler *sampler = li_sampler_create(4);
    static const struct {
        size_t slot;
        double value;
    } bad[] = {
        {offsetof(li_options, temperature) / 8, -1},
        {offsetof(li_options, temperature) / 8, NAN},
        {offsetof(li_options, top_k) / 8, 1.5},
        {offsetof(li_options, top_p) / 8, 1.1},
        {offsetof(li_options, min_p) / 8, -0.1},
        {offsetof(li_options, repetition_penalty) / 8, 0},
        {offsetof(li_options, seed) / 8, 0x1p53},
        {offsetof(li_options, token_count) / 8, 5},
        {offsetof(li_options, count_scope) / 8, 2},
        {offsetof(li_options, typical_p) / 8, 1.1},
        {offsetof(li_options, epsilon_cutoff) / 8, -0.1},
        {offsetof(li_options, eta_cutoff) / 8, 1.1},
        {offsetof(li_options, top_n_sigma) / 8, -1},
        {offsetof(li_options, top_h) / 8, 1.1},
        {offsetof(li_options, tfs_z) / 8, -0.1},
        {offsetof(li_options, top_a) / 8, 1.1},
        {offsetof(li_options, p_less) / 8, 3},
        {offsetof(li_options, entropy_equilibrium) / 8, 0.5},
        {offsetof(li_options, smoothing_factor) / 8, -1},
        {offsetof(li_options, smoothing_curve) / 8, 0.5},
        {offsetof(li_options, xtc_probability) / 8, 1.1},
        {offsetof(li_options, xtc_threshold) / 8, -0.1},
        {offsetof(li_options, dynatemp_range) / 8, -1},
        {offsetof(li_options, dynatemp_exponent) / 8, -1},
        {offsetof(li_options, min_keep) / 8, 0},
    };
    float row[] = {0, 1, 2, 3};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_CASE("slot %d, value %g", (int)bad[i].slot, bad[i].value);
        double former = li_sampler_options(sampler)[bad[i].slot];
        li_sampler_options(sampler)[bad[i].slot] = bad[i].value;
        CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_sampler_distribution(sampler, row), 4);
        li_sampler_options(sampler)[bad[i].slot] = former;
    }
    options_of(sampler)->temperature = 0;
    options_of(sampler)->dynatemp_range = 0.5;
    CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_CONFLICT);
    options_of(sampler)->temperature = 1;
    options_of(sampler)->dynatemp_range = 0;
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){LI_STAGE_TOP_K, LI_STAGE_TOP_K}, 2, 0), LI_ERROR_BAD_ORDER);
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){LI_STAGE_TEMPERATURE, LI_STAGE_BIAS}, 2, 0),
             LI_ERROR_BAD_ORDER);
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){LI_STAGE_MASK}, 1, 0), LI_ERROR_BAD_ORDER);
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){99}, 1, 0), LI_ERROR_BAD_ORDER);
    // A mechanism that is on but not in the order would be ignored silently.
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){LI_STAGE_TOP_P}, 1, 0), LI_OK);
    li_sampler_options(sampler)[offsetof(li_options, top_k) / 8] = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_BAD_ORDER);
    CHECK(!li_sampler_create(0));
    CHECK(!li_sampler_create(LI_VOCAB_LIMIT + 1));
    li_sampler_destroy(sampler);
    li_sampler_destroy(NULL);
}

static void test_state_replays_the_stream(void)
{
    float row[100];
    li_sampler *sampler = li_sampler_create(100);
    options_of(sampler)->presence_penalty = 0.5;
    options_of(sampler)->seed = 5;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    fill(row, 100, FLAT, 1);
    for (int i = 0; i < 30; i++) li_sampler_sample(sampler, row);
    uint8_t state[4096];
    uint32_t size = li_sampler_state_size(sampler);
    CHECK_LE(size, sizeof state);
    li_sampler_save_state(sampler, state);
    int32_t first[40];
    for (int i = 0; i < 40; i++) first[i] = li_sampler_sample(sampler, row);
    CHECK_EQ(li_sampler_load_state(sampler, state, size), LI_OK);
    for (int i = 0; i < 40; i++) CHECK_EQ(li_sampler_sample(sampler, row), first[i]);
    li_sampler_reset(sampler);
    li_sampler *fresh = li_sampler_create(100);
    *options_of(fresh) = *options_of(sampler);
    CHECK_EQ(li_sampler_configure(fresh), LI_OK);
    for (int i = 0; i < 40; i++) CHECK_EQ(li_sampler_sample(sampler, row), li_sampler_sample(fresh, row));
    li_sampler_destroy(fresh);
    li_sampler_destroy(sampler);
}

static void test_log_probability_is_the_log_softmax(void)
{
    static float row[5001];
    fill(row, 5001, REALISTIC, 2);
    double sum = 0.0;
    for (int i = 0; i < 5001; i++) sum += exp((double)row[i]);
    for (uint32_t i = 0; i < 5001; i += 37)
        CHECK_NEAR(li_log_probability(row, 5001, i), (double)row[i] - log(sum), 1e-6);
    row[3] = NAN;
    CHECK(isnan(li_log_probability(row, 5001, 0)));
}

int main(void)
{
    test_kept_sets_equal_the_reference();
    test_kept_sets_are_exact_at_real_vocabulary_sizes();
    test_every_truncation_equals_its_reference();
    test_extreme_settings_at_real_vocabulary_sizes();
    test_penalties_count_their_scope_and_window();
    test_draws_follow_the_distribution();
    test_xtc_excludes_at_its_probability_and_distributions_change_nothing();
    test_a_draw_walks_ascending_ids();
    test_greedy_takes_the_lowest_id_and_no_random_number();
    test_biases_bans_and_allowed_tokens_by_hand();
    test_broken_logits_are_errors_and_leave_no_trace();
    test_bad_options_are_refused_and_change_nothing();
    test_state_replays_the_stream();
    test_log_probability_is_the_log_softmax();
    return check_done("sampler");
}
