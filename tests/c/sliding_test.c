// Sliding-window layers, which drop the slots of earlier positions: random calls give the logits of a model that keeps
// every slot, bit for bit; every slot is counted; a sequence holds no more slots than planned.
#include "model/attention_query.h"
#include "model/model.h"
#include "tiny_model.h"

enum { TRAINED = 1024, SEQUENCES = 4, VOCAB = 50, LAYERS = 3 };

static const tiny_shape shape = {VOCAB, 32, 32, LAYERS, 1, 1, TRAINED, 32, 0, true, false, F32, F32, F32};
static const uint32_t windows[] = {1, 37, 64, 200};
#define WINDOWS (sizeof windows / sizeof *windows)

// The same weights twice: `sliding` drops slots, `whole` keeps them all.
typedef struct pair {
    tiny_model tiny;
    li_model *sliding, *whole;
    uint32_t texts[SEQUENCES][TRAINED], lengths[SEQUENCES];
} pair;

static void open_tiny(tiny_model *tiny, uint32_t window, uint32_t period, li_cache_type type)
{
    tiny_make_with(tiny, &shape,
                   &(tiny_flags){.family = "gemma3",
                                 .has_qk_norm = true,
                                 .has_norms_after = true,
                                 .window = window,
                                 .window_period = period,
                                 .cache_type = type});
}

static pair *open_pair(uint32_t window, uint32_t period, li_cache_type type)
{
    pair *both = calloc(1, sizeof *both);
    open_tiny(&both->tiny, window, period, type);
    both->sliding = tiny_load(&both->tiny, SEQUENCES * TRAINED, SEQUENCES, 1 << 16);
    both->whole = tiny_load(&both->tiny, SEQUENCES * TRAINED, SEQUENCES, 1 << 16);
    both->whole->window_cache.kept = 0;
    return both;
}

static void close_pair(pair *both)
{
    li_model_destroy(both->sliding);
    li_model_destroy(both->whole);
    tiny_free(&both->tiny);
    free(both);
}

static uint32_t below(uint32_t limit)
{
    return tiny_random() % limit;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// ---- the calls -------------------------------------------------------------------------------------------------

// Appends up to `most` tokens to each of the sequences in `chosen` (bits), whose rows alternate.
static void append(pair *both, uint32_t chosen, uint32_t most)
{
    uint32_t counts[SEQUENCES], count = 0;
    for (uint32_t s = 0; s < SEQUENCES; s++) {
        const uint32_t room = least_of(most, TRAINED - both->lengths[s]);
        counts[s] = chosen >> s & 1 && room ? 1 + below(room) : 0;
    }
    li_row *rows = li_model_rows(both->sliding);
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (uint32_t s = 0; s < SEQUENCES && count < LI_ROWS_LIMIT; s++) {
            if (!counts[s]) continue;
            const uint32_t token = below(VOCAB), position = both->lengths[s]++;
            both->texts[s][position] = token;
            rows[count++] = (li_row){token, position, s, true, 0};
            is_more |= --counts[s] > 0;
        }
        is_more &= count < LI_ROWS_LIMIT;
    }
    if (!count) return;
    memcpy(li_model_rows(both->whole), rows, count * sizeof *rows);
    CHECK_EQ(li_model_forward(both->sliding, count), LI_OK);
    CHECK_EQ(li_model_forward(both->whole, count), LI_OK);
    CHECK_BYTES(li_model_logits(both->sliding), li_model_logits(both->whole), count * VOCAB * sizeof(float));
}

static void keep(pair *both, uint32_t sequence, uint32_t length)
{
    const uint32_t least = li_sequence_least(both->sliding, sequence);
    both->lengths[sequence] = length < least ? 0 : length;
    CHECK_EQ(li_sequence_keep(both->sliding, sequence, length), LI_OK);
    CHECK_EQ(li_sequence_keep(both->whole, sequence, both->lengths[sequence]), LI_OK);
}

static void share(pair *both, uint32_t from, uint32_t to, uint32_t length)
{
    const uint32_t least = li_sequence_least(both->sliding, from), shared = length < least ? 0 : length;
    CHECK_EQ(li_sequence_share(both->sliding, from, to, length), LI_OK);
    CHECK_EQ(li_sequence_share(both->whole, from, to, shared), LI_OK);
    memcpy(both->texts[to], both->texts[from], shared * sizeof **both->texts);
    both->lengths[to] = shared;
}

// ---- what must hold after every call ---------------------------------------------------------------------------

