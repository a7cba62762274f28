// Attention against float64, for every form of the cache: windows, caps, several sequences, slots in any order, and the
// same bits whatever rows come together.
#include <math.h>
#include <stdlib.h>

#include "cache_read.h"
#include "check.h"
#include "model/attention.h"

#define ROWS      48
#define POSITIONS 700
#define WIDTH     160 // of all query heads at most

static uint32_t random_state = 1;
static double uniform(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) * 0x1p-23 - 1;
}

typedef struct shape {
    uint32_t heads, kv_heads, head_dim, value_dim;
} shape;

static li_model model;
static float keys[2][POSITIONS][WIDTH], values[2][POSITIONS][WIDTH]; // of sequences 0 and 1, as the cache has them
static float queries[ROWS * WIDTH], given[ROWS * WIDTH], out[ROWS * WIDTH], again[ROWS * WIDTH];

static void open_model(const shape *shape, li_cache_type type, bool is_capped)
{
    model = (li_model){.config = {.heads = shape->heads,
                                  .kv_heads = shape->kv_heads,
                                  .head_dim = shape->head_dim,
                                  .value_dim = shape->value_dim}};
    const float scale = 1 / sqrtf((float)shape->head_dim);
    model.graph.score_cap = is_capped ? 5 : 0;
    model.graph.cap_scale = scale / 5;
    model.graph.score_scale = is_capped ? 1.4426950f : scale * 1.4426950f;
    model.query_width = shape->heads * shape->head_dim;
    model.mix_width = shape->heads * shape->value_dim;
    model.cache = (li_cache){.type = type,
                             .layers = 2,
                             .heads = shape->kv_heads,
                             .head_dim = shape->head_dim,
                             .value_dim = shape->value_dim,
                             .slots = 2 * POSITIONS,
                             .sequences = 2,
                             .positions = POSITIONS};
    CHECK(li_cache_create(&model.cache));
    CHECK(li_cache_take_pages(&model.cache, 2 * POSITIONS));
    for (uint32_t s = 0; s < 2; s++) CHECK(li_cache_reserve(&model.cache, s, POSITIONS));
    model.scratch.wide_size = LI_ATTENTION_PART * (shape->head_dim + shape->value_dim);
    model.scratch.wide = malloc(sizeof(float) * model.scratch.wide_size * ROWS * shape->heads);
}

static void close_model(void)
{
    free(model.scratch.wide);
    li_cache_destroy(&model.cache);
}

// What the cache gives back of `numbers` (count).
static void keep(uint8_t *row, float *numbers, uint32_t count)
{
    const li_cache_type type = model.cache.type;
    li_cache_row_write(type, row, numbers, count);
    cache_read(type, row, numbers, count);
}

// Appends a position to a sequence, in layer 1.
static void append(uint32_t sequence, uint32_t position)
{
    li_cache *cache = &model.cache;
    const uint32_t slot = li_cache_append(cache, sequence);
    for (uint32_t head = 0; head < cache->heads; head++) {
        float *key = keys[sequence][position] + head * cache->head_dim;
        float *value = values[sequence][position] + head * cache->value_dim;
        for (uint32_t i = 0; i < cache->head_dim; i++) key[i] = (float)(2 * uniform());
        for (uint32_t i = 0; i < cache->value_dim; i++) value[i] = (float)uniform();
        keep(li_cache_row(cache, li_cache_keys_at(cache, 1, head), slot, cache->key_size), key, cache->head_dim);
        keep(li_cache_row(cache, li_cache_values_at(cache, 1, head), slot, cache->value_size), value, cache->value_dim);
    }
}

static double score(const li_row *row, uint32_t r, uint32_t head, uint32_t kv_head, uint32_t position)
{
    const uint32_t size = model.config.head_dim;
    double dot = 0;
    for (uint32_t i = 0; i < size; i++)
        dot += (double)given[r * model.query_width + head * size + i] *
               (double)keys[row->sequence][position][kv_head * size + i];
    if (model.graph.score_cap != 0) dot = (double)model.graph.score_cap * tanh(dot * (double)model.graph.cap_scale);
    return dot * (double)model.graph.score_scale;
}

// The largest error of the row, against float64.
static double error_of(const li_row *row, uint32_t r, uint32_t window)
{
    const uint32_t size = model.config.value_dim, group = model.config.heads / model.config.kv_heads;
    const uint32_t from = row->position + 1 > window ? row->position + 1 - window : 0;
    double worst = 0;
    for (uint32_t head = 0; head < model.config.heads; head++) {
        double most = -INFINITY, sum = 0, mix[WIDTH] = {0};
        for (uint32_t t = from; t <= row->position; t++) most = fmax(most, score(row, r, head, head / group, t));
        for (uint32_t t = from; t <= row->position; t++) {
            double weight = exp2(score(row, r, head, head / group, t) - most);
            sum += weight;
            for (uint32_t i = 0; i < size; i++)
                mix[i] += weight * (double)values[row->sequence][t][head / group * size + i];
        }
        for (uint32_t i = 0; i < size; i++)
            worst = fmax(worst, fabs(mix[i] / sum - (double)out[r * model.mix_width + head * size + i]));
    }
    return worst;
}

static void attend(const li_row *rows, uint32_t count, uint32_t window, const float *from, float *to)
{
    memcpy(queries, from, count * model.query_width * sizeof(float));
    li_attend(&(li_attention){.model = &model,
                              .cache = &model.cache,
                              .layer = 1,
                              .window = window,
                              .rows = rows,
                              .count = count,
                              .queries = queries,
                              .out = to});
}

