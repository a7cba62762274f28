// The stages that edit logits by the history, against the float64 reference.
#include <time.h>

#include "check.h"
#include "reference_edits.h"
#include "rows.h"

enum { LONGEST = 5000, WORDS = 64 };

static struct {
    uint32_t tokens[LONGEST];
    uint8_t is_prompt[LONGEST];
    uint32_t length;
} text;

static uint32_t letters[8]; // (letter_count) the ids in the text
static uint32_t letter_count, dice;

static uint32_t below(uint32_t limit)
{
    return (uint32_t)(uniform(dice++) * limit);
}

static void choose_letters(uint32_t vocab_size)
{
    letter_count = 1 + below(vocab_size < 8 ? vocab_size : 8);
    for (uint32_t i = 0; i < letter_count; i++) letters[i] = i * (vocab_size / letter_count) + below(2);
    if (letters[letter_count - 1] >= vocab_size) letters[letter_count - 1] = vocab_size - 1;
}

static uint32_t letter(void)
{
    return letters[below(letter_count)];
}

// Random tokens, some copied from before so that long repetitions occur; the prompt first, and sometimes more prompt
// later.
static void write_text(uint32_t length)
{
    uint32_t prompt = below(length + 1), copied_from = 0, left = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (left == 0 && i && below(12) == 0) {
            left = 1 + below(40);
            copied_from = below(i);
        }
        text.tokens[i] = left ? text.tokens[copied_from++] : letter();
        left -= left > 0;
        text.is_prompt[i] = i < prompt || below(50) == 0;
    }
    text.length = length;
}

static void tell(li_sampler *sampler)
{
    li_sampler_reset(sampler);
    for (uint32_t i = 0, end; i < text.length; i = end) {
        for (end = i + 1; end < text.length && text.is_prompt[end] == text.is_prompt[i] && below(9);) end++;
        CHECK_EQ(li_sampler_accept(sampler, text.tokens + i, end - i, text.is_prompt[i]), LI_OK);
    }
}

static reference_edits all_off(uint32_t vocab_size)
{
    return (reference_edits){
        .vocab_size = vocab_size,
        .tokens = text.tokens,
        .is_prompt = text.is_prompt,
        .length = text.length,
        .repetition = 1,
        .dry_base = 1.75,
        .dry_allowed = 2,
        .decay = 1,
    };
}

static const uint32_t *order = default_order;
static uint32_t order_count = ORDER;

