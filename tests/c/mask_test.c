// The bitmask, and li_sampler_inform.
#include "check.h"
#include "reference.h"
#include "rows.h"

static bool has(const uint32_t *mask, uint32_t id)
{
    return mask[id / 32] >> id % 32 & 1;
}

static void fill_mask(uint32_t *mask, uint32_t vocab_size, uint32_t salt)
{
    memset(mask, 0, (vocab_size + 31) / 32 * sizeof *mask);
    double share = salt % 3 == 0 ? 0.5 : salt % 3 == 1 ? 0.02 : 0.97;
    for (uint32_t id = 0; id < vocab_size; id++)
        if (uniform(salt * 6151 + id) < share) mask[id / 32] |= 1u << id % 32;
    if (vocab_size % 32 && salt % 2)
        mask[vocab_size / 32] |= ~0u << vocab_size % 32; // bits beyond the tokens must have no effect
}

static void switch_on(li_sampler *sampler, uint32_t variant)
{
    li_options *options = options_of(sampler);
    options->top_p = variant == 1 ? 0.9 : 1;
    options->temperature = variant == 2 ? 0 : 1;
    options->top_n_sigma = variant == 3 ? 1 : 0;
    options->top_k = variant == 3 ? 30 : 0;
    options->mirostat = variant == 4 ? 2 : 0;
    options->adaptive_target = variant == 5 ? 0.4 : -1;
    options->draw = variant % 2;
    options->repetition_penalty = variant == 1 || variant == 5 ? 1.4 : 1;
    options->typical_p = variant == 6 ? 0.8 : 1;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

static bool equal_distributions(li_sampler *masked, float *row, li_sampler *written, float *written_row)
{
    int32_t count = li_sampler_distribution(masked, row);
    const li_sampler_arrays *a = li_sampler_get_arrays(masked);
    if (li_sampler_distribution(written, written_row) != count) return false;
    const li_sampler_arrays *b = li_sampler_get_arrays(written);
    return count < 0 || (!memcmp(a->tokens, b->tokens, (size_t)count * sizeof *a->tokens) &&
                         !memcmp(a->probabilities, b->probabilities, (size_t)count * sizeof *a->probabilities));
}

// A bit of 0 has the effect of -infinity in the row: same survivors, same probabilities, same draws.
static void test_a_bitmask_equals_written_infinities(void)
{
    static const uint32_t sizes[] = {1, 8, 31, 33, 63, 65, 127, 1000, 2049, 32003, 151936, 151937};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK_CASE("vocabulary of %u", sizes[s]);
        uint32_t vocab_size = sizes[s];
        float *row = malloc(vocab_size * sizeof *row), *before = malloc(vocab_size * sizeof *row);
        float *written_row = malloc(vocab_size * sizeof *row);
        for (uint32_t round = 0; round < (vocab_size > 10000 ? 7u : (uint32_t)check_rounds(70)); round++) {
            CHECK_CASE("round %u", round);
            if (!CHECK_IS_LONG && vocab_size > 10000 && (round + s) % 2) continue;
            li_sampler *masked = li_sampler_create(vocab_size), *written = li_sampler_create(vocab_size);
            uint32_t *mask = li_sampler_bitmask(masked, true), allowed[40], allowed_count = 0;
            fill(row, vocab_size, (row_kind)((round + s) % ROW_KINDS), round);
            fill_mask(mask, vocab_size, round);
            if (round % 5 == 4) { // with a list of allowed tokens
                for (uint32_t id = round % 3; id < vocab_size && allowed_count < 40; id += 1 + vocab_size / 40)
                    allowed[allowed_count++] = id;
                CHECK_EQ(li_sampler_set_list(masked, LI_LIST_ALLOWED, allowed, allowed_count), LI_OK);
                CHECK_EQ(li_sampler_set_list(written, LI_LIST_ALLOWED, allowed, allowed_count), LI_OK);
            }
            for (int i = 0; i < 2; i++) {
                switch_on(i ? masked : written, round % 7);
                CHECK_EQ(li_sampler_accept(i ? masked : written, (uint32_t[]){0, vocab_size - 1}, 2, false), LI_OK);
            }
            for (uint32_t id = 0; id < vocab_size; id++) {
                written_row[id] = has(mask, id) ? row[id] : -INFINITY;
                if (!has(mask, id) && round % 4 == 3) row[id] = id % 2 ? NAN : INFINITY; // no effect
            }
            memcpy(before, row, vocab_size * sizeof *row);
            CHECK(equal_distributions(masked, row, written, written_row));
            int32_t count = li_sampler_trace(masked, row);
            CHECK_EQ(count, li_sampler_distribution(masked, row));
            bool is_right = true;
            for (uint32_t id = 0; id < vocab_size && count > 0; id++) {
                uint8_t by = li_sampler_get_arrays(masked)->trace_removed_by[id];
                is_right &= has(mask, id) || by == 0; // record 0 is the mask
            }
            CHECK(is_right);
            for (int step = 0; step < 5; step++)
                CHECK_EQ(li_sampler_sample(masked, row), li_sampler_sample(written, written_row));
            CHECK_BYTES(before, row, vocab_size * sizeof *row);
            // Without the mask the hidden logits count again.
            if (round % 4 != 3) {
                li_sampler_bitmask(masked, false);
                li_sampler_reset(masked);
                li_sampler_reset(written);
                CHECK(equal_distributions(masked, row, written, row));
            }
            li_sampler_destroy(masked);
            li_sampler_destroy(written);
        }
        free(row);
        free(before);
        free(written_row);
    }
}

