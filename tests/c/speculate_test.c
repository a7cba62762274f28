// Single steps of speculation: which tokens are accepted for which numbers, what is drawn instead, what the sampler
// learns, and rewinding.
#include "check.h"
#include "rows.h"

enum { VOCAB = 150 };

// Writes a row: the logarithms of probabilities.
static void from_probabilities(float *row, const double *probabilities, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) row[i] = (float)log(probabilities[i]);
}

static void test_the_numbers_of_the_caller_decide(void)
{
    const double draft_probabilities[4] = {.5, .25, .25, 0}, target_probabilities[4] = {.2, .3, .1, .4};
    float draft_row[4], row[4], before[4];
    from_probabilities(draft_row, draft_probabilities, 4);
    from_probabilities(row, target_probabilities, 4);
    memcpy(before, row, sizeof row);
    li_sampler *sampler = li_sampler_create(4), *beside = li_sampler_create_beside(sampler);
    li_proposal *proposal = li_proposal_create();
    CHECK_EQ(li_proposal_keep(proposal, beside, draft_row), LI_OK);
    // Token 0 is accepted for u below .2 / .5, token 1 always, token 2 below .1 / .25.
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, .399, .5), 0);
    CHECK_NEAR(li_sampler_chosen_probability(sampler), .2, 1e-6);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, 0, .999), 0);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 1, 1 - 0x1p-53, 0), 1);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 2, .399, 0), 2);
    // The residual: .05 of token 1 and .4 of token 3.
    const double share = .05 / .45;
    for (uint32_t token = 0; token < 3; token += 2) {
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, token, .401, 0), 1);
        CHECK_NEAR(li_sampler_chosen_probability(sampler), .3, 1e-6);
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, token, .9, share - 1e-6), 1);
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, token, .9, share + 1e-6), 3);
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, token, .9, 1 - 0x1p-53), 3);
        CHECK_NEAR(li_sampler_chosen_probability(sampler), .4, 1e-6);
    }
    // Bad arguments are refused, and nothing changes.
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 3, .5, .5), LI_ERROR_BAD_ARGUMENT); // never proposed
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 4, .5, .5), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, 1, .5), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, .5, 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, (double)NAN, .5), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, .5, (double)NAN), LI_ERROR_BAD_ARGUMENT);
    row[2] = NAN;
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, .5, .5), LI_ERROR_LOGITS_NAN);
    memcpy(row, before, sizeof row);
    CHECK_BYTES(row, before, sizeof row);
    CHECK_EQ(li_sampler_state_size(sampler), li_sampler_state_size(beside));
    // After an error a proposal is empty.
    draft_row[0] = NAN;
    CHECK_EQ(li_proposal_draw(proposal, beside, draft_row), LI_ERROR_LOGITS_NAN);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, 0, 0), LI_ERROR_BAD_ARGUMENT);
    li_proposal_destroy(proposal);
    li_proposal_destroy(NULL);
    li_sampler_destroy(sampler);
    li_sampler_destroy(beside);
}

static void test_equal_rows_always_accept_and_disjoint_rows_never(void)
{
    float row[VOCAB], other[VOCAB];
    li_sampler *target = li_sampler_create(VOCAB), *draft = li_sampler_create(VOCAB);
    li_proposal *proposal = li_proposal_create();
    for (uint32_t variant = 0; variant < 4; variant++)
        for (uint32_t kind = 0; kind < ROW_KINDS; kind++) {
            CHECK_CASE("variant %u, kind %u", variant, kind);
            for (uint32_t i = 0; i < 2; i++) {
                li_options *options = options_of(i ? draft : target);
                options->top_p = variant == 1 ? 0.9 : 1;
                options->top_k = variant == 2 ? 7 : 0;
                options->temperature = variant == 3 ? 0.3 : 1;
                CHECK_EQ(li_sampler_configure(i ? draft : target), LI_OK);
            }
            fill(row, VOCAB, (row_kind)kind, variant);
            row[3] = 1.0f;
            for (uint32_t i = 0; i < 50; i++) {
                int32_t token = li_proposal_draw(proposal, draft, row);
                CHECK_GE(token, 0);
                CHECK_EQ(li_sampler_emit(draft, (uint32_t)token), LI_OK);
                CHECK_EQ(li_sampler_verify(target, row, proposal, (uint32_t)token, 1 - 0x1p-53, .5), token);
            }
            // The draft has even tokens only, the target odd ones.
            for (uint32_t id = 0; id < VOCAB; id++) {
                other[id] = id & 1 ? -INFINITY : (float)normal(id);
                row[id] = id & 1 ? (float)normal(id + 9) : -3.4e38f;
            }
            int32_t proposed = li_proposal_draw(proposal, draft, other);
            CHECK_GE(proposed, 0);
            CHECK_EQ(proposed % 2, 0);
            for (uint32_t i = 0; i < 50; i++) {
                double u = (i + 0.5) / 50;
                int32_t token = li_sampler_verify(target, row, proposal, (uint32_t)proposed, 0, u);
                CHECK_EQ(token % 2, 1);
                CHECK_EQ(token, li_sampler_pick(target, row, u)); // the residual is the target itself
            }
        }
    li_proposal_destroy(proposal);
    li_sampler_destroy(target);
    li_sampler_destroy(draft);
}