static void configure(li_sampler *sampler, const reference_edits *edits)
{
    li_options *options = options_of(sampler);
    options->repetition_penalty = edits->repetition;
    options->frequency_penalty = edits->frequency;
    options->presence_penalty = edits->presence;
    options->penalty_window = edits->window;
    options->repetition_scope = edits->repetition_scope;
    options->count_scope = edits->count_scope;
    options->dry_multiplier = edits->dry_multiplier;
    options->dry_base = edits->dry_base;
    options->dry_allowed_length = edits->dry_allowed;
    options->no_repeat_ngram = edits->ngram;
    options->min_tokens = edits->min_tokens;
    options->length_decay = edits->decay;
    options->length_decay_start = edits->decay_start;
    options->max_tokens = edits->max_tokens;
    for (uint32_t i = 0; i < LI_LIST_COUNT; i++)
        CHECK_EQ(li_sampler_set_list(sampler, (li_list_name)i, edits->lists[i].words, edits->lists[i].count), LI_OK);
    uint32_t rules = edits->output_sequences ? LI_RULE_OUTPUT_SEQUENCES : 0;
    CHECK_EQ(li_sampler_set_order(sampler, order, order_count, rules), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

// Checks the edited logits, the survivors, their probabilities, and that the row is restored.
static void judge(li_sampler *sampler, float *row, const reference_edits *edits)
{
    uint32_t vocab_size = edits->vocab_size;
    float *before = malloc(vocab_size * sizeof *before);
    memcpy(before, row, vocab_size * sizeof *before);
    reference_logit *logits = reference_edit(row, edits, order, order_count);
    reference_result expected = reference_sort(logits, vocab_size);
    int32_t count = li_sampler_trace(sampler, row);
    CHECK_EQ(count, expected.count ? (int32_t)expected.count : LI_ERROR_NOTHING_LEFT);
    CHECK_BYTES(before, row, vocab_size * sizeof *before);
    const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
    bool is_equal = true;
    for (uint32_t id = 0; id < vocab_size && count > 0; id++) {
        double traced = (double)arrays->trace_logits[id];
        bool is_left = logits[id].value > -INFINITY;
        is_equal &= is_left == (arrays->trace_removed_by[id] == 255);
        if (is_left) is_equal &= fabs(traced - logits[id].value) <= 4e-7 * logits[id].scale + fabs(traced) * 1.2e-7;
    }
    CHECK(is_equal);
    CHECK_EQ(li_sampler_distribution(sampler, row), count);
    arrays = li_sampler_get_arrays(sampler);
    CHECK_BYTES(before, row, vocab_size * sizeof *before);
    if (expected.count) reference_softmax(&expected, 1.0);
    for (int32_t i = 0; i < count; i++) {
        double scale = 1.0 + logits[arrays->tokens[i]].scale + logits[expected.tokens[0].id].scale;
        double difference = fabs(arrays->probabilities[i] - expected.tokens[i].probability);
        is_equal &= difference <= 1e-6 * scale * expected.tokens[i].probability + 1e-300;
    }
    CHECK(is_equal);
    free(before);
    free(logits);
    free(expected.tokens);
}

// A list of groups of letters, each with a bias when `is_weighted`.
static reference_list write_groups(uint32_t *words, uint32_t groups, uint32_t longest, bool is_weighted)
{
    static const float biases[] = {1.5f, -3, -INFINITY, 10, -0.25f, 1e9f, -1e31f};
    uint32_t count = 0;
    while (groups--) {
        uint32_t length = 1 + below(longest);
        words[count++] = length;
        if (is_weighted) words[count++] = bits_of(biases[below(7)]);
        while (length--) words[count++] = letter();
    }
    return (reference_list){words, count};
}

static reference_list write_ids(uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) words[i] = letter();
    return (reference_list){words, count};
}

static void switch_on(reference_edits *edits, uint32_t words[LI_LIST_COUNT][WORDS])
{
    static const double strengths[] = {1, 0.8, 0, 5, 1000, 0.001};
    static const double bases[] = {1.75, 1, 1.0000001, 2, 1000, 1.1};
    static const double decays[] = {1.05, 0.9, 2, 0.001};
    if (below(3) == 0) edits->repetition = below(2) ? 1.3 : 0.5;
    if (below(3) == 0) edits->frequency = uniform(dice++) * 2.0 - 0.5;
    if (below(3) == 0) edits->presence = uniform(dice++) * 2.0 - 0.5;
    edits->window = below(3) ? 0 : below(80);
    edits->repetition_scope = below(2);
    edits->count_scope = below(2);
    if (below(2)) {
        edits->dry_multiplier = strengths[below(6)];
        edits->dry_base = bases[below(6)];
        edits->dry_allowed = 1 + below(4);
        if (below(2)) edits->lists[LI_LIST_BREAKERS] = write_groups(words[LI_LIST_BREAKERS], 1 + below(3), 3, false);
    }
    if (below(4) == 0) edits->ngram = 1 + below(6);
    if (below(3) == 0) edits->lists[LI_LIST_SEQUENCES] = write_groups(words[LI_LIST_SEQUENCES], 1 + below(6), 5, true);
    edits->output_sequences = (int)below(2);
    if (below(4) == 0) {
        for (uint32_t i = 0; i < 6; i += 2) {
            words[LI_LIST_BIAS][i] = letter();
            words[LI_LIST_BIAS][i + 1] = bits_of(below(4) ? (float)below(9) - 4.5f : -INFINITY);
        }
        edits->lists[LI_LIST_BIAS] = (reference_list){words[LI_LIST_BIAS], 6};
        if (below(2)) edits->lists[LI_LIST_BANNED] = write_ids(words[LI_LIST_BANNED], 1 + below(3));
    }
    if (below(2)) {
        uint32_t generated = reference_generated(edits);
        uint32_t *eos = words[LI_LIST_EOS], count = 1 + below(2);
        edits->lists[LI_LIST_EOS] = write_ids(eos, count);
        if (count == 2 && eos[0] >= eos[1]) edits->lists[LI_LIST_EOS].count = 1; // ids must ascend
        if (below(2)) edits->min_tokens = generated + below(3); // around the step where min_tokens ends
        if (below(2)) edits->decay = decays[below(4)];
        edits->decay_start = generated > 4 && below(2) ? generated - below(5) : below(9);
        if (generated > edits->decay_start + 100) edits->decay_start = generated - 100;
    }
}

// The edits in any order, temperature after them.
static void shuffle_order(uint32_t *shuffled)
{
    for (uint32_t i = 0; i < 9; i++) shuffled[i] = LI_STAGE_BIAS + i;
    for (uint32_t i = 8; i > 1; i--) {
        uint32_t other = below(i), former = shuffled[i - 1];
        shuffled[i - 1] = shuffled[other];
        shuffled[other] = former;
    }
    order = shuffled;
    order_count = 9;
}

static void test_edits_equal_the_reference(void)
{
    static const uint32_t sizes[] = {8, 40, 1000, 32000, 151936};
    static uint32_t words[LI_LIST_COUNT][WORDS];
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK_CASE("vocabulary of %u", sizes[s]);
        uint32_t vocab_size = sizes[s], shuffled[9];
        float *row = malloc(vocab_size * sizeof *row);
        li_sampler *sampler = li_sampler_create(vocab_size), *beside = li_sampler_create_beside(sampler);
        for (uint32_t round = 0; round < (vocab_size > 1000 ? 18 : 400); round++) {
            CHECK_CASE("round %u", round);
            dice = s * 10000000 + round * 10000;
            choose_letters(vocab_size);
            write_text(round % 7 ? below(vocab_size > 1000 ? 60 : 300) : below(4));
            reference_edits edits = all_off(vocab_size);
            switch_on(&edits, words);
            shuffle_order(shuffled);
            if (round % 3 == 0) tell(sampler); // before or after the options are set
            configure(sampler, &edits);
            if (round % 3) tell(sampler);
            fill(row, vocab_size, (row_kind)(round % ROW_KINDS), round);
            judge(sampler, row, &edits);

            // Saves and loads the state, into another sampler and into one that shares its scratch.
            if (round % 4) continue;
            uint32_t size = li_sampler_state_size(sampler);
            uint8_t *state = malloc(size);
            li_sampler_save_state(sampler, state);
            li_sampler *other = round % 8 ? beside : li_sampler_create(vocab_size);
            configure(other, &edits);
            CHECK_EQ(li_sampler_load_state(other, state, size), LI_OK);
            judge(other, row, &edits);
            judge(sampler, row, &edits);
            if (other != beside) li_sampler_destroy(other);
            free(state);
        }
        order = default_order;
        order_count = ORDER;
        li_sampler_destroy(sampler);
        li_sampler_destroy(beside);
        free(row);
    }
}

