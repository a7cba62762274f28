// Sequences with shared prefixes, growing caches, several taps and early exits: for beams, groups, speculation and
// DoLa. `make test-c` runs this test with threads too.
#include "helper_threads.h"
#include "tiny_model.h"

static const tiny_shape shapes[] = {
    // vocab, dim, hidden, layers, heads, kv_heads, context, head_dim, rope_dim, tied, reversed, types
    {50, 32, 64, 3, 4, 2, 96, 0, 0, false, false, F32, F32, F32},
    {41, 27, 33, 2, 3, 3, 96, 6, 4, true, false, F32, F32, F32},
    {50, 40, 96, 2, 4, 4, 96, 0, 0, false, false, F16, F16, F16},
    {50, 64, 96, 3, 4, 2, 96, 0, 0, true, false, Q8_0, Q8_0, F32},
    {66, 96, 100, 2, 6, 2, 96, 0, 0, false, false, Q8_0, F16, F16},
    {45, 64, 96, 2, 4, 2, 96, 0, 0, false, false, Q4_0, Q4_0, F32},
};
#define SHAPES (sizeof shapes / sizeof *shapes)
#define LENGTH 40 // tokens of the common text

static uint32_t text[LENGTH];

typedef struct fixture {
    tiny_model tiny;
    uint32_t vocab, dim, layers;
    li_model *model;
} fixture;

static void set_up(fixture *f, size_t shape, uint32_t slots, uint32_t sequences)
{
    tiny_make(&f->tiny, &shapes[shape]);
    f->vocab = shapes[shape].vocab;
    f->dim = shapes[shape].dim;
    f->layers = shapes[shape].layers;
    for (uint32_t i = 0; i < LENGTH; i++) text[i] = tiny_random() % f->vocab;
    f->model = tiny_load(&f->tiny, slots, sequences, 4096);
}

static void tear_down(fixture *f)
{
    li_model_destroy(f->model);
    tiny_free(&f->tiny);
}

static bool are_logits(const fixture *f, uint32_t row, const float *expected, uint32_t count)
{
    return memcmp(li_model_logits(f->model) + row * f->vocab, expected, count * f->vocab * sizeof(float)) == 0;
}

// The token of sequence s at a position: the first 20 tokens are common to all, the rest is its own.
static uint32_t said_by(const fixture *f, uint32_t s, uint32_t position)
{
    return position < 20 ? text[position] : (text[position] + s * (position - 19)) % f->vocab;
}

enum { BRANCHES = 5 };

// (BRANCHES, LENGTH, vocab) The logits of every text in a sequence of its own, one row at a time.
static float *alone(const fixture *f)
{
    float *logits = malloc(BRANCHES * LENGTH * f->vocab * sizeof(float));
    for (uint32_t s = 0; s < BRANCHES; s++) {
        CHECK_EQ(li_sequence_keep(f->model, 0, 0), LI_OK);
        for (uint32_t t = 0; t < LENGTH; t++) {
            uint32_t token = said_by(f, s, t);
            CHECK_EQ(tiny_forward(f->model, 0, &token, 1, true), LI_OK);
            memcpy(logits + (s * LENGTH + t) * f->vocab, li_model_logits(f->model), f->vocab * sizeof(float));
        }
    }
    CHECK_EQ(li_sequence_keep(f->model, 0, 0), LI_OK);
    return logits;
}