// Every slot has as many owners as tables name it, and is unused if there are none.
static void check_slots(const li_cache *cache)
{
    static uint32_t owners[SEQUENCES * TRAINED];
    memset(owners, 0, sizeof owners);
    uint32_t used = 0, unused = 0;
    for (uint32_t s = 0; s < SEQUENCES; s++)
        for (uint32_t i = cache->tables[s].first; i < cache->tables[s].length; i++) owners[cache->tables[s].slots[i]]++;
    bool is_same = true;
    for (uint32_t i = 0; i < cache->slots; i++) used += owners[i] > 0, is_same &= owners[i] == cache->owners[i];
    for (uint32_t i = 0; i < cache->unused_count; i++) unused += owners[cache->unused[i]] == 0;
    CHECK(is_same);
    CHECK_EQ(unused, cache->unused_count);
    CHECK_EQ(used + unused, cache->slots);
}

static void check_sequences(const pair *both)
{
    const li_cache *cache = &both->sliding->window_cache;
    check_slots(&both->sliding->cache);
    check_slots(cache);
    CHECK_GE(cache->unused_count, both->sliding->cache.unused_count);
    for (uint32_t s = 0; s < SEQUENCES; s++) {
        const li_sequence *table = &cache->tables[s];
        const uint32_t least = li_sequence_least(both->sliding, s);
        CHECK_EQ(li_sequence_length(both->sliding, s), both->lengths[s]);
        CHECK_EQ(table->length, both->lengths[s]);
        CHECK_LE(table->length - table->first, li_model_window_slots(both->sliding));
        CHECK_LE(least, table->length);
        CHECK_EQ(least == 0, table->first == 0);
    }
}

static void test_random_calls_equal_those_of_a_whole_cache(void)
{
    for (uint32_t round = 0; round < (uint32_t)check_rounds(3 * WINDOWS); round++) {
        CHECK_CASE("round %u", round);
        const uint32_t window = windows[round % WINDOWS], period = round % 4 ? 2 : 1 + LAYERS;
        pair *both = open_pair(window, period, LI_CACHE_F32 + (round + round / WINDOWS) % 3);
        for (uint32_t call = 0; call < (CHECK_IS_LONG ? 80 : 50); call++) {
            const uint32_t s = below(SEQUENCES), length = both->lengths[s];
            const uint32_t least = li_sequence_least(both->sliding, s);
            const uint32_t choice = below(16);
            if (choice < 9)
                append(both, 1u << s, LI_ROWS_LIMIT);
            else if (choice < 12)
                append(both, below(1 << SEQUENCES), LI_ROWS_LIMIT / 2);
            else if (choice == 12)
                keep(both, s, length - below(length - least + 1)); // within what is kept
            else if (choice == 13)
                share(both, s, below(SEQUENCES), length - below(length - least + 1));
            else if (choice == 14 && below(3) == 0)
                below(2) ? keep(both, s, below(length + 1)) : share(both, s, below(SEQUENCES), below(length + 1));
            else if (length > LI_ROWS_LIMIT)
                keep(both, s, length - below(LI_ROWS_LIMIT + 1)); // a rejected draft
            check_sequences(both);
        }
        for (uint32_t s = 0; s < SEQUENCES; s++) keep(both, s, 0);
        check_sequences(both);
        CHECK_EQ(both->sliding->window_cache.unused_count, both->sliding->window_cache.slots);
        close_pair(both);
    }
}

// ---- what a sequence keeps -------------------------------------------------------------------------------------

static void test_a_sequence_can_be_cut_by_as_many_positions_as_a_call_has_rows(void)
{
    const uint32_t end = CHECK_IS_LONG ? TRAINED : TRAINED * 5 / 8;
    for (size_t i = 0; i < WINDOWS; i++) {
        CHECK_CASE("window %u", windows[i]);
        pair *both = open_pair(windows[i], 2, LI_CACHE_F32);
        uint32_t longest = 0;
        while (both->lengths[0] < end) {
            append(both, 1, LI_ROWS_LIMIT);
            const uint32_t length = both->lengths[0], least = li_sequence_least(both->sliding, 0);
            CHECK(least + LI_ROWS_LIMIT <= length || least == 0);
            longest = least > longest ? least : longest;
            share(both, 0, 1, length < LI_ROWS_LIMIT ? 0 : length - LI_ROWS_LIMIT);
            append(both, 2, 3);
            if (least > 1) share(both, 0, 1, least);
            append(both, 2, 3);
            if (least > 1) share(both, 0, 1, least - 1);
            CHECK(least <= 1 || both->lengths[1] == 0);
            check_sequences(both);
        }
        CHECK_GT(longest, end - TRAINED / 2);
        close_pair(both);
    }
}