static void test_dry_over_long_histories_equals_the_reference(void)
{
    enum { VOCAB = 60 };
    static const double bases[] = {1, 1.0000001, 1.0001, 1.75, 1000};
    static const uint32_t breaker[] = {2, 3, 50, 1, 59};
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 4);
    li_sampler *sampler = li_sampler_create(VOCAB);
    for (uint32_t kind = 0; kind < 6; kind++)
        for (uint32_t i = 0; i < 5; i++) {
            dice = kind * 1000000 + i * 10000;
            text.length = i % 2 ? LONGEST : LONGEST - 1 - i;
            for (uint32_t n = 0; n < text.length; n++) {
                uint32_t fibonacci =
                    (uint32_t)(floor((n + 2) * 0.6180339887498949) - floor((n + 1) * 0.6180339887498949));
                uint32_t kinds[] = {7, n & 1, below(2), n % 1000 % VOCAB, fibonacci, n == 2500 ? 59 : n % 3};
                text.tokens[n] = kinds[kind];
                text.is_prompt[n] = n < 3000;
            }
            reference_edits edits = all_off(VOCAB);
            edits.dry_multiplier = i == 3 ? 1000 : 0.8;
            edits.dry_base = bases[i];
            edits.dry_allowed = i == 2 ? LONGEST - 2 : 1 + i;
            if (kind > 2) edits.lists[LI_LIST_BREAKERS] = (reference_list){breaker, 5};
            configure(sampler, &edits);
            tell(sampler);
            judge(sampler, row, &edits);
        }
    li_sampler_destroy(sampler);
}

