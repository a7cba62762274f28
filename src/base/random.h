// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011). The seed is the key; stream, step, purpose and index are the counter, so two
// streams of one seed can never overlap and no draw depends on what was drawn before or beside it.
#ifndef LI_RANDOM_H
#define LI_RANDOM_H

#include <stdint.h>

typedef enum li_random_purpose {
    LI_RANDOM_DRAW = 0,     // the draw of a token
    LI_RANDOM_XTC = 1,      // whether XTC excludes in this step
    LI_RANDOM_GUMBEL = 2,   // the Gumbel-max draw: one number for each token id
    LI_RANDOM_DRAFT = 3,    // the draw of a draft's token
    LI_RANDOM_ACCEPT = 4,   // whether that is accepted
    LI_RANDOM_RESIDUAL = 5, // the draw in its place
} li_random_purpose;

// The block of Philox4x32-10 for `counter` (4 words) and `key` (2 words).
void li_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// A uniform number in [0, 1) of 53 bits. `seed` is a whole number below 2^53.
double li_random_uniform(uint64_t seed, uint32_t stream, uint32_t step, li_random_purpose purpose, uint32_t index);

#endif
