// A token chosen from a part of a row is the token of the whole row, with the same probability, for every option. Parts
// come from the kernels in plain C. The test prints how often the row was needed.
#include "check.h"
#include "lastinch.h"
#include "part_kernels.h"
#include "rows.h"

enum { LARGEST = 131072, PROMPT = 40, OPTION_SETS = 35 };

static uint32_t seed_of_numbers = 1;

static uint32_t next(void)
{
    seed_of_numbers ^= seed_of_numbers << 13;
    seed_of_numbers ^= seed_of_numbers >> 17;
    seed_of_numbers ^= seed_of_numbers << 5;
    return seed_of_numbers;
}

static double chance(void)
{
    return (double)next() / 4294967296.0;
}

static float pool[65536], row[LARGEST], copy[LARGEST], listed[LI_PART_LISTED];
static uint32_t ids[LI_PART_IDS], mask[LARGEST / 32];
static li_part part;

// The shapes of rows, most of them a language model's: a bulk that is nearly normal, and a tail of likelier tokens.
typedef enum shape {
    MODEL,
    SURE,
    UNSURE,
    SCALED_UP,
    HALVES,
    FLAT_ROW,
    TIED_ROW,
    TIED_TOP,
    HALF_MASKED,
    FEW_LEFT,
    HUGE_ROW,
    WITH_NAN,
    WITH_INFINITY,
    SHAPES
} shape;

static void make_row(uint32_t size, shape shape)
{
    const uint32_t from = next();
    const float scale = shape == SURE ? 4.0f : shape == UNSURE ? 1.2f : shape == SCALED_UP ? 30.0f : 2.2f;
    for (uint32_t id = 0; id < size; id++) row[id] = scale * pool[(from + id * 7) % 65536];
    if (shape == FLAT_ROW)
        for (uint32_t id = 0; id < size; id++) row[id] = pool[(from + id) % 65536] * 0.05f;
    uint32_t likely = 1 + next() % 300;
    for (uint32_t i = 0; i < likely && shape != FLAT_ROW; i++)
        row[next() % size] += scale * (float)(3.0 + 4.0 * chance() * chance());
    if (shape == SURE) row[next() % size] += 30.0f;
    for (uint32_t id = 0; id < size; id++) {
        if (shape == HALVES) row[id] = floorf(row[id] * 128.0f) / 128.0f;
        if (shape == TIED_ROW) row[id] = floorf(row[id] * 2.0f) / 2.0f;
        if (shape == TIED_TOP && row[id] > 5.0f) row[id] = 5.0f;
        if (shape == HALF_MASKED && pool[(from + id * 3) % 65536] > 0.0f) row[id] = id % 2 ? -INFINITY : -3.4e38f;
        if (shape == FEW_LEFT && next() % size > 60) row[id] = -INFINITY;
        if (shape == HUGE_ROW) row[id] *= 1e5f;
    }
    if (shape == WITH_NAN) row[next() % size] = NAN;
    if (shape == WITH_INFINITY) row[next() % size] = INFINITY;
}

typedef struct option_set {
    const char *name;
    const char *order; // NULL: the default
    li_options options;
    uint32_t allowed; // tokens that the mask allows; 0: no mask, 1: half of them
    enum { NO_LISTS, BIASED, ALLOWED, FORCED, MIN_TOKENS } lists;
    uint32_t rules;
} option_set;

