// Attention in blocks of positions. A piece of work is one key-value head and a few rows. Each block is widened to
// floats once for all queries of these rows, and each load of a key or a value serves two queries. The softmax is
// computed online (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; FlashAttention): a block
// with a larger score scales the sums down. Blocks begin at multiples of BLOCK positions, so the result of a row does
// not depend on the batch.
#include "model/attention.h"

#include <string.h>

#include "base/assert.h"
#include "base/exp.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "model/attention_blocks.h"
#include "model/vector.h"

#define BLOCK LI_ATTENTION_BLOCK
#define PART  LI_ATTENTION_PART
// Multiply-adds of the smallest piece of work for a thread. Multiply-adds take longer here than in multiply.c.
#ifndef PIECE_WORK // tests set a smaller number
#define PIECE_WORK 65536u
#endif

// Halves are read as floats 2^-112 times their value (li_f32x4_load_small), which saves a multiplication. Queries and
// weights are scaled by 2^96 in return, so products are 2^16 times too small: no number comes near the limits of
// floats.
#define HALF_SCALE    0x1p96f
#define HALF_UNSCALED 0x1p16f

// Keys or values of a head: row i is at start + i * size, and belongs to position `place` + i of a block.
typedef struct part_rows {
    const uint8_t *start;
    size_t size; // bytes
    bool are_halves;
    uint32_t place, count;
} part_rows;

LI_INLINE li_f32x4 load_four(const uint8_t *row, uint32_t k, bool are_halves)
{
    if (are_halves) return li_f32x4_load_small((const uint16_t *)(const void *)row + k);
    return li_f32x4_load((const float *)(const void *)row + k);
}

typedef li_attention_query query;

// ---- scores ------------------------------------------------------------------------------------------

// The scores of 4 rows from `first` on for `queries` (1 or 2) queries. The last row is repeated beyond the end.
LI_INLINE void score_four(query *query, uint32_t queries, const part_rows *rows, uint32_t first, uint32_t size,
                          bool are_halves)
{
    LI_ASSERT((queries == 1 || queries == 2) && rows->count && first % 4 == 0);
    LI_ASSERT(!are_halves || size % 4 == 0);
    const uint8_t *keys[4];
    for (uint32_t i = 0; i < 4; i++)
        keys[i] = rows->start + (first + i < rows->count ? first + i : rows->count - 1) * rows->size;
    li_f32x4 sums[2][4];
    for (uint32_t q = 0; q < queries; q++)
        for (uint32_t i = 0; i < 4; i++) sums[q][i] = li_f32x4_splat(0);
    uint32_t k = 0;
    for (; k + 4 <= size; k += 4) {
        li_f32x4 x[2];
        for (uint32_t q = 0; q < queries; q++) x[q] = li_f32x4_load((const float *)query[q].numbers + k);
        for (uint32_t i = 0; i < 4; i++) {
            li_f32x4 key = load_four(keys[i], k, are_halves);
            for (uint32_t q = 0; q < queries; q++) sums[q][i] = li_f32x4_add(sums[q][i], li_f32x4_mul(x[q], key));
        }
    }
    for (uint32_t q = 0; q < queries; q++) {
        float *scores = query[q].scores + rows->place + first;
        li_f32x4_store(scores, li_f32x4_sums(sums[q][0], sums[q][1], sums[q][2], sums[q][3]));
        for (uint32_t rest = k; rest < size; rest++)
            for (uint32_t i = 0; i < 4; i++)
                scores[i] += ((const float *)query[q].numbers)[rest] * ((const float *)(const void *)keys[i])[rest];
    }
}

// The scores of rows from `first` to `end`, and of up to three more.
static void score_rows(query *query, uint32_t queries, const part_rows *rows, uint32_t first, uint32_t end,
                       uint32_t size)
{
    LI_ASSERT(first % 4 == 0 && end <= rows->count);
    for (uint32_t i = first; i < end; i += 4) {
        if (queries == 2 && rows->are_halves)
            score_four(query, 2, rows, i, size, true);
        else if (queries == 2)
            score_four(query, 2, rows, i, size, false);
        else if (rows->are_halves)
            score_four(query, 1, rows, i, size, true);
        else
            score_four(query, 1, rows, i, size, false);
    }
}

// ---- weighted sums of values -------------------------------------------------------------------------

