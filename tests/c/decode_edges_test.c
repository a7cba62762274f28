// Edge cases of beam steps, speculation and combined rows: ties, no room left, the first and last allowed values.
#include "check.h"
#include "rows.h"

static void test_ties_keep_the_lower_beam_in_any_order_of_rows(void)
{
    const float row[3] = {1, 1, 0};
    li_sampler *sampler = li_sampler_create(3);
    li_beam_step *step = li_beam_step_create(8);
    for (uint32_t is_late = 0; is_late < 2; is_late++) {
        CHECK_CASE("is_late %u", is_late);
        float logits[3];
        memcpy(logits, row, sizeof row);
        CHECK_EQ(li_beam_step_begin(step, 1), LI_OK);
        CHECK_EQ(li_beam_step_add(step, sampler, logits, is_late ? 5 : 2, -1), LI_OK);
        CHECK_EQ(li_beam_step_add(step, sampler, logits, is_late ? 2 : 5, -1), LI_OK);
        CHECK_EQ(li_beam_step_count(step), 1);
        CHECK_EQ(li_beam_step_best(step)->beam, 2);
        CHECK_EQ(li_beam_step_best(step)->token, 0);
    }
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

static void test_a_distant_beam_fills_the_remaining_places(void)
{
    float row[3] = {2, 1, 0};
    li_sampler *sampler = li_sampler_create(3);
    li_beam_step *step = li_beam_step_create(8);
    CHECK_EQ(li_beam_step_begin(step, 5), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 3);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 1, -1000), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 5);
    const li_candidate *best = li_beam_step_best(step);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_EQ(best[i].beam, i / 3);
        CHECK_EQ(best[i].token, i % 3);
    }
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

static void test_limits_are_accepted_and_values_beyond_them_refused(void)
{
    float row[3] = {0, 1, 2};
    li_sampler *sampler = li_sampler_create(3);
    li_proposal *proposal = li_proposal_create();
    li_beam_step *step = li_beam_step_create(1u << 20);
    CHECK(step);
    CHECK_EQ(li_beam_step_begin(step, 1u << 20), LI_OK);
    CHECK_EQ(li_beam_step_penalise(step, 0, 0), LI_OK);
    CHECK_EQ(li_proposal_keep(proposal, sampler, row), LI_OK);
    const double bad[] = {1, 2, (double)NAN};
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, 2, bad[i], 0), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, 2, 0, bad[i]), LI_ERROR_BAD_ARGUMENT);
    }
    CHECK_EQ(li_sampler_verify(sampler, row, proposal, 3, 0, 0), LI_ERROR_BAD_ARGUMENT);
    li_beam_step_destroy(step);
    li_proposal_destroy(proposal);
    li_sampler_destroy(sampler);
}

// A bitmask may hide a broken logit, but the beam's score needs the whole row.
static void test_a_row_with_a_broken_masked_logit_is_refused(void)
{
    float row[4] = {1, NAN, 0, 2};
    li_sampler *sampler = li_sampler_create(4);
    li_beam_step *step = li_beam_step_create(8);
    *li_sampler_bitmask(sampler, true) = 0xd; // without token 1
    CHECK_EQ(li_beam_step_begin(step, 8), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_ERROR_LOGITS_NAN);
    CHECK_EQ(li_beam_step_count(step), 0);
    row[1] = 5;
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 3);
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

