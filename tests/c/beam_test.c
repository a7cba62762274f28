// Beam search: steps against a reference that sorts all continuations, searches against an exhaustive search.
#include "check.h"
#include "rows.h"

// ---- the reference: float64, every continuation of every beam, sorted -----------------------------------

static int compare(const void *a, const void *b)
{
    const li_candidate *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    if (x->beam != y->beam) return x->beam < y->beam ? -1 : 1;
    return x->token < y->token ? -1 : x->token > y->token;
}

// Adds the continuations of a beam, given its edited logits (count), to `all`: allowed and unmasked tokens. Returns
// their number. Banned tokens count in the softmax.
static uint32_t reference_add(li_candidate *all, const double *logits, const bool *is_allowed, uint32_t count,
                              const double *penalties, uint32_t beam, double score)
{
    double peak = -INFINITY, sum = 0.0;
    uint32_t added = 0;
    for (uint32_t id = 0; id < count; id++)
        if (logits[id] > -1e30) peak = fmax(peak, logits[id]);
    for (uint32_t id = 0; id < count; id++)
        if (logits[id] > -1e30) sum += exp(logits[id] - peak);
    for (uint32_t id = 0; id < count; id++)
        if (logits[id] > -1e30 && is_allowed[id])
            all[added++] = (li_candidate){score + (logits[id] - peak - log(sum)) - penalties[id], beam, id};
    return added;
}

// Compares the kept candidates with all continuations, sorted: the scores always, the tokens where no scores are too
// close to tell apart.
static void judge(const li_candidate *best, uint32_t count, li_candidate *all, uint32_t all_count, uint32_t keep)
{
    qsort(all, all_count, sizeof *all, compare);
    CHECK_EQ(count, all_count < keep ? all_count : keep);
    bool is_near = true, is_same = true, is_sorted = true, is_clear = true;
    for (uint32_t i = 0; i < count && i < all_count; i++) {
        is_near &= fabs(best[i].score - all[i].score) <= 2e-6 * fmax(1.0, fabs(all[i].score));
        is_same &= best[i].beam == all[i].beam && best[i].token == all[i].token;
        if (i) is_sorted &= compare(&best[i - 1], &best[i]) < 0;
        if (i + 1 < all_count) {
            double gap = all[i].score - all[i + 1].score;
            is_clear &= gap > 4e-6 * fmax(1.0, fabs(all[i].score)) || (gap == 0.0 && all[i].beam == all[i + 1].beam);
        }
    }
    CHECK(is_near);
    CHECK(is_sorted);
    CHECK(is_same || !is_clear);
}

// ---- steps --------------------------------------------------------------------------------------------------

