// Mirostat and adaptive-p against the float64 reference, step by step; saved and loaded states.
#include "check.h"
#include "reference_feedback.h"
#include "rows.h"

static reference_options narrowing(double temperature)
{
    return (reference_options){
        .temperature = temperature,
        .top_p = 1,
        .typical_p = 1,
        .tfs_z = 1,
        .dynatemp_exponent = 1,
        .min_keep = 1,
        .repetition = 1,
        .order = default_order,
        .order_count = ORDER,
    };
}

static void configure(li_sampler *sampler, const reference_feedback *feedback, const reference_options *narrow)
{
    li_options *options = options_of(sampler);
    options->mirostat = feedback->mirostat;
    options->mirostat_tau = feedback->tau;
    options->mirostat_eta = feedback->eta;
    options->adaptive_target = feedback->mirostat ? -1.0 : feedback->target;
    options->adaptive_decay = feedback->decay;
    options->temperature = narrow->temperature;
    options->min_p = narrow->min_p;
    options->top_k = narrow->top_k;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

// Compares one distribution. False: it may differ, because the reference's decision was too close.
static bool judge(li_sampler *sampler, float *row, uint32_t vocab_size, const reference_result *expected)
{
    int32_t count = li_sampler_distribution(sampler, row);
    if ((uint32_t)count != expected->count && expected->margin < 1e-5) return false;
    CHECK_EQ(count, (int32_t)expected->count);
    if (count != (int32_t)expected->count) return false;
    const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
    // Adaptive-p's new logits go down to -30 in single precision, and its curve magnifies errors of the target.
    double tolerance = options_of(sampler)->mirostat > 0.0 ? 1e-6 : 1e-5;
    double *by_id = calloc(vocab_size, sizeof *by_id), former = 2.0;
    for (int32_t i = 0; i < count; i++) by_id[expected->tokens[i].id] = expected->tokens[i].probability;
    bool is_equal = true;
    for (int32_t i = 0; i < count; i++) {
        double found = arrays->probabilities[i], probability = by_id[arrays->tokens[i]];
        is_equal &= fabs(found - probability) <= tolerance * probability;
        is_equal &= found < former || (found == former && arrays->tokens[i] > arrays->tokens[i - 1]);
        former = found;
    }
    free(by_id);
    CHECK(is_equal);
    return true;
}

// Up to `steps` draws; the reference accepts the same tokens.
static void follow(uint32_t vocab_size, uint32_t steps, reference_feedback feedback, reference_options narrow,
                   uint32_t salt)
{
    float *row = malloc(vocab_size * sizeof *row), *before = malloc(vocab_size * sizeof *before);
    li_sampler *sampler = li_sampler_create(vocab_size);
    options_of(sampler)->seed = salt;
    feedback.vocab_size = vocab_size;
    reference_begin(&feedback);
    configure(sampler, &feedback, &narrow);
    for (uint32_t step = 0; step < steps; step++) {
        fill(row, vocab_size, (row_kind)((salt + step / 20) % HUGE_RANGE), salt * 1000 + step);
        row[vocab_size / 2] = 1.0f; // at least one token is unmasked
        memcpy(before, row, vocab_size * sizeof *before);
        reference_result expected = reference_run(row, vocab_size, &narrow);
        reference_feed(&expected, &feedback, narrow.temperature);
        bool goes_on = judge(sampler, row, vocab_size, &expected);
        int32_t token = li_sampler_sample(sampler, row);
        CHECK_GE(token, 0);
        CHECK_BYTES(before, row, vocab_size * sizeof *before);
        uint32_t at = 0;
        while (at < expected.count && expected.tokens[at].id != (uint32_t)token) at++;
        if (goes_on) CHECK_LT(at, expected.count);
        if (at < expected.count && goes_on) {
            double probability = expected.tokens[at].probability;
            CHECK_NEAR(li_sampler_last_probability(sampler), probability, 1e-5 * probability);
            reference_learn(&feedback, &expected.tokens[at]);
        } else {
            goes_on = false;
        }
        free(expected.tokens);
        if (!goes_on) break;
    }
    li_sampler_destroy(sampler);
    free(row);
    free(before);
}

static void test_mirostat_follows_the_reference(void)
{
    static const uint32_t sizes[] = {1, 2, 8, 50, 150, 2000, 32000};
    static const double taus[] = {5, 3, 0, 1, 8, 100};
    static const double etas[] = {0.1, 1, 0, 0.5};
    static const double temperatures[] = {1, 0.7, 2, 0.1, 30};
    uint32_t salt = 0;
    for (int version = 1; version <= 2; version++)
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (uint32_t i = 0; i < (uint32_t)check_rounds(sizes[s] > 1000 ? 4 : 24); i++, salt++) {
                reference_feedback feedback = {
                    .mirostat = version, .tau = taus[salt % 6], .eta = etas[salt / 3 % 4], .decay = 0.9};
                follow(sizes[s], sizes[s] > 10000 ? 10 : 200, feedback, narrowing(temperatures[salt / 2 % 5]), salt);
            }
}

static void test_adaptive_p_follows_the_reference(void)
{
    static const uint32_t sizes[] = {1, 2, 8, 50, 2000, 32000};
    static const double targets[] = {0.5, 0.1, 0, 1, 0.3, 0.9};
    static const double decays[] = {0.9, 0, 0.99, 0.5};
    static const double temperatures[] = {1, 0.7, 2, 0.1};
    uint32_t salt = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t i = 0; i < (uint32_t)check_rounds(sizes[s] > 1000 ? 6 : 24); i++, salt++) {
            reference_feedback feedback = {.target = targets[salt % 6], .decay = decays[salt / 5 % 4]};
            reference_options narrow = narrowing(temperatures[salt / 3 % 4]);
            narrow.top_k = salt % 3 ? 0 : 20;
            narrow.min_p = salt % 4 == 1 ? 0.02 : 0;
            follow(sizes[s], sizes[s] > 10000 ? 10 : 200, feedback, narrow, salt);
        }
}