// Token by token, with trials that are rewound and with other breakers and windows between, the result equals that of
// all tokens at once.
static void test_repetitions_are_tracked_through_accepts_and_rewinds(void)
{
    enum { VOCAB = 8, STEPS = 120 };
    static uint32_t words[WORDS];
    float row[VOCAB];
    li_sampler *sampler = li_sampler_create(VOCAB);
    for (uint32_t round = 0; round < 60; round++) {
        CHECK_CASE("round %u", round);
        dice = 77000000 + round * 10000;
        choose_letters(VOCAB);
        fill(row, VOCAB, FLAT, round);
        reference_edits edits = all_off(VOCAB);
        edits.dry_multiplier = 0.8;
        edits.dry_allowed = 1 + round % 3;
        edits.ngram = round % 2 * (1 + below(4));
        edits.length = text.length = 0;
        li_sampler_reset(sampler);
        for (uint32_t step = 0, marked = UINT32_MAX; step < STEPS; step++) {
            if (step % 40 == 0) {
                edits.lists[LI_LIST_BREAKERS] = write_groups(words, 1 + below(4), 4, false);
                edits.window = below(2) ? 0 : below(60);
                configure(sampler, &edits);
                marked = UINT32_MAX;
            }
            uint32_t id = letter(), *length = &text.length;
            text.tokens[*length] = id;
            text.is_prompt[*length] = below(4) == 0;
            CHECK_EQ(li_sampler_accept(sampler, &id, 1, text.is_prompt[(*length)++]), LI_OK);
            if (below(6) == 0) {
                li_sampler_mark(sampler);
                marked = *length;
            } else if (marked < *length && below(5) == 0) {
                CHECK_EQ(li_sampler_rewind(sampler), LI_OK);
                *length = marked;
            }
            uint32_t back = 0;
            while (below(3) && back < *length && !text.is_prompt[*length - 1 - back]) back++;
            if (back) {
                CHECK_EQ(li_sampler_take_back(sampler, back), LI_OK);
                *length -= back;
                marked = UINT32_MAX; // dropped
            }
            edits.length = *length;
            judge(sampler, row, &edits);
        }
    }
    // Configuring drops the mark, because the counts changed.
    li_sampler_mark(sampler);
    CHECK_EQ(li_sampler_rewind(sampler), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_rewind(sampler), LI_ERROR_BAD_ARGUMENT);
    li_sampler_mark(sampler);
    li_sampler_reset(sampler);
    CHECK_EQ(li_sampler_accept(sampler, text.tokens, text.length, true), LI_OK);
    CHECK_EQ(li_sampler_rewind(sampler), LI_ERROR_BAD_ARGUMENT);
    li_sampler_destroy(sampler);
}

// Processor time of the fastest of a few steps after `length` equal tokens.
static double quickest_step(uint32_t length, uint32_t ngram, uint32_t breakers, bool is_dry)
{
    enum { VOCAB = 400 };
    static float row[VOCAB];
    static uint32_t words[200];
    reference_edits edits = all_off(VOCAB);
    edits.ngram = ngram;
    edits.dry_multiplier = is_dry;
    for (uint32_t i = 0; i < breakers; i++) // all of which nearly end a text of sevens
        memcpy(words + 4 * i, (uint32_t[]){3, 7, 7, 100 + i}, 4 * sizeof *words);
    edits.lists[LI_LIST_BREAKERS] = (reference_list){words, 4 * breakers};
    li_sampler *sampler = li_sampler_create(VOCAB);
    configure(sampler, &edits);
    for (uint32_t i = 0; i < length; i++) CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){7}, 1, true), LI_OK);
    double quickest = INFINITY;
    for (uint32_t i = 0; i < 7; i++) {
        clock_t start = clock();
        CHECK_GE(li_sampler_choose(sampler, row), 0);
        quickest = fmin(quickest, (double)(clock() - start));
        CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){7}, 1, true), LI_OK);
    }
    li_sampler_destroy(sampler);
    return quickest;
}

