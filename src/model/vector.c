#include "model/vector.h"

#include "base/exp.h"
#include "base/simd.h"

static float sum_lanes(li_f32x4 a)
{
    float lanes[4];
    li_f32x4_store(lanes, a);
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

void li_vector_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon)
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
    float scale = (float)(1.0 / __builtin_sqrt(sum / count + (double)epsilon));
    li_f32x4 scales = li_f32x4_splat(scale);
    for (i = 0; i + 4 <= count; i += 4) {
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

// x / (1 + e^-x), computed from e^-|x|, which cannot overflow: for x < 0 numerator and denominator are multiplied by
// e^x.
static li_f32x4 silu(li_f32x4 x)
{
    const li_f32x4 zero = li_f32x4_splat(0), one = li_f32x4_splat(1);
    li_f32x4 power = li_exp_single(li_f32x4_sub(zero, li_f32x4_abs(x)));
    li_f32x4 negative = li_f32x4_sub(x, li_f32x4_pmax(zero, x)); // x where x < 0, else 0
    li_f32x4 numerator = li_f32x4_add(li_f32x4_pmax(zero, x), li_f32x4_mul(negative, power));
    return li_f32x4_div(numerator, li_f32x4_add(one, power));
}

void li_vector_swiglu(float *out, const float *gate, const float *up, uint32_t count)
{
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        li_f32x4_store(out + i, li_f32x4_mul(silu(li_f32x4_load(gate + i)), li_f32x4_load(up + i)));
    for (; i < count; i++) {
        float lanes[4] = {gate[i], 0, 0, 0};
        out[i] = li_f32x4_lane(silu(li_f32x4_load(lanes)), 0) * up[i];
    }
}

void li_vector_scale(float *x, uint32_t count, float factor)
{
    li_f32x4 factors = li_f32x4_splat(factor);
    for (uint32_t i = 0; i < count; i += 4) li_f32x4_store(x + i, li_f32x4_mul(li_f32x4_load(x + i), factors));
}

float li_vector_softmax(float *x, uint32_t count, float scale)
{
    uint32_t padded = (count + 3u) & ~3u;
    for (uint32_t i = count; i < padded; i++) x[i] = -__builtin_inff();
    li_f32x4 most = li_f32x4_load(x);
    for (uint32_t i = 4; i < padded; i += 4) most = li_f32x4_pmax(most, li_f32x4_load(x + i));
    li_f32x4 top = li_f32x4_splat(li_f32x4_largest(most)), scales = li_f32x4_splat(scale);
    li_f32x4 sum = li_f32x4_splat(0);
    for (uint32_t i = 0; i < padded; i += 4) {
        li_f32x4 power = li_exp2_single(li_f32x4_mul(li_f32x4_sub(li_f32x4_load(x + i), top), scales));
        li_f32x4_store(x + i, power);
        sum = li_f32x4_add(sum, power);
    }
    return sum_lanes(sum);
}