// Rows `first` to `end` - 1 of a part. `are_halves` is rows->are_halves, as a constant.
typedef struct run {
    const part_rows *rows;
    uint32_t first, end;
    bool are_halves;
} run;

// Adds the rows, weighted and in order, to columns k to k + 4 * vectors - 1 of `queries` outputs.
LI_INLINE void mix_columns(query *query, uint32_t queries, run of, uint32_t k, uint32_t vectors)
{
    const part_rows *rows = of.rows;
    LI_ASSERT(of.end <= rows->count && rows->place + of.end <= BLOCK && of.are_halves == rows->are_halves);
    li_f32x4 sums[2][4];
    for (uint32_t q = 0; q < queries; q++)
        for (uint32_t v = 0; v < vectors; v++) sums[q][v] = li_f32x4_load(query[q].out + k + 4 * v);
    const uint8_t *row = rows->start + of.first * rows->size;
    for (uint32_t i = of.first; i < of.end; i++, row += rows->size) {
        li_f32x4 weights[2];
        for (uint32_t q = 0; q < queries; q++) weights[q] = li_f32x4_splat(query[q].scores[rows->place + i]);
        for (uint32_t v = 0; v < vectors; v++) {
            li_f32x4 value = load_four(row, k + 4 * v, of.are_halves);
            for (uint32_t q = 0; q < queries; q++)
                sums[q][v] = li_f32x4_add(sums[q][v], li_f32x4_mul(weights[q], value));
        }
    }
    for (uint32_t q = 0; q < queries; q++)
        for (uint32_t v = 0; v < vectors; v++) li_f32x4_store(query[q].out + k + 4 * v, sums[q][v]);
}

LI_INLINE void mix(query *query, uint32_t queries, run of, uint32_t size)
{
    LI_ASSERT(!of.are_halves || size % 4 == 0);
    const part_rows *rows = of.rows;
    uint32_t k = 0;
    for (; k + 16 <= size; k += 16) mix_columns(query, queries, of, k, 4);
    for (; k + 4 <= size; k += 4) mix_columns(query, queries, of, k, 1);
    for (; k < size; k++)
        for (uint32_t i = of.first; i < of.end; i++)
            for (uint32_t q = 0; q < queries; q++)
                query[q].out[k] +=
                    query[q].scores[rows->place + i] * ((const float *)(const void *)(rows->start + i * rows->size))[k];
}

static void mix_rows(query *query, uint32_t queries, const part_rows *rows, uint32_t first, uint32_t end, uint32_t size)
{
    if (queries == 2 && rows->are_halves)
        mix(query, 2, (run){rows, first, end, true}, size);
    else if (queries == 2)
        mix(query, 2, (run){rows, first, end, false}, size);
    else if (rows->are_halves)
        mix(query, 1, (run){rows, first, end, true}, size);
    else
        mix(query, 1, (run){rows, first, end, false}, size);
}

// ---- the softmax -------------------------------------------------------------------------------------