// Of the options of a set 0 means the default; -1 stands for 0.
static const option_set sets[OPTION_SETS] = {
    {.name = "temperature 0", .options = {.temperature = -1}},
    {.name = "temperature 0, penalties", .options = {.temperature = -1, .repetition_penalty = 1.3}},
    {.name = "temperature alone", .options = {.temperature = 0.8}},
    {.name = "top-k 40", .options = {.top_k = 40}},
    {.name = "top-k 500, keeping ties", .options = {.top_k = 500}, .rules = LI_RULE_KEEP_TIES},
    {.name = "top-k 40, top-p 0.95, min-p 0.05",
     .options = {.temperature = 0.8, .top_k = 40, .top_p = 0.95, .min_p = 0.05}},
    {.name = "top-p 0.5", .options = {.top_p = 0.5}},
    {.name = "top-p 0.9", .options = {.top_p = 0.9}},
    {.name = "top-p 0.95, temperature 0.7", .options = {.top_p = 0.95, .temperature = 0.7}},
    {.name = "top-p 0.9, temperature 1.5", .options = {.top_p = 0.9, .temperature = 1.5}},
    {.name = "top-p 0.9, at least 7", .options = {.top_p = 0.9, .min_keep = 7}},
    {.name = "min-p 0.1", .options = {.min_p = 0.1}},
    {.name = "min-p 0.05, temperature 1.5", .options = {.min_p = 0.05, .temperature = 1.5}},
    {.name = "epsilon 3e-4", .options = {.epsilon_cutoff = 3e-4}},
    {.name = "mirostat 2", .options = {.mirostat = 2}},
    {.name = "mirostat 1", .options = {.mirostat = 1}},
    {.name = "top-n-sigma 1", .options = {.top_n_sigma = 1}},
    {.name = "typical 0.9", .options = {.typical_p = 0.9}},
    {.name = "top-k 100, then typical, tail-free, eta",
     .options = {.top_k = 100, .typical_p = 0.9, .tfs_z = 0.95, .eta_cutoff = 1e-3}},
    {.name = "min-p 0.02, then XTC", .options = {.min_p = 0.02, .xtc_probability = 0.5}},
    {.name = "top-k 64, then adaptive-p", .options = {.top_k = 64, .adaptive_target = 0.3}},
    {.name = "top-k 64, Gumbel draw", .options = {.top_k = 64, .draw = 1}},
    {.name = "dynamic temperature, then top-k", .options = {.top_k = 40, .dynatemp_range = 0.5}},
    {.name = "top-p 0.9, all penalties",
     .options = {.top_p = 0.9, .repetition_penalty = 1.2, .frequency_penalty = 0.3, .presence_penalty = 0.2}},
    {.name = "min-p 0.05, DRY, no repeated 3-grams",
     .options = {.min_p = 0.05, .dry_multiplier = 0.8, .no_repeat_ngram = 3}},
    {.name = "top-p 0.9, bias and bans", .options = {.top_p = 0.9}, .lists = BIASED},
    {.name = "order llamacpp, all of its usual",
     .order = "llamacpp",
     .options = {.top_k = 40,
                 .top_p = 0.95,
                 .min_p = 0.05,
                 .temperature = 0.8,
                 .repetition_penalty = 1.1,
                 .penalty_window = 64}},
    {.name = "grammar of few tokens, temperature", .options = {.temperature = 0.9}, .allowed = 30},
    {.name = "grammar of few tokens, top-p", .options = {.top_p = 0.9}, .allowed = 60},
    {.name = "grammar of 3 tokens, top-p, at least 5", .options = {.top_p = 0.9, .min_keep = 5}, .allowed = 3},
    {.name = "grammar of few tokens, everything",
     .options = {.dynatemp_range = 0.3,
                 .top_n_sigma = 2,
                 .typical_p = 0.95,
                 .tfs_z = 0.98,
                 .eta_cutoff = 1e-4,
                 .top_h = 0.9,
                 .xtc_probability = 0.3,
                 .repetition_penalty = 1.1},
     .allowed = 90},
    {.name = "grammar of half the tokens, top-p", .options = {.top_p = 0.9}, .allowed = 1},
    {.name = "allowed tokens", .options = {.top_p = 0.9, .repetition_penalty = 1.1}, .lists = ALLOWED},
    {.name = "forced tokens", .options = {.top_p = 0.9}, .lists = FORCED},
    {.name = "min-p, minimum length and length decay",
     .options = {.min_p = 0.1, .min_tokens = 20, .length_decay = 1.02},
     .lists = MIN_TOKENS},
};

