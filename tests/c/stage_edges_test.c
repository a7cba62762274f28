// Edge cases of the stages: ties, values at a bound, nothing left, zero weights.
#include "check.h"
#include "rows.h"
#include "sample/history.h"

// The tokens that the chain leaves, the likeliest first. Returns their number, 0 for an error.
static uint32_t survivors(li_sampler *sampler, float *row)
{
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    int32_t count = li_sampler_distribution(sampler, row);
    CHECK_GT(count, 0);
    return count > 0 ? (uint32_t)count : 0;
}

static void test_xtc_acts_below_its_probability_and_keeps_min_keep(void)
{
    float row[4] = {3, 2.9f, 2.8f, -5};
    li_sampler *sampler = li_sampler_create(4);
    li_options *options = options_of(sampler);
    double u = li_random_uniform((uint64_t)options->seed, (uint32_t)options->stream, 0, LI_RANDOM_XTC, 0);
    options->xtc_threshold = 0.1;
    options->xtc_probability = u;
    CHECK_EQ(survivors(sampler, row), 4);
    options->xtc_probability = nextafter(u, 1.0);
    CHECK_EQ(survivors(sampler, row), 2); // the least likely choice and the token that is not a choice
    options->min_keep = 2;
    CHECK_EQ(survivors(sampler, row), 2);
    options->min_keep = 3;
    CHECK_EQ(survivors(sampler, row), 4);
    li_sampler_destroy(sampler);
}

// The removed token has the last id and the larger logit.
static void test_xtc_may_leave_one_token(void)
{
    float row[2] = {0, 0.5f};
    li_sampler *sampler = li_sampler_create(2);
    options_of(sampler)->xtc_threshold = 0.1;
    options_of(sampler)->xtc_probability = 1;
    CHECK_EQ(survivors(sampler, row), 1);
    CHECK_EQ(li_sampler_sample(sampler, row), 0);
    CHECK_EQ(li_sampler_last_probability(sampler), 1.0);
    li_sampler_destroy(sampler);
}

static void test_min_keep_is_exact_among_ties(void)
{
    float row[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    li_sampler *sampler = li_sampler_create(9);
    for (uint32_t is_typical = 0; is_typical < 2; is_typical++) {
        CHECK_CASE("is_typical %u", is_typical);
        options_of(sampler)->typical_p = is_typical ? 0.01 : 1;
        options_of(sampler)->top_p = is_typical ? 1 : 0.01;
        for (uint32_t least = 1; least <= 9; least++) {
            CHECK_CASE("least %u", least);
            options_of(sampler)->min_keep = least;
            CHECK_EQ(survivors(sampler, row), least);
            for (uint32_t i = 0; i < least; i++) CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[i], i);
        }
    }
    li_sampler_destroy(sampler);
}

// On a flat curve every token but two has the same bend.
static void test_tail_free_keeps_a_share_of_ties(void)
{
    float row[10] = {0};
    li_sampler *sampler = li_sampler_create(10);
    for (uint32_t tenths = 0; tenths < 10; tenths++) {
        options_of(sampler)->tfs_z = tenths * 0.1 + 0.01;
        uint32_t expected = (uint32_t)((tenths * 0.1 + 0.01) * 8);
        CHECK_EQ(survivors(sampler, row), expected ? expected : 1);
    }
    li_sampler_destroy(sampler);
}

// The hundred likeliest tokens, whatever is between them.
static void test_top_h_ignores_masked_tokens(void)
{
    float row[60], packed[20];
    uint32_t kept = 0;
    for (uint32_t id = 0; id < 60; id++) {
        row[id] = id % 3 ? -INFINITY : (float)normal(id);
        if (id % 3 == 0) packed[id / 3] = row[id];
    }
    for (uint32_t is_packed = 0; is_packed < 2; is_packed++) {
        CHECK_CASE("is_packed %u", is_packed);
        li_sampler *sampler = li_sampler_create(is_packed ? 20 : 60);
        options_of(sampler)->top_h = 0.6;
        uint32_t count = survivors(sampler, is_packed ? packed : row);
        CHECK_GT(count, 1);
        CHECK_LT(count, 20);
        CHECK(!is_packed || count == kept);
        kept = count;
        li_sampler_destroy(sampler);
    }
}