static void test_a_bitmask_by_hand(void)
{
    float row[] = {1, NAN, 2, 3, INFINITY, 0};
    li_sampler *sampler = li_sampler_create(6), *beside = li_sampler_create_beside(sampler);
    uint32_t *mask = li_sampler_bitmask(sampler, true);
    CHECK_EQ(mask, li_sampler_bitmask(sampler, true));
    mask[0] = 1u << 0 | 1u << 2;
    for (int greedy = 0; greedy < 2; greedy++) {
        CHECK_CASE("greedy %d", greedy);
        options_of(sampler)->temperature = !greedy;
        CHECK_EQ(li_sampler_configure(sampler), LI_OK); // configure keeps the mask
        CHECK_EQ(li_sampler_distribution(sampler, row), greedy ? 1 : 2);
        CHECK_EQ(li_sampler_get_arrays(sampler)->tokens[0], 2);
        mask[0] |= 1u << 1;
        CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_NAN);
        mask[0] = 1u << 2 | 1u << 4;
        CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_LOGITS_INFINITE);
        mask[0] = 0;
        CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_NOTHING_LEFT);
        CHECK_EQ(li_sampler_trace(sampler, row), LI_ERROR_NOTHING_LEFT);
        mask[0] = 1u << 0 | 1u << 2;
    }
    options_of(sampler)->temperature = 1;
    // A forced token overrides the mask. A mask that leaves only banned tokens or padding leaves no token.
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_FIRST, (uint32_t[]){5}, 1), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_accept(sampler, (uint32_t[]){3}, 1, true), LI_OK);
    li_sampler_reset(sampler);
    CHECK_EQ(li_sampler_sample(sampler, row), 5);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_FIRST, NULL, 0), LI_OK);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, (uint32_t[]){0, 2}, 2), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_NOTHING_LEFT);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, NULL, 0), LI_OK);
    options_of(sampler)->token_count = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    mask[0] = ~0u << 2;
    CHECK_EQ(li_sampler_sample(sampler, row), LI_ERROR_NOTHING_LEFT);
    // The sampler that shares the scratch has no mask.
    row[1] = row[4] = 0;
    CHECK_EQ(li_sampler_distribution(beside, row), 6);
    li_sampler_destroy(sampler);
    li_sampler_destroy(beside);
}

// The log-probability of a token of `result`, by the logits, because the probability may be 0.
static double log_probability(const reference_result *result, uint32_t at, double temperature)
{
    double total = 0.0, peak = result->tokens[0].logit;
    for (uint32_t i = result->count; i-- > 0;) total += exp((result->tokens[i].logit - peak) / temperature);
    return (result->tokens[at].logit - peak) / temperature - log(total);
}

static void judge_information(li_sampler *sampler, float *row, bool is_raw, const reference_result *expected,
                              double temperature, uint32_t token, uint32_t top)
{
    int32_t listed = li_sampler_inform(sampler, row, is_raw, token, top);
    CHECK_EQ(listed, (int32_t)(top < expected->count ? top : expected->count));
    const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
    const li_information *information = arrays->information;
    double entropy = reference_entropy(expected, expected->count);
    CHECK_EQ(information->survivors, expected->count);
    CHECK_NEAR(information->entropy, entropy, 1e-6 * fmax(1.0, entropy));
    CHECK_NEAR(information->choices, exp(entropy), 2e-5 * exp(entropy));
    uint32_t at = 0;
    while (at < expected->count && expected->tokens[at].id != token) at++;
    CHECK_EQ(information->rank, at < expected->count ? at + 1 : 0);
    if (at == expected->count) {
        CHECK_EQ(information->log_probability, -INFINITY);
    } else {
        double said = log_probability(expected, at, temperature);
        CHECK_NEAR(information->log_probability, said, 1e-6 * fmax(1.0, fabs(said)));
    }
    for (int32_t i = 0; i < listed; i += i < 20 ? 1 : 997) {
        double said = log_probability(expected, (uint32_t)i, temperature);
        CHECK_EQ(arrays->tokens[i], expected->tokens[i].id);
        CHECK_NEAR(arrays->probabilities[i], said, 1e-6 * fmax(1.0, fabs(said)));
    }
}

