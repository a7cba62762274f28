// A model in memory: its weights, its cache and the buffers that a forward pass works in.
#ifndef LI_MODEL_H
#define LI_MODEL_H

#include "lastinch.h"
#include "model/cache.h"
#include "model/gguf.h"
#include "model/multiply.h"

// Rows that go through the layers together: more share each weight further, but their buffers must be little beside
// the weights: at most a thirty-second part, where that is enough for these.
#define LI_BATCH_MIN    16u
#define LI_MEMORY_LIMIT UINT64_C(0xe0000000) // bytes of one model, so that 32-bit addresses suffice

typedef struct li_vector {
    li_weight_type type; // in the file: F32 or F16
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
    li_matrix embedding;   // (vocab_size, dim)
    li_vector output_norm; // (dim)
    li_matrix output;      // (vocab_size, dim); no rows when the embedding serves for it
    uint32_t layer_count;
    li_layer *layers; // (layer_count)
} li_weights;

// Where the next bytes of tensor data go.
typedef struct li_arrival {
    uint64_t offset;   // of the tensor in the tensor data
    li_matrix *matrix; // one of these two, the other is NULL
    li_vector *vector;
} li_arrival;

typedef struct li_loader {
    uint32_t count, current;
    uint32_t next_row;    // of the current matrix
    uint64_t position;    // in the tensor data
    li_status status;     // the first error; later bytes are refused with it
    li_arrival *arrivals; // (count) by offset
    uint8_t *staging;     // (the largest group of LI_TILE_ROWS rows in the file) rows that are not complete yet
    size_t staged;        // bytes in it
} li_loader;

typedef struct li_model_scratch {
    uint32_t batch; // rows that go through the layers together, from LI_BATCH_MIN to LI_ROWS_LIMIT
    float *hidden;  // (batch, dim) the residual stream
    float *delta;   // (batch, dim) what a block adds to it
    float *queries; // (batch, query_dim)
    float *keys;    // (batch, kv_dim)
    float *values;  // (batch, kv_dim)
    float *gate;    // (batch, hidden_dim)
    float *up;      // (batch, hidden_dim)
    float *turns;   // (batch, rope_dim) cosines and sines
    float *scores;  // (heads, score_stride)
    uint32_t score_stride;
    uint32_t slots[LI_ROWS_LIMIT]; // of the rows being computed
    li_input input;                // (batch, the largest of dim, query_dim and hidden_dim) of the next product
} li_model_scratch;

struct li_model {
    li_model_config config;
    uint32_t query_dim, kv_dim;
    bool is_ready; // every weight has arrived
    li_weights weights;
    li_loader loader;
    li_cache cache;
    li_model_scratch scratch;
    double *frequencies; // (rope_dim / 2)
    li_row rows[LI_ROWS_LIMIT];
    uint32_t tap_layers[LI_TAPS_LIMIT]; // (tap_count)
    uint32_t tap_count;
    float *taps;              // (tap_count, rows of the last forward, dim), with room for LI_ROWS_LIMIT rows
    float *logits;            // (logits_capacity, vocab_size)
    uint32_t logits_capacity; // rows
};

// Reads and checks the configuration. vocab_size and tied come from the tensors.
li_status li_config_read(const li_gguf *gguf, li_model_config *config);

// Finds a place for every tensor of the file and checks types and shapes; takes memory for the tables of
// layers and arrivals only. li_weights_create takes it for the weights.
li_status li_weights_bind(li_model *model, const li_gguf *gguf);
uint64_t li_weights_size(const li_model *model);
bool li_weights_create(li_model *model);
void li_weights_destroy(li_model *model);

// One layer's attention of all rows of a batch, each over its sequence up to itself.
typedef struct li_attention {
    const li_model *model;
    const li_row *rows; // (count)
    uint32_t count;
    const float *queries;       // (count, query_dim)
    const float *keys, *values; // (kv_heads, slots, head_dim) of the layer
    float *out;                 // (count, query_dim)
} li_attention;

void li_attend(const li_attention *attention);

#endif