// Turns the scores of the block at `start` into weights.
static void weigh(const li_attention *attention, query *query, uint32_t start)
{
    LI_ASSERT(query->from < query->end && start % BLOCK == 0);
    if (query->end <= start || query->from >= start + BLOCK) return;
    const uint32_t first = query->from > start ? query->from - start : 0;
    const uint32_t end = query->end < start + BLOCK ? query->end - start : BLOCK;
    const li_model *model = attention->model;
    const li_graph *graph = &model->graph;
    const bool has_halves = attention->cache->type == LI_CACHE_F16;
    const uint32_t from = first & ~3u, to = (end + 3u) & ~3u;
    LI_ASSERT(first < end && end <= BLOCK);
    float *scores = query->scores;
    if (has_halves) li_vector_scale(scores + from, to - from, HALF_UNSCALED);
    if (graph->score_cap != 0) {
        li_vector_scale(scores + from, to - from, graph->cap_scale);
        li_vector_tanh(scores + from, to - from);
        li_vector_scale(scores + from, to - from, graph->score_cap);
    }
    for (uint32_t i = from; i < first; i++) scores[i] = -__builtin_inff();
    for (uint32_t i = end; i < to; i++) scores[i] = -__builtin_inff();
    li_f32x4 most = li_f32x4_splat(query->largest);
    for (uint32_t i = from; i < to; i += 4) most = li_f32x4_pmax(most, li_f32x4_load(scores + i));
    const li_f32x4 top = li_f32x4_splat(li_f32x4_largest(most)), scales = li_f32x4_splat(graph->score_scale);
    if (li_f32x4_lane(top, 0) > query->largest) {
        li_f32x4 less = li_exp2_single(li_f32x4_mul(li_f32x4_sub(li_f32x4_splat(query->largest), top), scales));
        query->sum *= li_f32x4_lane(less, 0);
        li_vector_scale(query->out, model->config.value_dim, li_f32x4_lane(less, 0));
        query->largest = li_f32x4_lane(top, 0);
    }
    const li_f32x4 larger = li_f32x4_splat(has_halves ? HALF_SCALE : 1.0f);
    li_f32x4 sum = li_f32x4_splat(0);
    for (uint32_t i = from; i < to; i += 4) {
        li_f32x4 power = li_exp2_single(li_f32x4_mul(li_f32x4_sub(li_f32x4_load(scores + i), top), scales));
        sum = li_f32x4_add(sum, power);
        li_f32x4_store(scores + i, li_f32x4_mul(power, larger));
    }
    query->sum += li_f32x4_total(sum);
    // Positive, or NaN. The keys of a saved text, which is foreign, may make it any number.
}

// ---- blocks ------------------------------------------------------------------------------------------

// The keys, or the values, of a head in the cache.
typedef struct head_rows {
    const li_cache *cache;
    size_t at, size; // the place of the head; bytes of a row
    uint32_t width;
    bool are_widened; // even halves, which could be read as they are
    float *wide;      // (PART, width) room for widened rows
} head_rows;

// Finds the rows of a head at rows->count slots. Rows that lie side by side and need no widening are read where they
// are; others are copied.
static void find_rows(part_rows *rows, const head_rows *head, const uint32_t *slots)
{
    const li_cache *cache = head->cache;
    const size_t size = head->size;
    const uint32_t width = head->width;
    LI_ASSERT(rows->count && rows->count <= PART);
    LI_ASSERT(cache->type == LI_CACHE_F32 || cache->type == LI_CACHE_F16);
    bool lie_together = slots[0] % LI_CACHE_PAGE + rows->count <= LI_CACHE_PAGE;
    for (uint32_t i = 1; i < rows->count; i++) lie_together &= slots[i] == slots[0] + i;
    rows->are_halves = lie_together && !head->are_widened && cache->type == LI_CACHE_F16;
    if (rows->are_halves || (lie_together && cache->type == LI_CACHE_F32)) {
        rows->start = li_cache_row(cache, head->at, slots[0], size);
        rows->size = size;
        // Touches the rows in order, so that the processor prefetches them: the loops above read several rows at once.
        for (size_t at = 0; at < rows->count * size; at += 64) (void)*(const volatile uint8_t *)(rows->start + at);
        return;
    }
    for (uint32_t i = 0; i < rows->count; i++)
        li_cache_row_widen(cache->type, li_cache_row(cache, head->at, slots[i], size), head->wide + (size_t)i * width,
                           width, cache->has_nan);
    rows->start = (const uint8_t *)head->wide;
    rows->size = width * sizeof(float);
}

// The scores of a part of the block at `start`.
static void score_part(query *queries, uint32_t count, const part_rows *rows, uint32_t start, uint32_t size)
{
    LI_ASSERT(count);
    const uint32_t at = start + rows->place;
    for (uint32_t q = 0; q < count; q += 2) {
        const uint32_t pair = count - q < 2 ? 1 : 2;
        // The first query of a pair attends to the earliest positions, the last one to the latest.
        const uint32_t from = queries[q].from > at ? queries[q].from - at : 0;
        const uint32_t end = queries[q + pair - 1].end > at ? queries[q + pair - 1].end - at : 0;
        score_rows(&queries[q], pair, rows, from & ~3u, end < rows->count ? end : rows->count, size);
    }
}