// Runs as beams and groups do: rows of several sequences with a shared prefix, `at_once` positions of each in a call.
static void test_rows_with_a_shared_prefix_equal_single_rows(void)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        CHECK_CASE("shape %zu", shape);
        fixture f;
        set_up(&f, shape, 20 + BRANCHES * (LENGTH - 20), BRANCHES); // exactly the slots needed
        float *expected = alone(&f);
        for (uint32_t at_once = 1; at_once <= 10; at_once += at_once < 3 ? 1 : 7) {
            CHECK_CASE("at_once %u", at_once);
            for (uint32_t s = 0; s < BRANCHES; s++) CHECK_EQ(li_sequence_keep(f.model, s, 0), LI_OK);
            CHECK_EQ(tiny_forward(f.model, 0, text, 20, true), LI_OK);
            CHECK(are_logits(&f, 0, expected, 20));
            for (uint32_t s = 1; s < BRANCHES; s++) CHECK_EQ(li_sequence_share(f.model, 0, s, 20), LI_OK);
            CHECK_EQ(li_model_free_slots(f.model), BRANCHES * (LENGTH - 20));
            for (uint32_t start = 20; start < LENGTH; start += at_once) {
                uint32_t length = LENGTH - start < at_once ? LENGTH - start : at_once, count = 0;
                li_row *rows = li_model_rows(f.model);
                for (uint32_t t = start; t < start + length; t++)
                    for (uint32_t s = 0; s < BRANCHES; s++) rows[count++] = (li_row){said_by(&f, s, t), t, s, true, 0};
                CHECK_EQ(li_model_forward(f.model, count), LI_OK);
                bool is_same = true;
                for (uint32_t i = 0; i < count; i++)
                    is_same &=
                        are_logits(&f, i, expected + (i % BRANCHES * LENGTH + start + i / BRANCHES) * f.vocab, 1);
                CHECK(is_same);
            }
            CHECK_EQ(li_model_free_slots(f.model), 0);
        }
        free(expected);
        tear_down(&f);
    }
}

static void test_many_sequences_share_a_prefix(void)
{
    enum { SEATS = 64 };
    fixture f;
    set_up(&f, 3, LENGTH + SEATS, SEATS);
    CHECK_EQ(li_model_free_slots(f.model), LENGTH + SEATS);
    CHECK_EQ(tiny_forward(f.model, 0, text, LENGTH, false), LI_OK);
    float *all = malloc(SEATS * f.vocab * sizeof(float));
    for (uint32_t s = 1; s < SEATS; s++) CHECK_EQ(li_sequence_share(f.model, 0, s, LENGTH), LI_OK);
    CHECK_EQ(li_model_free_slots(f.model), SEATS); // 64 of them in the slots of one
    li_row *rows = li_model_rows(f.model);
    for (uint32_t s = 0; s < SEATS; s++) rows[s] = (li_row){s % f.vocab, LENGTH, s, true, 0};
    CHECK_EQ(li_model_forward(f.model, SEATS), LI_OK);
    CHECK_EQ(li_model_free_slots(f.model), 0);
    memcpy(all, li_model_logits(f.model), SEATS * f.vocab * sizeof(float));
    for (uint32_t s = 0; s < SEATS; s++) { // the prefix stays until the last sequence goes
        CHECK_EQ(li_sequence_keep(f.model, s, LENGTH), LI_OK);
        CHECK_EQ(li_model_free_slots(f.model), 1);
        uint32_t token = s % f.vocab;
        CHECK_EQ(tiny_forward(f.model, s, &token, 1, false), LI_OK);
        CHECK(are_logits(&f, 0, all + s * f.vocab, 1));
    }
    for (uint32_t s = 0; s < SEATS; s++) {
        CHECK_EQ(li_model_free_slots(f.model), s);
        CHECK_EQ(li_sequence_keep(f.model, s, 0), LI_OK);
    }
    CHECK_EQ(li_model_free_slots(f.model), LENGTH + SEATS);
    free(all);
    tear_down(&f);
}

