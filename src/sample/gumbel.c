#include "sample/gumbel.h"

#include "base/assert.h"
#include "base/exp.h"
#include "base/random.h"

// Upper bound of -ln(-ln u) over all u that can be drawn.
#define LARGEST_NOISE 37.5

uint32_t li_gumbel_draw(const li_funnel *funnel, uint32_t counter[4], const uint32_t key[2])
{
    LI_ASSERT(funnel->count && funnel->temperature > 0.0);
    const uint32_t last = counter[3];
    uint32_t best = 0;
    double highest = -__builtin_inf();
    for (uint32_t i = 0; i < funnel->length; i++) {
        double score = ((double)funnel->values[i] - (double)funnel->peak) / funnel->temperature;
        if (funnel->values[i] <= LI_MASKED || score + LARGEST_NOISE < highest) continue;
        counter[3] = last ^ li_funnel_id(funnel, i);
        double u = li_random_block_uniform(counter, key);
        score -= li_log(-li_log(u > 0.0 ? u : 0x1p-54));
        if (score <= highest) continue;
        highest = score;
        best = i;
    }
    LI_ASSERT(funnel->values[best] > LI_MASKED);
    return best;
}
