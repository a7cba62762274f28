// What stands between the matrix products of a transformer, forward and backward. A backward function takes the
// gradient of the loss by the output and gives that by the inputs. Rows lie one after the other. Widths are multiples
// of 4. Arrays of one call do not overlap unless they are the same.
#ifndef LI_GRADIENTS_H
#define LI_GRADIENTS_H

#include <stdint.h>

// RMS norm (Zhang and Sennrich, "Root mean square layer normalization", 2019) of rows of `width`.
typedef struct li_norm {
    uint32_t rows, width;
    const float *x;      // (rows, width)
    const float *weight; // (width)
    float *scales;       // (rows) 1 / sqrt(mean of x^2 + LI_TRAIN_EPSILON): forward writes them, backward reads them
} li_norm;

#define LI_TRAIN_EPSILON 1e-5f

// out (rows, width) = x * scale * weight.
void li_norm_forward(const li_norm *norm, float *out);
// x_gradient (rows, width) and weight_gradient (width) are added to. out_gradient: (rows, width).
void li_norm_backward(const li_norm *norm, const float *out_gradient, float *x_gradient, float *weight_gradient);

// Causal attention of one sequence. A row of `mixed` has queries, keys and values of all heads, 3 * heads * head_dim
// floats; queries and keys are turned already.
typedef struct li_causal {
    uint32_t rows, heads, head_dim; // rows: a multiple of 16
    const float *mixed;             // (rows, 3 * heads * head_dim)
    float *shares;                  // (heads, rows, rows) softmax: forward writes them, backward reads them
    float *turned;                  // (head_dim, rows) scratch
    float *square;                  // (rows, rows) scratch
} li_causal;

// out: (rows, heads * head_dim).
void li_causal_forward(const li_causal *attention, float *out);
// mixed_gradient: as `mixed`, overwritten.
void li_causal_backward(const li_causal *attention, const float *out_gradient, float *mixed_gradient);

// SwiGLU (Shazeer, "GLU variants improve transformer", 2020) of rows of `width` gates followed by `width` values:
// out (rows, width) = silu(gate) * value.
void li_gated_forward(float *out, const float *both, uint32_t rows, uint32_t width);
// both_gradient: as `both`, overwritten.
void li_gated_backward(float *both_gradient, const float *both, const float *out_gradient, uint32_t rows,
                       uint32_t width);

// Replaces logits (rows, width) by the gradient of `factor` times the sum over rows of -ln softmax(logits)[target], and
// returns that sum without the factor. Of each row the first `count` logits count.
typedef struct li_targets {
    uint32_t rows, width, count;
    const uint16_t *targets; // (rows)
    float factor;
} li_targets;

double li_cross_entropy(const li_targets *targets, float *logits);

#endif