static void test_a_growing_cache_keeps_its_contents(void)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        CHECK_CASE("shape %zu", shape);
        fixture f;
        set_up(&f, shape, LENGTH, 4);
        float *expected = alone(&f);
        for (uint32_t round = 0; round < 3; round++) {
            CHECK_CASE("round %u", round);
            tear_down(&f);
            tiny_state = 7 + (uint32_t)shape;
            set_up(&f, shape, LENGTH, 4);
            free(expected);
            expected = alone(&f);
            // Slots in disorder, and a shared prefix.
            CHECK_EQ(tiny_forward(f.model, 3, text, 7, false), LI_OK);
            CHECK_EQ(tiny_forward(f.model, 0, text, 20, false), LI_OK);
            CHECK_EQ(li_sequence_keep(f.model, 3, 2), LI_OK);
            CHECK_EQ(li_sequence_share(f.model, 0, 1, 20), LI_OK);
            CHECK_EQ(tiny_forward(f.model, 0, text + 20, LENGTH - 20 - 2, false), LI_OK);
            CHECK_EQ(li_model_free_slots(f.model), 0);
            CHECK_EQ(tiny_forward(f.model, 1, text, 1, false), LI_ERROR_MODEL_CONTEXT_FULL);
            CHECK_EQ(li_model_reserve_slots(f.model, 0), LI_OK);
            CHECK_EQ(li_model_reserve_slots(f.model, LENGTH), LI_OK);
            CHECK_EQ(li_model_free_slots(f.model), 0); // all slots are used
            // Grows once, or in steps, and finally beyond the context, which still limits a sequence.
            for (uint32_t slots = LENGTH + 1; slots <= 150; slots = round == 1 ? slots + 13 : slots < 150 ? 150 : 151)
                CHECK_EQ(li_model_reserve_slots(f.model, slots), LI_OK);
            CHECK_EQ(li_model_reserve_slots(f.model, 150), LI_OK);
            CHECK_EQ(li_model_free_slots(f.model), 150 - LENGTH);
            CHECK_EQ(tiny_forward(f.model, 0, text + LENGTH - 2, 2, true), LI_OK);
            CHECK(are_logits(&f, 0, expected + (LENGTH - 2) * f.vocab, 2));
            uint32_t other[LENGTH];
            for (uint32_t t = 0; t < LENGTH; t++) other[t] = said_by(&f, 1, t);
            CHECK_EQ(tiny_forward(f.model, 1, other + 20, LENGTH - 20, true), LI_OK);
            CHECK(are_logits(&f, 0, expected + (LENGTH + 20) * f.vocab, LENGTH - 20));
            CHECK_EQ(tiny_forward(f.model, 3, text + 2, LENGTH - 2, true), LI_OK);
            CHECK(are_logits(&f, 0, expected + 2 * f.vocab, LENGTH - 2));
            // Longer than before the growth.
            CHECK_EQ(tiny_forward(f.model, 0, text, 32, true), LI_OK);
            CHECK_EQ(li_sequence_length(f.model, 0), 72);
        }
        // A failed call changes nothing.
        CHECK_EQ(li_model_reserve_slots(f.model, (1u << 26) + 1), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_model_reserve_slots(f.model, 1u << 26), LI_ERROR_OUT_OF_MEMORY);
        CHECK_EQ(li_sequence_keep(f.model, 3, 5), LI_OK);
        CHECK_EQ(tiny_forward(f.model, 3, text + 5, 10, true), LI_OK);
        CHECK(are_logits(&f, 0, expected + 5 * f.vocab, 10));
        free(expected);
        tear_down(&f);
    }
}