static void test_steps_keep_the_best_of_all_continuations(void)
{
    static const uint32_t sizes[] = {1, 2, 7, 64, 150, 1000, 4096, 32000};
    li_beam_step *step = li_beam_step_create(200);
    uint32_t salt = 0, tied = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t round = 0; round < (sizes[s] > 1000 ? 12 : 60); round++, salt++) {
            CHECK_CASE("s %u, round %u", s, round);
            uint32_t size = sizes[s], beams = 1 + salt % 5, keep = (uint32_t[]){1, 2, 8, 16, 200}[salt % 5];
            li_sampler *sampler = li_sampler_create(size);
            li_candidate *all = malloc(beams * size * sizeof *all);
            double *penalties = calloc(size, sizeof *penalties), *logits = malloc(size * sizeof *logits);
            bool *is_allowed = malloc(size * sizeof *is_allowed);
            float *row = malloc(size * sizeof *row), *before = malloc(size * sizeof *row);
            uint32_t all_count = 0;
            CHECK_EQ(li_beam_step_begin(step, keep), LI_OK);
            for (uint32_t i = 0; i < salt % 7; i++) { // some tokens several times
                uint32_t token = (uint32_t)(uniform(salt * 31 + i) * fmin(size, 20));
                penalties[token] += 0.5 + i;
                CHECK_EQ(li_beam_step_penalise(step, token, 0.5 + i), LI_OK);
            }
            for (uint32_t beam = 0; beam < beams; beam++) {
                // Scores cannot resolve the differences of subnormal logits.
                row_kind kind = (row_kind)((salt + (salt % 3 ? beam : 0)) % SUBNORMAL);
                fill(row, size, kind, salt % 4 ? salt + beam : salt); // or the same row for all beams
                row[size / 2] = 1.5f;
                double score = salt % 4 ? -2.0 * uniform(salt + beam) - beam % 2 * 5.0 : 0.0;
                bool has_mask = (salt + beam) % 3 == 0, has_bias = salt % 5 == 1;
                uint32_t *bits = li_sampler_bitmask(sampler, has_mask);
                memset(bits, 0, (size + 31) / 32 * sizeof *bits);
                for (uint32_t id = 0; id < size; id++) {
                    logits[id] = (double)row[id];
                    is_allowed[id] = !has_mask || uniform(id + salt) < 0.3 || id == size / 2;
                    bits[id / 32] |= (uint32_t)is_allowed[id] << id % 32;
                }
                float bias = 2.25f;
                uint32_t biased = size / 3, banned[2] = {size / 5, size / 7};
                if (has_bias && logits[biased] > -1e30) logits[biased] = (double)(float)(logits[biased] + 2.25);
                CHECK_EQ(
                    li_sampler_set_list(sampler, LI_LIST_BIAS, (uint32_t[]){biased, bits_of(bias)}, has_bias ? 2 : 0),
                    LI_OK);
                bool has_bans = size > 10 && salt % 4 == 2;
                CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, banned, has_bans ? 2 : 0), LI_OK);
                if (has_bans) is_allowed[banned[0]] = is_allowed[banned[1]] = false;
                options_of(sampler)->temperature = salt % 2 ? 0.1 : 1; // must have no effect
                options_of(sampler)->top_k = salt % 3;
                CHECK_EQ(li_sampler_configure(sampler), LI_OK);
                all_count += reference_add(all + all_count, logits, is_allowed, size, penalties, beam, score);
                memcpy(before, row, size * sizeof *row);
                CHECK_EQ(li_beam_step_add(step, sampler, row, beam, score), LI_OK);
                CHECK_BYTES(row, before, size * sizeof *row);
            }
            const li_candidate *best = li_beam_step_best(step);
            judge(best, li_beam_step_count(step), all, all_count, keep);
            for (uint32_t i = 1; i < li_beam_step_count(step); i++) tied += best[i].score == best[i - 1].score;
            CHECK_EQ(best, li_beam_step_best(step));
            CHECK_EQ(li_beam_step_add(step, sampler, row, 9, 0), LI_ERROR_BAD_ARGUMENT);
            li_sampler_destroy(sampler);
            free(all);
            free(penalties);
            free(logits);
            free(is_allowed);
            free(row);
            free(before);
        }
    CHECK_GT(tied, 1000);
    li_beam_step_destroy(step);
}

