// Vector operations between the matrix products. Sums are computed in four lanes, which are added in order.
#ifndef LI_VECTOR_H
#define LI_VECTOR_H

#include <stdint.h>

// out[i] = x[i] * weight[i] / sqrt(mean of x^2 + epsilon); all (count).
void li_vector_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon);
// x[i] += y[i]; both (count).
void li_vector_add(float *x, const float *y, uint32_t count);
// x[i] *= y[i]; both (count).
void li_vector_multiply(float *x, const float *y, uint32_t count);
// out[i] = x[i] - mean of x; both (count).
void li_vector_centre(float *out, const float *x, uint32_t count);
// x[i] = GELU of x[i], approximated by tanh (Hendrycks and Gimpel, "Gaussian error linear units", 2016), for i < count.
void li_vector_gelu(float *x, uint32_t count);
// x[i] = tanh x[i], for i < count; the error is below 2^-22.
void li_vector_tanh(float *x, uint32_t count);
// out[i] = silu(gate[i]) * up[i]; all (count).
void li_vector_swiglu(float *out, const float *gate, const float *up, uint32_t count);
// x[i] = x[i] / (1 + e^-x[i]), for i < count.
void li_vector_silu(float *x, uint32_t count);
// x[i] /= 1 + e^-gate[i]; both (count).
void li_vector_gate(float *x, const float *gate, uint32_t count);
// x[i] /= sqrt(sum of x^2 + epsilon), for i < count.
void li_vector_unit(float *x, uint32_t count, float epsilon);
// x[i] *= factor, for i < count.
void li_vector_scale(float *x, uint32_t count, float factor);

#endif