// Sequences whose slots alternate over several pages, and a page that two sequences share, give the logits of a single
// sequence, for every type of cache.
static void test_pages_keep_rows_of_several_sequences(void)
{
    enum { LONG = 600, STEP = 40 };
    const tiny_shape shape = {50, 64, 32, 2, 2, 1, 1000, 0, 0, true, false, F32, F32, F32};
    static uint32_t long_text[LONG], other[STEP];
    for (uint32_t i = 0; i < LONG; i++) long_text[i] = tiny_random() % shape.vocab;
    for (li_cache_type type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++) {
        CHECK_CASE("type %d", type);
        tiny_model tiny;
        tiny_make_with(&tiny, &shape, &(tiny_flags){.cache_type = type});
        li_model *alone = tiny_load(&tiny, LONG, 1, 4096), *mixed = tiny_load(&tiny, 2 * LONG, 3, 4096);
        CHECK_EQ(li_model_get_config(mixed)->cache_type, type);
        for (uint32_t at = 0; at < LONG; at += STEP) {
            CHECK_EQ(tiny_forward(alone, 0, long_text + at, STEP, true), LI_OK);
            CHECK_EQ(tiny_forward(mixed, 0, long_text + at, STEP, true), LI_OK);
            CHECK_BYTES(li_model_logits(alone), li_model_logits(mixed), STEP * shape.vocab * sizeof(float));
            if (at % (2 * STEP)) CHECK_EQ(tiny_forward(mixed, 1, other, STEP - 3, true), LI_OK);
        }
        // A sequence that shares 300 positions and continues on its own.
        CHECK_EQ(li_sequence_keep(alone, 0, 300), LI_OK);
        CHECK_EQ(li_sequence_share(mixed, 0, 2, 300), LI_OK);
        CHECK_EQ(li_sequence_keep(mixed, 0, 10), LI_OK);
        CHECK_EQ(tiny_forward(alone, 0, long_text, STEP, true), LI_OK);
        CHECK_EQ(tiny_forward(mixed, 2, long_text, STEP, true), LI_OK);
        CHECK_BYTES(li_model_logits(alone), li_model_logits(mixed), STEP * shape.vocab * sizeof(float));
        li_model_destroy(alone);
        li_model_destroy(mixed);
        tiny_free(&tiny);
    }
}

// Numbers beyond the range of halves show in the logits of every row that sees them.
static void test_keys_beyond_halves_show_in_the_logits(void)
{
    const tiny_shape shape = {50, 64, 32, 2, 2, 1, 100, 0, 0, true, false, F32, F32, F32};
    tiny_model tiny;
    tiny_make_with(&tiny, &shape, &(tiny_flags){.family = "qwen2", .has_biases = true, .cache_type = LI_CACHE_F16});
    for (uint32_t i = 0; i < tiny.count; i++)
        if (strcmp(tiny.tensors[i].name, "blk.1.attn_k.bias") == 0) {
            const float huge = -1e6f;
            memcpy(tiny.file.bytes + tiny.file.data_start + tiny.tensors[i].offset, &huge, 4);
        }
    li_model *model = tiny_load(&tiny, 0, 1, 4096);
    CHECK_EQ(tiny_forward(model, 0, text, 5, true), LI_OK);
    for (uint32_t i = 0; i < 5 * shape.vocab; i++) CHECK(isnan(li_model_logits(model)[i]));
    li_model_destroy(model);
    tiny_free(&tiny);
}

// ---- taps ------------------------------------------------------------------------------------------------------

