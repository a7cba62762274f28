#include "sample/gumbel.h"

#include "base/assert.h"
#include "base/exp.h"
#include "base/random.h"

// Upper bound of -ln(-ln u) over all u that can be drawn.
#define LARGEST_NOISE 37.5

uint32_t li_gumbel_draw(const li_funnel *funnel, uint64_t seed, uint32_t stream)
{
    LI_ASSERT(funnel->count && funnel->temperature > 0.0);
    uint32_t best = 0;
    double highest = -__builtin_inf();
    for (uint32_t i = 0; i < funnel->length; i++) {
        double score = ((double)funnel->values[i] - (double)funnel->peak) / funnel->temperature;
        if (funnel->values[i] <= LI_MASKED || score + LARGEST_NOISE < highest) continue;
        double u = li_random_uniform(seed, stream, funnel->step, LI_RANDOM_GUMBEL, li_funnel_id(funnel, i));
        score -= li_log(-li_log(u > 0.0 ? u : 0x1p-54));
        if (score <= highest) continue;
        highest = score;
        best = i;
    }
    LI_ASSERT(funnel->values[best] > LI_MASKED);
    return best;
}
