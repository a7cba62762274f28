#include "base/simd.h"
#include "train/trainer.h"

#define FIRST_DECAY  0.9f
#define SECOND_DECAY 0.99f
#define WEIGHT_DECAY 0.1f
#define EPSILON      1e-8f
#define LARGEST_NORM 1.0

// x^n by repeated squaring, the same bits everywhere.
static double power(double x, uint32_t n)
{
    double result = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) result *= x;
    return result;
}

// The factor that brings the gradients' norm down to LARGEST_NORM, or 1.
static float clip(const float *gradients, uint32_t count)
{
    li_f64x2 low = li_f64x2_splat(0), high = low;
    for (uint32_t i = 0; i < count; i += 4) {
        const li_f32x4 four = li_f32x4_load(gradients + i);
        const li_f64x2 a = li_f64x2_from_low(four), b = li_f64x2_from_high(four);
        low = li_f64x2_add(low, li_f64x2_mul(a, a));
        high = li_f64x2_add(high, li_f64x2_mul(b, b));
    }
    const li_f64x2 both = li_f64x2_add(low, high);
    const double norm = __builtin_sqrt(li_f64x2_lane(both, 0) + li_f64x2_lane(both, 1));
    return norm > LARGEST_NORM ? (float)(LARGEST_NORM / norm) : 1;
}

// The moments are unbiased by factors of the learning rate and of the root:
// rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon).
void li_trainer_update(li_trainer *trainer, float learning_rate)
{
    const uint32_t step = trainer->steps + 1;
    const li_f32x4 factor = li_f32x4_splat(clip(trainer->gradient_values, trainer->weight_count));
    const li_f32x4 first = li_f32x4_splat(FIRST_DECAY), first_rest = li_f32x4_splat(1 - FIRST_DECAY);
    const li_f32x4 second = li_f32x4_splat(SECOND_DECAY), second_rest = li_f32x4_splat(1 - SECOND_DECAY);
    const li_f32x4 rate = li_f32x4_splat((float)((double)learning_rate / (1 - power((double)FIRST_DECAY, step))));
    const li_f32x4 unbias = li_f32x4_splat((float)(1 / (1 - power((double)SECOND_DECAY, step))));
    const li_f32x4 epsilon = li_f32x4_splat(EPSILON);
    // Matrices and the embedding decay; norms keep their scale.
    const li_f32x4 decayed = li_f32x4_splat(1 - learning_rate * WEIGHT_DECAY), kept = li_f32x4_splat(1);
    for (uint32_t i = 0; i < trainer->weight_count; i += 4) {
        const li_f32x4 g = li_f32x4_mul(li_f32x4_load(trainer->gradient_values + i), factor);
        const li_f32x4 m =
            li_f32x4_add(li_f32x4_mul(li_f32x4_load(trainer->first_moments + i), first), li_f32x4_mul(g, first_rest));
        const li_f32x4 v = li_f32x4_add(li_f32x4_mul(li_f32x4_load(trainer->second_moments + i), second),
                                        li_f32x4_mul(li_f32x4_mul(g, g), second_rest));
        li_f32x4_store(trainer->first_moments + i, m);
        li_f32x4_store(trainer->second_moments + i, v);
        const li_f32x4 root = li_f32x4_add(li_f32x4_sqrt(li_f32x4_mul(v, unbias)), epsilon);
        const li_f32x4 moved = li_f32x4_div(li_f32x4_mul(m, rate), root);
        const li_f32x4 weight =
            li_f32x4_mul(li_f32x4_load(trainer->values + i), i < trainer->matrix_count ? decayed : kept);
        li_f32x4_store(trainer->values + i, li_f32x4_sub(weight, moved));
    }
}