// Adds the weighted values of a part of the block at `start`.
static void mix_part(query *queries, uint32_t count, const part_rows *rows, uint32_t start, uint32_t size)
{
    const uint32_t at = start + rows->place;
    for (uint32_t q = 0, pair; q < count; q += pair) {
        const uint32_t from = queries[q].from > at ? queries[q].from - at : 0;
        const uint32_t end = queries[q].end > at ? queries[q].end - at : 0;
        pair = q + 1 < count && queries[q].end == queries[q + 1].end ? 2 : 1; // of one row
        if (from < end) mix_rows(&queries[q], pair, rows, from, end < rows->count ? end : rows->count, size);
    }
}

// Positions `start` to `start` + length - 1 of a sequence, for one key-value head.
typedef struct block {
    uint32_t kv_head, start, length;
    const uint32_t *slots; // (length)
    float *wide;           // room for what is read from the cache
} block;

static void attend_block(const li_attention *attention, const block *block, query *queries, uint32_t count)
{
    const uint32_t start = block->start, length = block->length;
    LI_ASSERT(start % BLOCK == 0 && length && length <= BLOCK && count && count <= LI_ATTENTION_QUERIES);
    const li_model *model = attention->model;
    const li_cache *cache = attention->cache;
    const uint32_t head_dim = model->config.head_dim, value_dim = model->config.value_dim;
    // For few queries halves are widened as they are loaded, once for each pair of queries.
    const bool is_widened = count > 4 || cache->has_nan || (head_dim | value_dim) % 4;
    const head_rows keys = {.cache = cache,
                            .at = li_cache_keys_at(cache, attention->layer, block->kv_head),
                            .size = cache->key_size,
                            .width = head_dim,
                            .are_widened = is_widened,
                            .wide = block->wide};
    head_rows values = keys;
    values.at = li_cache_values_at(cache, attention->layer, block->kv_head);
    values.size = cache->value_size;
    values.width = value_dim;
    part_rows rows;
    for (rows.place = 0; rows.place < length; rows.place += PART) {
        rows.count = length - rows.place < PART ? length - rows.place : PART;
        find_rows(&rows, &keys, block->slots + rows.place);
        score_part(queries, count, &rows, start, head_dim);
    }
    for (uint32_t q = 0; q < count; q++) weigh(attention, &queries[q], start);
    for (rows.place = 0; rows.place < length; rows.place += PART) {
        rows.count = length - rows.place < PART ? length - rows.place : PART;
        find_rows(&rows, &values, block->slots + rows.place);
        mix_part(queries, count, &rows, start, value_dim);
    }
}

// attend_block for LI_CACHE_Q8_0.
static void attend_bytes(const li_attention *attention, const block *block, query *queries, uint32_t count)
{
    const uint32_t start = block->start, length = block->length;
    LI_ASSERT(start % BLOCK == 0 && length && length <= BLOCK);
    const li_model *model = attention->model;
    const li_cache *cache = attention->cache;
    // Queries are sorted by position.
    while (count && queries[0].end <= start) queries++, count--;
    while (count && queries[count - 1].from >= start + length) count--;
    LI_ASSERT(count); // a query attends to the block
    li_attention_rows rows = {.scales = block->wide, .width = model->config.head_dim, .start = start};
    li_attention_find_rows(&rows, cache, li_cache_keys_at(cache, attention->layer, block->kv_head), cache->key_size,
                           block->slots, length);
    li_attention_score_rows(queries, count, &rows);
    for (uint32_t q = 0; q < count; q++) weigh(attention, &queries[q], start);
    rows.width = model->config.value_dim;
    li_attention_find_rows(&rows, cache, li_cache_values_at(cache, attention->layer, block->kv_head), cache->value_size,
                           block->slots, length);
    li_attention_mix_rows(queries, count, &rows);
}

// The attention of queries of one sequence and one key-value head.
static void attend_queries(const li_attention *attention, uint32_t kv_head, uint32_t sequence, query *queries,
                           uint32_t count, float *wide)
{
    LI_ASSERT(count && count <= LI_ATTENTION_QUERIES);
    LI_ASSERT(queries[count - 1].end <= attention->cache->tables[sequence].length);
    LI_ASSERT(queries[0].from >= attention->cache->tables[sequence].first);
    const li_cache *cache = attention->cache;
    const uint32_t from = queries[0].from, end = queries[count - 1].end;
    for (uint32_t start = from - from % BLOCK; start < end; start += BLOCK) {
        const block block = {.kv_head = kv_head,
                             .start = start,
                             .length = end - start < BLOCK ? end - start : BLOCK,
                             .slots = li_cache_slots(cache, sequence) + start,
                             .wide = wide};
        (cache->type == LI_CACHE_Q8_0 ? attend_bytes : attend_block)(attention, &block, queries, count);
    }
}

