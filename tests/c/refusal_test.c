// Refused orders, options and lists: the sampler continues as before the refused call.
#include "check.h"
#include "rows.h"

enum { VOCAB = 30 };

// A sampler with state, and its twin that gets no refused call.
typedef struct pair {
    li_sampler *sampler, *twin;
    uint32_t step;
} pair;

static pair create(void)
{
    pair both = {li_sampler_create(VOCAB), li_sampler_create(VOCAB), 0};
    for (int i = 0; i < 2; i++) {
        li_sampler *sampler = i ? both.twin : both.sampler;
        li_options *options = options_of(sampler);
        options->seed = 12;
        options->top_k = 20;
        options->repetition_penalty = 1.1;
        options->adaptive_target = 0.3;
        uint32_t bias[] = {3, bits_of(1.5f)}, sequence[] = {2, bits_of(-2), 4, 5}, eos[] = {6, 9};
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BIAS, bias, 2), LI_OK);
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_SEQUENCES, sequence, 4), LI_OK);
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, eos, 2), LI_OK);
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, (uint32_t[]){7}, 1), LI_OK);
        CHECK_EQ(li_sampler_set_order(sampler, default_order, ORDER, LI_RULE_KEEP_TIES), LI_OK);
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    }
    return both;
}

static void destroy(pair both)
{
    li_sampler_destroy(both.sampler);
    li_sampler_destroy(both.twin);
}

static void go_on(pair *both)
{
    float row[VOCAB];
    for (int i = 0; i < 3; i++, both->step++) {
        fill(row, VOCAB, (row_kind)(both->step % MASKED), both->step);
        int32_t token = li_sampler_sample(both->sampler, row);
        CHECK_GE(token, 0);
        CHECK_EQ(token, li_sampler_sample(both->twin, row));
        CHECK_EQ(li_sampler_last_probability(both->sampler), li_sampler_last_probability(both->twin));
    }
}

static void test_orders_that_are_refused(void)
{
    static const uint32_t edits[] = {LI_STAGE_BIAS,         LI_STAGE_SEQUENCE_BIAS, LI_STAGE_REPETITION,
                                     LI_STAGE_FREQUENCY,    LI_STAGE_DRY,           LI_STAGE_NO_REPEAT_NGRAM,
                                     LI_STAGE_LENGTH_DECAY, LI_STAGE_MIN_TOKENS};
    pair both = create();
    li_sampler *sampler = both.sampler;
    for (uint32_t first = LI_STAGE_TEMPERATURE; first < LI_STAGE_COUNT; first++) {
        CHECK_CASE("first %u", first);
        for (uint32_t i = 0; i < 8; i++) { // an edit after what has used the logits
            CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){first, edits[i]}, 2, 0), LI_ERROR_BAD_ORDER);
            CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){edits[7 - i], first, edits[i]}, 3, 0),
                     LI_ERROR_BAD_ORDER);
        }
        if (first < LI_STAGE_MIROSTAT) // anything after what learns from the draw
            for (uint32_t last = LI_STAGE_MIROSTAT; last <= LI_STAGE_ADAPTIVE_P; last++)
                CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){last, first}, 2, 0), LI_ERROR_BAD_ORDER);
        CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){first, first}, 2, 0), LI_ERROR_BAD_ORDER);
        go_on(&both);
    }
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){LI_STAGE_MASK}, 1, 0), LI_ERROR_BAD_ORDER);
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){LI_STAGE_COUNT}, 1, 0), LI_ERROR_BAD_ORDER);
    CHECK_EQ(li_sampler_set_order(sampler, (uint32_t[]){UINT32_MAX}, 1, 0), LI_ERROR_BAD_ORDER);
    uint32_t too_many[40] = {0};
    for (uint32_t i = 0; i < 40; i++) too_many[i] = 1 + i % ORDER;
    CHECK_EQ(li_sampler_set_order(sampler, too_many, 40, 0), LI_ERROR_BAD_ORDER);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK); // the former order is in force
    go_on(&both);
    destroy(both);

    li_sampler *free_one = li_sampler_create(VOCAB);
    static const uint32_t either[] = {LI_STAGE_ADAPTIVE_P, LI_STAGE_MIROSTAT, LI_STAGE_ADAPTIVE_P};
    CHECK_EQ(li_sampler_set_order(free_one, either, 2, 0), LI_OK);
    CHECK_EQ(li_sampler_set_order(free_one, either + 1, 2, 0), LI_OK);
    li_sampler_destroy(free_one);
}