static void test_a_cut_beyond_what_is_kept_empties_the_sequence(void)
{
    pair *both = open_pair(37, 2, LI_CACHE_F16);
    for (uint32_t i = 0; i < 20; i++) append(both, 1, LI_ROWS_LIMIT);
    share(both, 0, 1, both->lengths[0]);
    const uint32_t least = li_sequence_least(both->sliding, 0);
    CHECK_GT(least, 37);
    CHECK_EQ(li_sequence_keep(both->sliding, 0, least - 1), LI_OK);
    CHECK_EQ(li_sequence_length(both->sliding, 0), 0);
    CHECK_EQ(li_sequence_least(both->sliding, 0), 0);
    CHECK_EQ(li_sequence_keep(both->whole, 0, 0), LI_OK);
    both->lengths[0] = 0;
    append(both, 3, LI_ROWS_LIMIT / 2); // the other sequence keeps its slots
    check_sequences(both);
    close_pair(both);
}

static void test_weights_are_read_where_the_window_is_kept(void)
{
    pair *both = open_pair(64, 2, LI_CACHE_F32);
    while (both->lengths[0] < 700) append(both, 1, LI_ROWS_LIMIT);
    const uint32_t length = both->lengths[0], least = li_sequence_least(both->sliding, 0);
    float *weights = malloc(length * sizeof(float)), *expected = malloc(length * sizeof(float)), state[32];
    for (uint32_t i = 0; i < 32; i++) state[i] = (float)below(100) / 50 - 1;
    for (uint32_t position = 0; position < length; position++) {
        const li_status status = li_model_attention(both->sliding, state, 0, 0, position, weights);
        CHECK_EQ(status, position >= least ? LI_OK : LI_ERROR_BAD_ARGUMENT);
        if (status != LI_OK) continue;
        CHECK_EQ(li_model_attention(both->whole, state, 0, 0, position, expected), LI_OK);
        CHECK_BYTES(weights, expected, (position + 1) * sizeof(float));
    }
    CHECK_EQ(li_model_attention(both->sliding, state, 1, 0, 0, weights), LI_OK); // a layer that does not slide
    free(weights), free(expected);
    close_pair(both);
}

// ---- memory ----------------------------------------------------------------------------------------------------

static uint32_t taken_pages(const li_cache *cache)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < (cache->slots + LI_CACHE_PAGE - 1) / LI_CACHE_PAGE; i++) count += cache->pages[i] != NULL;
    return count;
}

static double planned_cache(const tiny_model *tiny, uint32_t slots)
{
    li_gguf *gguf = li_gguf_create();
    memcpy(li_gguf_reserve(gguf, (uint32_t)tiny->file.size), tiny->file.bytes, tiny->file.size);
    li_model_memory memory;
    CHECK_EQ(li_gguf_parse(gguf, (uint32_t)tiny->file.size, (double)tiny->file.size), LI_OK);
    CHECK_EQ(li_model_plan(gguf, slots, tiny->flags.cache_type, SEQUENCES, &memory), LI_OK);
    li_gguf_destroy(gguf);
    return memory.cache;
}

