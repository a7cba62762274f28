// Tail-free sampling: cuts the sorted probabilities where the second derivative of their curve has spent the share z
// of its absolute sum (Bricken, "Tail free sampling", 2019, in the form that llama.cpp had).
#include <string.h>

#include "sample/stages.h"

// Adds up how much the curve of the weights of the sorted values (count) bends at each token, until the sum exceeds
// `limit` at token `first` or later: returns that token, or count. *bends and *total: the sums of bends and weights.
static uint32_t walk(const li_funnel *funnel, const float *values, double limit, double first, double *bends,
                     double *total)
{
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
    float *values = funnel->mass_store;
    memcpy(values, funnel->values, funnel->count * sizeof *values);
    li_select_order(NULL, values, funnel->count, NULL, (float *)funnel->key_store);
    walk(funnel, values, __builtin_inf(), 0.0, &bends, &total);
    double kept = least;
    if (bends > 1e-6 * total) {
        kept = walk(funnel, values, z * bends, least, &bends, &total);
    } else { // as good as flat: every token but two counts alike
        double last = (double)(funnel->count - 2), flat = (double)(uint32_t)(z * last);
        if (flat > kept) kept = flat;
        if (kept >= last) return;
    }
    li_funnel_keep_likeliest(funnel, kept, false);
}