static void test_penalties_act_on_the_edited_row(void)
{
    enum { SIZE = 40 };
    float row[SIZE];
    li_sampler *sampler = li_sampler_create(SIZE);
    li_beam_step *step = li_beam_step_create(SIZE);
    options_of(sampler)->repetition_penalty = 1.5;
    options_of(sampler)->frequency_penalty = 0.3;
    options_of(sampler)->no_repeat_ngram = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    const uint32_t read[2] = {5, 7}, emitted[4] = {8, 5, 8, 5}; // 5 was followed by 7 and 8
    CHECK_EQ(li_sampler_accept(sampler, read, 2, true), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, emitted, 4, false), LI_OK);
    for (uint32_t salt = 0; salt < 20; salt++) {
        CHECK_CASE("salt %u", salt);
        double logits[SIZE], penalties[SIZE] = {0};
        bool is_allowed[SIZE];
        li_candidate all[SIZE];
        fill(row, SIZE, FLAT, salt);
        for (uint32_t id = 0; id < SIZE; id++) {
            bool is_seen = id == 5 || id == 7 || id == 8;
            logits[id] = (double)row[id];
            if (is_seen) logits[id] = logits[id] > 0 ? logits[id] / 1.5 : logits[id] * 1.5;
            if (id == 5 || id == 8) logits[id] -= 2 * 0.3;
            is_allowed[id] = id != 7 && id != 8;
        }
        uint32_t count = reference_add(all, logits, is_allowed, SIZE, penalties, 3, -1.25);
        CHECK_EQ(li_beam_step_begin(step, SIZE), LI_OK);
        CHECK_EQ(li_beam_step_add(step, sampler, row, 3, -1.25), LI_OK);
        judge(li_beam_step_best(step), li_beam_step_count(step), all, count, SIZE);
    }
    // A forced token is the only continuation and costs nothing. Padding is never a continuation.
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_FIRST, (uint32_t[]){1, 2, 3, 4, 30}, 5), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_beam_step_begin(step, 4), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 3, -1.25), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 1);
    CHECK_EQ(li_beam_step_best(step)->token, 30);
    CHECK_EQ(li_beam_step_best(step)->score, -1.25);
    CHECK_EQ(li_beam_step_best(step)->beam, 3);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_FIRST, NULL, 0), LI_OK);
    options_of(sampler)->token_count = 4;
    options_of(sampler)->no_repeat_ngram = 0;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    row[6] = NAN; // never read
    CHECK_EQ(li_beam_step_begin(step, SIZE), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    double sum = 0.0;
    for (uint32_t i = 0; i < li_beam_step_count(step); i++) sum += exp(li_beam_step_best(step)[i].score);
    CHECK_EQ(li_beam_step_count(step), 4);
    CHECK_NEAR(sum, 1.0, 1e-6);
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

// The scores are the model's own: the likeliest token counts in them, although its bigram may not come again.
static void test_a_single_banned_token_counts_however_likely(void)
{
    float row[4] = {0, 0, 1000, 0};
    li_sampler *sampler = li_sampler_create(4);
    li_beam_step *step = li_beam_step_create(4);
    options_of(sampler)->no_repeat_ngram = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){1, 2, 1}, 3, true), LI_OK);
    CHECK_EQ(li_beam_step_begin(step, 4), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 3);
    for (uint32_t i = 0; i < 3; i++) CHECK_EQ(li_beam_step_best(step)[i].score, -1000.0);
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

static void test_bad_arguments_are_refused(void)
{
    enum { SIZE = 70 };
    float row[SIZE];
    CHECK(!li_beam_step_create(0));
    CHECK(!li_beam_step_create((1u << 20) + 1));
    li_beam_step_destroy(NULL);
    li_sampler *sampler = li_sampler_create(SIZE);
    li_beam_step *step = li_beam_step_create(5);
    CHECK_EQ(li_beam_step_begin(step, 0), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_beam_step_begin(step, 6), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_beam_step_begin(step, 5), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 0);
    const double bad[] = {-1, (double)NAN, (double)INFINITY};
    for (uint32_t i = 0; i < 3; i++) CHECK_EQ(li_beam_step_penalise(step, 3, bad[i]), LI_ERROR_BAD_ARGUMENT);
    fill(row, SIZE, FLAT, 1);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, (double)NAN), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, -(double)INFINITY), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 7, -1), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 5);
    // A refused row adds nothing, and the step continues.
    for (uint32_t is_masked = 0; is_masked < 2; is_masked++) {
        CHECK_CASE("is_masked %u", is_masked);
        uint32_t *bits = li_sampler_bitmask(sampler, is_masked);
        memset(bits, 0xff, 12);
        for (uint32_t at = 3; at < SIZE; at += 33) {
            fill(row, SIZE, FLAT, 2);
            row[at] = NAN;
            CHECK_EQ(li_beam_step_add(step, sampler, row, 8, 0), LI_ERROR_LOGITS_NAN);
            row[at] = INFINITY;
            CHECK_EQ(li_beam_step_add(step, sampler, row, 8, 0), LI_ERROR_LOGITS_INFINITE);
        }
    }
    for (uint32_t i = 0; i < SIZE; i++) row[i] = -INFINITY;
    CHECK_EQ(li_beam_step_add(step, sampler, row, 8, 0), LI_ERROR_NOTHING_LEFT);
    fill(row, SIZE, FLAT, 3);
    memset(li_sampler_bitmask(sampler, true), 0, 12);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 8, 0), LI_ERROR_NOTHING_LEFT);
    li_sampler_bitmask(sampler, false);
    for (uint32_t i = 0; i < 5; i++) CHECK_EQ(li_beam_step_best(step)[i].beam, 7);
    CHECK_EQ(li_beam_step_begin(step, 2), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 0);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 1, 0), LI_OK);
    CHECK_EQ(li_beam_step_count(step), 2);
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

