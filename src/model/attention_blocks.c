// Integer arithmetic: bytes are multiplied by queries and weights that are rounded to 16 bits. The sums of a block fit
// 32 bits, so floats are needed only once per block. The rounding error is below 2^-16 of the largest
// magnitude.
#include "model/attention_blocks.h"

#include "base/assert.h"
#include "base/half.h"
#include "base/simd.h"

#define LARGEST          32767.0f // of 16 bits
#define LEAST            0x1p-96f // smaller queries and weights count as 0, or LARGEST / largest would overflow
#define DIGITS_AT(width) ((width) / LI_CACHE_BLOCK * 2) // bytes of scales before the bytes of numbers

// The factor that makes `largest` LARGEST.
LI_INLINE float factor_of(float largest)
{
    return largest > LEAST ? LARGEST / largest : 0;
}

void li_attention_round_query(li_attention_query *query, uint32_t count)
{
    LI_ASSERT(count && count % LI_CACHE_BLOCK == 0);
    float *numbers = query->numbers;
    li_f32x4 most = li_f32x4_splat(0), defects = most;
    for (uint32_t i = 0; i < count; i += 4) {
        li_f32x4 x = li_f32x4_load(numbers + i);
        most = li_f32x4_pmax(most, li_f32x4_abs(x));
        defects = li_f32x4_add(defects, li_f32x4_sub(x, x)); // NaN for NaN and infinities
    }
    const float largest = li_f32x4_largest(most);
    const li_f32x4 factor = li_f32x4_splat(factor_of(largest));
    query->scale = largest / LARGEST + li_f32x4_total(defects);
    for (uint32_t i = 0; i < count; i += 8) {
        li_f32x4 low = li_f32x4_mul(li_f32x4_load(numbers + i), factor);
        li_f32x4 high = li_f32x4_mul(li_f32x4_load(numbers + i + 4), factor);
        li_i16x8_store_nearest((int16_t *)query->numbers + i, low, high);
    }
}

static uint16_t scale_of(const uint8_t *row, uint32_t block)
{
    uint16_t half;
    memcpy(&half, row + 2 * (size_t)block, sizeof half);
    return half;
}

void li_attention_find_rows(li_attention_rows *rows, const li_cache *cache, size_t at, size_t size,
                            const uint32_t *slots, uint32_t count)
{
    LI_ASSERT(cache->type == LI_CACHE_Q8_0);
    LI_ASSERT(count && count <= LI_ATTENTION_BLOCK && rows->scales && rows->width % LI_CACHE_BLOCK == 0);
    uint16_t halves[LI_ATTENTION_BLOCK];
    const uint32_t padded = (count + 3u) & ~3u;
    rows->count = count;
    rows->has_nan = cache->has_nan;
    for (uint32_t i = 0; i < padded; i++) {
        rows->rows[i] = li_cache_row(cache, at, slots[i < count ? i : count - 1], size);
        // Touches the rows in order, so that the processor prefetches them: the loops below read several rows at once.
        for (size_t k = 0; k < size; k += 64) (void)*(const volatile uint8_t *)(rows->rows[i] + k);
    }
    for (uint32_t block = 0; block < rows->width / LI_CACHE_BLOCK; block++) {
        for (uint32_t i = 0; i < padded; i++) halves[i] = scale_of(rows->rows[i], block);
        // NaN becomes a number here: defect_of finds such scales.
        for (uint32_t i = 0; i < padded; i += 4)
            li_f32x4_store(rows->scales + block * LI_ATTENTION_BLOCK + i, li_f32x4_load_f16(halves + i));
    }
}

// NaN if a block of row `i` holds NaN, otherwise 0.
static float defect_of(const li_attention_rows *rows, uint32_t i, uint32_t block)
{
    float scale = li_half_to_float(scale_of(rows->rows[i], block));
    return scale - scale;
}

// The positions of a query among the rows, [first, end).
static uint32_t first_of(const li_attention_query *query, const li_attention_rows *rows)
{
    LI_ASSERT(query->from < rows->start + rows->count); // attends to a position
    return query->from > rows->start ? query->from - rows->start : 0;
}
static uint32_t end_of(const li_attention_query *query, const li_attention_rows *rows)
{
    LI_ASSERT(query->end > rows->start);
    return query->end < rows->start + rows->count ? query->end - rows->start : rows->count;
}

