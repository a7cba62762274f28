#include "train/product.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/simd.h"

// Four rows of 4 * vectors columns. `vectors` is a constant, so that the sums stay in registers.
LI_INLINE void run_tile(const li_product *p, uint32_t i, uint32_t j, uint32_t vectors)
{
    const float *a0 = p->a + (size_t)i * p->a_row, *a1 = a0 + p->a_row, *a2 = a1 + p->a_row, *a3 = a2 + p->a_row;
    const float *b = p->b + j;
    float *c0 = p->c + (size_t)i * p->c_row + j, *c1 = c0 + p->c_row, *c2 = c1 + p->c_row, *c3 = c2 + p->c_row;
    const bool is_wide = vectors > 1;
    const li_f32x4 zero = li_f32x4_splat(0);
    li_f32x4 s0 = zero, s1 = zero, s2 = zero, s3 = zero, t0 = zero, t1 = zero, t2 = zero, t3 = zero;
    if (p->adds) {
        s0 = li_f32x4_load(c0), s1 = li_f32x4_load(c1), s2 = li_f32x4_load(c2), s3 = li_f32x4_load(c3);
        if (is_wide) {
            t0 = li_f32x4_load(c0 + 4), t1 = li_f32x4_load(c1 + 4);
            t2 = li_f32x4_load(c2 + 4), t3 = li_f32x4_load(c3 + 4);
        }
    }
    for (uint32_t k = 0, at = 0; k < p->depth; k++, at += p->a_step, b += p->b_row) {
        const li_f32x4 low = li_f32x4_load(b), high = is_wide ? li_f32x4_load(b + 4) : zero;
        const li_f32x4 x0 = li_f32x4_splat(a0[at]), x1 = li_f32x4_splat(a1[at]);
        const li_f32x4 x2 = li_f32x4_splat(a2[at]), x3 = li_f32x4_splat(a3[at]);
        s0 = li_f32x4_add(s0, li_f32x4_mul(x0, low));
        s1 = li_f32x4_add(s1, li_f32x4_mul(x1, low));
        s2 = li_f32x4_add(s2, li_f32x4_mul(x2, low));
        s3 = li_f32x4_add(s3, li_f32x4_mul(x3, low));
        if (!is_wide) continue;
        t0 = li_f32x4_add(t0, li_f32x4_mul(x0, high));
        t1 = li_f32x4_add(t1, li_f32x4_mul(x1, high));
        t2 = li_f32x4_add(t2, li_f32x4_mul(x2, high));
        t3 = li_f32x4_add(t3, li_f32x4_mul(x3, high));
    }
    li_f32x4_store(c0, s0), li_f32x4_store(c1, s1), li_f32x4_store(c2, s2), li_f32x4_store(c3, s3);
    if (!is_wide) return;
    li_f32x4_store(c0 + 4, t0), li_f32x4_store(c1 + 4, t1);
    li_f32x4_store(c2 + 4, t2), li_f32x4_store(c3 + 4, t3);
}

void li_product_run(const li_product *p)
{
    LI_ASSERT(p->rows % 4 == 0 && p->columns % 4 == 0);
    for (uint32_t i = 0; i < p->rows; i += 4) {
        uint32_t j = 0;
        for (; j + 8 <= p->columns; j += 8) run_tile(p, i, j, 2);
        if (j < p->columns) run_tile(p, i, j, 1);
    }
}

void li_transpose(float *out, const float *in, uint32_t in_row, uint32_t rows, uint32_t columns)
{
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++) out[(size_t)j * rows + i] = in[(size_t)i * in_row + j];
}
