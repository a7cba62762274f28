// Attention of one layer over a cache of random keys and values, for attention.js. 16 query heads of 128 share 8 key
// heads, as in Qwen3-0.6B. There are several layers: those that take turns find their rows in no near cache.
#include "model/attention.h"

#include <string.h>

#include "base/memory.h"

#define LAYERS   4u
#define HEADS    16u
#define KV_HEADS 8u
#define WIDTH    128u
#define ROWS     64u

// Makes a cache of this type with random numbers at `positions` positions. false: no memory. To be called once.
bool make_cache(uint32_t type, uint32_t positions);
// Attends with `count` (1 to ROWS) rows, the last of which stands at position `end` - 1.
void attend_rows(uint32_t layer, uint32_t end, uint32_t count);

static li_model model;
static float *given, *queries, *out;

static float next(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) * 0x1p-23f - 1;
}

static void append(li_cache *cache)
{
    const uint32_t slot = li_cache_append(cache, 0);
    float numbers[WIDTH];
    for (uint32_t i = 0; i < 2 * LAYERS * KV_HEADS; i++) {
        const uint32_t layer = i / 2 / KV_HEADS, head = i / 2 % KV_HEADS;
        for (uint32_t k = 0; k < WIDTH; k++) numbers[k] = next();
        const bool is_key = i % 2 == 0;
        const size_t at = is_key ? li_cache_keys_at(cache, layer, head) : li_cache_values_at(cache, layer, head);
        uint8_t *row = li_cache_row(cache, at, slot, is_key ? cache->key_size : cache->value_size);
        li_cache_row_write(cache->type, row, numbers, WIDTH);
    }
}

bool make_cache(uint32_t type, uint32_t positions)
{
    model.config = (li_model_config){.heads = HEADS, .kv_heads = KV_HEADS, .head_dim = WIDTH, .value_dim = WIDTH};
    model.graph.score_scale = 0.1f;
    model.query_width = model.mix_width = HEADS * WIDTH;
    model.cache = (li_cache){.type = (li_cache_type)type,
                             .layers = LAYERS,
                             .heads = KV_HEADS,
                             .head_dim = WIDTH,
                             .value_dim = WIDTH,
                             .slots = positions,
                             .sequences = 1,
                             .positions = positions};
    const size_t rows_size = sizeof(float) * ROWS * HEADS * WIDTH;
    model.scratch.wide_size = LI_ATTENTION_PART * WIDTH;
    model.scratch.wide = li_memory_alloc(sizeof(float) * model.scratch.wide_size * ROWS * HEADS);
    given = li_memory_alloc(rows_size);
    queries = li_memory_alloc(rows_size);
    out = li_memory_alloc(rows_size);
    if (!model.scratch.wide || !given || !queries || !out || !li_cache_create(&model.cache) ||
        !li_cache_take_pages(&model.cache, positions) || !li_cache_reserve(&model.cache, 0, positions))
        return false;
    for (uint32_t i = 0; i < ROWS * HEADS * WIDTH; i++) given[i] = next();
    for (uint32_t i = 0; i < positions; i++) append(&model.cache);
    return true;
}

void attend_rows(uint32_t layer, uint32_t end, uint32_t count)
{
    li_row rows[ROWS];
    memcpy(queries, given, sizeof(float) * count * HEADS * WIDTH); // attention changes them
    for (uint32_t i = 0; i < count; i++) rows[i] = (li_row){.position = end - count + i};
    li_attend(&(li_attention){.model = &model,
                              .cache = &model.cache,
                              .layer = layer % LAYERS,
                              .window = UINT32_MAX,
                              .rows = rows,
                              .count = count,
                              .queries = queries,
                              .out = out});
}
