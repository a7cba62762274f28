// Rows of logits combined, and how far rows and states are from each other. Described in lastinch.h.
#include "base/exp.h"
#include "decode/row.h"

#define LN_2 0.69314718055994530942

static bool is_number(double value)
{
    return value - value == 0.0;
}

// into = first * a + second * b + offset of the tokens whose `first` reaches `bound` and that neither row masks.
static li_status combine(const float *first, double a, const float *second, double b, double offset, double bound,
                         uint32_t count, float *into)
{
    const double lowest = -9e29, highest = 3e38; // not masked, not infinite
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_kept = first[i] > LI_MASKED && second[i] > LI_MASKED && (double)first[i] >= bound;
        double value = (double)first[i] * a + (double)second[i] * b + offset;
        value = value < lowest ? lowest : value > highest ? highest : value;
        into[i] = is_kept ? (float)value : -__builtin_inff();
        left += is_kept;
    }
    return left ? LI_OK : LI_ERROR_NOTHING_LEFT;
}

li_status li_guide(const float *conditional, const float *unconditional, uint32_t count, double scale, float *into)
{
    float peak;
    double conditional_sum, unconditional_sum;
    if (count == 0 || !is_number(scale)) return LI_ERROR_BAD_ARGUMENT;
    li_status status = li_row_normalise(conditional, count, &peak, &conditional_sum);
    if (status == LI_OK) status = li_row_normalise(unconditional, count, &peak, &unconditional_sum);
    if (status) return status;
    double offset = -scale * conditional_sum - (1.0 - scale) * unconditional_sum;
    return combine(conditional, scale, unconditional, 1.0 - scale, offset, -__builtin_inf(), count, into);
}

li_status li_contrast(const float *strong, const float *weak, uint32_t count, double weight, double plausibility,
                      float *into)
{
    float strong_peak, weak_peak;
    double strong_sum, weak_sum;
    if (count == 0 || !is_number(weight) || !(plausibility >= 0.0 && plausibility <= 1.0)) return LI_ERROR_BAD_ARGUMENT;
    li_status status = li_row_normalise(strong, count, &strong_peak, &strong_sum);
    if (status == LI_OK) status = li_row_normalise(weak, count, &weak_peak, &weak_sum);
    if (status) return status;
    double bound = (double)strong_peak + li_log(plausibility);
    return combine(strong, 1.0, weak, -weight, weight * weak_sum - strong_sum, bound, count, into);
}

double li_divergence(const float *a, const float *b, uint32_t count)
{
    float peak;
    double a_sum, b_sum, divergence = 0.0;
    if (count == 0 || li_row_normalise(a, count, &peak, &a_sum) || li_row_normalise(b, count, &peak, &b_sum))
        return (double)__builtin_nanf("");
    for (uint32_t i = 0; i < count; i++) {
        double first = a[i] > LI_MASKED ? (double)a[i] - a_sum : -1e30;
        double second = b[i] > LI_MASKED ? (double)b[i] - b_sum : -1e30;
        // With p the larger probability, r p the other and d = -ln r, half of p ln(2 / (1 + r)) + r p ln(2 r / (1 + r)).
        double larger = first > second ? first : second, distance = first > second ? first - second : second - first;
        double p = li_exp(larger), r = li_exp(-distance);
        if (p == 0.0) continue;
        divergence += p * ((1.0 + r) * (LN_2 - li_log(1.0 + r)) - (r > 0.0 ? r * distance : 0.0));
    }
    return divergence > 0.0 ? divergence / 2.0 : 0.0;
}

// Sum of the products of a and b (dim), 64 at a time in four lanes and then in float64.
static double dot(const float *a, const float *b, uint32_t dim)
{
    double total = 0.0;
    uint32_t i = 0;
    while (i + 4 <= dim) {
        uint32_t end = dim - i < 64 ? dim : i + 64;
        li_f32x4 sum = li_f32x4_splat(0.0f);
        for (; i + 4 <= end; i += 4) sum = li_f32x4_add(sum, li_f32x4_mul(li_f32x4_load(a + i), li_f32x4_load(b + i)));
        total += (double)li_f32x4_total(sum);
    }
    for (; i < dim; i++) total += (double)a[i] * (double)b[i];
    return total;
}

double li_degeneration(const float *state, const float *states, uint32_t count, uint32_t dim)
{
    double size = dot(state, state, dim), largest = count ? -1.0 : 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const float *other = states + (size_t)i * dim;
        double sizes = __builtin_sqrt(size * dot(other, other, dim));
        double similarity = sizes > 0.0 ? dot(state, other, dim) / sizes : 0.0;
        if (similarity > 1.0) similarity = 1.0; // by rounding
        if (!(similarity <= largest)) largest = similarity;
        if (similarity != similarity) return similarity;
    }
    return largest;
}