// The log-probabilities are where li_sampler_distribution writes probabilities.
static void test_ties_rank_by_lower_id(void)
{
    float row[5] = {0, 1, 2, 1, 1};
    const uint32_t ranks[5] = {5, 2, 1, 3, 4};
    double total = 0.0;
    li_sampler *sampler = li_sampler_create(5);
    for (uint32_t token = 0; token < 5; token++) {
        CHECK_EQ(li_sampler_inform(sampler, row, false, token, 0), 0);
        CHECK_EQ(li_sampler_get_arrays(sampler)->information->rank, ranks[token]);
        total += exp((double)row[token]);
    }
    for (uint32_t top = 1; top <= 7; top++) {
        CHECK_EQ(li_sampler_inform(sampler, row, false, 0, top), (int32_t)(top < 5 ? top : 5));
        const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
        for (uint32_t i = 0; i < top && i < 5; i++) {
            uint32_t token = arrays->tokens[i];
            CHECK_EQ(ranks[token], i + 1);
            CHECK_NEAR(arrays->probabilities[i], (double)row[token] - log(total), 1e-6);
        }
    }
    li_sampler_destroy(sampler);
}

static void test_rewinding_restores_the_last_probability(void)
{
    float row[3] = {0, 1, 2};
    li_sampler *sampler = li_sampler_create(3);
    CHECK_GE(li_sampler_sample(sampler, row), 0);
    double probability = li_sampler_last_probability(sampler);
    CHECK_LT(probability, 1.0);
    li_sampler_mark(sampler);
    row[0] = 50;
    CHECK_EQ(li_sampler_sample(sampler, row), 0);
    CHECK_GT(li_sampler_last_probability(sampler), 0.999);
    CHECK_EQ(li_sampler_rewind(sampler), LI_OK);
    CHECK_EQ(li_sampler_last_probability(sampler), probability);
    li_sampler_destroy(sampler);
}

static void test_a_pick_takes_a_number_below_one(void)
{
    float row[3] = {0, 0, 0};
    li_sampler *sampler = li_sampler_create(3);
    CHECK_EQ(li_sampler_pick(sampler, row, 1.0), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_pick(sampler, row, -0x1p-60), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_pick(sampler, row, (double)NAN), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_pick(sampler, row, 0.0), 0);
    CHECK_EQ(li_sampler_pick(sampler, row, 1.0 - 0x1p-53), 2);
    li_sampler_destroy(sampler);
}

// Adaptive-p aims at the target itself in a state without chosen tokens.
static void test_a_state_without_feedback_aims_at_the_target(void)
{
    enum { SIZE = 30 };
    float row[SIZE];
    double expected[SIZE];
    uint8_t state[16 + sizeof(li_feedback)];
    li_feedback feedback;
    li_sampler *sampler = li_sampler_create(SIZE);
    options_of(sampler)->adaptive_target = 0.4;
    fill(row, SIZE, FLAT, 4);
    CHECK_EQ(survivors(sampler, row), SIZE);
    CHECK_EQ(li_sampler_state_size(sampler), sizeof state);
    memcpy(expected, li_sampler_get_arrays(sampler)->probabilities, sizeof expected);
    li_sampler_save_state(sampler, state);
    memcpy(&feedback, state + 16, sizeof feedback);
    feedback.adaptive_sum = feedback.adaptive_weight = 0.0;
    memcpy(state + 16, &feedback, sizeof feedback);
    CHECK_EQ(li_sampler_load_state(sampler, state, sizeof state), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), SIZE);
    for (uint32_t i = 0; i < SIZE; i++) CHECK_NEAR(li_sampler_get_arrays(sampler)->probabilities[i], expected[i], 1e-9);
    li_sampler_destroy(sampler);
}

static void test_rewound_tokens_are_not_counted(void)
{
    enum { SIZE = 20 };
    float row[SIZE];
    const uint32_t text[5] = {3, 4, 3, 5, 3}, trial[4] = {3, 7, 4, 7};
    for (uint32_t window = 0; window < 6; window++) {
        CHECK_CASE("window %u", window);
        uint32_t tokens[2][SIZE];
        li_sampler *sampler = li_sampler_create(SIZE);
        options_of(sampler)->frequency_penalty = 0.7;
        options_of(sampler)->repetition_penalty = 1.4;
        options_of(sampler)->penalty_window = window;
        fill(row, SIZE, FLAT, window);
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        CHECK_EQ(li_sampler_accept(sampler, text, 5, false), LI_OK);
        for (uint32_t is_after = 0; is_after < 2; is_after++) {
            CHECK_CASE("is_after %u", is_after);
            CHECK_EQ(survivors(sampler, row), SIZE);
            memcpy(tokens[is_after], li_sampler_get_arrays(sampler)->tokens, sizeof tokens[0]);
            li_sampler_mark(sampler);
            CHECK_EQ(li_sampler_accept(sampler, trial, 4, false), LI_OK);
            CHECK_EQ(li_sampler_rewind(sampler), LI_OK);
        }
        CHECK_BYTES(tokens[0], tokens[1], sizeof tokens[0]);
        li_sampler_destroy(sampler);
    }
}

