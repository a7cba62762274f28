// The weights of a model, and which tensors of a file they come from.
#ifndef LI_WEIGHTS_H
#define LI_WEIGHTS_H

#include "lastinch.h"
#include "model/config.h"
#include "model/gguf.h"
#include "model/matrix.h"

typedef struct li_vector {
    li_weight_type type; // in the file: F32, F16 or BF16
    uint32_t length;
    float *values; // (length)
} li_vector;

// dim: width of the residual stream; the other widths: model.h. A bias or norm that the file lacks has length 0.
typedef struct li_layer {
    li_vector attention_norm, attention_norm_bias; // (dim)
    li_matrix query; // (query_rows, dim) where attention is gated, the rows of each head come before those of its gate
    li_matrix key;   // (key_width, dim)
    li_matrix value; // (value_width, dim)
    li_vector query_bias, key_bias, value_bias; // as wide as their products
    li_vector query_norm, key_norm;             // (head_dim), or as wide as the product
    li_mixer mixer;
    uint32_t place; // index among the layers with the same mixer, in their cache or in the states
    // Of a short convolution: (dim, dim) the gate before, the gate after, and the input. The gate after is
    // (inner_width, dim) in a delta net.
    li_matrix in_gate, out_gate, convolved;
    li_vector taps;             // (dim or mixed_width, taps) the oldest position first
    li_matrix mixed;            // (mixed_width, dim) queries, keys and values of a delta net, before its convolution
    li_matrix beta, alpha;      // (delta_heads, dim) write strength, and the exponent of the decay
    li_vector alpha_bias;       // (delta_heads)
    li_vector decay;            // (delta_heads) negative factors of the exponent
    li_vector mixer_norm;       // (delta_width) of each head of the output
    li_matrix mixer_output;     // (dim, dim or inner_width) of a short convolution or a delta net
    li_matrix attention_output; // (dim, mix_width)
    li_vector attention_output_bias, gate_bias, up_bias, down_bias;
    li_vector attention_post_norm;     // (dim) of the output
    li_vector ffn_norm, ffn_norm_bias; // (dim)
    li_matrix gate;                    // (hidden_dim, dim); no rows if nothing is gated
    li_matrix up;                      // (hidden_dim, dim)
    li_matrix down;                    // (dim, hidden_dim)
    li_vector ffn_post_norm;           // (dim) of the output
    // Of the block that predicts a later token. Layers of eagle.c have a state_norm too.
    li_matrix joint;                         // (dim, 2 dim) of an embedding and a state of the last layer
    li_vector embedding_norm, state_norm;    // (dim) of the two
    li_vector draft_norm;                    // (dim) of the output; length 0: output_norm
    li_matrix draft_embedding, draft_output; // (vocab_size, dim); no rows: the model's own
} li_layer;

typedef struct li_weights {
    li_matrix embedding;                     // (vocab_size, dim); looked up, unless tied to the output
    li_matrix positions;                     // (trained_length, dim); no rows if they are not learned
    li_vector output_norm, output_norm_bias; // (dim)
    li_matrix output;                        // (vocab_size, dim); no rows if tied to the embedding
    li_matrix fusion;                        // (dim, features) of a layer that drafts for another model
    li_vector rope_divisors, long_rope_divisors, short_rope_divisors; // (rope_dim / 2), or length 0
    uint32_t layer_count;
    li_layer *layers; // (layer_count) the last predicts a later token where config.drafts is 1
} li_weights;

// Binds every tensor of the file to a weight and checks types and shapes (bind.c). Takes memory only for the tables of
// layers and arrivals. An error sets the fault of the gguf.
li_status li_weights_bind(li_model *model, li_gguf *gguf);
// Whether a tensor has the shape (rows, columns) and a known type, which is not quantised if `is_plain`. An error sets
// the fault of the gguf.
li_status li_tensor_check(li_gguf *gguf, const li_gguf_tensor *tensor, bool is_plain, uint64_t columns, uint64_t rows);
// Bytes of all bound weights and of the loader's staging.
uint64_t li_weights_size(const li_model *model);
// Takes memory for the bound weights. False: no memory; the caller calls li_weights_destroy.
bool li_weights_create(li_model *model);
void li_weights_destroy(li_model *model);

#endif
