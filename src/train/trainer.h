// A transformer that learns: its weights, what a pass over one sequence keeps, and the optimiser's state.
#ifndef LI_TRAINER_H
#define LI_TRAINER_H

#include "lastinch.h"

#define LI_TRAIN_LAYERS 8u // the most

// The weights of a layer, each row of a matrix the weights of one output.
typedef struct li_train_layer {
    float *mixed;      // (3 * dim, dim) queries, keys, values
    float *out;        // (dim, dim)
    float *gates;      // (2 * hidden, dim) gates, values
    float *down;       // (dim, hidden)
    float *norm;       // (dim)
    float *gated_norm; // (dim)
} li_train_layer;

// Views of one array: the embedding, the matrices of each layer in the order above, the norms of each layer, the last.
typedef struct li_train_weights {
    float *embedding; // (padded vocabulary, dim); the head too
    li_train_layer layers[LI_TRAIN_LAYERS];
    float *norm; // (dim)
} li_train_weights;

// What a layer keeps of one sequence for its backward pass.
typedef struct li_train_trace {
    float *input;        // (context, dim)
    float *normed;       // (context, dim)
    float *scales;       // (context)
    float *mixed;        // (context, 3 * dim) with queries and keys turned
    float *shares;       // (heads, context, context)
    float *attended;     // (context, dim)
    float *middle;       // (context, dim) after attention
    float *gated_normed; // (context, dim)
    float *gated_scales; // (context)
    float *gates;        // (context, 2 * hidden)
    float *gated;        // (context, hidden)
} li_train_trace;

struct li_trainer {
    li_trainer_shape shape;
    uint64_t seed;
    uint32_t head_dim, padded;           // padded: the vocabulary, rounded up to a multiple of 4
    uint32_t steps;                      // that were taken
    uint32_t weight_count, matrix_count; // norms follow the matrices
    uint16_t *text;                      // (length)
    size_t length, learned;              // learned: tokens at the beginning that steps read; the rest is held out

    float *memory;                                                    // all of the following
    float *values, *gradient_values, *first_moments, *second_moments; // (weight_count) each
    li_train_weights weights, gradients, transposed;                  // of transposed: matrices only
    li_train_trace traces[LI_TRAIN_LAYERS];
    float *output, *normed, *scales; // (context, dim), (context, dim), (context): of the last norm
    float *logits;                   // (context, padded)
    float *stream;                   // (context, dim) the gradient by the residual stream
    float *wide, *narrow;            // (context, the widest of a layer), (context, dim) gradients inside a layer
    float *turned, *square;          // (head_dim, context), (context, context) scratch of attention
    float *turns, *turns_back;       // (context, head_dim) cosines and sines of the positions, and of their negatives
};

// Runs one sequence (context) and writes trainer->logits. The transposed weights must be those of the weights.
void li_trainer_forward(li_trainer *trainer, const uint16_t *tokens);
// After li_trainer_forward: logits hold the gradient by the logits. Adds to the gradients.
void li_trainer_backward(li_trainer *trainer, const uint16_t *tokens);
// Writes the transposed weights.
void li_trainer_transpose(li_trainer *trainer);
// The mean loss of the step's batch; adds its gradients to trainer->gradients, which it clears first.
double li_trainer_differentiate(li_trainer *trainer);

// One step of AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019) over all weights, after the
// gradients were scaled down to a norm of 1 if theirs is larger.
void li_trainer_update(li_trainer *trainer, float learning_rate);

#endif