static void test_a_dynamic_temperature_near_zero_keeps_the_peak(void)
{
    float row[3] = {0, -12, -14};
    li_sampler *sampler = li_sampler_create(3);
    options_of(sampler)->dynatemp_range = 1;
    options_of(sampler)->dynatemp_exponent = 10;
    CHECK_GE(survivors(sampler, row), 1);
    CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[0], 0);
    CHECK_EQ(li_sampler_get_arrays(sampler)->probabilities[0], 1.0);
    li_sampler_destroy(sampler);
}

static void test_the_exponent_bends_the_dynamic_temperature(void)
{
    static const double exponents[] = {0, 0.5, 1, 1.5, 2};
    float row[4] = {0, -1, -1.5f, -4};
    double total = 0.0, entropy = 0.0;
    for (uint32_t id = 0; id < 4; id++) total += exp((double)row[id]);
    for (uint32_t id = 0; id < 4; id++) entropy += exp((double)row[id]) / total * (log(total) - (double)row[id]);
    li_sampler *sampler = li_sampler_create(4);
    for (uint32_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
        CHECK_CASE("exponent %g", exponents[i]);
        options_of(sampler)->dynatemp_range = 0.75;
        options_of(sampler)->dynatemp_exponent = exponents[i];
        CHECK_EQ(survivors(sampler, row), 4);
        const double *probabilities = li_sampler_get_arrays(sampler)->probabilities;
        double temperature = 0.25 + 1.5 * pow(entropy / log(4), exponents[i]);
        CHECK_NEAR(log(probabilities[0] / probabilities[1]), 1 / temperature, 1e-4);
    }
    li_sampler_destroy(sampler);
}

static void test_top_h_drops_zero_weights(void)
{
    float row[3] = {0, -2000, -3000};
    li_sampler *sampler = li_sampler_create(3);
    options_of(sampler)->top_h = 0.9;
    CHECK_EQ(survivors(sampler, row), 1);
    li_sampler_destroy(sampler);
}

// A logit of exactly LI_MASKED is masked: every stage treats it as -infinity.
static void test_a_logit_at_the_mask_bound_is_masked(void)
{
    enum { SIZE = 40, CASES = 9 };
    for (uint32_t kind = 0; kind < CASES; kind++) {
        CHECK_CASE("kind %u", kind);
        uint32_t tokens[2][SIZE], counts[2];
        double probabilities[2][SIZE];
        for (uint32_t is_infinite = 0; is_infinite < 2; is_infinite++) {
            CHECK_CASE("is_infinite %u", is_infinite);
            float row[SIZE];
            li_sampler *sampler = li_sampler_create(SIZE);
            li_options *options = options_of(sampler);
            fill(row, SIZE, FLAT, kind);
            for (uint32_t id = 1; id < SIZE; id += 3) row[id] = is_infinite ? -INFINITY : -1e30f;
            if (kind == 0) options->top_n_sigma = 1.5;
            if (kind == 1) options->top_k = 30;
            if (kind == 2) options->top_p = 0.9;
            if (kind == 3) options->typical_p = 0.8;
            if (kind == 4) options->tfs_z = 0.9;
            if (kind == 5) options->top_h = 0.8;
            if (kind == 6) options->eta_cutoff = 0.05;
            if (kind == 7) options->dynatemp_range = 0.5;
            if (kind == 8) options->frequency_penalty = 1.0;
            CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){1, 2, 4}, 3, false), LI_OK);
            counts[is_infinite] = survivors(sampler, row);
            uint32_t count = counts[is_infinite];
            memcpy(tokens[is_infinite], li_sampler_get_arrays(sampler)->tokens, count * sizeof(uint32_t));
            memcpy(probabilities[is_infinite], li_sampler_get_arrays(sampler)->probabilities, count * sizeof(double));
            CHECK_EQ(li_sampler_inform(sampler, row, true, 1, 0), 0);
            const li_information *information = li_sampler_get_arrays(sampler)->information;
            CHECK_EQ(information->rank, 0);
            CHECK(isinf(information->log_probability));
            li_sampler_destroy(sampler);
        }
        CHECK_EQ(counts[0], counts[1]);
        CHECK_LT(counts[0], SIZE);
        CHECK_BYTES(tokens[0], tokens[1], counts[0] * sizeof(uint32_t));
        CHECK_BYTES(probabilities[0], probabilities[1], counts[0] * sizeof(double));
    }
}