static void test_several_taps_equal_single_taps(void)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        CHECK_CASE("shape %zu", shape);
        fixture f;
        set_up(&f, shape, 0, 2);
        const uint32_t layers[5] = {f.layers, 0, 1, 0, f.layers - 1};
        float *each[5];
        CHECK(!li_model_taps(f.model));
        for (uint32_t i = 0; i < 5; i++) {
            each[i] = malloc(LENGTH * f.dim * sizeof(float));
            CHECK_EQ(li_sequence_keep(f.model, 0, 0), LI_OK);
            CHECK_EQ(li_model_set_taps(f.model, &layers[i], 1), LI_OK);
            CHECK_EQ(tiny_forward(f.model, 0, text, LENGTH, i % 2), LI_OK);
            memcpy(each[i], li_model_taps(f.model), LENGTH * f.dim * sizeof(float));
        }
        CHECK_EQ(li_model_set_taps(f.model, layers, 5), LI_OK);
        static const uint32_t sizes[] = {1, 7, 33, LENGTH};
        for (uint32_t s = 0; s < 4; s++) {
            uint32_t count = sizes[s];
            CHECK_EQ(li_sequence_keep(f.model, 0, 0), LI_OK);
            CHECK_EQ(tiny_forward(f.model, 0, text, count, s % 2), LI_OK);
            for (uint32_t i = 0; i < 5; i++)
                CHECK_BYTES(li_model_taps(f.model) + i * count * f.dim, each[i], count * f.dim * sizeof(float));
        }
        const uint32_t beyond[2] = {0, f.layers + 2}, many[LI_TAPS_LIMIT + 1] = {0};
        CHECK_EQ(li_model_set_taps(f.model, beyond, 2), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_model_set_taps(f.model, many, LI_TAPS_LIMIT + 1), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_sequence_keep(f.model, 0, 0), LI_OK);
        CHECK_EQ(tiny_forward(f.model, 0, text, 3, false), LI_OK);
        CHECK_BYTES(li_model_taps(f.model) + 3 * f.dim, each[1], 3 * f.dim * sizeof(float)); // the former taps
        CHECK_EQ(li_model_set_taps(f.model, NULL, 0), LI_OK);
        CHECK(!li_model_taps(f.model));
        CHECK_EQ(tiny_forward(f.model, 0, text, 3, false), LI_OK);
        for (uint32_t i = 0; i < 5; i++) free(each[i]);
        tear_down(&f);
    }
}

static void test_early_logits_of_the_last_layer_equal_the_logits(void)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        CHECK_CASE("shape %zu", shape);
        fixture f;
        set_up(&f, shape, 0, 2);
        const uint32_t layers[2] = {f.layers - 1, 0};
        float *early = malloc(LI_ROWS_LIMIT * f.vocab * sizeof(float)),
              *hidden = malloc(LENGTH * f.dim * sizeof(float));
        CHECK_EQ(li_model_set_taps(f.model, layers, 2), LI_OK);
        CHECK_EQ(tiny_forward(f.model, 0, text, LENGTH, true), LI_OK);
        const float *taps = li_model_taps(f.model), *logits = li_model_logits(f.model);
        CHECK_EQ(li_model_early_logits(f.model, taps, LENGTH, early), LI_OK);
        CHECK_BYTES(early, logits, LENGTH * f.vocab * sizeof(float));
        for (uint32_t t = 0; t < LENGTH; t += 7) {
            CHECK_EQ(li_model_early_logits(f.model, taps + t * f.dim, 1, early), LI_OK);
            CHECK_BYTES(early, logits + t * f.vocab, f.vocab * sizeof(float));
        }
        // An earlier layer has other logits, which depend only on the state.
        memcpy(hidden, taps + LENGTH * f.dim, LENGTH * f.dim * sizeof(float));
        CHECK_EQ(li_model_early_logits(f.model, hidden, LENGTH, early), LI_OK);
        CHECK_NE(memcmp(early, logits, LENGTH * f.vocab * sizeof(float)), 0);
        CHECK_EQ(tiny_forward(f.model, 0, text, 3, true), LI_OK);
        float *again = malloc(f.vocab * sizeof(float));
        CHECK_EQ(li_model_early_logits(f.model, hidden + 5 * f.dim, 1, again), LI_OK);
        CHECK_BYTES(early + 5 * f.vocab, again, f.vocab * sizeof(float));
        CHECK_EQ(li_model_early_logits(f.model, hidden, 0, early), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_model_early_logits(f.model, hidden, LI_ROWS_LIMIT + 1, early), LI_ERROR_BAD_ARGUMENT);
        free(again);
        free(early);
        free(hidden);
        tear_down(&f);
    }
    tiny_model tiny;
    tiny_make(&tiny, &shapes[0]);
    li_status status;
    li_model *model = tiny_create(&tiny.file, 0, 1, &status); // without weights
    float state[32] = {0}, out[50];
    CHECK(model);
    CHECK_EQ(li_model_early_logits(model, state, 1, out), LI_ERROR_MODEL_INCOMPLETE);
    li_model_destroy(model);
    tiny_free(&tiny);
}