static void test_the_cost_of_a_step_does_not_grow_with_ngram_length_or_breakers(void)
{
    enum { LENGTH = 100000 };
    const double tick = 0.004 * CLOCKS_PER_SEC; // of a coarse clock; growing steps took ten times that
    CHECK_LT(quickest_step(LENGTH, 1000, 0, false), 5.0 * quickest_step(LENGTH, 2, 0, false) + tick);
    CHECK_LT(quickest_step(LENGTH, 0, 50, true), 5.0 * quickest_step(LENGTH, 0, 0, true) + tick);
}

static float traced(li_sampler *sampler, float *row, uint32_t id)
{
    CHECK_GT(li_sampler_trace(sampler, row), 0);
    return li_sampler_get_arrays(sampler)->trace_logits[id];
}

// The largest power of 3 that is a float has the exponent 80.
static void test_the_power_of_dry_stays_a_float(void)
{
    float row[8] = {0};
    li_sampler *sampler = li_sampler_create(8);
    options_of(sampler)->dry_multiplier = 1e-9;
    options_of(sampler)->dry_base = 3;
    options_of(sampler)->dry_allowed_length = 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    for (uint32_t i = 0; i < 300; i++) CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){7}, 1, true), LI_OK);
    CHECK_NEAR((double)traced(sampler, row, 7) / (-1e-9 * pow(3, 80)), 1.0, 1e-5);
    li_sampler_destroy(sampler);
}

// Three equal logits, and the results of the definitions in numbers that can be checked by hand.
static void test_edits_of_five_tokens_by_hand(void)
{
    float row[] = {2, 2, 2, -1, -INFINITY};
    li_sampler *sampler = li_sampler_create(5);
    li_options *options = options_of(sampler);

    // DRY: 1 2 0 ... 1 2 repeats two tokens, which 0 followed: 0.5 * 3^(2 - 1) less.
    options->dry_multiplier = 0.5;
    options->dry_base = 3;
    options->dry_allowed_length = 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){1, 2, 0, 1, 2}, 5, true), LI_OK);
    CHECK_EQ(traced(sampler, row, 0), 0.5f);
    // A breaker of two tokens, 0 1: only the 2 after the breaker repeats.
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BREAKERS, (uint32_t[]){2, 0, 1}, 3), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(traced(sampler, row, 0), 1.5f);
    // The token that would follow is a breaker: no penalty.
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BREAKERS, (uint32_t[]){1, 0}, 2), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(traced(sampler, row, 0), 2);
    options->dry_multiplier = 0;

    // No bigram twice: 2 0 occurred. No unigram twice: 0, 1 and 2 occurred.
    options->no_repeat_ngram = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 3);
    options->no_repeat_ngram = 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 1);
    CHECK_EQ(li_sampler_pick(sampler, row, 0.5), 3);
    options->no_repeat_ngram = 6;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 4);
    options->no_repeat_ngram = 0;

    // eos = 3, not before two tokens are generated; then each further token raises eos.
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, (uint32_t[]){3, 4}, 2), LI_OK);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, (uint32_t[]){3, 3}, 2), LI_ERROR_BAD_ARGUMENT); // no id twice
    options->min_tokens = 2;
    options->length_decay = 2;
    options->length_decay_start = 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    static const float ends[] = {-INFINITY, -INFINITY, 0, 2, 6};
    for (uint32_t generated = 0; generated < 5; generated++) {
        CHECK_EQ(li_sampler_distribution(sampler, row), generated < 2 ? 3 : 4);
        CHECK_EQ(traced(sampler, row, 3), ends[generated]);
        CHECK_EQ(li_sampler_get_arrays(sampler)->trace_removed_by[4], 0);
        CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){0}, 1, false), LI_OK);
    }
    li_sampler_destroy(sampler);
}