static void set_options(li_sampler *sampler, const option_set *set, uint32_t size, uint32_t padded)
{
    double *to = li_sampler_options(sampler);
    const double *from = (const double *)&set->options;
    for (uint32_t slot = 1; slot < LI_OPTION_COUNT; slot++)
        if (from[slot] != 0.0) to[slot] = from[slot] < 0.0 ? 0.0 : from[slot];
    options_of(sampler)->token_count = padded;
    options_of(sampler)->seed = size;
    // Temperature last, and XTC and typical before: the order of llama.cpp.
    static const uint32_t llamacpp[] = {LI_STAGE_BIAS,        LI_STAGE_REPETITION, LI_STAGE_FREQUENCY,  LI_STAGE_DRY,
                                        LI_STAGE_TOP_N_SIGMA, LI_STAGE_TOP_K,      LI_STAGE_TYPICAL,    LI_STAGE_TOP_P,
                                        LI_STAGE_MIN_P,       LI_STAGE_XTC,        LI_STAGE_TEMPERATURE};
    if (set->order)
        li_sampler_set_order(sampler, llamacpp, sizeof llamacpp / sizeof *llamacpp, set->rules);
    else
        li_sampler_set_order(sampler, default_order, ORDER, set->rules);
    uint32_t list[200], count = 0;
    const float up = 2.5f, down = -INFINITY;
    if (set->lists == BIASED) {
        for (; count < 100; count += 2) {
            list[count] = next() % size;
            list[count + 1] = bits_of(count % 3 ? up : down);
        }
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BIAS, list, count), LI_OK);
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BANNED, list, 1), LI_OK);
        const uint32_t sequence[] = {1, bits_of(1.5f), next() % size, 1, bits_of(down), next() % size};
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_SEQUENCES, sequence, 6), LI_OK);
    }
    if (set->lists == ALLOWED) {
        for (uint32_t id = next() % 50; id < size && count < 200; id += 1 + next() % 90) list[count++] = id;
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_ALLOWED, list, count), LI_OK);
    }
    if (set->lists == FORCED) {
        list[0] = 7;
        list[1] = padded - 1;
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_FIRST, list, 2), LI_OK);
    }
    if (set->lists == MIN_TOKENS) {
        list[0] = 3;
        list[1] = size / 2;
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_EOS, list, 2), LI_OK);
    }
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    uint32_t prompt[PROMPT];
    for (uint32_t i = 0; i < PROMPT; i++) prompt[i] = next() % (i % 2 ? 30 : size);
    CHECK_EQ(li_sampler_accept(sampler, prompt, PROMPT, true), LI_OK);
}

static void make_mask(li_sampler *sampler, const option_set *set, uint32_t size)
{
    if (!set->allowed) return;
    uint32_t words = (size + 31) / 32;
    for (uint32_t word = 0; word < words; word++) mask[word] = set->allowed == 1 ? next() : 0;
    for (uint32_t i = 0; i < set->allowed; i++) {
        uint32_t id = next() % size;
        mask[id / 32] |= 1u << id % 32;
    }
    memcpy(li_sampler_bitmask(sampler, true), mask, words * sizeof *mask);
}

static uint32_t gather(li_sampler *sampler)
{
    uint32_t count = li_sampler_part_ids(sampler, ids);
    for (uint32_t i = 0; i < count; i++) listed[i] = row[ids[i]];
    return count;
}

// Compares one step. Returns whether the row was needed.
static bool compare(li_sampler *sampler, const option_set *set, uint32_t size, uint32_t tokens)
{
    memcpy(copy, row, size * sizeof *row);
    kernels_run(row, tokens, set->allowed ? mask : NULL, &part);
    int32_t got = li_sampler_choose_part(sampler, &part, ids, listed, gather(sampler));
    double probability = li_sampler_chosen_probability(sampler);
    int32_t expected = li_sampler_choose(sampler, row);
    CHECK(memcmp(copy, row, size * sizeof *row) == 0);
    if (got == LI_NEEDS_ROW && expected < 0) return true;
    if (got != LI_NEEDS_ROW) {
        CHECK_EQ(got, expected);
        CHECK(probability == li_sampler_chosen_probability(sampler));
    }
    if (next() % 8 == 0) {
        kernels_run(row, tokens, set->allowed ? mask : NULL, &part);
        int32_t some = li_sampler_distribution_part(sampler, &part, ids, listed, gather(sampler));
        CHECK_EQ(some == LI_NEEDS_ROW, got == LI_NEEDS_ROW);
        if (some != LI_NEEDS_ROW) {
            const li_sampler_arrays *arrays = li_sampler_get_arrays(sampler);
            uint32_t *first = malloc((size_t)some * sizeof *first);
            double *probabilities = malloc((size_t)some * sizeof *probabilities);
            memcpy(first, arrays->tokens, (size_t)some * sizeof *first);
            memcpy(probabilities, arrays->probabilities, (size_t)some * sizeof *probabilities);
            CHECK_EQ(li_sampler_distribution(sampler, row), some);
            arrays = li_sampler_get_arrays(sampler);
            CHECK(memcmp(first, arrays->tokens, (size_t)some * sizeof *first) == 0);
            CHECK(memcmp(probabilities, arrays->probabilities, (size_t)some * sizeof *probabilities) == 0);
            free(first);
            free(probabilities);
        }
    }
    CHECK_EQ(li_sampler_choose(sampler, row), expected);
    CHECK_EQ(li_sampler_emit(sampler, (uint32_t)expected), LI_OK);
    return got == LI_NEEDS_ROW;
}