static void test_information_equals_the_reference(void)
{
    static const uint32_t sizes[] = {1, 2, 65, 2000, 32000, 151936};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK_CASE("s %u", s);
        uint32_t vocab_size = sizes[s];
        float *row = malloc(vocab_size * sizeof *row), *before = malloc(vocab_size * sizeof *row);
        li_sampler *sampler = li_sampler_create(vocab_size);
        for (uint32_t round = 0; round < (vocab_size > 10000 ? 10u : 60u); round++) {
            CHECK_CASE("round %u", round);
            static const double temperatures[] = {1, 0.5, 3, 0};
            reference_options raw = {.temperature = 1, .top_p = 1, .typical_p = 1, .tfs_z = 1, .repetition = 1};
            raw.min_keep = 1;
            raw.order = default_order;
            raw.order_count = ORDER;
            reference_options processed = raw;
            processed.temperature = temperatures[round / 3 % 4];
            processed.top_p = round % 3 == 1 ? 0.9 : 1;
            processed.top_k = round % 3 == 2 ? 7 : 0;
            li_options *options = options_of(sampler);
            options->temperature = processed.temperature;
            options->top_p = processed.top_p;
            options->top_k = processed.top_k;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
            fill(row, vocab_size, (row_kind)(round % ROW_KINDS), round);
            row[vocab_size / 2] = 0.25f;
            memcpy(before, row, vocab_size * sizeof *row);
            for (int is_raw = 0; is_raw < 2; is_raw++) {
                CHECK_CASE("is_raw %d", is_raw);
                reference_result expected = reference_run(row, vocab_size, is_raw ? &raw : &processed);
                bool is_clear = expected.margin > 1e-6;
                static const uint32_t tops[] = {0, 1, 5, 20, 1 << 20};
                double temperature = is_raw || processed.temperature == 0.0 ? 1.0 : processed.temperature;
                for (uint32_t i = 0; i < 5 && is_clear; i++) {
                    uint32_t token = i == 0   ? expected.tokens[0].id
                                     : i == 1 ? expected.tokens[expected.count - 1].id
                                              : (uint32_t)(uniform(round * 9 + i) * vocab_size);
                    judge_information(sampler, row, is_raw, &expected, temperature, token, tops[i]);
                }
                free(expected.tokens);
            }
            CHECK_BYTES(before, row, vocab_size * sizeof *row);
        }
        li_sampler_destroy(sampler);
        free(row);
        free(before);
    }
}

static void test_information_by_hand(void)
{
    float row[] = {2, 3, 3, -INFINITY, 2, -3.4e38f};
    li_sampler *sampler = li_sampler_create(6);
    const double total = 2.0 + 2.0 * exp(-1.0);
    // Ties by lower id: 1 2 0 4.
    static const uint32_t order[] = {1, 2, 0, 4}, ranks[] = {3, 1, 2, 0, 4, 0};
    uint32_t *mask = li_sampler_bitmask(sampler, true);
    mask[0] = 1u << 2 | 1u << 4;
    for (int is_raw = 0; is_raw < 2; is_raw++) { // raw: the given logits, without masks, bans and edits
        CHECK_CASE("is_raw %d", is_raw);
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BIAS, (uint32_t[]){4, bits_of(1)}, 2), LI_OK);
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        for (uint32_t token = 0; token < 6; token++) {
            CHECK_EQ(li_sampler_inform(sampler, row, is_raw, token, 6), is_raw ? 4 : 2);
            const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
            if (is_raw) {
                CHECK_EQ(arrays->information->rank, ranks[token]);
                CHECK_BYTES(arrays->tokens, order, sizeof order);
                CHECK_NEAR(arrays->probabilities[3], -1.0 - log(total), 1e-6);
            } else {
                CHECK_EQ(arrays->information->rank, token == 2 ? 1u : token == 4 ? 2u : 0u);
                CHECK_NEAR(arrays->information->choices, 2.0, 1e-6);
                CHECK(token == 2 || token == 4 ? fabs(arrays->information->log_probability + 0.69314718055994531) < 1e-6
                                               : arrays->information->log_probability == -INFINITY);
            }
        }
    }
    CHECK_EQ(li_sampler_inform(sampler, row, true, 6, 1), LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_inform(sampler, row, true, 0, 0), 0);
    row[3] = NAN;
    CHECK_EQ(li_sampler_inform(sampler, row, true, 0, 1), LI_ERROR_LOGITS_NAN);
    CHECK_EQ(li_sampler_inform(sampler, row, false, 4, 1), 1); // a NaN under a bit of 0
    li_sampler_destroy(sampler);
}

int main(void)
{
    test_a_bitmask_by_hand();
    test_a_bitmask_equals_written_infinities();
    test_information_by_hand();
    test_information_equals_the_reference();
    return check_done("mask");
}
