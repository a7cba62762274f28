#include "sample/select.h"

#include <string.h>

#include "base/inline.h"

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

// Bits that compare as unsigned numbers in the order of the floats; -0 equals +0.
LI_INLINE uint32_t key_of(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

LI_INLINE float value_of(uint32_t key)
{
    uint32_t bits = key ^ (key >> 31 ? 0x80000000u : 0xffffffffu);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// From the top digit down, the one at which *above + the masses reaches the target; the lowest digit in
// use when rounding keeps them from reaching it. *above becomes the mass above that digit.
static uint32_t crossing_digit(const double *mass_of_digit, double target, double *above)
{
    uint32_t lowest = DIGITS;
    double above_lowest = *above, running = *above;
    for (uint32_t digit = DIGITS; digit-- > 0;) {
        if (mass_of_digit[digit] == 0.0) continue;
        lowest = digit;
        above_lowest = running;
        running += mass_of_digit[digit];
        if (running >= target) break;
    }
    *above = above_lowest;
    return lowest;
}

li_cut li_select_upper_set(const float *values, const float *weights, uint32_t count, double target, uint32_t *keys,
                           float *masses)
{
    double mass_of_digit[DIGITS] = {0};
    double above = 0.0;
    for (uint32_t i = 0; i < count; i++) mass_of_digit[key_of(values[i]) >> 21] += weights ? (double)weights[i] : 1.0;
    uint32_t high = crossing_digit(mass_of_digit, target, &above);

    memset(mass_of_digit, 0, sizeof mass_of_digit);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = key_of(values[i]);
        if (key >> 21 != high) continue;
        keys[found] = key;
        masses[found] = weights ? weights[i] : 1.0f;
        mass_of_digit[key >> 10 & (DIGITS - 1)] += (double)masses[found++];
    }
    uint32_t prefix = high << DIGIT_BITS | crossing_digit(mass_of_digit, target, &above);

    memset(mass_of_digit, 0, sizeof mass_of_digit);
    for (uint32_t i = 0; i < found; i++) {
        if (keys[i] >> 10 != prefix) continue;
        mass_of_digit[keys[i] & 1023] += (double)masses[i];
    }
    uint32_t low = crossing_digit(mass_of_digit, target, &above);

    uint32_t key = prefix << 10 | low;
    li_cut cut = {value_of(key), 0};
    for (uint32_t i = 0; i < found && above < target; i++) {
        if (keys[i] != key) continue;
        above += (double)masses[i];
        cut.ties++;
    }
    return cut;
}

static void radix_pass(const uint32_t *from_ids, const float *from_values, uint32_t count, uint32_t shift,
                       uint32_t *to_ids, float *to_values)
{
    uint32_t place[DIGITS] = {0};
    for (uint32_t i = 0; i < count; i++) place[~key_of(from_values[i]) >> shift & (DIGITS - 1)]++;
    uint32_t next = 0;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t size = place[digit];
        place[digit] = next;
        next += size;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = place[~key_of(from_values[i]) >> shift & (DIGITS - 1)]++;
        if (to_ids) to_ids[to] = from_ids[i];
        to_values[to] = from_values[i];
    }
}

void li_select_order(uint32_t *ids, float *values, uint32_t count, uint32_t *scratch_ids, float *scratch_values)
{
    // Each pass is stable, so equal logits stay by ascending id.
    radix_pass(ids, values, count, 0, scratch_ids, scratch_values);
    radix_pass(scratch_ids, scratch_values, count, DIGIT_BITS, ids, values);
    radix_pass(ids, values, count, 2 * DIGIT_BITS, scratch_ids, scratch_values);
    if (ids) memcpy(ids, scratch_ids, count * sizeof *ids);
    memcpy(values, scratch_values, count * sizeof *values);
}
