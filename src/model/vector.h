// Vector operations between the matrix products. Sums are computed in four lanes, which are added in order.
#ifndef LI_VECTOR_H
#define LI_VECTOR_H

#include <stdint.h>

// out[i] = x[i] * weight[i] / sqrt(mean of x^2 + epsilon); all (count).
void li_vector_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon);
// x[i] += y[i]; both (count).
void li_vector_add(float *x, const float *y, uint32_t count);
// out[i] = silu(gate[i]) * up[i]; all (count).
void li_vector_swiglu(float *out, const float *gate, const float *up, uint32_t count);
// x[i] *= factor, for i < count, a multiple of 4.
void li_vector_scale(float *x, uint32_t count, float factor);
// x[i] = 2^((x[i] - max x) * scale), for i < count. Returns the sum of the results; the caller divides. x has room for
// `count` rounded up to a multiple of 4 and becomes 0 beyond `count`.
float li_vector_softmax(float *x, uint32_t count, float scale);

#endif
