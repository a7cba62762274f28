#include "sample/select.h"

#include "base/assert.h"
#include "base/inline.h"
#include "base/simd.h"
#include "sample/radix.h"
#include "sample/softmax.h"

#define CUT_BITS   8u
#define CUT_DIGITS (1u << CUT_BITS)

#define BLOCK LI_SOFTMAX_BLOCK

// More elements than this are first bracketed by a sample of about four thousand.
#define FEW 16384u

// The first digit, from the top down, at which *above plus the masses reaches the target. Where rounding prevents this:
// the lowest digit in use. *above becomes the mass above that digit.
static uint32_t crossing_digit(const double *mass_of_digit, double target, double *above)
{
    uint32_t lowest = 0;
    double above_lowest = *above, running = *above;
    for (uint32_t digit = CUT_DIGITS; digit-- > 0;) {
        if (mass_of_digit[digit] == 0.0) continue;
        lowest = digit;
        above_lowest = running;
        running += mass_of_digit[digit];
        if (running >= target) break;
    }
    *above = above_lowest;
    return lowest;
}

// The cut among keys (count, at least 1) with their masses. Both arrays are overwritten. *above: before, the mass above
// all keys; after, the mass above the cut with its ties.
static li_cut cut_keys(uint32_t *keys, float *masses, uint32_t count, double target, double *above)
{
    LI_ASSERT(count);
    for (;;) {
        uint32_t low = UINT32_MAX, high = 0, i = 0, found = 0;
        do {
            low = keys[i] < low ? keys[i] : low;
            high = keys[i] > high ? keys[i] : high;
        } while (++i < count);
        if (low == high) break;
        // Digits start at the first bit in which the keys differ.
        uint32_t bits = 32 - (uint32_t)__builtin_clz(high - low), shift = bits > CUT_BITS ? bits - CUT_BITS : 0;
        double mass_of_digit[CUT_DIGITS] = {0};
        i = 0;
        do mass_of_digit[(keys[i] - low) >> shift] += (double)masses[i];
        while (++i < count);
        uint32_t digit = crossing_digit(mass_of_digit, target, above);
        i = 0;
        do {
            // No branch: it would be hard to predict.
            bool is_kept = (keys[i] - low) >> shift == digit;
            keys[found] = keys[i];
            masses[found] = masses[i];
            found += is_kept;
        } while (++i < count);
        count = found;
        LI_ASSERT(count);
    }
    li_cut cut = {li_select_value(keys[0]), 0};
    while (cut.ties < count && *above < target) *above += (double)masses[cut.ties++];
    if (cut.ties == count) cut.ties = UINT32_MAX;
    return cut;
}

// Two values that almost certainly enclose the cut of many values, judged by a sample.
static li_bracket bracket_of(const float *values, const float *weights, uint32_t count, double tail,
                             const li_select_scratch *scratch)
{
    LI_ASSERT(count > FEW);
    // The sample estimates the tail below the cut, where no element outweighs the others. Its keys are inverted to come
    // from below.
    uint32_t sampled = 0, rank = 0, stride = count / FEW * 4, *sample = scratch->keys;
    for (uint32_t i = 0; i < count; i += stride) {
        float mass = weights ? weights[i] : 1.0f;
        sample[2 * sampled] = ~li_select_key(values[i]);
        memcpy(&sample[2 * sampled++ + 1], &mass, sizeof mass);
    }
    LI_ASSERT(sampled <= count / 4 + 1);
    li_radix_sort(sample, (uint32_t *)scratch->masses, sampled, 2);
    for (double below = 0.0; rank + 1 < sampled; rank++) {
        float mass;
        memcpy(&mass, &sample[2 * rank + 1], sizeof mass);
        below += (double)mass;
        if (below >= tail / stride) break;
    }
    while (rank > 0 && sample[2 * rank - 2] == sample[2 * rank]) rank--;
    li_bracket bracket = {-__builtin_inff(), __builtin_inff(), NULL};
    // At least four standard deviations of the number of sampled elements below the cut.
    uint32_t margin = rank / 16 + 64;
    if (rank + margin < sampled) bracket.high = li_select_value(~sample[2 * (rank + margin) - 2]);
    if (rank > margin) bracket.low = li_select_value(~sample[2 * (rank - margin) - 2]);
    return bracket;
}

LI_INLINE uint32_t list(const float *values, const float *weights, uint32_t at, uint32_t *key, float *mass)
{
    *key = li_select_key(values[at]);
    *mass = weights ? weights[at] : 1.0f;
    return 1;
}

uint32_t li_select_list(const float *values, const float *weights, uint32_t count, const li_bracket *bracket,
                        double *above, const li_select_scratch *scratch)
{
    float low = bracket->low, high = bracket->high;
    const float *block_peaks = bracket->block_peaks;
    LI_ASSERT(low <= high);
    uint32_t *keys = scratch->keys;
    float *masses = scratch->masses;
    LI_ASSERT(keys && masses);
    const li_f32x4 lowest = li_f32x4_splat(low), highest = li_f32x4_splat(high);
    uint32_t found = 0, start = 0;
    *above = 0.0;
    for (; start + BLOCK <= count; start += BLOCK) {
        if (block_peaks && block_peaks[start / BLOCK] < low) continue;
        li_f32x4 sum = li_f32x4_splat(0.0f);
        uint32_t i = start;
        do {
            li_f32x4 mass = weights ? li_f32x4_load(weights + i) : li_f32x4_splat(1.0f);
            sum = li_f32x4_add(sum, li_f32x4_where_gt(mass, li_f32x4_load(values + i), highest));
        } while ((i += 4) < start + BLOCK);
        *above += (double)li_f32x4_total(sum);
        // One loop over all that is found in the block: where such loops end is hard to predict.
        uint64_t mask = 0;
        for (i = BLOCK; i > 0;) mask = mask << 16 | li_f32x16_between_mask(values + start + (i -= 16), lowest, highest);
        for (; mask; mask &= mask - 1)
            found += list(values, weights, start + (uint32_t)__builtin_ctzll(mask), keys + found, masses + found);
    }
    for (; start < count; start++) {
        if (values[start] > high)
            *above += weights ? (double)weights[start] : 1.0;
        else if (values[start] >= low)
            found += list(values, weights, start, keys + found, masses + found);
    }
    LI_ASSERT(found <= count);
    return found;
}

li_cut li_select_within(const float *values, const float *weights, uint32_t count, const li_bracket *bracket,
                        double target, const li_select_scratch *scratch)
{
    LI_ASSERT(target > 0.0);
    li_cut cut = {0};
    double above;
    uint32_t found = li_select_list(values, weights, count, bracket, &above, scratch);
    if (found == 0 || above >= target) return cut;
    cut = cut_keys(scratch->keys, scratch->masses, found, target, &above);
    if (above < target) cut.ties = 0;
    return cut;
}

li_cut li_select_upper_set(const float *values, const float *weights, uint32_t count, double total, double target,
                           const li_select_scratch *scratch)
{
    LI_ASSERT(count && target == target);
    if (count > FEW) {
        li_bracket bracket = bracket_of(values, weights, count, total - target, scratch);
        li_cut cut = li_select_within(values, weights, count, &bracket, target, scratch);
        if (cut.ties) return cut;
    }
    for (uint32_t i = 0; i < count; i++) list(values, weights, i, scratch->keys + i, scratch->masses + i);
    double above = 0.0;
    return cut_keys(scratch->keys, scratch->masses, count, target, &above);
}
