// Rotary positions on adjacent pairs (Su et al., "RoFormer", 2021): rotates pair i of a head by position * base^(-2i /
// rope_dim).
#ifndef LI_ROPE_H
#define LI_ROPE_H

#include <stdint.h>

// Writes frequencies (pairs): the angle of each pair from one position to the next, in radians.
void li_rope_frequencies(double *frequencies, uint32_t pairs, double base);
// Writes turns (pairs, 2): cosine and sine of each pair's angle at `position` (below 2^24).
void li_rope_turns(const double *frequencies, uint32_t pairs, uint32_t position, float *turns);
// Rotates the first 2 * pairs numbers of each head, in place; heads (count, head_dim).
void li_rope_apply(float *heads, uint32_t count, uint32_t head_dim, const float *turns, uint32_t pairs);

#endif
