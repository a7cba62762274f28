// The softmax without its division: weights e^((value - peak) / temperature) and their sums. Sums are taken in float64,
// 64 weights at a time in a fixed lane order: every build adds the same numbers in the same order, and a
// draw can pass over whole blocks.
#ifndef LI_SOFTMAX_H
#define LI_SOFTMAX_H

#include <stdint.h>

#define LI_SOFTMAX_BLOCK 64u

// Fills weights (count) and returns their sum. temperature > 0; weights are within 2e-7 relative.
double li_softmax_weigh(const float *values, uint32_t count, float peak, double temperature, float *weights);
double li_softmax_sum(const float *weights, uint32_t count);
// Index of the first weight at which the running sum exceeds `target` (0 <= target <= sum).
uint32_t li_softmax_find(const float *weights, uint32_t count, double target);

#endif