static void test_each_of_many_penalties_counts(void)
{
    enum { SIZE = 200 };
    float row[SIZE];
    li_sampler *sampler = li_sampler_create(SIZE);
    li_beam_step *step = li_beam_step_create(SIZE);
    memset(row, 0, sizeof row);
    CHECK_EQ(li_beam_step_begin(step, SIZE), LI_OK);
    for (uint32_t token = 0; token < SIZE; token++)
        CHECK_EQ(li_beam_step_penalise(step, token, 1.0 + token % 7), LI_OK);
    for (uint32_t token = 0; token < SIZE; token += 2) CHECK_EQ(li_beam_step_penalise(step, token, 10), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    CHECK_EQ(li_beam_step_count(step), SIZE);
    for (uint32_t i = 0; i < SIZE; i++) {
        const li_candidate *candidate = &li_beam_step_best(step)[i];
        double penalty = 1.0 + candidate->token % 7 + (candidate->token % 2 ? 0 : 10);
        CHECK_LT(fabs(candidate->score + penalty + log(SIZE)), 1e-5);
    }
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

static void test_a_proposal_after_an_error_is_empty(void)
{
    float row[4] = {3, 2, 1, 0}, broken[4] = {3, NAN, 1, 0};
    li_sampler *sampler = li_sampler_create(4);
    li_proposal *proposal = li_proposal_create();
    for (uint32_t is_drawn = 0; is_drawn < 2; is_drawn++) {
        CHECK_CASE("is_drawn %u", is_drawn);
        CHECK_EQ(li_proposal_keep(proposal, sampler, row), LI_OK);
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, 0, 0), 0);
        if (is_drawn)
            CHECK_EQ(li_proposal_draw(proposal, sampler, broken), LI_ERROR_LOGITS_NAN);
        else
            CHECK_EQ(li_proposal_keep(proposal, sampler, broken), LI_ERROR_LOGITS_NAN);
        CHECK_EQ(li_sampler_verify(sampler, row, proposal, 0, 0, 0), LI_ERROR_BAD_ARGUMENT);
    }
    li_proposal_destroy(proposal);
    li_sampler_destroy(sampler);
}

// ---- speculation: target and draft by hand, dense or as lists of survivors ----------------------------------

enum { KINDS = 150 };

static void probabilities_of(const float *row, const bool *is_allowed, double *probabilities)
{
    double total = 0.0;
    for (uint32_t id = 0; id < KINDS; id++) total += probabilities[id] = is_allowed[id] ? exp((double)row[id]) : 0.0;
    for (uint32_t id = 0; id < KINDS; id++) probabilities[id] /= total;
}

// The verdict of Leviathan's rule on a token; -1 where rounding decides.
static int32_t expected_verdict(const double *draft, const double *target, uint32_t token, double u, double v)
{
    if (fabs(u * draft[token] - target[token]) < 1e-6) return -1;
    if (u * draft[token] < target[token]) return (int32_t)token;
    double rest = 0.0, sum = 0.0;
    for (uint32_t id = 0; id < KINDS; id++) rest += fmax(0.0, target[id] - draft[id]);
    for (uint32_t id = 0; id < KINDS; id++) {
        sum += fmax(0.0, target[id] - draft[id]);
        if (fabs(sum - v * rest) < 1e-6) return -1;
        if (sum > v * rest) return (int32_t)id;
    }
    return -1;
}