// Switches one stage on, by each of the options that can.
static bool switch_on(li_sampler *sampler, li_stage stage, uint32_t way)
{
    li_options *options = options_of(sampler);
    uint32_t id = 1, bias[] = {1, bits_of(-INFINITY), 1};
    switch (stage) {
    case LI_STAGE_BIAS:
        if (way < 2) CHECK_EQ(li_sampler_set_list(sampler, way ? LI_LIST_BIAS : LI_LIST_BANNED, bias, way + 1), LI_OK);
        return way < 2;
    case LI_STAGE_SEQUENCE_BIAS:
        if (way == 0) CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_SEQUENCES, bias, 3), LI_OK);
        break;
    case LI_STAGE_REPETITION:
        options->repetition_penalty = 1.5;
        break;
    case LI_STAGE_FREQUENCY:
        *(way ? &options->presence_penalty : &options->frequency_penalty) = 0.5;
        return way < 2;
    case LI_STAGE_DRY:
        options->dry_multiplier = 1;
        break;
    case LI_STAGE_NO_REPEAT_NGRAM:
        options->no_repeat_ngram = 3;
        break;
    case LI_STAGE_LENGTH_DECAY:
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, &id, 1), LI_OK);
        options->length_decay = 1.1;
        break;
    case LI_STAGE_MIN_TOKENS:
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, &id, 1), LI_OK);
        options->min_tokens = 5;
        break;
    case LI_STAGE_TEMPERATURE:
        *(way ? &options->dynatemp_range : &options->temperature) = 0.5;
        return way < 2;
    case LI_STAGE_TOP_K:
        options->top_k = 3;
        break;
    case LI_STAGE_TOP_P:
        options->top_p = 0.5;
        break;
    case LI_STAGE_MIN_P:
        options->min_p = 0.1;
        break;
    case LI_STAGE_TYPICAL:
        options->typical_p = 0.5;
        break;
    case LI_STAGE_EPSILON:
        options->epsilon_cutoff = 0.1;
        break;
    case LI_STAGE_ETA:
        options->eta_cutoff = 0.1;
        break;
    case LI_STAGE_TOP_N_SIGMA:
        options->top_n_sigma = 1;
        break;
    case LI_STAGE_TOP_H:
        options->top_h = 0.5;
        break;
    case LI_STAGE_TFS:
        options->tfs_z = 0.5;
        break;
    case LI_STAGE_TOP_A:
        options->top_a = 0.5;
        break;
    case LI_STAGE_P_LESS:
        options->p_less = way + 1;
        return way < 2;
    case LI_STAGE_ENTROPY_EQUILIBRIUM:
        options->entropy_equilibrium = 1;
        break;
    case LI_STAGE_SMOOTHING:
        options->smoothing_factor = 0.5;
        break;
    case LI_STAGE_XTC:
        options->xtc_probability = 0.5;
        break;
    case LI_STAGE_MIROSTAT:
        options->mirostat = way + 1;
        return way < 2;
    case LI_STAGE_ADAPTIVE_P:
        options->adaptive_target = way ? 0 : 1;
        return way < 2;
    default:
        CHECK(false);
    }
    return way == 0;
}