// However long the text, the decay keeps a logit of 0 and makes no logit infinite.
static void test_length_decay_stays_finite(void)
{
    static uint32_t zeros[3000];
    for (int i = 0; i < 3; i++) {
        float row[] = {1, i == 0 ? 0.0f : i == 1 ? 0.5f : -0.5f, 2};
        li_sampler *sampler = li_sampler_create(3);
        options_of(sampler)->length_decay = 1000;
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, (uint32_t[]){1}, 1), LI_OK);
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        CHECK_EQ(li_sampler_accept(sampler, zeros, 3000, false), LI_OK);
        CHECK_EQ(li_sampler_distribution(sampler, row), 3);
        CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[0], i ? 1u : 2u);
        CHECK(li_sampler_get_arrays(sampler)->probabilities[0] == 1.0 || i == 0);
        options_of(sampler)->length_decay = 0.001;
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        CHECK_EQ(li_sampler_distribution(sampler, row), 3);
        CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[2], 1);
        li_sampler_destroy(sampler);
    }
}

static void test_first_and_last_tokens_are_forced_at_their_steps(void)
{
    enum { VOCAB = 33, MAX = 12 };
    static const uint32_t first[] = {5, 32, 5}, last[] = {7, 0};
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 1);
    for (uint32_t round = 0; round < 3; round++) {
        CHECK_CASE("round %u", round);
        text.length = 0;
        reference_edits edits = all_off(VOCAB);
        if (round != 1) edits.lists[LI_LIST_FIRST] = (reference_list){first, 3};
        if (round != 0) edits.lists[LI_LIST_LAST] = (reference_list){last, 2};
        if (round != 0) edits.max_tokens = MAX;
        li_sampler *sampler = li_sampler_create(VOCAB), *other = li_sampler_create_beside(sampler);
        configure(sampler, &edits);
        configure(other, &edits);
        // A prompt of any length, also between generated tokens, does not shift the forced tokens.
        for (uint32_t step = 0; step < MAX + 3; step++) {
            text.tokens[text.length] = 9;
            text.is_prompt[text.length++] = 1;
            CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){9}, 1, true), LI_OK);
            edits.length = text.length;
            judge(sampler, row, &edits);
            static uint8_t state[4096];
            uint32_t size = li_sampler_state_size(sampler);
            CHECK_LE(size, sizeof state);
            li_sampler_save_state(sampler, state);
            CHECK_EQ(li_sampler_load_state(other, state, size), LI_OK);
            int32_t token = li_sampler_sample(sampler, row);
            CHECK_EQ(li_sampler_sample(other, row), token);
            if (round != 1 && step < 3) CHECK_EQ((uint32_t)token, first[step]);
            if (round != 0 && step >= MAX - 2 && step < MAX) CHECK_EQ((uint32_t)token, last[step - (MAX - 2)]);
            text.tokens[text.length] = (uint32_t)token;
            text.is_prompt[text.length++] = 0;
        }
        // Forcing works with greedy too, and for masked tokens.
        li_sampler_reset(sampler);
        options_of(sampler)->temperature = 0;
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        if (round != 1) {
            CHECK_EQ(li_sampler_sample(sampler, row), 5);
            row[32] = -3.4e38f;
            CHECK_EQ(li_sampler_sample(sampler, row), 32);
            CHECK_EQ(row[32], -3.4e38f);
            row[32] = 0;
        }
        li_sampler_destroy(sampler);
        li_sampler_destroy(other);
    }
}

int main(void)
{
    test_repetitions_are_tracked_through_accepts_and_rewinds();
    test_the_cost_of_a_step_does_not_grow_with_ngram_length_or_breakers();
    test_the_power_of_dry_stays_a_float();
    test_edits_of_five_tokens_by_hand();
    test_edits_equal_the_reference();
    test_dry_over_long_histories_equals_the_reference();
    test_length_decay_stays_finite();
    test_first_and_last_tokens_are_forced_at_their_steps();
    return check_done("edits");
}