static void test_same_tokens(int rounds)
{
    // A million rows: most are small, because large ones take long.
    static const uint32_t sizes[] = {32000, 4096, 50257, 1000, 32064, 2048, 131072, 8192};
    uint32_t needed[OPTION_SETS][SHAPES] = {0}, runs[OPTION_SETS][SHAPES] = {0};
    for (int round = 0; round < rounds; round++) {
        seed_of_numbers = 12345u + (uint32_t)round * 2654435761u;
        if (!seed_of_numbers) seed_of_numbers = 1;
        next();
        uint32_t which = (uint32_t)round % OPTION_SETS, turn = (uint32_t)round / OPTION_SETS;
        uint32_t size = sizes[turn % 5 && CHECK_IS_LONG ? turn % 4 * 2 + 1 : turn % 8];
        uint32_t tokens = round % 3 ? size : size - 37;
        CHECK_CASE("round %d: %s, %u logits", round, sets[which].name, size);
        li_sampler *sampler = li_sampler_create(size);
        set_options(sampler, &sets[which], size, tokens);
        for (int step = 0; step < 10; step++) {
            shape shape = step < 6 ? MODEL + next() % 5 : next() % SHAPES;
            make_row(size, shape);
            make_mask(sampler, &sets[which], size);
            CHECK_CASE("step %d, shape %d", step, (int)shape);
            bool is_needed = compare(sampler, &sets[which], size, tokens);
            if (size < 32000) continue; // a small row costs little
            needed[which][shape] += is_needed;
            runs[which][shape]++;
        }
        li_sampler_destroy(sampler);
    }
    printf("Rows of 32,000 logits or more that were needed, of 100 of each shape:\n%45s  model  sure unsure scaled "
           "halves  flat  tied  top mask few  huge\n",
           "");
    for (uint32_t set = 0; set < OPTION_SETS; set++) {
        printf("%45s", sets[set].name);
        for (uint32_t shape = 0; shape < WITH_NAN; shape++)
            printf(" %5.1f", runs[set][shape] ? 100.0 * needed[set][shape] / runs[set][shape] : NAN);
        printf("\n");
    }
}

// ---- rows at the edges of what a part proves ----

// A sampler with the options of a set, and biases (count words: ids and bits). A mask is that of make_mask.
static li_sampler *biased(const option_set *set, uint32_t size, const uint32_t *biases, uint32_t count)
{
    li_sampler *sampler = li_sampler_create(size);
    set_options(sampler, set, size, size);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_BIAS, biases, count), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    return sampler;
}

static void fill_evenly(uint32_t size, float value)
{
    for (uint32_t id = 0; id < size; id++) row[id] = value;
}

// The mass of tokens at the end of a bin is between the bounds, so that a cut just beside the true mass is not proved.
static void test_end_of_bin(void)
{
    static const double temperatures[] = {0.1, 0.2, 0.5, 1};
    for (uint32_t i = 0; i < 4; i++) {
        fill_evenly(6000, 20.0f - 6143.0f / 65536.0f);
        for (uint32_t id = 0; id < 1000; id++) row[id] = 20.0f;
        // Of 1,000 tokens of weight 1, and 5,000 of another, just more than 300.
        const double total = 1000.0 + 5000.0 * exp(-6143.0 / 65536.0 / temperatures[i]);
        for (double more = 1e-6; more < 1e-4; more *= 1.5) {
            CHECK_CASE("temperature %g, %g more", temperatures[i], more);
            const option_set set = {.options = {.temperature = temperatures[i], .top_p = 300.0 / total * (1.0 + more)}};
            li_sampler *sampler = biased(&set, 6000, NULL, 0);
            compare(sampler, &set, 6000, 6000);
            li_sampler_destroy(sampler);
        }
    }
}

// Biases move the peak below bins of tokens that are left out, at a temperature at which e^x overflows.
static void test_lowered_peak(void)
{
    static const li_options options[] = {{.top_p = 0.9}, {.epsilon_cutoff = 1e-3}, {.mirostat = 2}};
    static const double temperatures[] = {1e-300, 1e-9, 0.001, 0.01, 0.3};
    for (uint32_t i = 0; i < 15; i++) {
        CHECK_CASE("options %u", i);
        option_set set = {.options = options[i % 3]};
        set.options.temperature = temperatures[i / 3];
        fill_evenly(5000, 36.5f);
        row[0] = 100.0f;
        row[1] = 39.0f;
        row[2] = 39.0995f;
        const uint32_t biases[] = {0, bits_of(-INFINITY), 1, bits_of(0.1f)};
        li_sampler *sampler = biased(&set, 5000, biases, 4);
        compare(sampler, &set, 5000, 5000);
        li_sampler_destroy(sampler);
    }
}

