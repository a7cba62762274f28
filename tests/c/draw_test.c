// The draw by Gumbel noise, and streams of random numbers.
#include "check.h"
#include "rows.h"

enum { VOCAB = 150 };

static void configure(li_sampler *sampler, double draw, double seed, double stream)
{
    options_of(sampler)->draw = draw;
    options_of(sampler)->seed = seed;
    options_of(sampler)->stream = stream;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

// Switches on one of several options that keep only a part of the row.
static void narrow(li_options *options, uint32_t variant)
{
    if (variant == 1) options->top_p = 0.9;
    if (variant == 2) options->top_k = 12;
    if (variant == 3) options->min_p = 0.03;
    if (variant == 3) options->temperature = 1.7;
    if (variant == 4) options->adaptive_target = 0.3;
    if (variant == 4) options->adaptive_decay = 0;
    if (variant == 5) options->temperature = 0.4;
}

static void test_gumbel_draws_follow_the_distribution(void)
{
    enum { DRAWS = 12000 };
    float row[VOCAB];
    for (uint32_t variant = 0; variant < 6; variant++)
        for (uint32_t kind = 0; kind < ROW_KINDS && variant != 4; kind++) { // adaptive-p changes with every draw
            CHECK_CASE("variant %u, kind %u", variant, kind);
            if (!CHECK_IS_LONG && (variant + kind) % 3) continue;
            li_sampler *sampler = li_sampler_create(VOCAB);
            narrow(options_of(sampler), variant);
            configure(sampler, 1, 100 + variant, 0);
            fill(row, VOCAB, (row_kind)kind, variant);
            int32_t count = li_sampler_distribution(sampler, row);
            CHECK_GT(count, 0);
            double probabilities[VOCAB] = {0};
            for (int32_t i = 0; i < count; i++)
                probabilities[li_sampler_get_arrays(sampler)->tokens[i]] =
                    li_sampler_get_arrays(sampler)->probabilities[i];
            uint32_t seen[VOCAB] = {0};
            bool is_said = true;
            for (int i = 0; i < DRAWS; i++) {
                int32_t token = li_sampler_sample(sampler, row);
                double said = li_sampler_last_probability(sampler), probability = probabilities[token];
                is_said &= probability > 0.0 && fabs(said - probability) <= 1e-6 * probability;
                seen[token]++;
            }
            CHECK(is_said); // no removed token was drawn
            // Rare tokens are counted as one class.
            double chi_square = 0.0, rare = 0.0, degrees = -1.0;
            uint32_t seen_rare = 0;
            for (uint32_t id = 0; id < VOCAB; id++) {
                double expected = probabilities[id] * (double)DRAWS;
                if (expected < 8.0) {
                    rare += expected;
                    seen_rare += seen[id];
                    continue;
                }
                chi_square += (seen[id] - expected) * (seen[id] - expected) / expected;
                degrees++;
            }
            if (rare >= 8.0) chi_square += (seen_rare - rare) * (seen_rare - rare) / rare;
            CHECK_LT(chi_square, chi_square_limit(degrees + (rare >= 8.0)));
            li_sampler_destroy(sampler);
        }
}

// Each id has a random number of its own: the winner stays the winner when other tokens leave, and ids beyond the row
// have no effect.
static void test_gumbel_takes_the_largest_sum(void)
{
    float row[VOCAB], before[VOCAB];
    for (uint32_t variant = 0; variant < 6; variant++) {
        CHECK_CASE("variant %u", variant);
        li_sampler *sampler = li_sampler_create(VOCAB), *without = li_sampler_create(VOCAB);
        narrow(options_of(sampler), variant);
        configure(sampler, 1, 0x1p53 - 1, 5);
        narrow(options_of(without), variant);
        configure(without, 1, 0x1p53 - 1, 5);
        for (uint32_t step = 0; step < 300; step++) {
            fill(row, VOCAB, (row_kind)(step % ROW_KINDS), step);
            memcpy(before, row, sizeof row);
            int32_t count = li_sampler_distribution(sampler, row);
            double highest = -INFINITY, second = -INFINITY;
            uint32_t best = 0, loser = VOCAB;
            for (int32_t i = 0; i < count; i++) {
                uint32_t id = li_sampler_get_arrays(sampler)->tokens[i];
                double u = li_random_uniform((1ull << 53) - 1, 5, step, LI_RANDOM_GUMBEL, id);
                double score = log(li_sampler_get_arrays(sampler)->probabilities[i]) - log(-log(u));
                if (score > highest) {
                    second = highest;
                    if (i) loser = best;
                    highest = score;
                    best = id;
                } else {
                    loser = id;
                    second = fmax(second, score);
                }
            }
            int32_t token = li_sampler_sample(sampler, row);
            CHECK((uint32_t)token == best || highest - second < 1e-4);
            CHECK_BYTES(before, row, sizeof row);

            // Bans a token that lost. (Not with adaptive-p or truncations, where a ban changes the others.)
            if (variant == 0 || variant == 5) {
                CHECK_EQ(li_sampler_set_list(without, LI_LIST_BANNED, &loser, loser < VOCAB && count > 1), LI_OK);
                CHECK_EQ(li_sampler_configure(without), LI_OK);
                CHECK_EQ(li_sampler_sample(without, row), token);
            }
        }
        li_sampler_destroy(sampler);
        li_sampler_destroy(without);
    }
}

// Both ways of drawing count the same draws, with any calls between them.
static void test_gumbel_and_multinomial_count_the_same_draws(void)
{
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 1);
    li_sampler *one = li_sampler_create(VOCAB), *other = li_sampler_create(VOCAB);
    for (uint32_t step = 0; step < 200; step++) {
        configure(one, step % 2, 9, 0);
        configure(other, step % 2, 9, 0);
        CHECK_GE(li_sampler_pick(other, row, 0.5), 0);
        CHECK_EQ(li_sampler_inform(other, row, true, 0, 3), 3);
        CHECK_EQ(li_sampler_sample(one, row), li_sampler_sample(other, row));
    }
    li_sampler_destroy(one);
    li_sampler_destroy(other);
}