static void test_mirostat_2_at_real_vocabulary_sizes(void)
{
    static const uint32_t sizes[] = {32000, 128256, 151936, 262144};
    static const double temperatures[] = {1, 1e-3, 1e3, 0.8};
    for (unsigned s = 0; s < 4; s++) {
        float *row = malloc(sizes[s] * sizeof *row);
        li_sampler *sampler = li_sampler_create(sizes[s]);
        for (uint32_t i = 0; i < 8; i++) {
            reference_feedback feedback = {.mirostat = 2, .tau = i % 3 ? 5.0 : 8.9, .eta = 0.1, .decay = 0.9};
            reference_options narrow = narrowing(temperatures[i % 4]);
            reference_begin(&feedback);
            configure(sampler, &feedback, &narrow);
            li_sampler_reset(sampler);
            fill(row, sizes[s], (row_kind)((i + s) % ROW_KINDS), i);
            reference_result expected = reference_run(row, sizes[s], &narrow);
            reference_feed(&expected, &feedback, narrow.temperature);
            judge(sampler, row, sizes[s], &expected);
            free(expected.tokens);
        }
        li_sampler_destroy(sampler);
        free(row);
    }
}

// Distributions, prompt tokens and refused options change no feedback; a reset clears everything.
static void test_only_chosen_tokens_change_feedback(void)
{
    enum { VOCAB = 40 };
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 3);
    for (int kind = 0; kind < 3; kind++) {
        CHECK_CASE("kind %d", kind);
        li_sampler *sampler = li_sampler_create(VOCAB), *undisturbed = li_sampler_create(VOCAB);
        reference_feedback feedback = {.mirostat = kind, .tau = 2, .eta = 0.4, .target = 0.2, .decay = 0.8};
        reference_options narrow = narrowing(1);
        configure(sampler, &feedback, &narrow);
        configure(undisturbed, &feedback, &narrow);
        int32_t tokens[60];
        for (uint32_t step = 0; step < 60; step++) {
            CHECK_GT(li_sampler_distribution(sampler, row), 0);
            CHECK_GT(li_sampler_trace(sampler, row), 0);
            CHECK_GT(li_sampler_inform(sampler, row, false, 1, 5), 0);
            CHECK_GE(li_sampler_pick(sampler, row, 0.9), 0);
            CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){step % VOCAB}, 1, true), LI_OK);
            row[7] = NAN;
            CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_NAN);
            row[7] = 0;
            options_of(sampler)->temperature = 0;
            CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_CONFLICT);
            options_of(sampler)->temperature = 1;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            tokens[step] = li_sampler_sample(sampler, row);
            CHECK_EQ(tokens[step], li_sampler_sample(undisturbed, row));
        }
        li_sampler_reset(sampler);
        for (uint32_t step = 0; step < 60; step++) CHECK_EQ(li_sampler_sample(sampler, row), tokens[step]);
        li_sampler_destroy(sampler);
        li_sampler_destroy(undisturbed);
    }
}

