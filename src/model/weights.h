// The weights of a model, and which tensors of a file they come from.
#ifndef LI_WEIGHTS_H
#define LI_WEIGHTS_H

#include "lastinch.h"
#include "model/matrix.h"

typedef struct li_vector {
    li_weight_type type; // in the file: F32, F16 or BF16
    uint32_t length;
    float *values; // (length)
} li_vector;

// dim: width of the residual stream; query_dim = heads * head_dim; kv_dim = kv_heads * head_dim.
typedef struct li_layer {
    li_vector attention_norm;   // (dim)
    li_matrix query;            // (query_dim, dim)
    li_matrix key;              // (kv_dim, dim)
    li_matrix value;            // (kv_dim, dim)
    li_matrix attention_output; // (dim, query_dim)
    li_vector ffn_norm;         // (dim)
    li_matrix gate;             // (hidden_dim, dim)
    li_matrix up;               // (hidden_dim, dim)
    li_matrix down;             // (dim, hidden_dim)
} li_layer;

typedef struct li_weights {
    li_matrix embedding;   // (vocab_size, dim); looked up, unless tied to the output
    li_vector output_norm; // (dim)
    li_matrix output;      // (vocab_size, dim); no rows if tied to the embedding
    uint32_t layer_count;
    li_layer *layers; // (layer_count)
} li_weights;

// Binds every tensor of the file to a weight and checks types and shapes (bind.c). Takes memory for the tables of
// layers and arrivals only.
li_status li_weights_bind(li_model *model, const li_gguf *gguf);
// Bytes of all bound weights and of the loader's staging.
uint64_t li_weights_size(const li_model *model);
// Takes memory for the bound weights. False: no memory; li_weights_destroy frees what was taken.
bool li_weights_create(li_model *model);
void li_weights_destroy(li_model *model);

#endif