// ---- searches -----------------------------------------------------------------------------------------------

enum { MOST_BEAMS = 300, DEPTH = 5 };
typedef struct hypothesis {
    double score;
    uint32_t tokens[DEPTH];
} hypothesis;

typedef void logits_function(const uint32_t *tokens, uint32_t length, float *row);

// The `width` best texts of `depth` tokens, found step by step.
static void search(logits_function *logits_after, uint32_t vocab_size, uint32_t width, uint32_t depth, double penalty,
                   hypothesis *beams)
{
    hypothesis next[MOST_BEAMS] = {{0}};
    li_beam_step *step = li_beam_step_create(width);
    uint32_t count = 1;
    memset(beams, 0, sizeof *beams);
    for (uint32_t length = 0; length < depth; length++) {
        CHECK_EQ(li_beam_step_begin(step, width), LI_OK);
        for (uint32_t beam = 0; beam < count; beam++) {
            float row[16];
            logits_after(beams[beam].tokens, length, row);
            li_sampler *sampler = li_sampler_create(vocab_size); // each beam has a history of its own
            options_of(sampler)->presence_penalty = penalty;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            CHECK_EQ(li_sampler_accept(sampler, beams[beam].tokens, length, false), LI_OK);
            CHECK_EQ(li_beam_step_add(step, sampler, row, beam, beams[beam].score), LI_OK);
            li_sampler_destroy(sampler);
        }
        count = li_beam_step_count(step);
        for (uint32_t i = 0; i < count; i++) {
            const li_candidate *best = &li_beam_step_best(step)[i];
            next[i] = beams[best->beam];
            next[i].score = best->score;
            next[i].tokens[length] = best->token;
        }
        memcpy(beams, next, count * sizeof *beams);
    }
    li_beam_step_destroy(step);
}

// The likelier first token has the less likely continuations.
static void two_steps(const uint32_t *tokens, uint32_t length, float *row)
{
    static const double first[3] = {.40, .35, .25}, after[3][3] = {{.5, .3, .2}, {.9, .05, .05}, {.4, .3, .3}};
    for (uint32_t i = 0; i < 3; i++) row[i] = (float)log(length ? after[tokens[0]][i] : first[i]);
}

static void test_two_steps_by_hand(void)
{
    hypothesis beams[MOST_BEAMS];
    search(two_steps, 3, 1, 2, 0, beams);
    CHECK_NEAR(exp(beams[0].score), .20, 1e-6);
    CHECK_EQ(beams[0].tokens[0], 0);
    CHECK_EQ(beams[0].tokens[1], 0);
    search(two_steps, 3, 2, 2, 0, beams);
    CHECK_NEAR(exp(beams[0].score), .315, 1e-6);
    CHECK_EQ(beams[0].tokens[0], 1);
    CHECK_EQ(beams[0].tokens[1], 0);
    CHECK_NEAR(exp(beams[1].score), .20, 1e-6);
    CHECK_EQ(beams[1].tokens[0], 0);
    CHECK_EQ(beams[1].tokens[1], 0);
}