// All options with state between steps.
enum { SETTINGS = 7 };

static void switch_on(li_sampler *sampler, uint32_t setting)
{
    li_options *options = options_of(sampler);
    options->seed = 77;
    options->stream = setting;
    if (setting == 0 || setting == 1) options->mirostat = setting + 1;
    if (setting == 0 || setting == 1) options->mirostat_tau = 3;
    if (setting == 2) options->adaptive_target = 0.2;
    if (setting == 3) options->repetition_penalty = 1.2;
    if (setting == 3) options->penalty_window = 15;
    if (setting == 3 || setting == 6) options->frequency_penalty = 0.3;
    if (setting == 4) options->dry_multiplier = 1;
    if (setting == 4) options->no_repeat_ngram = 3;
    if (setting == 5) options->draw = 1;
    if (setting == 5 || setting == 6) options->xtc_probability = 0.5;
    if (setting == 6) options->adaptive_target = 0.6;
    if (setting == 6) options->draw = 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

static bool same_distribution(li_sampler *one, li_sampler *other, float *row)
{
    enum { MOST = 64 };
    uint32_t tokens[MOST];
    double probabilities[MOST];
    int32_t count = li_sampler_distribution(one, row);
    CHECK_GT(count, 0);
    CHECK_LE(count, MOST);
    memcpy(tokens, li_sampler_get_arrays(one)->tokens, (size_t)count * sizeof *tokens);
    memcpy(probabilities, li_sampler_get_arrays(one)->probabilities, (size_t)count * sizeof *probabilities);
    return li_sampler_distribution(other, row) == count &&
           !memcmp(tokens, li_sampler_get_arrays(other)->tokens, (size_t)count * sizeof *tokens) &&
           !memcmp(probabilities, li_sampler_get_arrays(other)->probabilities, (size_t)count * sizeof *probabilities);
}

// A copy continues exactly as its source, in either order, and neither disturbs the other. llama.cpp's clones once
// wrote mirostat's state to the source, dropped the counts of the penalties and lost the random numbers.
static void test_a_copy_continues_as_its_source(void)
{
    enum { VOCAB = 50, BEFORE = 60, AFTER = 60 };
    static uint8_t state[4096], later[4096];
    float row[VOCAB];
    for (uint32_t setting = 0; setting < SETTINGS; setting++) {
        CHECK_CASE("setting %u", setting);
        li_sampler *source = li_sampler_create(VOCAB), *beside = li_sampler_create_beside(source);
        li_sampler *copies[] = {source, beside, li_sampler_create(VOCAB)};
        for (int i = 0; i < 3; i++) switch_on(copies[i], setting);
        for (uint32_t step = 0; step < BEFORE; step++) {
            fill(row, VOCAB, (row_kind)(step % MASKED), step);
            CHECK_GE(li_sampler_sample(source, row), 0);
            if (step % 3 == 0) CHECK_GE(li_sampler_sample(beside, row), 0); // its own steps, in the same scratch
            if (step % 5 == 0) CHECK_EQ(li_sampler_accept(source, (uint32_t[]){step % VOCAB}, 1, true), LI_OK);
        }
        uint32_t size = li_sampler_state_size(source);
        CHECK_LE(size, sizeof state);
        li_sampler_save_state(source, state);
        int32_t tokens[AFTER];
        for (int i = 2; i >= 0; i--) { // the copies first: the source must not change
            if (i) CHECK_EQ(li_sampler_load_state(copies[i], state, size), LI_OK);
            for (uint32_t step = 0; step < AFTER; step++) {
                fill(row, VOCAB, (row_kind)(step % MASKED), 1000 + step);
                if (i == 2 && step == 0) CHECK(same_distribution(source, copies[2], row));
                if (i == 2 && step == 0) CHECK(same_distribution(source, source, row));
                int32_t token = li_sampler_sample(copies[i], row);
                if (i == 2) tokens[step] = token;
                CHECK_GE(token, 0);
                CHECK_EQ(token, tokens[step]);
            }
        }
        // Loading an earlier state gives the same bytes again.
        li_sampler_save_state(copies[2], later);
        CHECK_EQ(li_sampler_load_state(source, state, size), LI_OK);
        for (uint32_t step = 0; step < AFTER; step++) {
            fill(row, VOCAB, (row_kind)(step % MASKED), 1000 + step);
            CHECK_EQ(li_sampler_sample(source, row), tokens[step]);
        }
        static uint8_t again[4096];
        CHECK_EQ(li_sampler_state_size(source), li_sampler_state_size(copies[2]));
        li_sampler_save_state(source, again);
        CHECK_BYTES(again, later, li_sampler_state_size(source));
        li_sampler_destroy(source); // before the sampler that shares its scratch
        CHECK_EQ(li_sampler_load_state(beside, state, size), LI_OK);
        fill(row, VOCAB, (row_kind)0, 1000);
        CHECK_EQ(li_sampler_sample(beside, row), tokens[0]);
        li_sampler_destroy(beside);
        li_sampler_destroy(copies[2]);
    }
}

static void test_damaged_states_are_refused(void)
{
    enum { VOCAB = 20 };
    float row[VOCAB];
    uint8_t state[1024], damaged[1024];
    fill(row, VOCAB, FLAT, 1);
    li_sampler *sampler = li_sampler_create(VOCAB), *wider = li_sampler_create(VOCAB + 1);
    switch_on(sampler, 0);
    for (int i = 0; i < 20; i++) CHECK_GE(li_sampler_sample(sampler, row), 0);
    uint32_t size = li_sampler_state_size(sampler);
    CHECK_LE(size, sizeof state);
    li_sampler_save_state(sampler, state);
    int32_t next = li_sampler_sample(sampler, row);
    CHECK_EQ(li_sampler_load_state(wider, state, size), LI_ERROR_BAD_STATE);
    for (uint32_t cut = 0; cut < size; cut++) CHECK_EQ(li_sampler_load_state(sampler, state, cut), LI_ERROR_BAD_STATE);
    // Any changed byte is refused or gives another state that works.
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t bit = 0; bit < 8; bit++) {
            memcpy(damaged, state, size);
            damaged[i] = (uint8_t)(damaged[i] ^ 1u << bit);
            li_status status = li_sampler_load_state(sampler, damaged, size);
            CHECK(status == LI_OK || status == LI_ERROR_BAD_STATE);
            int32_t token = li_sampler_sample(sampler, row);
            CHECK_GE(token, 0);
            CHECK_LT(token, VOCAB);
        }
    CHECK_EQ(li_sampler_load_state(sampler, state, size), LI_OK);
    CHECK_EQ(li_sampler_sample(sampler, row), next);
    li_sampler_destroy(sampler);
    li_sampler_destroy(wider);
}

int main(void)
{
    test_mirostat_follows_the_reference();
    test_adaptive_p_follows_the_reference();
    test_mirostat_2_at_real_vocabulary_sizes();
    test_only_chosen_tokens_change_feedback();
    test_a_copy_continues_as_its_source();
    test_damaged_states_are_refused();
    return check_done("feedback");
}