static void test_a_stage_that_is_on_must_be_in_the_order(void)
{
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 1);
    for (uint32_t stage = 1; stage < LI_STAGE_COUNT; stage++)
        for (uint32_t way = 0;; way++) {
            CHECK_CASE("stage %u, way %u", stage, way);
            li_sampler *sampler = li_sampler_create(VOCAB);
            uint32_t others[ORDER], count = 0;
            for (uint32_t i = 0; i < ORDER; i++)
                if (default_order[i] != stage) others[count++] = default_order[i];
            CHECK_EQ(li_sampler_set_order(sampler, others, count, 0), LI_OK);
            bool is_way = switch_on(sampler, (li_stage)stage, way);
            if (is_way) {
                CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_BAD_ORDER);
                CHECK_EQ(li_sampler_distribution(sampler, row), VOCAB); // as before: everything off
                CHECK_EQ(li_sampler_set_order(sampler, default_order, ORDER, 0), LI_OK);
                CHECK_EQ(li_sampler_configure(sampler), LI_OK);
                CHECK_GE(li_sampler_sample(sampler, row), 0);
            }
            li_sampler_destroy(sampler);
            if (!is_way) break;
        }
}

// Greedy sampling has no draw to learn from and no temperature to change; no truncation may run beside mirostat.
static void test_conflicting_options_are_refused(void)
{
    static const li_stage with_greedy[] = {LI_STAGE_MIROSTAT, LI_STAGE_ADAPTIVE_P};
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 1);
    for (uint32_t way = 0; way < 2; way++) {
        CHECK_CASE("way %u", way);
        for (int i = 0; i < 2; i++) {
            li_sampler *sampler = li_sampler_create(VOCAB);
            CHECK(switch_on(sampler, with_greedy[i], way));
            options_of(sampler)->temperature = 0;
            CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_CONFLICT);
            CHECK_EQ(li_sampler_distribution(sampler, row), VOCAB);
            options_of(sampler)->temperature = 0.5;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            li_sampler_destroy(sampler);
        }
        for (uint32_t stage = LI_STAGE_TOP_K; stage < LI_STAGE_COUNT; stage++) {
            CHECK_CASE("stage %u", stage);
            if (stage == LI_STAGE_MIROSTAT) continue;
            li_sampler *sampler = li_sampler_create(VOCAB);
            CHECK(switch_on(sampler, LI_STAGE_MIROSTAT, way));
            CHECK(switch_on(sampler, (li_stage)stage, 0));
            CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_CONFLICT);
            CHECK_EQ(li_sampler_distribution(sampler, row), VOCAB);
            options_of(sampler)->mirostat = 0;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            li_sampler_destroy(sampler);
        }
        // Edits and dynamic temperature may run beside mirostat.
        li_sampler *sampler = li_sampler_create(VOCAB);
        for (uint32_t stage = LI_STAGE_BIAS; stage <= LI_STAGE_TEMPERATURE; stage++)
            switch_on(sampler, (li_stage)stage, stage == LI_STAGE_TEMPERATURE);
        CHECK(switch_on(sampler, LI_STAGE_MIROSTAT, way));
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        for (int i = 0; i < 20; i++) CHECK_GE(li_sampler_sample(sampler, row), 0);
        li_sampler_destroy(sampler);
    }
    pair both = create();
    options_of(both.sampler)->temperature = 0;
    CHECK_EQ(li_sampler_configure(both.sampler), LI_ERROR_CONFLICT);
    go_on(&both);
    options_of(both.sampler)->temperature = 1;
    options_of(both.sampler)->mirostat = 1;
    CHECK_EQ(li_sampler_configure(both.sampler), LI_ERROR_CONFLICT);
    go_on(&both);
    options_of(both.sampler)->mirostat = 0;
    CHECK_EQ(li_sampler_configure(both.sampler), LI_OK);
    go_on(&both);
    destroy(both);
}

