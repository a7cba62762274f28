// Rows are taken in blocks: a block reads no row after its own last one, so half the work of the square falls away.
#include <stddef.h>

#include "base/assert.h"
#include "base/simd.h"
#include "train/gradients.h"
#include "train/power.h"
#include "train/product.h"

#define BLOCK 16u

// Row i of the square, scaled, becomes its softmax over columns 0 .. i; the rest of the block's columns become 0.
static void soften(float *row, uint32_t i, uint32_t columns, float scale)
{
    for (uint32_t j = i + 1; j < columns; j++) row[j] = -1e30f;
    li_f32x4 peaks = li_f32x4_splat(-1e30f);
    for (uint32_t j = 0; j < columns; j += 4) peaks = li_f32x4_pmax(peaks, li_f32x4_load(row + j));
    const li_f32x4 peak = li_f32x4_splat(li_f32x4_largest(peaks)), factor = li_f32x4_splat(scale);
    li_f32x4 sums = li_f32x4_splat(0);
    for (uint32_t j = 0; j < columns; j += 4) {
        const li_f32x4 power = li_power(li_f32x4_mul(li_f32x4_sub(li_f32x4_load(row + j), peak), factor));
        sums = li_f32x4_add(sums, power);
        li_f32x4_store(row + j, power);
    }
    const li_f32x4 inverse = li_f32x4_splat(1 / li_f32x4_total(sums));
    for (uint32_t j = 0; j < columns; j += 4) li_f32x4_store(row + j, li_f32x4_mul(li_f32x4_load(row + j), inverse));
    for (uint32_t j = i + 1; j < columns; j++) row[j] = 0;
}

static float scale_of(const li_causal *attention)
{
    return 1 / __builtin_sqrtf((float)attention->head_dim);
}

void li_causal_forward(const li_causal *attention, float *out)
{
    const uint32_t rows = attention->rows, head_dim = attention->head_dim, width = attention->heads * head_dim;
    LI_ASSERT(rows % BLOCK == 0 && head_dim % 4 == 0);
    for (uint32_t head = 0; head < attention->heads; head++) {
        const float *queries = attention->mixed + head * head_dim, *keys = queries + width, *values = keys + width;
        float *shares = attention->shares + (size_t)head * rows * rows;
        li_transpose(attention->turned, keys, 3 * width, rows, head_dim);
        for (uint32_t first = 0; first < rows; first += BLOCK) {
            const uint32_t end = first + BLOCK;
            float *block = shares + (size_t)first * rows;
            li_product_run(&(li_product){.a = queries + (size_t)first * 3 * width,
                                         .a_row = 3 * width,
                                         .a_step = 1,
                                         .b = attention->turned,
                                         .b_row = rows,
                                         .c = block,
                                         .c_row = rows,
                                         .rows = BLOCK,
                                         .columns = end,
                                         .depth = head_dim});
            for (uint32_t i = 0; i < BLOCK; i++) soften(block + (size_t)i * rows, first + i, end, scale_of(attention));
            li_product_run(&(li_product){.a = block,
                                         .a_row = rows,
                                         .a_step = 1,
                                         .b = values,
                                         .b_row = 3 * width,
                                         .c = out + (size_t)first * width + head * head_dim,
                                         .c_row = width,
                                         .rows = BLOCK,
                                         .columns = head_dim,
                                         .depth = end});
        }
    }
}

// A row of gradients by shares becomes that by scores: share * (gradient - sum of share * gradient) * scale.
static void sharpen(float *gradient, const float *shares, uint32_t columns, float scale)
{
    li_f32x4 sums = li_f32x4_splat(0);
    for (uint32_t j = 0; j < columns; j += 4)
        sums = li_f32x4_add(sums, li_f32x4_mul(li_f32x4_load(gradient + j), li_f32x4_load(shares + j)));
    const li_f32x4 mean = li_f32x4_splat(li_f32x4_total(sums)), factor = li_f32x4_splat(scale);
    for (uint32_t j = 0; j < columns; j += 4) {
        const li_f32x4 share = li_f32x4_mul(li_f32x4_load(shares + j), factor);
        li_f32x4_store(gradient + j, li_f32x4_mul(share, li_f32x4_sub(li_f32x4_load(gradient + j), mean)));
    }
}

void li_causal_backward(const li_causal *attention, const float *out_gradient, float *mixed_gradient)
{
    const uint32_t rows = attention->rows, head_dim = attention->head_dim, width = attention->heads * head_dim;
    for (uint32_t head = 0; head < attention->heads; head++) {
        const float *queries = attention->mixed + head * head_dim, *keys = queries + width, *values = keys + width;
        const float *shares = attention->shares + (size_t)head * rows * rows, *given = out_gradient + head * head_dim;
        float *to_queries = mixed_gradient + head * head_dim, *to_keys = to_queries + width,
              *to_values = to_keys + width;
        li_transpose(attention->turned, values, 3 * width, rows, head_dim);
        for (uint32_t first = 0; first < rows; first += BLOCK) {
            const uint32_t end = first + BLOCK;
            float *block = attention->square + (size_t)first * rows;
            li_product_run(&(li_product){.a = given + (size_t)first * width,
                                         .a_row = width,
                                         .a_step = 1,
                                         .b = attention->turned,
                                         .b_row = rows,
                                         .c = block,
                                         .c_row = rows,
                                         .rows = BLOCK,
                                         .columns = end,
                                         .depth = head_dim});
            for (uint32_t i = first; i < end; i++)
                sharpen(attention->square + (size_t)i * rows, shares + (size_t)i * rows, end, scale_of(attention));
            li_product_run(&(li_product){.a = block,
                                         .a_row = rows,
                                         .a_step = 1,
                                         .b = keys,
                                         .b_row = 3 * width,
                                         .c = to_queries + (size_t)first * 3 * width,
                                         .c_row = 3 * width,
                                         .rows = BLOCK,
                                         .columns = head_dim,
                                         .depth = end});
        }
        // A block of keys and values is read by the rows from its own first one on.
        for (uint32_t first = 0; first < rows; first += BLOCK) {
            const size_t corner = (size_t)first * rows + first, mixed = (size_t)first * 3 * width;
            li_product back = {.a = shares + corner,
                               .a_row = 1,
                               .a_step = rows,
                               .b = given + (size_t)first * width,
                               .b_row = width,
                               .c = to_values + mixed,
                               .c_row = 3 * width,
                               .rows = BLOCK,
                               .columns = head_dim,
                               .depth = rows - first};
            li_product_run(&back);
            back.a = attention->square + corner;
            back.b = queries + mixed;
            back.b_row = 3 * width;
            back.c = to_keys + mixed;
            li_product_run(&back);
        }
    }
}