static void test_a_trace_tells_what_each_stage_removed(void)
{
    static const double probabilities[5] = {.5, .3, .15, .05, 0};
    float row[5];
    for (uint32_t id = 0; id < 5; id++) row[id] = id < 4 ? (float)(2 * log(probabilities[id])) : 9;
    li_sampler *sampler = li_sampler_create(5);
    li_options *options = options_of(sampler);
    options->no_repeat_ngram = 2;
    options->temperature = 2;
    options->top_k = 3;
    options->top_p = .6;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){0, 4, 0}, 3, true), LI_OK); // 0 4 may not come again
    CHECK_EQ(li_sampler_trace(sampler, row), 2);
    const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < arrays->trace_stages; i++) {
        const li_stage_record *record = &arrays->trace_records[i];
        if (record->stage == LI_STAGE_NO_REPEAT_NGRAM) {
            CHECK_EQ(record->before, 5);
            CHECK_EQ(record->after, 4);
            CHECK_EQ(arrays->trace_removed_by[4], i);
            seen++;
        } else if (record->stage == LI_STAGE_TOP_K) {
            CHECK_EQ(record->before, 4);
            CHECK_EQ(record->after, 3);
            CHECK(record->has_cut);
            CHECK_NEAR(record->mass, .95, 1e-6);
            CHECK_NEAR(record->threshold, .15, 1e-6);
            seen++;
        } else if (record->stage == LI_STAGE_TOP_P) {
            CHECK_EQ(record->before, 3);
            CHECK_EQ(record->after, 2);
            CHECK(record->has_cut);
            CHECK_NEAR(record->mass, .8 / .95, 1e-6);
            CHECK_NEAR(record->threshold, .3 / .95, 1e-6);
            seen++;
        } else {
            CHECK_EQ(record->before, record->after);
            CHECK(!record->has_cut);
        }
    }
    CHECK_EQ(seen, 3);
    li_sampler_destroy(sampler);
}

// Token 0 is likelier than the others and not allowed.
static void test_a_trace_ends_with_the_probabilities_of_the_mask(void)
{
    float row[4] = {9, 5, 4, 4.5f};
    li_sampler *sampler = li_sampler_create(4);
    for (uint32_t temperature = 0; temperature < 3; temperature++)
        for (uint32_t is_listed = 0; is_listed < 2; is_listed++) {
            CHECK_CASE("temperature %u, is_listed %u", temperature, is_listed);
            double expected[4], total = 0.0;
            CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_ALLOWED, (uint32_t[]){1, 2, 3}, 3 * is_listed), LI_OK);
            options_of(sampler)->temperature = temperature;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            CHECK_GT(li_sampler_trace(sampler, row), 0);
            for (uint32_t id = 0; id < 4; id++) {
                bool is_kept = id > 0 || !is_listed;
                expected[id] = temperature ? is_kept * exp((double)row[id] / temperature) : id == is_listed;
                total += expected[id];
            }
            for (uint32_t id = 0; id < 4; id++)
                CHECK_NEAR(li_sampler_get_arrays(sampler)->trace_probabilities[id], expected[id] / total, 1e-9);
        }
    li_sampler_destroy(sampler);
}

// The breaker 9 5 5 begins before the window, which has four 5: three of them repeat.
static void test_a_breaker_that_begins_before_the_window_breaks_nothing(void)
{
    float row[10] = {0};
    li_sampler *sampler = li_sampler_create(10);
    options_of(sampler)->dry_multiplier = 1;
    options_of(sampler)->dry_base = 2;
    options_of(sampler)->dry_allowed_length = 1;
    options_of(sampler)->penalty_window = 4;
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BREAKERS, (uint32_t[]){3, 9, 5, 5}, 4), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){9, 5, 5, 5, 5}, 5, false), LI_OK);
    CHECK_EQ(survivors(sampler, row), 10);
    CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[9], 5);
    const double *probabilities = li_sampler_get_arrays(sampler)->probabilities;
    CHECK_NEAR(log(probabilities[0] / probabilities[9]), 4, 1e-6);
    li_sampler_destroy(sampler);
}