static void test_malformed_lists_are_refused(void)
{
    const uint32_t nan_bits = bits_of(NAN), infinite = bits_of(INFINITY), too_large = bits_of(1.1e9f), one = bits_of(1);
    const uint32_t minus_nan = nan_bits | 0x80000000u;
    const struct {
        li_list_name name;
        uint32_t count;
        uint32_t words[8];
    } bad[] = {
        {LI_LIST_BIAS, 1, {1}}, // no bias
        {LI_LIST_BIAS, 3, {1, one, 2}},
        {LI_LIST_BIAS, 2, {VOCAB, one}},
        {LI_LIST_BIAS, 4, {1, one, UINT32_MAX, one}},
        {LI_LIST_BIAS, 2, {1, nan_bits}},
        {LI_LIST_BIAS, 2, {1, minus_nan}},
        {LI_LIST_BIAS, 2, {1, infinite}},
        {LI_LIST_BIAS, 2, {1, too_large}},
        {LI_LIST_BANNED, 1, {VOCAB}},
        {LI_LIST_BANNED, 2, {1, UINT32_MAX}},
        {LI_LIST_ALLOWED, 1, {VOCAB}},
        {LI_LIST_ALLOWED, 2, {2, 1}},
        {LI_LIST_ALLOWED, 2, {2, 2}},
        {LI_LIST_EOS, 1, {VOCAB}},
        {LI_LIST_EOS, 2, {2, 1}},
        {LI_LIST_EOS, 2, {2, 2}},
        {LI_LIST_FIRST, 1, {VOCAB}},
        {LI_LIST_LAST, 2, {0, VOCAB}},
        {LI_LIST_SEQUENCES, 2, {0, one}}, // a group of nothing
        {LI_LIST_SEQUENCES, 1, {1}},      // cut off before the bias, before an id
        {LI_LIST_SEQUENCES, 2, {1, one}},
        {LI_LIST_SEQUENCES, 3, {2, one, 1}},
        {LI_LIST_SEQUENCES, 4, {1, one, 1, 1}},
        {LI_LIST_SEQUENCES, 6, {1, one, 1, 2, one, 1}},
        {LI_LIST_SEQUENCES, 3, {UINT32_MAX, one, 1}},
        {LI_LIST_SEQUENCES, 3, {UINT32_MAX - 1, one, 1}},
        {LI_LIST_SEQUENCES, 3, {1, one, VOCAB}},
        {LI_LIST_SEQUENCES, 4, {2, one, VOCAB, 1}},
        {LI_LIST_SEQUENCES, 3, {1, nan_bits, 1}},
        {LI_LIST_SEQUENCES, 3, {1, infinite, 1}},
        {LI_LIST_SEQUENCES, 6, {1, one, 1, 1, too_large, 2}},
        {LI_LIST_BREAKERS, 1, {0}},
        {LI_LIST_BREAKERS, 1, {1}},
        {LI_LIST_BREAKERS, 2, {2, 1}},
        {LI_LIST_BREAKERS, 3, {1, 1, 0}},
        {LI_LIST_BREAKERS, 3, {1, 1, 1}},
        {LI_LIST_BREAKERS, 2, {UINT32_MAX, 1}},
        {LI_LIST_BREAKERS, 2, {1, VOCAB}},
        {LI_LIST_BREAKERS, 4, {3, 1, VOCAB, 1}},
        {LI_LIST_COUNT, 1, {1}}, // no such list
        {LI_LIST_COUNT, 0, {0}},
        {(li_list_name)1000, 1, {1}},
    };
    pair both = create();
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_CASE("list %d, case %u", (int)bad[i].name, i);
        CHECK_EQ(li_sampler_set_list(both.sampler, bad[i].name, bad[i].words, bad[i].count), LI_ERROR_BAD_ARGUMENT);
        go_on(&both);
        CHECK_EQ(li_sampler_configure(both.sampler), LI_OK); // and with the former list
        go_on(&both);
    }
    // A list may be written many times before it is taken, and taken away again.
    for (uint32_t i = 0; i < 5; i++)
        CHECK_EQ(li_sampler_set_list(both.sampler, LI_LIST_BANNED, (uint32_t[]){i, 0}, 2), LI_OK);
    go_on(&both);
    CHECK_EQ(li_sampler_set_list(both.sampler, LI_LIST_BANNED, NULL, 0), LI_OK);
    go_on(&both);
    CHECK_EQ(li_sampler_set_list(both.sampler, LI_LIST_BANNED, (uint32_t[]){7}, 1), LI_OK);
    CHECK_EQ(li_sampler_configure(both.sampler), LI_OK);
    go_on(&both);
    destroy(both);
}

