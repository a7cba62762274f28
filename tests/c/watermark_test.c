// Watermarks: what is refused, and that draws over every kind of row stay within bounds. tests/js/watermark.test.js
// compares them with their definitions; the digest of marked texts and p-values is the same in every build.
#include "check.h"
#include "decode/windows.h"
#include "rows.h"
#include "sample/sampler.h"

// Of tests/vectors/marked-stream.js.
#define MARKED_DIGEST 0xa3208bf3u

enum { GOLDEN_SIZE = 2048, STEPS = 100, WINDOW = 4 };

// The words of a mark whose key is "golden".
static void write_mark(uint32_t words[8], li_watermark_scheme scheme, float gamma, float delta)
{
    memcpy(words, (uint32_t[8]){scheme, WINDOW, 30, bits_of(gamma), bits_of(delta), 6, 0, 0}, 8 * sizeof *words);
    memcpy(words + 6, "golden", 6);
}

static void add_bytes(uint32_t *digest, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) *digest = (*digest ^ ((const uint8_t *)bytes)[i]) * 16777619u;
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x21f0aaadu;
    x = (x ^ x >> 15) * 0x735a2d97u;
    return x ^ x >> 15;
}

// A row of the golden stream.
static void fill_golden(float *row, uint32_t step)
{
    for (uint32_t id = 0; id < GOLDEN_SIZE; id++) {
        uint32_t x = mix(step * GOLDEN_SIZE + id);
        int32_t sum = (int32_t)((x & 255) + (x >> 8 & 255) + (x >> 16 & 255) + (x >> 24)) - 510;
        row[id] = (float)sum / 64.0f + (mix(x) % 300 == 0 ? 6.0f : 0.0f);
    }
}

static void test_marked_texts_are_the_same_in_every_build(void)
{
    static float row[GOLDEN_SIZE];
    uint32_t digest = 2166136261u, text[STEPS];
    for (uint32_t scheme = 0; scheme < 3; scheme++) {
        uint32_t words[8];
        write_mark(words, (li_watermark_scheme)scheme, scheme == 1 ? 0.25f : 0.5f, scheme == 1 ? 3.0f : 2.0f);
        li_sampler *sampler = li_sampler_create(GOLDEN_SIZE);
        li_options *options = (li_options *)li_sampler_options(sampler);
        options->seed = 20261121;
        options->temperature = 0.8;
        options->top_p = 0.95;
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_WATERMARK, words, 8), LI_OK);
        CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        double total = 0.0;
        for (uint32_t step = 0; step < STEPS; step++) {
            fill_golden(row, step);
            text[step] = (uint32_t)li_sampler_sample(sampler, row);
            if (step >= WINDOW) total += li_watermark_score(words, 8, text + step - WINDOW);
            add_bytes(&digest, text + step, sizeof *text);
            double p = li_watermark_tail(words, 8, total, step - WINDOW + 1);
            if (step % 25 == 24) add_bytes(&digest, &p, sizeof p);
        }
        li_sampler_destroy(sampler);
    }
    if (digest != MARKED_DIGEST) printf("marked digest: 0x%08xu\n", (unsigned)digest);
    CHECK_EQ(digest, MARKED_DIGEST);
}

static void test_every_kind_of_row_can_be_marked(void)
{
    enum { VOCAB = 150 };
    for (uint32_t scheme = 0; scheme < 3; scheme++)
        for (uint32_t kind = 0; kind < ROW_KINDS; kind++)
            for (uint32_t variant = 0; variant < 4; variant++) {
                CHECK_CASE("scheme %u, kind %u, variant %u", scheme, kind, variant);
                uint32_t words[8];
                write_mark(words, (li_watermark_scheme)scheme, 0.5f, variant == 3 ? LI_WATERMARK_DELTA : 2.0f);
                words[1] = 1 + variant;
                if (variant == 3) words[2] = LI_WATERMARK_DEPTH;
                li_sampler *sampler = li_sampler_create(VOCAB);
                li_options *options = (li_options *)li_sampler_options(sampler);
                if (variant == 1) options->top_k = 7;
                if (variant == 2) options->top_p = 0.9;
                if (variant == 2) options->draw = 1;
                CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_WATERMARK, words, 8), LI_OK);
                CHECK_EQ(li_sampler_configure(sampler), LI_OK);
                float row[VOCAB], before[VOCAB];
                for (uint32_t step = 0; step < 12; step++) {
                    fill(row, VOCAB, (row_kind)kind, step);
                    memcpy(before, row, sizeof row);
                    int32_t token = li_sampler_sample(sampler, row);
                    CHECK(token >= 0 && token < VOCAB && row[token] > -1e30f);
                    CHECK(li_sampler_last_probability(sampler) > 0.0);
                    CHECK(!memcmp(before, row, sizeof row));
                }
                li_sampler_destroy(sampler);
            }
}

