// Rows of any length: what lies beyond their tokens is neither read nor written, masked tokens are not counted, and
// rows that are refused stay as they were.
#include "check.h"
#include "rows.h"
#include "sample/distribution.h"
#include "sample/sampler.h"
#include "sample/softmax.h"

enum { LONGEST = 140 };

// Each row ends with its memory, so that the sanitizers see a read beyond it. Whole rows, and after a cut that keeps
// all.
static void test_the_entropy_counts_every_token_once(void)
{
    for (uint32_t size = 1; size <= LONGEST; size++)
        for (uint32_t is_cut = 0; is_cut < 2; is_cut++) {
            CHECK_CASE("size %u, is_cut %u", size, is_cut);
            double total = 0.0, entropy = 0.0;
            float *row = malloc(size * sizeof *row);
            li_sampler *sampler = li_sampler_create(size);
            options_of(sampler)->epsilon_cutoff = is_cut * 1e-9;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            fill(row, size, FLAT, size);
            for (uint32_t id = 0; id < size; id++) total += exp((double)row[id]);
            for (uint32_t id = 0; id < size; id++)
                entropy += exp((double)row[id]) / total * (log(total) - (double)row[id]);
            CHECK_EQ(li_sampler_inform(sampler, row, !is_cut, 0, 0), 0);
            const li_information *information = li_sampler_get_arrays(sampler)->information;
            CHECK_NEAR(information->entropy, entropy, 1e-5);
            CHECK_EQ(information->survivors, size);
            li_sampler_destroy(sampler);
            free(row);
        }
}

// A masked row is counted token by token; the padding after its tokens holds the largest logits.
static void test_survivors_are_counted_among_masked_tokens_and_not_in_the_padding(void)
{
    float row[LONGEST + 16];
    li_sampler *sampler = li_sampler_create(LONGEST + 16);
    for (uint32_t size = 1; size <= LONGEST; size++) {
        CHECK_CASE("size %u", size);
        uint32_t unmasked = 0;
        fill(row, LONGEST + 16, FLAT, size);
        for (uint32_t id = 0; id < LONGEST + 16; id++) {
            if (id >= size) row[id] = 50;
            if (id < size && id % 3 == 1) row[id] = id % 2 ? -INFINITY : -1e30f;
            unmasked += id < size && id % 3 != 1;
        }
        options_of(sampler)->token_count = size;
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        for (uint32_t is_raw = 0; is_raw < 2; is_raw++) {
            CHECK_CASE("is_raw %u", is_raw);
            CHECK_EQ(li_sampler_inform(sampler, row, is_raw, 0, 0), 0);
            CHECK_EQ(li_sampler_get_arrays(sampler)->information->survivors, unmasked);
        }
    }
    li_sampler_destroy(sampler);
}

static void test_raw_information_is_of_the_row_without_stages(void)
{
    float row[20];
    fill(row, 20, FLAT, 3);
    li_sampler *sampler = li_sampler_create(20);
    options_of(sampler)->top_k = 3;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_inform(sampler, row, true, 0, 0), 0);
    CHECK_EQ(li_sampler_get_arrays(sampler)->information->survivors, 20);
    CHECK_EQ(li_sampler_inform(sampler, row, false, 0, 0), 0);
    CHECK_EQ(li_sampler_get_arrays(sampler)->information->survivors, 3);
    li_sampler_destroy(sampler);
}

static void test_sorting_writes_the_ids_of_survivors_alone(void)
{
    enum { KEPT = 5, UNTOUCHED = 777 };
    float row[LONGEST];
    uint32_t ids[KEPT + 1] = {[KEPT] = UNTOUCHED};
    double probabilities[LONGEST + LI_SOFTMAX_BLOCK];
    li_sampler *sampler = li_sampler_create(LONGEST);
    options_of(sampler)->top_k = KEPT;
    fill(row, LONGEST, FLAT, 1);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_run(sampler, &sampler->chain, row, NULL), LI_OK);
    li_distribution_order(&sampler->scratch->funnel, ids, probabilities);
    li_funnel_undo(&sampler->scratch->funnel);
    CHECK_EQ(ids[KEPT], UNTOUCHED);
    for (uint32_t i = 1; i < KEPT; i++) CHECK_GT(row[ids[i - 1]], row[ids[i]]);
    li_sampler_destroy(sampler);
}

static void test_a_listed_token_at_the_mask_bound_is_masked(void)
{
    float row[8] = {0, -1e30f, 0, 1, 0, 2, 0, 0};
    li_sampler *sampler = li_sampler_create(8);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_ALLOWED, (uint32_t[]){1, 3, 5}, 3), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_distribution(sampler, row), 2);
    const uint32_t *tokens = li_sampler_get_arrays(sampler)->tokens;
    CHECK_EQ(tokens[0], 5);
    CHECK_EQ(tokens[1], 3);
    li_sampler_destroy(sampler);
}

static void test_a_broken_logit_is_found_wherever_it_stands(void)
{
    for (uint32_t size = 1; size <= LONGEST; size += 1 + size / 8) {
        CHECK_CASE("size %u", size);
        float *row = calloc(size, sizeof *row);
        li_sampler *sampler = li_sampler_create(size);
        for (uint32_t id = 0; id < size; id++) {
            row[id] = NAN;
            CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_NAN);
            row[id] = INFINITY;
            CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_INFINITE);
            row[id] = 0;
        }
        CHECK_GE(li_sampler_sample(sampler, row), 0);
        li_sampler_destroy(sampler);
        free(row);
    }
    CHECK(!li_sampler_create(0));
    CHECK(!li_sampler_create(LI_VOCAB_LIMIT + 1));
}

static void test_a_refused_row_keeps_its_logits(void)
{
    float row[4] = {1, 2, 3, NAN};
    const uint32_t bias[2] = {1, bits_of(5)};
    li_sampler *sampler = li_sampler_create(4);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BIAS, bias, 2), LI_OK);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, (uint32_t[]){2}, 1), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_NAN);
    CHECK_EQ(row[1], 2);
    CHECK_EQ(row[2], 3);
    CHECK_EQ(li_sampler_distribution(sampler, row), LI_ERROR_LOGITS_NAN);
    CHECK_EQ(row[1], 2);
    CHECK_EQ(row[2], 3);
    CHECK_EQ(li_sampler_trace(sampler, row), LI_ERROR_LOGITS_NAN);
    CHECK_EQ(row[1], 2);
    CHECK_EQ(row[2], 3);
    li_sampler_destroy(sampler);
}

int main(void)
{
    test_the_entropy_counts_every_token_once();
    test_survivors_are_counted_among_masked_tokens_and_not_in_the_padding();
    test_raw_information_is_of_the_row_without_stages();
    test_sorting_writes_the_ids_of_survivors_alone();
    test_a_listed_token_at_the_mask_bound_is_masked();
    test_a_broken_logit_is_found_wherever_it_stands();
    test_a_refused_row_keeps_its_logits();
    return check_done("row edges");
}