static void test_verdicts_follow_the_rule_for_all_survivors_of_target_and_draft(void)
{
    static const uint32_t lists[3][4] = {{0, 2, 3, 6}, {1, 2, 3, 5}, {3, 4, 5, 6}};
    li_sampler *draft = li_sampler_create(KINDS), *target = li_sampler_create(KINDS);
    li_proposal *proposal = li_proposal_create();
    uint32_t judged = 0;
    for (uint32_t round = 0; round < 160; round++) {
        CHECK_CASE("round %u", round);
        float draft_row[KINDS], target_row[KINDS];
        double p[KINDS], q[KINDS];
        bool of_draft[KINDS], of_target[KINDS];
        uint32_t first = round % 4, second = round / 4 % 4; // 3: every token survives
        fill(draft_row, KINDS, FLAT, 2 * round);
        fill(target_row, KINDS, FLAT, 2 * round + 1);
        for (uint32_t id = 0; id < KINDS; id++) {
            of_draft[id] = first == 3;
            of_target[id] = second == 3;
            for (uint32_t i = 0; i < 4; i++) {
                if (first < 3) of_draft[id] |= lists[first][i] == id;
                if (second < 3) of_target[id] |= lists[second][i] == id;
            }
        }
        CHECK_EQ(li_sampler_set_list(draft, LI_LIST_ALLOWED, lists[first % 3], first < 3 ? 4 : 0), LI_OK);
        CHECK_EQ(li_sampler_set_list(target, LI_LIST_ALLOWED, lists[second % 3], second < 3 ? 4 : 0), LI_OK);
        CHECK_EQ(li_sampler_configure(draft), LI_OK);
        CHECK_EQ(li_sampler_configure(target), LI_OK);
        probabilities_of(draft_row, of_draft, p);
        probabilities_of(target_row, of_target, q);
        if (round % 2) {
            CHECK_EQ(li_proposal_keep(proposal, draft, draft_row), LI_OK);
        } else {
            int32_t drawn = li_proposal_draw(proposal, draft, draft_row);
            CHECK_GE(drawn, 0);
            CHECK_LT(drawn, KINDS);
            CHECK(of_draft[drawn]);
        }
        for (uint32_t token = 0; token < KINDS; token++)
            for (uint32_t i = 0; i < 6; i++) {
                double u = (i % 3) * 0.4 + 0.05, v = i < 3 ? 0.2 : 0.85;
                int32_t verdict = li_sampler_verify(target, target_row, proposal, token, u, v);
                int32_t expected = of_draft[token] ? expected_verdict(p, q, token, u, v) : LI_ERROR_BAD_ARGUMENT;
                if (expected == -1) continue;
                CHECK_EQ(verdict, expected);
                if (verdict >= 0) CHECK_NEAR(li_sampler_chosen_probability(target), q[verdict], 1e-6);
                judged++;
            }
    }
    CHECK_GT(judged, 6000);
    li_proposal_destroy(proposal);
    li_sampler_destroy(draft);
    li_sampler_destroy(target);
}

// Sums in another order differ by rounding, so a token may be refused although no difference is left. Then the draw is
// from the target itself.
static void test_equal_target_and_draft_draw_the_residual_from_the_target(void)
{
    enum { SIZE = 60 };
    float row[SIZE];
    uint32_t listed[SIZE / 2], refused = 0;
    li_sampler *dense = li_sampler_create(SIZE), *list = li_sampler_create(SIZE);
    li_proposal *proposal = li_proposal_create();
    for (uint32_t salt = 0; salt < 300; salt++) {
        CHECK_CASE("salt %u", salt);
        double total = 0.0, below = 0.0, v = 0.1 + 0.2 * (salt % 5);
        uint32_t count = 0, drawn = 0;
        fill(row, SIZE, FLAT, salt);
        for (uint32_t id = 0; id < SIZE; id++) {
            if (uniform(salt * SIZE + id) < 0.5 || count == SIZE / 2) row[id] = -INFINITY;
            if (row[id] > -1e30f) listed[count++] = id;
            total += exp((double)row[id]);
        }
        CHECK_EQ(li_sampler_set_list(list, LI_LIST_ALLOWED, listed, count), LI_OK);
        CHECK_EQ(li_sampler_configure(list), LI_OK);
        CHECK_EQ(li_proposal_keep(proposal, dense, row), LI_OK);
        while (below + exp((double)row[drawn]) < v * total) below += exp((double)row[drawn++]);
        bool is_clear = v * total - below > 1e-4 && below + exp((double)row[drawn]) - v * total > 1e-4;
        uint32_t token = listed[0] == drawn ? listed[1] : listed[0];
        int32_t verdict = li_sampler_verify(list, row, proposal, token, 1.0 - 0x1p-53, v);
        if (verdict == (int32_t)token) continue;
        refused++;
        if (is_clear) CHECK_EQ(verdict, (int32_t)drawn);
        CHECK_GE(verdict, 0);
        CHECK_GT(row[verdict], -1e30f);
    }
    CHECK_GT(refused, 10);
    li_proposal_destroy(proposal);
    li_sampler_destroy(dense);
    li_sampler_destroy(list);
}