// By the definition.
static bool is_repeated(const li_history *history, uint32_t window)
{
    for (uint32_t at = window; at < history->length; at++) {
        if (history->tokens[at] & LI_HISTORY_PROMPT) continue;
        uint32_t same = 1;
        while (same <= window && !((history->tokens[at - same] ^ history->tokens[history->length - same]) & 0x7fffffff))
            same++;
        if (same > window) return true;
    }
    return false;
}

static void test_repeated_windows_are_found_however_the_text_was_cut(void)
{
    enum { VOCAB = 3, ROUNDS = 60, STEPS_OF_ROUND = 400 };
    uint32_t state = 1, found = 0, asked = 0;
    li_sampler *sampler = li_sampler_create(VOCAB);
    li_history *history = &sampler->history;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t window = 1 + round % 7;
        CHECK_CASE("round %u, window %u", round, window);
        if (round % 5 == 0) li_sampler_reset(sampler);
        li_sampler_mark(sampler);
        for (uint32_t step = 0; step < STEPS_OF_ROUND; step++) {
            uint32_t x = mix(state++), token = (x >> 8) % VOCAB;
            if (x % 64 == 0) CHECK_EQ(li_sampler_take_back(sampler, history->generated < 9 ? 0 : x >> 20 & 7), LI_OK);
            if (x % 64 == 1) li_sampler_mark(sampler);
            if (x % 64 == 2) li_sampler_rewind(sampler);
            CHECK_EQ(li_sampler_accept(sampler, &token, 1, x % 64 > 50), LI_OK);
            if (history->length < window || x >> 30 == 0) continue;
            bool is_found = *li_windows_find(history, window);
            CHECK_EQ(is_found, is_repeated(history, window));
            found += is_found;
            asked++;
        }
    }
    CHECK(found > asked / 4 && found < asked - asked / 16);
    li_sampler_destroy(sampler);
}

// A text that is cut and written again for ever needs no more room than its length.
static void test_cut_windows_take_no_memory(void)
{
    li_sampler *sampler = li_sampler_create(1000);
    li_history *history = &sampler->history;
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t token = mix(i) % 1000;
        CHECK_EQ(li_sampler_accept(sampler, &token, 1, false), LI_OK);
        CHECK(history->length < 4 || li_windows_find(history, 4));
        if (history->length > 200) CHECK_EQ(li_sampler_take_back(sampler, 50), LI_OK);
    }
    CHECK_EQ(history->windows.size, 4 * 1024);
    li_sampler_destroy(sampler);
}

static void test_malformed_marks_are_refused(void)
{
    uint32_t good[8], words[9];
    write_mark(good, LI_WATERMARK_GREEN, 0.5f, 2.0f);
    const struct {
        uint32_t place, word;
    } bad[] = {{0, 3},          {1, 0},           {1, 33},           {2, 0},
               {2, 33},         {3, bits_of(0)},  {3, bits_of(1)},   {3, bits_of(NAN)},
               {4, bits_of(0)}, {4, bits_of(51)}, {4, bits_of(NAN)}, {5, 0},
               {5, 4},          {5, 9},           {5, 257},          {7, 1u << 16}};
    li_sampler *sampler = li_sampler_create(10);
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_CASE("word %u is %u", bad[i].place, bad[i].word);
        memcpy(words, good, sizeof good);
        words[bad[i].place] = bad[i].word;
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_WATERMARK, words, 8), LI_ERROR_BAD_ARGUMENT);
    }
    for (uint32_t count = 1; count < 9; count++)
        CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_WATERMARK, good, count),
                 count == 8 ? LI_OK : LI_ERROR_BAD_ARGUMENT);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    float row[10] = {0};
    li_proposal *proposal = li_proposal_create();
    CHECK_EQ(li_proposal_keep(proposal, sampler, row), LI_ERROR_CONFLICT);
    CHECK_EQ(li_proposal_draw(proposal, sampler, row), LI_ERROR_CONFLICT);
    CHECK_EQ(li_sampler_set_list(sampler, LI_LIST_WATERMARK, NULL, 0), LI_OK);
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    CHECK_EQ(li_proposal_keep(proposal, sampler, row), LI_OK);
    li_proposal_destroy(proposal);
    li_sampler_destroy(sampler);
}

int main(void)
{
    test_marked_texts_are_the_same_in_every_build();
    test_every_kind_of_row_can_be_marked();
    test_repeated_windows_are_found_however_the_text_was_cut();
    test_cut_windows_take_no_memory();
    test_malformed_marks_are_refused();
    return check_done("watermark");
}