// The attention of queries `first` to `end` - 1 of a key-value head: the query heads that share the head, row by row.
static void attend_piece(const li_attention *attention, uint32_t kv_head, uint32_t first, uint32_t end, float *wide)
{
    LI_ASSERT(first < end && end - first <= LI_ATTENTION_QUERIES);
    const li_model *model = attention->model;
    const uint32_t group = model->config.heads / model->config.kv_heads;
    const uint32_t head_dim = model->config.head_dim, value_dim = model->config.value_dim;
    query queries[LI_ATTENTION_QUERIES];
    while (first < end) {
        const uint32_t sequence = attention->rows[first / group].sequence;
        uint32_t count = 0;
        for (; first < end && attention->rows[first / group].sequence == sequence; first++, count++) {
            const size_t row = first / group, head = (size_t)kv_head * group + first % group;
            const uint32_t past = attention->rows[row].position + 1;
            LI_ASSERT(row < attention->count && (count == 0 || queries[count - 1].end <= past)); // sorted by position
            queries[count].numbers = attention->queries + row * model->query_width + head * head_dim;
            queries[count].out = attention->out + row * model->mix_width + head * value_dim;
            memset(queries[count].out, 0, value_dim * sizeof(float));
            queries[count].largest = -__builtin_inff();
            queries[count].sum = 0;
            queries[count].from = past < attention->window ? 0 : past - attention->window;
            queries[count].end = past;
            if (attention->cache->type == LI_CACHE_Q8_0) li_attention_round_query(&queries[count], head_dim);
        }
        attend_queries(attention, kv_head, sequence, queries, count, wide);
        const float unscaled = attention->cache->type == LI_CACHE_F16 ? HALF_UNSCALED : 1.0f;
        for (uint32_t q = 0; q < count; q++) li_vector_scale(queries[q].out, value_dim, unscaled / queries[q].sum);
    }
}

// Pieces of each key-value head, of LI_ATTENTION_QUERIES queries; the last piece may be smaller.
static uint32_t pieces_of_head(const li_attention *attention)
{
    const uint32_t queries = attention->count * (attention->model->config.heads / attention->model->config.kv_heads);
    return (queries + LI_ATTENTION_QUERIES - 1) / LI_ATTENTION_QUERIES;
}

static void attend_pieces(const void *context, uint32_t first, uint32_t end)
{
    const li_attention *attention = context;
    const li_model *model = attention->model;
    const uint32_t pieces = pieces_of_head(attention);
    const uint32_t queries = attention->count * (model->config.heads / model->config.kv_heads);
    for (uint32_t piece = first; piece < end; piece++) {
        const uint32_t from = piece % pieces * LI_ATTENTION_QUERIES;
        LI_ASSERT(piece / pieces < model->config.kv_heads && from < queries);
        attend_piece(attention, piece / pieces, from,
                     queries - from < LI_ATTENTION_QUERIES ? queries : from + LI_ATTENTION_QUERIES,
                     model->scratch.wide + (size_t)piece * model->scratch.wide_size);
    }
}

void li_attend(const li_attention *attention)
{
    LI_ASSERT(attention->count && attention->count <= LI_ROWS_LIMIT);
    LI_ASSERT(attention->window && attention->layer < attention->cache->layers);
    const li_model *model = attention->model;
    const uint32_t pieces = pieces_of_head(attention);
    uint64_t work = 0; // of all rows, for one key and value head
    for (uint32_t row = 0; row < attention->count; row++) {
        const uint32_t past = attention->rows[row].position + 1;
        work += past < attention->window ? past : attention->window;
    }
    work = work * (model->query_width + model->mix_width) / model->config.kv_heads / pieces;
    if (attention->cache->type == LI_CACHE_F16)
        li_vector_scale(attention->queries, attention->count * model->query_width, HALF_SCALE);
    li_parallel_for(model->config.kv_heads * pieces, work < PIECE_WORK ? (uint32_t)(PIECE_WORK / (work + 1)) + 1 : 1,
                    attend_pieces, attention);
}
