#include "base/exp.h"
#include "base/simd.h"
#include "train/gradients.h"

// 1 / (1 + e^-x), from e^-|x|, which cannot overflow.
LI_INLINE li_f32x4 sigmoid(li_f32x4 x)
{
    const li_f32x4 zero = li_f32x4_splat(0), one = li_f32x4_splat(1);
    const li_f32x4 power = li_exp_single(li_f32x4_sub(zero, li_f32x4_abs(x)));
    return li_f32x4_div(li_f32x4_select_ge(one, power, x, zero), li_f32x4_add(one, power));
}

void li_gated_forward(float *out, const float *both, uint32_t rows, uint32_t width)
{
    for (uint32_t row = 0; row < rows; row++, out += width, both += 2 * width)
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 gate = li_f32x4_load(both + i), value = li_f32x4_load(both + width + i);
            li_f32x4_store(out + i, li_f32x4_mul(li_f32x4_mul(gate, sigmoid(gate)), value));
        }
}

// The derivative of x s(x) is s + x s (1 - s).
void li_gated_backward(float *both_gradient, const float *both, const float *out_gradient, uint32_t rows,
                       uint32_t width)
{
    const li_f32x4 one = li_f32x4_splat(1);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = 0; i < width; i += 4) {
            const li_f32x4 gate = li_f32x4_load(both + i), value = li_f32x4_load(both + width + i);
            const li_f32x4 given = li_f32x4_load(out_gradient + i), share = sigmoid(gate);
            const li_f32x4 silu = li_f32x4_mul(gate, share);
            const li_f32x4 slope = li_f32x4_add(share, li_f32x4_mul(silu, li_f32x4_sub(one, share)));
            li_f32x4_store(both_gradient + i, li_f32x4_mul(li_f32x4_mul(given, value), slope));
            li_f32x4_store(both_gradient + width + i, li_f32x4_mul(given, silu));
        }
        both_gradient += 2 * width;
        both += 2 * width;
        out_gradient += width;
    }
}