// ---- scores ------------------------------------------------------------------------------------------

// The scores of 4 keys from `first` on for `queries` (1 or 2) queries.
LI_INLINE void score_four(li_attention_query *query, uint32_t queries, const li_attention_rows *keys, uint32_t first)
{
    LI_ASSERT((queries == 1 || queries == 2) && first % 4 == 0 && first < keys->count);
    li_f32x4 sums[2][4];
    for (uint32_t q = 0; q < queries; q++)
        for (uint32_t i = 0; i < 4; i++) sums[q][i] = li_f32x4_splat(0);
    const float *scales = keys->scales + first;
    for (uint32_t k = 0; k < keys->width; k += LI_CACHE_BLOCK, scales += LI_ATTENTION_BLOCK) {
        for (uint32_t i = 0; i < 4; i++) {
            const int8_t *bytes = (const int8_t *)keys->rows[first + i] + DIGITS_AT(keys->width) + k;
            li_i16x8 key[4];
            for (uint32_t j = 0; j < 4; j++) key[j] = li_i16x8_load_bytes(bytes + 8 * j);
            const li_f32x4 scale = li_f32x4_splat(scales[i]);
            for (uint32_t q = 0; q < queries; q++) {
                const uint8_t *x = (const uint8_t *)((const int16_t *)query[q].numbers + k);
                li_i32x4 sum = li_i32x4_dot(key[0], li_i16x8_load(x));
                for (uint32_t j = 1; j < 4; j++)
                    sum = li_i32x4_add(sum, li_i32x4_dot(key[j], li_i16x8_load(x + 16 * j)));
                sums[q][i] = li_f32x4_add(sums[q][i], li_f32x4_mul(li_f32x4_from_i32x4(sum), scale));
            }
        }
    }
    for (uint32_t q = 0; q < queries; q++) {
        li_f32x4 scores = li_f32x4_sums(sums[q][0], sums[q][1], sums[q][2], sums[q][3]);
        li_f32x4_store(query[q].scores + first, li_f32x4_mul(scores, li_f32x4_splat(query[q].scale)));
    }
}

void li_attention_score_rows(li_attention_query *queries, uint32_t count, const li_attention_rows *keys)
{
    LI_ASSERT(count && keys->count);
    for (uint32_t q = 0; q < count; q += 2) {
        const bool is_pair = q + 1 < count;
        // The first query of a pair attends to the earliest positions, the last one to the latest.
        const uint32_t end = end_of(&queries[q + is_pair], keys);
        for (uint32_t i = first_of(&queries[q], keys) & ~3u; i < end; i += 4)
            if (is_pair)
                score_four(&queries[q], 2, keys, i);
            else
                score_four(&queries[q], 1, keys, i);
    }
    for (uint32_t q = 0; q < count && keys->has_nan; q++)
        for (uint32_t i = first_of(&queries[q], keys); i < end_of(&queries[q], keys); i++)
            for (uint32_t block = 0; block < keys->width / LI_CACHE_BLOCK; block++)
                queries[q].scores[i] += defect_of(keys, i, block);
}

// ---- weighted sums of values -------------------------------------------------------------------------

// Writes the weights times the scales of a block of columns as integers to whole (LI_ATTENTION_BLOCK), 0 for positions
// that the query does not attend to. Returns the scale of the integers.
static float round_weights(int16_t *whole, const li_attention_query *query, const li_attention_rows *values,
                           uint32_t block)
{
    LI_ASSERT(block < values->width / LI_CACHE_BLOCK);
    const uint32_t first = first_of(query, values), end = end_of(query, values);
    const uint32_t from = first & ~7u, to = (end + 7u) & ~7u;
    LI_ASSERT(first < end && end <= LI_ATTENTION_BLOCK);
    float products[LI_ATTENTION_BLOCK];
    const float *scales = values->scales + block * LI_ATTENTION_BLOCK;
    li_f32x4 most = li_f32x4_splat(0);
    for (uint32_t i = from; i < to; i += 4) {
        // weigh() sets four weights at a time: those of every group of four with a position in [first, end).
        const bool is_set = i + 4 > first && i < end;
        li_f32x4 product =
            is_set ? li_f32x4_mul(li_f32x4_load(query->scores + i), li_f32x4_load(scales + i)) : li_f32x4_splat(0);
        most = li_f32x4_pmax(most, li_f32x4_abs(product));
        li_f32x4_store(products + i, product);
    }
    const float largest = li_f32x4_largest(most);
    const li_f32x4 factor = li_f32x4_splat(factor_of(largest));
    memset(whole, 0, LI_ATTENTION_BLOCK * sizeof *whole);
    for (uint32_t i = from; i < to; i += 8)
        li_i16x8_store_nearest(whole + i, li_f32x4_mul(li_f32x4_load(products + i), factor),
                               li_f32x4_mul(li_f32x4_load(products + i + 4), factor));
    float scale = largest / LARGEST;
    for (uint32_t i = first; i < end && values->has_nan; i++) scale += defect_of(values, i, block);
    return scale;
}