static void check_rows(const li_row *rows, uint32_t count, uint32_t window)
{
    for (uint32_t i = 0; i < count * model.query_width; i++) given[i] = (float)(2 * uniform());
    attend(rows, count, window, given, out);
    double worst = 0;
    for (uint32_t r = 0; r < count; r++) worst = fmax(worst, error_of(&rows[r], r, window));
    // Queries and weights of 16 bits lose more than floats do.
    const double limit = model.cache.type == LI_CACHE_Q8_0 ? 1e-4 : 3e-6;
    CHECK_LT(worst, limit);
    for (uint32_t r = 0; r < count; r++)
        attend(&rows[r], 1, window, given + r * model.query_width, again + r * model.mix_width);
    CHECK_BYTES(out, again, count * model.mix_width * sizeof(float));
}

static void check_shape(const shape *shape, li_cache_type type, bool is_capped, uint32_t window)
{
    open_model(shape, type, is_capped);
    // One sequence lies in order. The other takes every third slot, then the remaining slots.
    uint32_t lengths[2] = {0, 0};
    for (uint32_t i = 0; i < POSITIONS / 2; i++)
        for (uint32_t s = 0; s < 2; s++)
            for (uint32_t more = 0; more <= s; more++) append(s, lengths[s]++);
    while (lengths[0] < POSITIONS) append(0, lengths[0]++);
    li_row rows[ROWS];
    for (uint32_t r = 0; r < ROWS; r++) rows[r] = (li_row){0, r, 0, 0, 0};
    check_rows(rows, ROWS, window); // the beginning of a text
    for (uint32_t r = 0; r < ROWS; r++) rows[r] = (li_row){0, POSITIONS - ROWS + r, r / 5 % 2, 0, 0};
    check_rows(rows, ROWS, window); // two sequences in turn
    check_rows(rows, 1, window);
    close_model();
}

// NaN at a position reaches the rows that attend to the position, and no others.
static void check_nan(const shape *shape, li_cache_type type, bool is_key)
{
    enum { PLACE = 200, WINDOW = 60 };
    open_model(shape, type, false);
    for (uint32_t i = 0; i < POSITIONS; i++) append(0, i);
    li_row rows[ROWS];
    for (uint32_t r = 0; r < ROWS; r++) rows[r] = (li_row){0, 170 + 3 * r, 0, 0, 0};
    for (uint32_t i = 0; i < ROWS * model.query_width; i++) given[i] = (float)(2 * uniform());
    attend(rows, ROWS, WINDOW, given, out);
    li_cache *cache = &model.cache;
    const uint32_t slot = li_cache_slots(cache, 0)[PLACE], size = is_key ? shape->head_dim : shape->value_dim;
    float *numbers = (is_key ? keys : values)[0][PLACE];
    numbers[size - 1] = NAN;
    uint8_t *row = is_key ? li_cache_row(cache, li_cache_keys_at(cache, 1, 0), slot, cache->key_size)
                          : li_cache_row(cache, li_cache_values_at(cache, 1, 0), slot, cache->value_size);
    cache->has_nan = !li_cache_row_write(type, row, numbers, size);
    CHECK(cache->has_nan || type == LI_CACHE_F32);
    attend(rows, ROWS, WINDOW, given, again);
    const uint32_t group = shape->heads / shape->kv_heads;
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t i = 0; i < model.mix_width; i++) {
            const uint32_t head = i / shape->value_dim, column = i % shape->value_dim, at = r * model.mix_width + i;
            const bool sees = rows[r].position >= PLACE && rows[r].position < PLACE + WINDOW && head < group;
            const uint32_t first = type == LI_CACHE_Q8_0 ? size - LI_CACHE_BLOCK : size - 1;
            if (sees && (is_key || column >= first))
                CHECK(isnan(again[at]));
            else
                CHECK_BYTES(&again[at], &out[at], sizeof(float));
        }
    close_model();
}

// A query of zeros attends equally to all positions; a query with NaN or an infinity gives NaN.
static void check_queries(li_cache_type type)
{
    const float numbers[] = {0, 1e-30f, NAN, INFINITY};
    open_model(&(shape){2, 1, 32, 32}, type, false);
    for (uint32_t i = 0; i < 200; i++) append(0, i);
    const li_row row = {0, 199, 0, 0, 0};
    for (uint32_t n = 0; n < 4; n++) {
        for (uint32_t i = 0; i < model.query_width; i++) given[i] = i == 40 ? numbers[n] : 0;
        attend(&row, 1, POSITIONS, given, out);
        if (n < 2) CHECK_LT(error_of(&row, 0, POSITIONS), 1e-4);
        for (uint32_t i = 0; i < model.mix_width && n >= 2; i++) CHECK_EQ(isnan(out[i]), i >= 32);
    }
    close_model();
}

int main(void)
{
    static const shape shapes[] = {{4, 2, 32, 32}, {5, 1, 32, 32}, {3, 3, 32, 32}, {2, 1, 20, 12}, {3, 1, 7, 5}};
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t window = 0; window < 3; window++)
            for (int type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++) {
                CHECK_CASE("i %u, window %u, type %d", i, window, type);
                if (type == LI_CACHE_Q8_0 && shapes[i].head_dim % 32) continue;
                check_shape(&shapes[i], (li_cache_type)type, i % 2, window == 0 ? POSITIONS : window == 1 ? 1 : 130);
            }
    for (int type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++)
        for (int is_key = 0; is_key < 2; is_key++) check_nan(&(shape){2, 2, 32, 64}, (li_cache_type)type, is_key);
    for (int type = LI_CACHE_F32; type <= LI_CACHE_Q8_0; type++) check_queries((li_cache_type)type);
    return check_done("attention");
}