static void test_a_kept_proposal_leaves_the_logits_as_they_were(void)
{
    float row[4] = {1, 2, 3, 4}, before[4];
    memcpy(before, row, sizeof row);
    li_sampler *sampler = li_sampler_create(4);
    li_proposal *proposal = li_proposal_create();
    options_of(sampler)->repetition_penalty = 1.5;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){2}, 1, true), LI_OK);
    CHECK_EQ(li_proposal_keep(proposal, sampler, row), LI_OK);
    CHECK_BYTES(row, before, sizeof row);
    li_proposal_destroy(proposal);
    li_sampler_destroy(sampler);
}

static void test_a_proposal_forgets_the_tokens_of_the_one_before(void)
{
    float row[4] = {4, 3, 2, 1};
    li_sampler *draft = li_sampler_create(4), *target = li_sampler_create(4);
    li_proposal *proposal = li_proposal_create();
    for (uint32_t top_k = 3; top_k > 0; top_k--) {
        options_of(draft)->top_k = top_k;
        CHECK_EQ(li_sampler_configure(draft), LI_OK);
        CHECK_EQ(li_proposal_keep(proposal, draft, row), LI_OK);
        for (uint32_t token = 0; token < 4; token++)
            CHECK_EQ(li_sampler_verify(target, row, proposal, token, 0, .5),
                     token < top_k ? (int32_t)token : LI_ERROR_BAD_ARGUMENT);
    }
    li_proposal_destroy(proposal);
    li_sampler_destroy(draft);
    li_sampler_destroy(target);
}

// The last block of weights ends where its memory does.
static void test_a_vocabulary_of_whole_blocks_is_verified(void)
{
    enum { WHOLE = 128 };
    float draft_row[WHOLE] = {0}, row[WHOLE] = {0};
    draft_row[0] = 20;
    li_sampler *sampler = li_sampler_create(WHOLE), *beside = li_sampler_create_beside(sampler);
    li_proposal *proposal = li_proposal_create();
    CHECK_EQ(li_proposal_keep(proposal, beside, draft_row), LI_OK);
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, .9, 1 - 0x1p-53), WHOLE - 1);
    li_proposal_destroy(proposal);
    li_sampler_destroy(sampler);
    li_sampler_destroy(beside);
}

static void test_a_greedy_target_chooses_as_without_a_draft(void)
{
    float row[VOCAB], draft_row[VOCAB];
    li_sampler *target = li_sampler_create(VOCAB), *draft = li_sampler_create(VOCAB);
    options_of(target)->temperature = 0;
    CHECK_EQ(li_sampler_configure(target), LI_OK);
    li_proposal *proposal = li_proposal_create();
    for (uint32_t step = 0; step < 300; step++) {
        options_of(draft)->temperature = step % 3;
        CHECK_EQ(li_sampler_configure(draft), LI_OK);
        fill(row, VOCAB, (row_kind)(step % HUGE_RANGE), step);
        fill(draft_row, VOCAB, step % 2 ? PEAKED : FLAT, step);
        row[VOCAB / 3] = 5.0f;
        int32_t guess = li_proposal_draw(proposal, draft, draft_row), best = li_sampler_choose(target, row);
        CHECK_GE(guess, 0);
        CHECK_EQ(li_sampler_verify(target, row, proposal, (uint32_t)guess, -1, -1), best);
        CHECK_EQ(li_sampler_chosen_probability(target), 1.0);
    }
    li_proposal_destroy(proposal);
    li_sampler_destroy(target);
    li_sampler_destroy(draft);
}

