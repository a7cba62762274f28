// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011). The seed is the key; step, stream, purpose and index are the counter. Two streams of one seed never
// overlap, and no number depends on the numbers drawn before.
#ifndef LI_RANDOM_H
#define LI_RANDOM_H

#include <stdint.h>

typedef enum li_random_purpose {
    LI_RANDOM_DRAW = 0,     // the draw of a token
    LI_RANDOM_XTC = 1,      // whether XTC excludes in this step
    LI_RANDOM_GUMBEL = 2,   // the Gumbel-max draw: one number for each token id
    LI_RANDOM_DRAFT = 3,    // the draw of a draft's token
    LI_RANDOM_ACCEPT = 4,   // whether the draft's token is accepted
    LI_RANDOM_RESIDUAL = 5, // the draw in place of a rejected token
    LI_RANDOM_WINDOW = 6,   // where a sequence of a training batch begins
    LI_RANDOM_WEIGHT = 7,   // a weight before training
} li_random_purpose;

// The Philox4x32-10 block of `counter` (4 words) under `key` (2 words), to `out` (4 words).
void li_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// A uniform number in [0, 1) with 53 random bits: the first two words of the block of `counter` (4) under `key` (2).
double li_random_block_uniform(const uint32_t counter[4], const uint32_t key[2]);
// The same of a seed below 2^53.
double li_random_uniform(uint64_t seed, uint32_t stream, uint32_t step, li_random_purpose purpose, uint32_t index);

#endif
