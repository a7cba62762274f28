// Combinations of two rows of logits, and distances between rows and between hidden states. Public functions:
// lastinch.h.
#include "base/assert.h"
#include "base/exp.h"
#include "lastinch.h"
#include "sample/logits.h"
#include "sample/softmax.h"

static bool is_number(double value)
{
    return value - value == 0.0;
}

// A row. A token's log-probability is logit - peak - log_total, and counts `factor` times.
typedef struct row {
    const float *logits;
    double factor, peak, log_total;
} row;

static li_status read_rows(row *first, row *second, uint32_t count)
{
    if (count == 0) return LI_ERROR_BAD_ARGUMENT;
    li_status status = li_logits_normalise(first->logits, count, &first->peak, &first->log_total);
    return status ? status : li_logits_normalise(second->logits, count, &second->peak, &second->log_total);
}

// Writes the sum of the log-probabilities in both rows, by their factors, for the tokens that neither row masks and
// whose logit is at most `distance` below the peak of the first row; -infinity for the others.
static li_status combine(const row *first, const row *second, double distance, uint32_t count, float *into)
{
    LI_ASSERT(distance >= 0.0 && into);
    LI_ASSERT(first->peak > (double)LI_MASKED && second->peak > (double)LI_MASKED);
    bool is_any_left = false;
    for (uint32_t i = 0; i < count; i++) {
        double below = (double)first->logits[i] - first->peak;
        bool is_kept = first->logits[i] > LI_MASKED && second->logits[i] > LI_MASKED && below >= -distance;
        double value = (below - first->log_total) * first->factor +
                       ((double)second->logits[i] - second->peak - second->log_total) * second->factor;
        into[i] = is_kept ? li_logits_clamp(value) : -__builtin_inff();
        is_any_left |= is_kept;
    }
    return is_any_left ? LI_OK : LI_ERROR_NOTHING_LEFT;
}

li_status li_guide(const float *conditional, const float *unconditional, uint32_t count, double scale, float *into)
{
    row first = {.logits = conditional, .factor = scale}, second = {.logits = unconditional, .factor = 1.0 - scale};
    if (!is_number(scale)) return LI_ERROR_BAD_ARGUMENT;
    li_status status = read_rows(&first, &second, count);
    return status ? status : combine(&first, &second, __builtin_inf(), count, into);
}

li_status li_contrast(const float *strong, const float *weak, uint32_t count, double weight, double plausibility,
                      float *into)
{
    row first = {.logits = strong, .factor = 1.0}, second = {.logits = weak, .factor = -weight};
    if (!is_number(weight) || !(plausibility >= 0.0 && plausibility <= 1.0)) return LI_ERROR_BAD_ARGUMENT;
    li_status status = read_rows(&first, &second, count);
    return status ? status : combine(&first, &second, -li_log(plausibility), count, into);
}

// The terms of four tokens in twice the divergence, from their log-probabilities in both rows. With the larger
// probability p, the smaller r p, d = -ln r and t = (1 - r) / (1 + r), a term is
// p ln(2 / (1 + r)) + r p ln(2 r / (1 + r)) = p ((1 + r) ln(1 + t) - r d).
LI_INLINE li_f32x4 diverge(li_f32x4 first, li_f32x4 second)
{
    // ln(1 + t) / t for t in 0 .. 1, fitted at Chebyshev points: within 3e-8.
    static const float coefficients[] = {
        -0.02958850748836994f, 0.07836166769266129f, -0.13674770295619965f, 0.19111430644989014f,
        -0.24844369292259216f, 0.33319270610809326f, -0.49999502301216125f, 1.0f};
    const li_f32x4 zero = li_f32x4_splat(0.0f), one = li_f32x4_splat(1.0f);
    // The lowest log-probability: masked tokens get a finite distance.
    const li_f32x4 lowest = li_f32x4_splat(-200.0f);
    first = li_f32x4_pmax(lowest, first);
    second = li_f32x4_pmax(lowest, second);
    li_f32x4 larger = li_f32x4_pmax(first, second);
    li_f32x4 distance = li_f32x4_abs(li_f32x4_sub(first, second));
    li_f32x4 r = li_exp_single(li_f32x4_sub(zero, distance)), both = li_f32x4_add(one, r);
    li_f32x4 t = li_f32x4_div(li_f32x4_sub(one, r), both), logarithm = li_f32x4_splat(0.005253457929939032f);
    for (uint32_t i = 0; i < sizeof coefficients / sizeof *coefficients; i++)
        logarithm = li_f32x4_add(li_f32x4_mul(logarithm, t), li_f32x4_splat(coefficients[i]));
    logarithm = li_f32x4_mul(logarithm, li_f32x4_mul(t, both));
    return li_f32x4_mul(li_exp_single(larger), li_f32x4_sub(logarithm, li_f32x4_mul(r, distance)));
}

LI_INLINE li_f32x4 log_probabilities(const row *of, li_f32x4 logits)
{
    return li_f32x4_sub(li_f32x4_sub(logits, li_f32x4_splat((float)of->peak)), li_f32x4_splat((float)of->log_total));
}

double li_divergence(const float *a, const float *b, uint32_t count)
{
    row first = {.logits = a}, second = {.logits = b};
    if (read_rows(&first, &second, count)) return (double)__builtin_nanf("");
    double twice = 0.0;
    for (uint32_t start = 0; start < count; start += LI_SOFTMAX_BLOCK) {
        uint32_t end = count - start < LI_SOFTMAX_BLOCK ? count : start + LI_SOFTMAX_BLOCK, i = start;
        li_f32x4 sum = li_f32x4_splat(0.0f);
        for (; i + 4 <= end; i += 4)
            sum = li_f32x4_add(sum, diverge(log_probabilities(&first, li_f32x4_load(a + i)),
                                            log_probabilities(&second, li_f32x4_load(b + i))));
        for (; i < end; i++) {
            li_f32x4 four = diverge(log_probabilities(&first, li_f32x4_splat(a[i])),
                                    log_probabilities(&second, li_f32x4_splat(b[i])));
            twice += (double)li_f32x4_lane(four, 0);
        }
        twice += li_softmax_block_total(sum);
    }
    return twice > 0.0 ? twice / 2.0 : 0.0;
}

// The dot product of a and b (dim): 64 products at a time in four lanes, then in float64.
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
        double similarity = sizes != 0.0 ? dot(state, other, dim) / sizes : 0.0;
        if (similarity > 1.0) similarity = 1.0; // rounding may exceed 1
        if (!(similarity <= largest)) largest = similarity;
        if (similarity != similarity) return similarity;
    }
    return largest;
}