static void test_rules_say_how_many_tokens_top_k_keeps(void)
{
    float row[6] = {0, 2, 1, 1, 1, 1};
    const uint32_t order[] = {LI_STAGE_TEMPERATURE, LI_STAGE_TOP_K};
    // By rule: of top_k 3 with min_keep 1, of top_k 2 with min_keep 4, of top_k 4 with min_keep 2.
    static const struct {
        uint32_t rules, kept[3];
    } cases[] = {{0, {3, 2, 4}},
                 {LI_RULE_KEEP_TIES, {5, 5, 5}},
                 {LI_RULE_TOP_KEEPS_LEAST, {3, 4, 4}},
                 {LI_RULE_KEEP_TIES | LI_RULE_TOP_KEEPS_LEAST, {5, 5, 5}}};
    li_sampler *sampler = li_sampler_create(6);
    for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        CHECK_CASE("case %u", c);
        CHECK_EQ(li_sampler_set_order(sampler, order, 2, cases[c].rules), LI_OK);
        for (uint32_t i = 0; i < 3; i++) {
            options_of(sampler)->top_k = i == 0 ? 3 : i == 1 ? 2 : 4;
            options_of(sampler)->min_keep = i == 0 ? 1 : i == 1 ? 4 : 2;
            CHECK_EQ(survivors(sampler, row), cases[c].kept[i]);
        }
    }
    li_sampler_destroy(sampler);
}

static void test_a_rule_says_whether_typical_keeps_ties(void)
{
    float row[4] = {0};
    const uint32_t order[] = {LI_STAGE_TEMPERATURE, LI_STAGE_TYPICAL};
    li_sampler *sampler = li_sampler_create(4);
    CHECK_EQ(li_sampler_set_order(sampler, order, 2, 0), LI_OK);
    options_of(sampler)->typical_p = 0.4;
    CHECK_EQ(survivors(sampler, row), 2);
    CHECK_EQ(li_sampler_set_order(sampler, order, 2, LI_RULE_KEEP_TIES), LI_OK);
    options_of(sampler)->typical_p = 0.4;
    CHECK_EQ(survivors(sampler, row), 4);
    li_sampler_destroy(sampler);
}

static void test_a_new_target_or_decay_starts_the_average_of_adaptive_p_again(void)
{
    enum { SIZE = 30, TARGET, DECAY, OTHER };
    float row[SIZE];
    fill(row, SIZE, FLAT, 5);
    for (int change = TARGET; change <= OTHER; change++) {
        CHECK_CASE("change %d", change);
        double probabilities[2][SIZE];
        for (uint32_t is_fresh = 0; is_fresh < 2; is_fresh++) {
            CHECK_CASE("is_fresh %u", is_fresh);
            li_sampler *sampler = li_sampler_create(SIZE);
            options_of(sampler)->adaptive_target = 0.3;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            for (uint32_t i = 0; i < 5 && !is_fresh; i++) CHECK_GE(li_sampler_sample(sampler, row), 0);
            if (change == TARGET) options_of(sampler)->adaptive_target = 0.4;
            if (change == DECAY) options_of(sampler)->adaptive_decay = 0.5;
            if (change == OTHER) options_of(sampler)->max_tokens = 100;
            CHECK_EQ(survivors(sampler, row), SIZE);
            memcpy(probabilities[is_fresh], li_sampler_get_arrays(sampler)->probabilities, sizeof probabilities[0]);
            li_sampler_destroy(sampler);
        }
        CHECK_EQ(memcmp(probabilities[0], probabilities[1], sizeof probabilities[0]) == 0, change != OTHER);
    }
}

int main(void)
{
    test_xtc_acts_below_its_probability_and_keeps_min_keep();
    test_xtc_may_leave_one_token();
    test_min_keep_is_exact_among_ties();
    test_tail_free_keeps_a_share_of_ties();
    test_top_h_ignores_masked_tokens();
    test_ties_rank_by_lower_id();
    test_rewinding_restores_the_last_probability();
    test_a_pick_takes_a_number_below_one();
    test_a_state_without_feedback_aims_at_the_target();
    test_rewound_tokens_are_not_counted();
    test_a_dynamic_temperature_near_zero_keeps_the_peak();
    test_the_exponent_bends_the_dynamic_temperature();
    test_top_h_drops_zero_weights();
    test_a_logit_at_the_mask_bound_is_masked();
    test_a_trace_tells_what_each_stage_removed();
    test_a_trace_ends_with_the_probabilities_of_the_mask();
    test_a_breaker_that_begins_before_the_window_breaks_nothing();
    test_rules_say_how_many_tokens_top_k_keeps();
    test_a_rule_says_whether_typical_keeps_ties();
    test_a_new_target_or_decay_starts_the_average_of_adaptive_p_again();
    return check_done("stage edges");
}