// The weights of one or two queries as integers with their scale, for positions `first` to `end` - 1; both are even.
typedef struct whole_weights {
    int16_t of[2][LI_ATTENTION_BLOCK];
    float scales[2];
    uint32_t first, end;
} whole_weights;

// Adds rows to columns k to k + 15 of `queries` (1 or 2) outputs.
LI_INLINE void mix_columns(li_attention_query *query, uint32_t queries, const li_attention_rows *values, uint32_t k,
                           const whole_weights *weights)
{
    LI_ASSERT(weights->first % 2 == 0 && weights->end % 2 == 0 && k % 16 == 0);
    li_i32x4 sums[2][4];
    for (uint32_t q = 0; q < queries; q++)
        for (uint32_t v = 0; v < 4; v++) sums[q][v] = li_i32x4_splat(0);
    const size_t at = DIGITS_AT(values->width) + k;
    for (uint32_t i = weights->first, end = weights->end; i < end; i += 2) {
        const int8_t *here = (const int8_t *)values->rows[i] + at, *next = (const int8_t *)values->rows[i + 1] + at;
        const li_i16x8 a = li_i16x8_load_bytes(here), b = li_i16x8_load_bytes(next);
        const li_i16x8 c = li_i16x8_load_bytes(here + 8), d = li_i16x8_load_bytes(next + 8);
        const li_i16x8 pairs[4] = {li_i16x8_interleave_low(a, b), li_i16x8_interleave_high(a, b),
                                   li_i16x8_interleave_low(c, d), li_i16x8_interleave_high(c, d)};
        for (uint32_t q = 0; q < queries; q++) {
            const li_i16x8 weight = li_i16x8_splat_pair((const uint8_t *)&weights->of[q][i]);
            for (uint32_t v = 0; v < 4; v++) sums[q][v] = li_i32x4_add(sums[q][v], li_i32x4_dot(pairs[v], weight));
        }
    }
    for (uint32_t q = 0; q < queries; q++)
        for (uint32_t v = 0; v < 4; v++) {
            float *out = query[q].out + k + 4 * v;
            li_f32x4 more = li_f32x4_mul(li_f32x4_from_i32x4(sums[q][v]), li_f32x4_splat(weights->scales[q]));
            li_f32x4_store(out, li_f32x4_add(li_f32x4_load(out), more));
        }
}

void li_attention_mix_rows(li_attention_query *queries, uint32_t count, const li_attention_rows *values)
{
    LI_ASSERT(count && values->count);
    whole_weights weights;
    for (uint32_t q = 0; q < count; q += 2) {
        const uint32_t pair = q + 1 < count ? 2 : 1;
        weights.first = first_of(&queries[q], values) & ~1u;
        weights.end = (end_of(&queries[q + pair - 1], values) + 1) & ~1u;
        for (uint32_t k = 0; k < values->width; k += LI_CACHE_BLOCK) {
            for (uint32_t i = 0; i < pair; i++)
                weights.scales[i] = round_weights(weights.of[i], &queries[q + i], values, k / LI_CACHE_BLOCK);
            for (uint32_t half = k; half < k + LI_CACHE_BLOCK; half += 16)
                if (pair == 2)
                    mix_columns(&queries[q], 2, values, half, &weights);
                else
                    mix_columns(&queries[q], 1, values, half, &weights);
        }
    }
}