static void test_attention_is_of_the_sequence_and_leaves_the_model_as_it_was(void)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        CHECK_CASE("shape %zu", shape);
        fixture f;
        set_up(&f, shape, 0, 2);
        const uint32_t layers[2] = {f.layers + 1, 0}, heads = shapes[shape].heads;
        CHECK_EQ(li_model_set_taps(f.model, layers, 2), LI_OK);
        CHECK_EQ(tiny_forward(f.model, 0, text, LENGTH, true), LI_OK);
        // The embedding of a token does not depend on its place.
        const float *embeddings = li_model_taps(f.model);
        for (uint32_t a = 0; a < LENGTH; a++)
            for (uint32_t b = 0; b < a; b++)
                CHECK_EQ(memcmp(embeddings + a * f.dim, embeddings + b * f.dim, f.dim * sizeof(float)) == 0,
                         text[a] == text[b]);

        float *state = malloc(f.dim * sizeof(float)), *weights = malloc(heads * LENGTH * sizeof(float));
        float *again = malloc(heads * LENGTH * sizeof(float)), *logits = malloc(f.vocab * sizeof(float));
        memcpy(state, embeddings + (LENGTH + 9) * f.dim, f.dim * sizeof(float)); // after layer 0, of token 9
        CHECK_EQ(li_model_attention(f.model, state, 1, 0, 9, weights), LI_OK);
        for (uint32_t h = 0; h < heads; h++) {
            double sum = 0;
            for (uint32_t t = 0; t < 10; t++) sum += (double)weights[h * 10 + t];
            CHECK_NEAR(sum, 1, 1e-6);
        }
        // A sequence that shares the tokens has the same weights; the next row has the bits that it has anyway.
        CHECK_EQ(li_sequence_share(f.model, 0, 1, 10), LI_OK);
        CHECK_EQ(li_model_attention(f.model, state, 1, 1, 9, again), LI_OK);
        CHECK_BYTES(weights, again, heads * 10 * sizeof(float));
        CHECK_EQ(tiny_forward(f.model, 1, text + 10, 1, true), LI_OK);
        memcpy(logits, li_model_logits(f.model), f.vocab * sizeof(float));
        CHECK_EQ(li_sequence_keep(f.model, 0, 10), LI_OK);
        CHECK_EQ(tiny_forward(f.model, 0, text + 10, 1, true), LI_OK);
        CHECK(are_logits(&f, 0, logits, 1));

        CHECK_EQ(li_model_attention(f.model, state, f.layers, 0, 9, again), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_model_attention(f.model, state, 1, 0, 11, again), LI_ERROR_BAD_ARGUMENT);
        CHECK_EQ(li_model_attention(f.model, state, 1, 2, 9, again), LI_ERROR_BAD_ARGUMENT);
        free(state), free(weights), free(again), free(logits);
        tear_down(&f);
    }
    tiny_model tiny;
    tiny_make(&tiny, &shapes[0]);
    li_status status;
    li_model *model = tiny_create(&tiny.file, 0, 1, &status); // without weights
    float state[32] = {0}, out[4];
    CHECK(model);
    CHECK_EQ(li_model_attention(model, state, 0, 0, 0, out), LI_ERROR_MODEL_INCOMPLETE);
    li_model_destroy(model);
    tiny_free(&tiny);
}

int main(void)
{
    start_helpers(2);
    test_rows_with_a_shared_prefix_equal_single_rows();
    test_many_sequences_share_a_prefix();
    test_a_growing_cache_keeps_its_contents();
    test_pages_keep_rows_of_several_sequences();
    test_keys_beyond_halves_show_in_the_logits();
    test_several_taps_equal_single_taps();
    test_early_logits_of_the_last_layer_equal_the_logits();
    test_attention_is_of_the_sequence_and_leaves_the_model_as_it_was();
    return check_done("sequences");
}