static void test_own_numbers_have_their_own_purposes(void)
{
    float row[VOCAB], draft_row[VOCAB];
    li_sampler *target = li_sampler_create(VOCAB), *draft = li_sampler_create(VOCAB);
    options_of(target)->seed = options_of(draft)->seed = 5;
    options_of(target)->stream = options_of(draft)->stream = 3;
    CHECK_EQ(li_sampler_configure(target), LI_OK);
    CHECK_EQ(li_sampler_configure(draft), LI_OK);
    li_proposal *proposal = li_proposal_create();
    uint32_t accepted = 0;
    for (uint32_t step = 0; step < 200; step++) {
        fill(row, VOCAB, FLAT, step);
        fill(draft_row, VOCAB, FLAT, step + 1);
        options_of(draft)->draw = step % 2; // must have no effect
        CHECK_EQ(li_sampler_configure(draft), LI_OK);
        int32_t guess = li_proposal_draw(proposal, draft, draft_row);
        options_of(draft)->draw = 0;
        CHECK_EQ(li_sampler_configure(draft), LI_OK);
        CHECK_EQ(guess, li_sampler_pick(draft, draft_row, li_random_uniform(5, 3, step, LI_RANDOM_DRAFT, 0)));
        double u = li_random_uniform(5, 3, step, LI_RANDOM_ACCEPT, 0);
        double v = li_random_uniform(5, 3, step, LI_RANDOM_RESIDUAL, 0);
        int32_t token = li_sampler_verify(target, row, proposal, (uint32_t)guess, -1, -1);
        CHECK_EQ(token, li_sampler_verify(target, row, proposal, (uint32_t)guess, u, v));
        accepted += token == guess;
        CHECK_EQ(li_sampler_emit(target, (uint32_t)token), LI_OK);
        CHECK_EQ(li_sampler_emit(draft, (uint32_t)token), LI_OK);
    }
    CHECK_GT(accepted, 50);
    CHECK_LT(accepted, 150);
    li_proposal_destroy(proposal);
    li_sampler_destroy(target);
    li_sampler_destroy(draft);
}

static uint8_t *state_of(const li_sampler *sampler)
{
    uint8_t *bytes = malloc(li_sampler_state_size(sampler));
    li_sampler_save_state(sampler, bytes);
    return bytes;
}

static bool are_equal(const li_sampler *a, const li_sampler *b)
{
    uint8_t *first = state_of(a), *second = state_of(b);
    uint32_t size = li_sampler_state_size(a);
    bool same = size == li_sampler_state_size(b) && memcmp(first, second, size) == 0;
    free(first);
    free(second);
    return same && li_sampler_last_probability(a) == li_sampler_last_probability(b);
}

// Mirostat and adaptive-p learn the same from a verified token as from a sampled one.
static void test_feedback_moves_as_if_sampled(void)
{
    float row[VOCAB], draft_row[VOCAB];
    for (uint32_t variant = 0; variant < 3; variant++) {
        CHECK_CASE("variant %u", variant);
        li_sampler *sampled = li_sampler_create(VOCAB), *verified = li_sampler_create_beside(sampled);
        li_sampler *draft = li_sampler_create(VOCAB);
        for (uint32_t i = 0; i < 2; i++) {
            li_options *options = options_of(i ? sampled : verified);
            options->mirostat = variant;
            options->mirostat_tau = 4;
            options->adaptive_target = variant ? -1 : 0.2;
            options->top_k = variant ? 0 : 60;
            CHECK_EQ(li_sampler_configure(i ? sampled : verified), LI_OK);
        }
        li_proposal *proposal = li_proposal_create();
        uint32_t accepted = 0;
        for (uint32_t step = 0; step < 100; step++) {
            fill(row, VOCAB, step % 2 ? FLAT : REALISTIC, step);
            for (uint32_t id = 0; id < VOCAB; id++) draft_row[id] = row[id] + (float)normal(id + 1000 * step);
            int32_t guess = li_proposal_draw(proposal, draft, draft_row);
            CHECK_EQ(li_sampler_emit(draft, (uint32_t)guess), LI_OK);
            int32_t token = li_sampler_verify(verified, row, proposal, (uint32_t)guess, -1, -1);
            accepted += token == guess;
            // Larger numbers pick larger ids, so halving finds one that picks the token.
            uint32_t low = 0, high = 1u << 20;
            while (low < high) {
                uint32_t middle = (low + high) / 2;
                if (li_sampler_pick(sampled, row, middle * 0x1p-20) < token)
                    low = middle + 1;
                else
                    high = middle;
            }
            CHECK_LT(low, 1u << 20);
            CHECK_EQ(li_sampler_pick(sampled, row, low * 0x1p-20), token);
            CHECK_EQ(li_sampler_emit(verified, (uint32_t)token), LI_OK);
            CHECK_EQ(li_sampler_emit(sampled, (uint32_t)token), LI_OK);
            CHECK(are_equal(verified, sampled));
        }
        CHECK_GT(accepted, 10);
        CHECK_LT(accepted, 95);
        li_proposal_destroy(proposal);
        li_sampler_destroy(sampled);
        li_sampler_destroy(verified);
        li_sampler_destroy(draft);
    }
}