static void test_options_out_of_range_are_refused(void)
{
#define OPTION(name, value)                                                                                            \
    {                                                                                                                  \
        offsetof(li_options, name) / sizeof(double), value                                                             \
    }
    static const struct {
        size_t slot;
        double value;
    } bad[] = {
        OPTION(mirostat, 3),
        OPTION(mirostat, 0.5),
        OPTION(mirostat_tau, -1),
        OPTION(mirostat_eta, 1.5),
        OPTION(mirostat_tau, NAN),
        OPTION(adaptive_target, 1.1),
        OPTION(adaptive_target, -1.1),
        OPTION(adaptive_decay, 1),
        OPTION(adaptive_decay, -0.1),
        OPTION(dry_multiplier, -1),
        OPTION(dry_base, 0.9),
        OPTION(dry_allowed_length, 0),
        OPTION(dry_allowed_length, 2.5),
        OPTION(no_repeat_ngram, -1),
        OPTION(no_repeat_ngram, 1.5),
        OPTION(min_tokens, 0.5),
        OPTION(min_tokens, 0x1p32),
        OPTION(length_decay, 0),
        OPTION(length_decay, INFINITY),
        OPTION(length_decay_start, -1),
        OPTION(max_tokens, 1.5),
        OPTION(draw, 2),
        OPTION(stream, 0x1p32),
        OPTION(stream, -1),
    };
    pair both = create();
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_CASE("slot %d, value %g", (int)bad[i].slot, bad[i].value);
        double *option = &li_sampler_options(both.sampler)[bad[i].slot], former = *option;
        *option = bad[i].value;
        CHECK_EQ(li_sampler_configure(both.sampler), LI_ERROR_BAD_ARGUMENT);
        go_on(&both);
        *option = former;
        CHECK_EQ(li_sampler_configure(both.sampler), LI_OK);
    }
    CHECK_EQ(li_sampler_accept(both.sampler, (uint32_t[]){1, 2, VOCAB}, 3, false), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_accept(both.sampler, (uint32_t[]){UINT32_MAX}, 1, true), LI_ERROR_BAD_ARGUMENT);
    go_on(&both);
    destroy(both);
}

// An edit, even a ban, must not hide that the model's output is broken.
static void test_edits_hide_no_broken_logit(void)
{
    static const uint32_t text[] = {0, 1, 2, 0, 1, 2, 3, 4, 0, 1}; // 2 would repeat three tokens
    for (uint32_t stage = LI_STAGE_BIAS; stage <= LI_STAGE_MIN_TOKENS; stage++)
        for (uint32_t id = 0; id < VOCAB; id++) {
            float row[VOCAB] = {0};
            li_sampler *sampler = li_sampler_create(VOCAB);
            switch_on(sampler, (li_stage)stage, 0);
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            CHECK_EQ(li_sampler_accept(sampler, text, 5, true), LI_OK);
            CHECK_EQ(li_sampler_accept(sampler, text + 5, 3, false), LI_OK);
            CHECK_EQ(li_sampler_accept(sampler, text + 8, 2, true), LI_OK);
            row[id] = NAN;
            CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_NAN);
            CHECK(isnan(row[id]));
            row[id] = INFINITY;
            CHECK_EQ(li_sampler_distribution(sampler, row), LI_ERROR_LOGITS_INFINITE);
            CHECK_EQ(row[id], INFINITY);
            row[id] = 0;
            CHECK_GE(li_sampler_sample(sampler, row), 0);
            li_sampler_destroy(sampler);
        }
}

int main(void)
{
    test_orders_that_are_refused();
    test_a_stage_that_is_on_must_be_in_the_order();
    test_conflicting_options_are_refused();
    test_malformed_lists_are_refused();
    test_options_out_of_range_are_refused();
    test_edits_hide_no_broken_logit();
    return check_done("refusal");
}
