#include "model/vector.h"

#include "base/assert.h"
#include "base/exp.h"
#include "base/simd.h"

static double sum_of_squares(const float *x, uint32_t count)
{
    li_f64x2 low = li_f64x2_splat(0), high = low;
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        li_f32x4 a = li_f32x4_load(x + i);
        li_f64x2 first = li_f64x2_from_low(a), second = li_f64x2_from_high(a);
        low = li_f64x2_add(low, li_f64x2_mul(first, first));
        high = li_f64x2_add(high, li_f64x2_mul(second, second));
    }
    li_f64x2 both = li_f64x2_add(low, high);
    double sum = li_f64x2_lane(both, 0) + li_f64x2_lane(both, 1);
    for (; i < count; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

void li_vector_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon)
{
    LI_ASSERT(count && epsilon > 0);
    float scale = (float)(1.0 / __builtin_sqrt(sum_of_squares(x, count) / count + (double)epsilon));
    li_f32x4 scales = li_f32x4_splat(scale);
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        li_f32x4 a = li_f32x4_mul(li_f32x4_load(x + i), scales);
        li_f32x4_store(out + i, li_f32x4_mul(a, li_f32x4_load(weight + i)));
    }
    for (; i < count; i++) out[i] = x[i] * scale * weight[i];
}

void li_vector_add(float *x, const float *y, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) li_f32x4_store(x + i, li_f32x4_add(li_f32x4_load(x + i), li_f32x4_load(y + i)));
    for (; i < count; i++) x[i] += y[i];
}

void li_vector_multiply(float *x, const float *y, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) li_f32x4_store(x + i, li_f32x4_mul(li_f32x4_load(x + i), li_f32x4_load(y + i)));
    for (; i < count; i++) x[i] *= y[i];
}

void li_vector_centre(float *out, const float *x, uint32_t count)
{
    LI_ASSERT(count);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += (double)x[i];
    const float mean = (float)(sum / count);
    for (uint32_t i = 0; i < count; i++) out[i] = x[i] - mean;
}

// x / (1 + e^-y). Computed from e^-|y|, which cannot overflow: for y < 0 both sides of the fraction are multiplied by
// e^y.
static li_f32x4 gated(li_f32x4 x, li_f32x4 y)
{
    const li_f32x4 zero = li_f32x4_splat(0), one = li_f32x4_splat(1);
    li_f32x4 power = li_exp_single(li_f32x4_sub(zero, li_f32x4_abs(y)));
    li_f32x4 numerator = li_f32x4_select_ge(x, li_f32x4_mul(x, power), y, zero);
    return li_f32x4_div(numerator, li_f32x4_add(one, power));
}

static li_f32x4 silu(li_f32x4 x)
{
    return gated(x, x);
}

// x (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3): x / (1 + e^-2u).
static li_f32x4 gelu(li_f32x4 x)
{
    li_f32x4 square = li_f32x4_mul(x, x);
    li_f32x4 slope = li_f32x4_add(li_f32x4_splat(1.5957691216f), li_f32x4_mul(square, li_f32x4_splat(0.0713548163f)));
    return gated(x, li_f32x4_mul(x, slope));
}

// 2 / (1 + e^-2x) - 1
static li_f32x4 tangent(li_f32x4 x)
{
    const li_f32x4 two = li_f32x4_splat(2);
    return li_f32x4_sub(gated(two, li_f32x4_mul(x, two)), li_f32x4_splat(1));
}

LI_INLINE void apply(float *x, uint32_t count, li_f32x4 (*function)(li_f32x4))
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) li_f32x4_store(x + i, function(li_f32x4_load(x + i)));
    for (; i < count; i++) x[i] = li_f32x4_lane(function(li_f32x4_splat(x[i])), 0);
}

void li_vector_silu(float *x, uint32_t count)
{
    apply(x, count, silu);
}

void li_vector_gate(float *x, const float *gate, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) li_f32x4_store(x + i, gated(li_f32x4_load(x + i), li_f32x4_load(gate + i)));
    for (; i < count; i++) x[i] = li_f32x4_lane(gated(li_f32x4_splat(x[i]), li_f32x4_splat(gate[i])), 0);
}

void li_vector_unit(float *x, uint32_t count, float epsilon)
{
    LI_ASSERT(epsilon > 0);
    li_vector_scale(x, count, (float)(1.0 / __builtin_sqrt(sum_of_squares(x, count) + (double)epsilon)));
}

void li_vector_gelu(float *x, uint32_t count)
{
    apply(x, count, gelu);
}

void li_vector_tanh(float *x, uint32_t count)
{
    apply(x, count, tangent);
}

void li_vector_swiglu(float *out, const float *gate, const float *up, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        li_f32x4_store(out + i, li_f32x4_mul(silu(li_f32x4_load(gate + i)), li_f32x4_load(up + i)));
    for (; i < count; i++) out[i] = li_f32x4_lane(silu(li_f32x4_splat(gate[i])), 0) * up[i];
}

void li_vector_scale(float *x, uint32_t count, float factor)
{
    li_f32x4 factors = li_f32x4_splat(factor);
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4) li_f32x4_store(x + i, li_f32x4_mul(li_f32x4_load(x + i), factors));
    for (; i < count; i++) x[i] *= factor;
}