// An accepted token teaches adaptive-p the same as a drawn one.
static void test_feedback_is_equal_for_drawn_and_accepted_tokens(void)
{
    enum { SIZE = 50 };
    float row[SIZE];
    li_sampler *drawing = li_sampler_create(SIZE), *verifying = li_sampler_create(SIZE);
    li_proposal *proposal = li_proposal_create();
    for (uint32_t i = 0; i < 2; i++) {
        options_of(i ? verifying : drawing)->adaptive_target = 0.3;
        CHECK_EQ(li_sampler_configure(i ? verifying : drawing), LI_OK);
    }
    for (uint32_t step = 0; step < 20; step++) {
        uint8_t states[2][512] = {{0}};
        fill(row, SIZE, FLAT, step);
        int32_t token = li_sampler_choose(drawing, row);
        CHECK_GE(token, 0);
        CHECK_EQ(li_proposal_keep(proposal, verifying, row), LI_OK);
        CHECK_EQ(li_sampler_verify(verifying, row, proposal, (uint32_t)token, 0, 0), token);
        CHECK_EQ(li_sampler_emit(drawing, (uint32_t)token), LI_OK);
        CHECK_EQ(li_sampler_emit(verifying, (uint32_t)token), LI_OK);
        uint32_t size = li_sampler_state_size(drawing);
        CHECK_LE(size, sizeof states[0]);
        CHECK_EQ(size, li_sampler_state_size(verifying));
        li_sampler_save_state(drawing, states[0]);
        li_sampler_save_state(verifying, states[1]);
        CHECK_BYTES(states[0], states[1], size);
    }
    li_proposal_destroy(proposal);
    li_sampler_destroy(drawing);
    li_sampler_destroy(verifying);
}

// ---- rows and states of any length --------------------------------------------------------------------------

static void test_similarity_and_divergence_read_every_element_once(void)
{
    float a[150], b[150];
    for (uint32_t size = 1; size <= 140; size++) {
        CHECK_CASE("size %u", size);
        double dot = 0, of_a = 0, of_b = 0, sum_a = 0, sum_b = 0, divergence = 0;
        for (uint32_t i = 0; i < 150; i++) { // numbers beyond the end must have no effect
            a[i] = i < size ? (float)normal(size * 1000 + i) : 50.0f;
            b[i] = i < size ? (float)normal(size * 2000 + i) : -50.0f;
        }
        for (uint32_t i = 0; i < size; i++) {
            dot += (double)a[i] * (double)b[i];
            of_a += (double)a[i] * (double)a[i];
            of_b += (double)b[i] * (double)b[i];
            sum_a += exp((double)a[i]);
            sum_b += exp((double)b[i]);
        }
        CHECK_NEAR(li_degeneration(a, b, 1, size), dot / sqrt(of_a * of_b), 1e-5);
        CHECK_LE(li_degeneration(a, a, 1, size), 1.0);
        for (uint32_t i = 0; i < size; i++) {
            double p = exp((double)a[i]) / sum_a, q = exp((double)b[i]) / sum_b, middle = (p + q) / 2;
            divergence += (p * log(p / middle) + q * log(q / middle)) / 2;
        }
        CHECK_NEAR(li_divergence(a, b, size), divergence, 1e-5);
    }
}

int main(void)
{
    test_verdicts_follow_the_rule_for_all_survivors_of_target_and_draft();
    test_equal_target_and_draft_draw_the_residual_from_the_target();
    test_feedback_is_equal_for_drawn_and_accepted_tokens();
    test_similarity_and_divergence_read_every_element_once();
    test_limits_are_accepted_and_values_beyond_them_refused();
    test_a_row_with_a_broken_masked_logit_is_refused();
    test_each_of_many_penalties_counts();
    test_a_proposal_after_an_error_is_empty();
    test_ties_keep_the_lower_beam_in_any_order_of_rows();
    test_a_distant_beam_fills_the_remaining_places();
    return check_done("decode edges");
}