static void test_the_plan_counts_what_two_long_texts_take(void)
{
    for (size_t i = 0; i < WINDOWS; i++) {
        CHECK_CASE("window %u", windows[i]);
        const uint32_t slots = SEQUENCES * TRAINED;
        tiny_model tiny;
        open_tiny(&tiny, windows[i], 2, LI_CACHE_F32);
        li_model *model = tiny_load(&tiny, slots, SEQUENCES, 1 << 16);
        const uint32_t held = li_model_window_slots(model);
        CHECK_GE(held, windows[i] + LI_ROWS_LIMIT);
        CHECK_LT(held, windows[i] + LI_ROWS_LIMIT + 2 * LI_ATTENTION_BLOCK);
        CHECK_EQ(li_model_free_window_slots(model), LI_WINDOWS_PLANNED * held);
        const uint32_t pages = (LI_WINDOWS_PLANNED * held + LI_CACHE_PAGE - 1) / LI_CACHE_PAGE;
        for (uint32_t at = 0; at < TRAINED; at += LI_ROWS_LIMIT)
            for (uint32_t s = 0; s < LI_WINDOWS_PLANNED; s++) {
                CHECK_CASE("at %u, s %u", at, s);
                uint32_t tokens[LI_ROWS_LIMIT] = {s, at % VOCAB};
                CHECK_EQ(tiny_forward(model, s, tokens, LI_ROWS_LIMIT, false), LI_OK);
            }
        CHECK_EQ(taken_pages(&model->window_cache), pages);
        // Two of three layers slide. A row is a key and a value of 32 floats.
        const double row = 2 * 32 * sizeof(float), arrays = 4.0 * sizeof(uint32_t) * slots;
        const double tables = 2 * sizeof(li_sequence) * SEQUENCES + 2 * sizeof(uint8_t *) * slots / LI_CACHE_PAGE;
        const double rows = slots * row + pages * LI_CACHE_PAGE * 2 * row;
        CHECK_LT(fabs(planned_cache(&tiny, slots) - rows - arrays - tables), 0.5);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

// Slots are dropped only where that saves memory: not where the window, or those of the planned texts, are as long as
// the context.
static void test_nothing_is_dropped_where_all_positions_have_room(void)
{
    const struct {
        uint32_t window, slots, held;
    } cases[] = {{64, 512, 512},     {64, 513, 256}, {64, 100, 100}, {1024, 8192, 1024}, {1 << 24, 8192, 1024},
                 {1023, 8192, 1024}, {1, 0, 256},    {1, 512, 512},  {193, 1024, 384},   {194, 1024, 1024}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("window %u, %u slots", cases[i].window, cases[i].slots);
        tiny_model tiny;
        open_tiny(&tiny, cases[i].window, 2, LI_CACHE_F32);
        li_model *model = tiny_load(&tiny, cases[i].slots, 1, 1 << 16);
        CHECK_EQ(li_model_window_slots(model), cases[i].held);
        const uint32_t context = li_model_get_config(model)->context_length;
        uint32_t tokens[LI_ROWS_LIMIT] = {0};
        for (uint32_t at = 0; at + LI_ROWS_LIMIT <= context; at += LI_ROWS_LIMIT)
            CHECK_EQ(tiny_forward(model, 0, tokens, LI_ROWS_LIMIT, false), LI_OK);
        CHECK_EQ(li_sequence_least(model, 0) > 0, cases[i].held < context);
        li_model_destroy(model);
        tiny_free(&tiny);
    }
}

static void test_a_growing_cache_keeps_its_contents(void)
{
    tiny_model tiny;
    open_tiny(&tiny, 37, 2, LI_CACHE_F32);
    li_model *model = tiny_load(&tiny, 400, 3, 1 << 16), *whole = tiny_load(&tiny, 400, 3, 1 << 16);
    uint32_t tokens[3][LI_ROWS_LIMIT];
    for (uint32_t i = 0; i < 3 * LI_ROWS_LIMIT; i++) tokens[i % 3][i / 3] = below(VOCAB);
    CHECK_EQ(li_model_window_slots(model), 400);
    CHECK_EQ(li_model_free_window_slots(model), 400);
    for (uint32_t call = 0; call < 42; call++) {
        // Begins to drop slots when it has grown.
        if (call == 5) {
            CHECK_EQ(li_model_reserve_slots(model, 3000), LI_OK);
            CHECK_EQ(li_model_window_slots(model), 256);
        }
        if (call == 5) CHECK_EQ(li_model_reserve_slots(whole, 3000), LI_OK);
        if (call == 21) CHECK_EQ(li_model_reserve_slots(model, 3500), LI_OK);
        if (call == 21) CHECK_EQ(li_model_reserve_slots(whole, 3500), LI_OK);
        whole->window_cache.kept = 0;
        CHECK_EQ(tiny_forward(model, call % 3, tokens[call % 3], LI_ROWS_LIMIT - call % 7, true), LI_OK);
        CHECK_EQ(tiny_forward(whole, call % 3, tokens[call % 3], LI_ROWS_LIMIT - call % 7, true), LI_OK);
        const size_t size = (LI_ROWS_LIMIT - call % 7) * VOCAB * sizeof(float);
        CHECK_BYTES(li_model_logits(model), li_model_logits(whole), size);
    }
    CHECK_EQ(li_model_free_window_slots(model), 0); // three texts where two are planned
    CHECK_EQ(li_sequence_keep(model, 0, 0), LI_OK);
    CHECK_EQ(li_sequence_keep(model, 1, 0), LI_OK);
    CHECK_GE(li_model_free_window_slots(model), 256);
    li_model_destroy(model);
    li_model_destroy(whole);
    tiny_free(&tiny);
}

int main(void)
{
    test_random_calls_equal_those_of_a_whole_cache();
    test_a_sequence_can_be_cut_by_as_many_positions_as_a_call_has_rows();
    test_a_cut_beyond_what_is_kept_empties_the_sequence();
    test_weights_are_read_where_the_window_is_kept();
    test_the_plan_counts_what_two_long_texts_take();
    test_nothing_is_dropped_where_all_positions_have_room();
    test_a_growing_cache_keeps_its_contents();
    return check_done("sliding");
}
