// XTC, "exclude top choices": with the given probability per step, removes all tokens that reach the threshold except
// the least likely one (Weidmann, 2024, as in llama.cpp).
#include "base/assert.h"
#include "base/exp.h"
#include "base/random.h"
#include "sample/softmax.h"
#include "sample/stages.h"

// The first choice at `from` or later: a survivor of at least the peak plus `distance`. `length` if there is none.
static uint32_t next_choice(const li_funnel *funnel, uint32_t from, double distance)
{
    double peak = (double)funnel->peak;
    for (uint32_t i = from; i < funnel->length; i++) {
        uint32_t block = i / LI_SOFTMAX_BLOCK;
        // block_peaks describe the row, not lists of survivors.
        if (!funnel->ids && (double)funnel->block_peaks[block] - peak < distance)
            i = (block + 1) * LI_SOFTMAX_BLOCK - 1;
        else if ((double)funnel->values[i] - peak >= distance)
            return i;
    }
    return funnel->length;
}

void li_xtc_apply(li_funnel *funnel, const li_settings *settings, const li_history *history)
{
    (void)history;
    const li_options *options = &settings->options;
    double u = li_random_uniform((uint64_t)options->seed, (uint32_t)options->stream, funnel->step, LI_RANDOM_XTC, 0);
    if (u >= options->xtc_probability) return;
    double distance = li_funnel_distance_of(funnel, li_log(options->xtc_threshold));
    double least = LI_LOWEST - (double)funnel->peak; // masked tokens are farther
    if (distance < least) distance = least;
    float lowest = __builtin_inff(), *values = funnel->values == funnel->row ? funnel->row : funnel->value_store;
    uint32_t *choices = funnel->scratch.keys, count = 0, stays = 0;
    for (uint32_t i = 0; (i = next_choice(funnel, i, distance)) < funnel->length; i++) {
        choices[count++] = i;
        if (values[i] > lowest) continue;
        lowest = values[i];
        stays = i;
    }
    if (count > 1 && (double)(funnel->count - count + 1) >= options->min_keep) {
        // While the others are listed, the choices are masked. The row takes them back.
        float *logits = funnel->scratch.masses;
        for (uint32_t i = 0; i < count; i++) {
            logits[i] = values[choices[i]];
            if (choices[i] != stays) values[choices[i]] = -__builtin_inff();
        }
        li_funnel_cut(funnel, (float)LI_LOWEST, UINT32_MAX);
        for (uint32_t i = 0; i < count && values == funnel->row; i++) values[choices[i]] = logits[i];
        funnel->peak = lowest;
    } else {
        li_funnel_list(funnel);
    }
    funnel->threshold = distance;
}