// Every token of a row is a candidate, so the row's arrays have no room for one more.
static void test_all_listed(void)
{
    for (uint32_t size = 2047; size <= 2049; size++) {
        uint32_t biases[2 * 2049];
        for (uint32_t id = 0; id < size; id++) {
            biases[2 * id] = id;
            biases[2 * id + 1] = bits_of(id % 2 ? 0.25f : -0.25f);
        }
        const option_set set = {.options = {.top_p = 0.9}};
        make_row(size, UNSURE);
        li_sampler *sampler = biased(&set, size, biases, 2 * size);
        compare(sampler, &set, size, size);
        li_sampler_destroy(sampler);
    }
}

// A cut that drops no token leaves the row unlisted, with other sums than a list has.
static void test_nothing_dropped(void)
{
    static const li_options options[] = {{.top_k = 1100}, {.top_p = 0.9, .min_keep = 1100}};
    for (uint32_t i = 0; i < 16; i++) {
        CHECK_CASE("round %u", i);
        uint32_t biases[2 * 1100], count = 0;
        const option_set set = {.options = options[i % 2], .allowed = 2};
        for (; count < 1100; count++) {
            biases[2 * count] = count * 29;
            biases[2 * count + 1] = bits_of(100.0f);
        }
        make_row(32000, MODEL);
        li_sampler *sampler = biased(&set, 32000, biases, 2 * count);
        memset(mask, 0, sizeof mask);
        for (count = 0; count < 1100; count++) mask[count * 29 / 32] |= 1u << count * 29 % 32;
        memcpy(li_sampler_bitmask(sampler, true), mask, 32000 / 8);
        compare(sampler, &set, 32000, 32000);
        li_sampler_destroy(sampler);
    }
}

// Fixed-point numbers at both ends of their range are 2^31 apart.
static void test_far_apart(void)
{
    const uint32_t biases[] = {3, bits_of(-0.5f)};
    const option_set set = {.options = {.top_k = 5}};
    fill_evenly(5000, -3e4f);
    row[7] = 3e4f;
    li_sampler *sampler = biased(&set, 5000, biases, 2);
    compare(sampler, &set, 5000, 5000);
    li_sampler_destroy(sampler);
}

// The stage that proves its cut, or that cannot, is the first that might cut what was left out.
static void test_stages(void)
{
    static const struct {
        option_set set;
        li_stage stage;
        bool is_needed;
    } cases[] = {
        {{.options = {.temperature = -1}}, LI_STAGE_TEMPERATURE, false},
        {{.options = {.top_k = 40, .top_p = 0.9, .temperature = 0.8}}, LI_STAGE_TOP_K, false},
        {{.options = {.min_p = 0.1, .typical_p = 0.9, .temperature = 0.8}, .order = "llamacpp"},
         LI_STAGE_TYPICAL,
         true},
        {{.options = {.min_p = 0.1, .repetition_penalty = 1.1}}, LI_STAGE_MIN_P, false},
        {{.options = {.top_p = 0.5}}, LI_STAGE_TOP_P, false},
        {{.options = {.top_p = 1.0 - 1e-9}}, LI_STAGE_TOP_P, true},
        {{.options = {.epsilon_cutoff = 1e-3}}, LI_STAGE_EPSILON, false},
        {{.options = {.top_n_sigma = 1}}, LI_STAGE_TOP_N_SIGMA, true},
        {{.options = {.temperature = 0.8}}, LI_STAGE_MASK, true},
        {{.options = {.temperature = 0.8}, .allowed = 30}, LI_STAGE_MASK, false},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("case %u", i);
        seed_of_numbers = 5;
        li_sampler *sampler = li_sampler_create(32000);
        set_options(sampler, &cases[i].set, 32000, 32000);
        make_row(32000, SURE);
        make_mask(sampler, &cases[i].set, 32000);
        CHECK_EQ(compare(sampler, &cases[i].set, 32000, 32000), cases[i].is_needed);
        CHECK_EQ(li_sampler_part_stage(sampler), cases[i].stage);
        li_sampler_destroy(sampler);
    }
}

int main(void)
{
    for (uint32_t i = 0; i < 65536; i++) pool[i] = (float)normal(i);
    test_end_of_bin();
    test_lowered_peak();
    test_all_listed();
    test_nothing_dropped();
    test_far_apart();
    test_stages();
    test_same_tokens(check_number("CHECK_COUNT", CHECK_IS_LONG ? 100000 : 4 * OPTION_SETS));
    return check_done("part_test");
}