// Two groups of one beam each: the second must choose another token than the first.
static void test_groups_choose_different_tokens(void)
{
    float row[3];
    two_steps(NULL, 0, row);
    li_sampler *sampler = li_sampler_create(3);
    li_beam_step *step = li_beam_step_create(2);
    CHECK_EQ(li_beam_step_begin(step, 1), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    CHECK_EQ(li_beam_step_best(step)->token, 0);
    for (uint32_t i = 0; i < 2; i++) { // ln (.40 / .35) is .1335
        double amount = i ? .14 : .13;
        CHECK_EQ(li_beam_step_begin(step, 1), LI_OK);
        CHECK_EQ(li_beam_step_penalise(step, 0, amount), LI_OK);
        CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
        CHECK_EQ(li_beam_step_best(step)->token, i);
        CHECK_NEAR(li_beam_step_best(step)->score, i ? log(.35) : log(.40) - .13, 1e-6);
    }
    CHECK_EQ(li_beam_step_begin(step, 1), LI_OK);
    CHECK_EQ(li_beam_step_add(step, sampler, row, 0, 0), LI_OK);
    CHECK_EQ(li_beam_step_best(step)->token, 0); // a new step has no penalties
    li_beam_step_destroy(step);
    li_sampler_destroy(sampler);
}

static uint32_t tree;
enum { KINDS = 4 };

static void random_tree(const uint32_t *tokens, uint32_t length, float *row)
{
    uint32_t place = tree * 4000 + length;
    for (uint32_t i = 0; i < length; i++) place = place * 5 + tokens[i] + 1;
    for (uint32_t id = 0; id < KINDS; id++) row[id] = (float)(1.5 * normal(place * KINDS + id));
}

static int compare_hypotheses(const void *a, const void *b)
{
    const hypothesis *x = a, *y = b;
    return x->score < y->score ? 1 : x->score > y->score ? -1 : 0;
}

// In float64: the best of all texts, with a penalty for tokens that the text holds already.
static void test_a_search_as_wide_as_the_tree_is_exhaustive(void)
{
    for (tree = 0; tree < 30; tree++) {
        uint32_t depth = 2 + tree % 3, texts = 1, width = 1;
        for (uint32_t i = 0; i < depth; i++) texts *= KINDS;
        for (uint32_t i = 1; i < depth; i++) width *= KINDS; // all texts before the last token
        double penalty = tree % 2 * 0.7;
        hypothesis *all = calloc(texts, sizeof *all), beams[MOST_BEAMS];
        for (uint32_t text = 0; text < texts; text++) {
            for (uint32_t i = 0, rest = text; i < depth; i++, rest /= KINDS) all[text].tokens[i] = rest % KINDS;
            for (uint32_t length = 0; length < depth; length++) {
                float row[KINDS];
                double sum = 0.0, logits[KINDS];
                random_tree(all[text].tokens, length, row);
                for (uint32_t id = 0; id < KINDS; id++) {
                    bool is_said = false;
                    for (uint32_t i = 0; i < length; i++) is_said |= all[text].tokens[i] == id;
                    logits[id] = (double)row[id] - (is_said ? penalty : 0.0);
                    sum += exp(logits[id]);
                }
                all[text].score += logits[all[text].tokens[length]] - log(sum);
            }
        }
        qsort(all, texts, sizeof *all, compare_hypotheses);
        search(random_tree, KINDS, width, depth, penalty, beams);
        for (uint32_t i = 0; i < width; i++) {
            CHECK_NEAR(beams[i].score, all[i].score, 2e-6);
            bool is_clear =
                (i == 0 || all[i - 1].score - all[i].score > 4e-6) && all[i].score - all[i + 1].score > 4e-6;
            CHECK(!is_clear || memcmp(beams[i].tokens, all[i].tokens, depth * sizeof *all->tokens) == 0);
        }
        free(all);
    }
}

int main(void)
{
    test_steps_keep_the_best_of_all_continuations();
    test_penalties_act_on_the_edited_row();
    test_a_single_banned_token_counts_however_likely();
    test_bad_arguments_are_refused();
    test_two_steps_by_hand();
    test_groups_choose_different_tokens();
    test_a_search_as_wide_as_the_tree_is_exhaustive();
    return check_done("beam");
}