// ---- taking back -----------------------------------------------------------------------------------------

static void set_up(li_sampler *sampler, uint32_t variant)
{
    static const uint32_t windows[] = {0, 3, 64, 7};
    li_options *options = options_of(sampler);
    options->repetition_penalty = 1.3;
    options->frequency_penalty = 0.2;
    options->presence_penalty = 0.1;
    options->penalty_window = windows[variant % 4];
    options->count_scope = variant % 2;
    options->no_repeat_ngram = variant % 3 ? 0 : 3;
    options->dry_multiplier = variant % 5 ? 0 : 0.8;
    options->mirostat = variant % 4 == 1 ? 2 : 0;
    options->adaptive_target = variant % 4 == 3 ? 0.3 : -1;
    options->min_tokens = 8;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, (const uint32_t[]){2}, 1), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

static void test_rewinding_restores_the_state_of_the_mark(void)
{
    enum { KINDS = 30 }; // few, so that tokens repeat
    float row[KINDS];
    for (uint32_t variant = 0; variant < 40; variant++) {
        CHECK_CASE("variant %u", variant);
        li_sampler *plain = li_sampler_create(KINDS), *marked = li_sampler_create(KINDS);
        set_up(plain, variant);
        set_up(marked, variant);
        CHECK_EQ(li_sampler_rewind(marked), LI_ERROR_BAD_ARGUMENT); // no mark
        for (uint32_t round = 0, salt = variant * 1000; round < 30; round++) {
            CHECK_CASE("round %u", round);
            if (round % 7 == 3) { // more prompt, once or several times
                uint32_t read[5];
                for (uint32_t i = 0; i < 5; i++) read[i] = (uint32_t)(uniform(salt++) * (double)KINDS);
                CHECK_EQ(li_sampler_accept(plain, read, 5, true), LI_OK);
                CHECK_EQ(li_sampler_accept(marked, read, 5, true), LI_OK);
            }
            if (round % 3 != 2) li_sampler_mark(marked); // otherwise the former mark again
            if (round % 3 == 2) {
                CHECK_EQ(li_sampler_rewind(marked), LI_OK);
                uint32_t size = li_sampler_state_size(marked);
                uint8_t *bytes = state_of(marked);
                CHECK_EQ(li_sampler_load_state(plain, bytes, size), LI_OK);
                free(bytes);
                li_sampler_mark(marked);
            }
            // On trial: sampled, emitted and prompt tokens.
            uint32_t trial = (uint32_t)(uniform(salt++) * 12);
            for (uint32_t i = 0; i < trial; i++) {
                uint32_t told = (uint32_t)(uniform(salt++) * (double)KINDS);
                fill(row, KINDS, FLAT, salt);
                if (i % 3 == 2)
                    CHECK_EQ(li_sampler_accept(marked, &told, 1, told % 2), LI_OK);
                else
                    CHECK_GE(li_sampler_sample(marked, row), 0);
            }
            CHECK_EQ(li_sampler_rewind(marked), LI_OK);
            uint8_t *first = state_of(plain), *second = state_of(marked);
            CHECK_EQ(li_sampler_state_size(plain), li_sampler_state_size(marked));
            CHECK_BYTES(first, second, li_sampler_state_size(plain));
            free(first);
            free(second);
            for (uint32_t i = 0; i < 3; i++) { // later steps agree too
                fill(row, KINDS, FLAT, salt + 77 + i);
                int32_t token = li_sampler_sample(plain, row);
                CHECK_GE(token, 0);
                CHECK_EQ(li_sampler_sample(marked, row), token);
                CHECK_EQ(li_sampler_last_probability(plain), li_sampler_last_probability(marked));
            }
        }
        CHECK(are_equal(plain, marked));
        li_sampler_reset(marked);
        CHECK_EQ(li_sampler_rewind(marked), LI_ERROR_BAD_ARGUMENT); // the history is shorter than at the mark
        li_sampler_destroy(plain);
        li_sampler_destroy(marked);
    }
}

int main(void)
{
    test_the_numbers_of_the_caller_decide();
    test_equal_rows_always_accept_and_disjoint_rows_never();
    test_a_kept_proposal_leaves_the_logits_as_they_were();
    test_a_proposal_forgets_the_tokens_of_the_one_before();
    test_a_vocabulary_of_whole_blocks_is_verified();
    test_a_greedy_target_chooses_as_without_a_draft();
    test_own_numbers_have_their_own_purposes();
    test_feedback_moves_as_if_sampled();
    test_rewinding_restores_the_state_of_the_mark();
    return check_done("speculate");
}
