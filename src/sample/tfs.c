// Tail-free sampling: cuts the sorted probabilities where the second derivative of their curve reaches the share z of
// its absolute sum (Bricken, "Tail free sampling", 2019, in the form of older llama.cpp).
#include <string.h>

#include "base/assert.h"
#include "sample/stages.h"

// Adds the absolute second differences ("bends") of the weights of sorted values (count) until the sum exceeds `limit`
// at token `first` or later. Returns that token, or count. *bends and *total: the sums of bends and of weights.
static uint32_t walk(const li_funnel *funnel, const float *values, double limit, double first, double *bends,
                     double *total)
{
    LI_ASSERT(funnel->count > 2 && funnel->ids);
    double one = 0.0, two = 0.0;
    *bends = *total = 0.0;
    for (uint32_t i = 0; i < funnel->count; i++) {
        double three = li_funnel_weight_of(funnel, values[i]);
        double bend = (one - two) - (two - three);
        *total += three;
        if (i >= 2) *bends += bend < 0.0 ? -bend : bend;
        if (*bends > limit && (double)i - 2.0 >= first) return i - 2;
        one = two;
        two = three;
    }
    return funnel->count;
}

void li_tfs_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    if (funnel->count <= 2) return;
    double z = settings->options.tfs_z, least = settings->options.min_keep, bends, total;
    li_funnel_list(funnel);
    float *values = funnel->scratch.masses;
    memcpy(values, funnel->values, funnel->count * sizeof *values);
    li_select_order(NULL, values, funnel->count, NULL, (float *)funnel->scratch.keys);
    walk(funnel, values, __builtin_inf(), 0.0, &bends, &total);
    double kept = least;
    if (bends > 1e-6 * total) {
        kept = walk(funnel, values, z * bends, least, &bends, &total);
    } else { // nearly flat: every token but two has the same bend
        double last = (double)(funnel->count - 2), flat = (double)(uint32_t)(z * last);
        if (flat > kept) kept = flat;
        if (kept >= last) return;
    }
    li_funnel_keep_likeliest(funnel, kept, false);
}
