// Rotary positions (Su et al., "RoFormer", 2021): rotates pair i of a head by position * base^(-2i / rope_dim), where
// scaling may divide the angle.
#ifndef LI_ROPE_H
#define LI_ROPE_H

#include <stdbool.h>
#include <stdint.h>

// The least divisor of an angle. Positions stay below 2^24, and a factor and a table may both divide an angle: its
// quarter turns must fit 32 bits.
#define LI_ROPE_DIVISOR_MIN 0.0625

// Linear scaling divides all angles by `factor`. YaRN (Peng et al., 2023) divides only those of low frequencies: of
// pairs that turn fewer than beta_slow times within original_length, and in part up to beta_fast times.
typedef struct li_rope_scaling {
    uint32_t pairs; // rope_dim / 2
    bool is_yarn;
    bool is_long; // one table of divisors for contexts up to original_length, another for longer contexts
    uint32_t original_length;
    double base;
    double factor;
    double magnitude;     // of all cosines and sines
    double extrapolation; // YaRN: the share by which high frequencies keep their angles
    double beta_fast, beta_slow;
} li_rope_scaling;

// Writes frequencies (pairs): the angle of each pair from one position to the next, in radians. `divisors` (pairs) of
// the angles, or NULL.
void li_rope_frequencies(double *frequencies, const li_rope_scaling *scaling, const float *divisors);
// Writes turns (pairs, 2): cosine and sine of each pair's angle at `position` (below 2^24), times `magnitude`.
void li_rope_turns(const double *frequencies, uint32_t pairs, uint32_t position, double magnitude, float *turns);
// Rotates the first 2 * pairs numbers of each head, in place; heads (count, head_dim). Pair i: numbers i and i + pairs
// with `halves`, else 2i and 2i + 1.
void li_rope_apply(float *heads, uint32_t count, uint32_t head_dim, const float *turns, uint32_t pairs, bool halves);

#endif