// Two streams of one seed: each repeats itself, and pairs of draws are as frequent as for independent streams.
static void test_streams_are_independent(void)
{
    enum { KINDS = 8, DRAWS = 20000 };
    static const uint32_t pairs[][2] = {{0, 1}, {1, 2}, {0, 4294967295u}, {7, 8}, {65536, 1}, {3, 300}};
    float row[KINDS];
    fill(row, KINDS, FLAT, 2);
    for (uint32_t draw = 0; draw < 2; draw++)
        for (unsigned p = 0; p < sizeof pairs / sizeof *pairs; p++) {
            CHECK_CASE("draw %u, p %u", draw, p);
            li_sampler *one = li_sampler_create(KINDS), *other = li_sampler_create_beside(one);
            li_sampler *again = li_sampler_create(KINDS);
            configure(one, draw, 4, pairs[p][0]);
            configure(other, draw, 4, pairs[p][1]);
            configure(again, draw, 4, pairs[p][0]);
            uint32_t table[KINDS][KINDS] = {{0}}, rows[KINDS] = {0}, columns[KINDS] = {0};
            bool repeats = true;
            for (int i = 0; i < DRAWS; i++) {
                int32_t a = li_sampler_sample(one, row), b = li_sampler_sample(other, row);
                repeats &= li_sampler_sample(again, row) == a;
                table[a][b]++;
                rows[a]++;
                columns[b]++;
            }
            CHECK(repeats);
            double chi_square = 0.0;
            for (uint32_t a = 0; a < KINDS; a++)
                for (uint32_t b = 0; b < KINDS; b++) {
                    CHECK_CASE("a %u, b %u", a, b);
                    double expected = (double)rows[a] * columns[b] / (double)DRAWS;
                    CHECK_GT(expected, 5.0);
                    chi_square += (table[a][b] - expected) * (table[a][b] - expected) / expected;
                }
            CHECK_LT(chi_square, chi_square_limit((KINDS - 1) * (KINDS - 1)));
            li_sampler_destroy(one);
            li_sampler_destroy(other);
            li_sampler_destroy(again);
        }
}

static void test_a_stream_starts_at_the_beginning(void)
{
    float row[VOCAB];
    fill(row, VOCAB, FLAT, 6);
    li_sampler *plain = li_sampler_create(VOCAB), *sampler = li_sampler_create(VOCAB);
    options_of(plain)->seed = 31; // the default stream is 0
    CHECK_EQ(li_sampler_configure(plain), LI_OK);
    int32_t first[50];
    for (int i = 0; i < 50; i++) first[i] = li_sampler_sample(plain, row);
    configure(sampler, 0, 31, 2);
    uint32_t same = 0;
    for (int i = 0; i < 50; i++) same += li_sampler_sample(sampler, row) == first[i];
    CHECK_LT(same, 25);
    configure(sampler, 0, 31, 0); // another stream starts at its beginning
    for (int i = 0; i < 25; i++) CHECK_EQ(li_sampler_sample(sampler, row), first[i]);
    configure(sampler, 0, 31, 0); // the same stream continues
    options_of(sampler)->stream = 4294967296.0;
    CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_BAD_ARGUMENT);
    options_of(sampler)->stream = 0.5;
    CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_BAD_ARGUMENT);
    options_of(sampler)->stream = 0;
    options_of(sampler)->draw = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_ERROR_BAD_ARGUMENT);
    for (int i = 25; i < 50; i++) CHECK_EQ(li_sampler_sample(sampler, row), first[i]);
    li_sampler_destroy(plain);
    li_sampler_destroy(sampler);
}

int main(void)
{
    test_gumbel_draws_follow_the_distribution();
    test_gumbel_takes_the_largest_sum();
    test_gumbel_and_multinomial_count_the_same_draws();
    test_streams_are_independent();
    test_a_stream_starts_at_the_beginning();
    return check_done("draw");
}
