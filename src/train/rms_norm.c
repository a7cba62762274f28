#include "base/simd.h"
#include "train/gradients.h"

void li_norm_forward(const li_norm *norm, float *out)
{
    const uint32_t width = norm->width;
    for (uint32_t row = 0; row < norm->rows; row++, out += width) {
        const float *x = norm->x + (size_t)row * width;
        li_f32x4 squares = li_f32x4_splat(0);
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 a = li_f32x4_load(x + i);
            squares = li_f32x4_add(squares, li_f32x4_mul(a, a));
        }
        const float mean = li_f32x4_total(squares) / (float)width;
        norm->scales[row] = 1 / __builtin_sqrtf(mean + LI_TRAIN_EPSILON);
        const li_f32x4 scale = li_f32x4_splat(norm->scales[row]);
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 a = li_f32x4_mul(li_f32x4_load(x + i), scale);
            li_f32x4_store(out + i, li_f32x4_mul(a, li_f32x4_load(norm->weight + i)));
        }
    }
}

// With g = weight * out_gradient: x_gradient = scale * g - x * scale^3 * mean(g * x).
void li_norm_backward(const li_norm *norm, const float *out_gradient, float *x_gradient, float *weight_gradient)
{
    const uint32_t width = norm->width;
    for (uint32_t row = 0; row < norm->rows; row++) {
        const size_t at = (size_t)row * width;
        const float *x = norm->x + at, *from = out_gradient + at, single = norm->scales[row];
        const li_f32x4 scale = li_f32x4_splat(single);
        float *to = x_gradient + at;
        li_f32x4 products = li_f32x4_splat(0);
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 a = li_f32x4_load(x + i), d = li_f32x4_load(from + i), both = li_f32x4_mul(a, d);
            products = li_f32x4_add(products, li_f32x4_mul(both, li_f32x4_load(norm->weight + i)));
            const li_f32x4 sum = li_f32x4_load(weight_gradient + i);
            li_f32x4_store(weight_gradient + i, li_f32x4_add(sum, li_f32x4_mul(both, scale)));
        }
        const float mean = li_f32x4_total(products) / (float)width;
        const li_f32x4 pull = li_f32x4_splat(mean * single * single * single);
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 g = li_f32x4_mul(li_f32x4_load(from + i), li_f32x4_load(norm->weight + i));
            const li_f32x4 part = li_f32x4_sub(li_f32x4_mul(g, scale), li_f32x4_mul(li_f32x4_load(x + i), pull));
            li_f32x4_store(to + i, li_f32x4_add(li_f32x4_load(to + i), part));
        }
    }
}
