// A model in memory: configuration, weights, cache and the buffers of a forward pass.
#ifndef LI_MODEL_H
#define LI_MODEL_H

#include "lastinch.h"
#include "model/cache.h"
#include "model/config.h"
#include "model/load.h"
#include "model/model_scratch.h"
#include "model/states.h"
#include "model/weights.h"

#define LI_MEMORY_LIMIT UINT64_C(0xe0000000) // bytes of one model, for 32-bit addresses

struct li_model {
    li_model_config config;
    li_graph graph;
    uint32_t query_width, key_width, value_width; // of all heads of a row
    uint32_t query_rows;                          // of the query matrix: query_width, or with gates twice that
    uint32_t mix_width;                           // of the attention output of all heads
    uint32_t output_size;                         // of a row of logits: vocab_size, except in a layer of eagle.c
    uint32_t convolutions;                        // layers with a short convolution
    uint32_t window_layers;                       // layers with sliding-window attention
    uint32_t mixed_width, inner_width;            // of a delta net: queries, keys and values; only values
    bool is_ready;                                // every weight has arrived
    bool has_long_rope;                           // the rotary positions are those of a long context
    uint64_t file_hash;                           // of the header and the tensor data
    li_weights weights;
    li_loader loader;
    li_cache cache, window_cache; // the second of sliding-window layers; unused where there are none
    li_states states;
    li_model_scratch scratch;
    double *frequencies, *window_frequencies; // (rope_dim / 2); the second for sliding-window layers
    li_row rows[LI_ROWS_LIMIT];
    uint32_t tap_layers[LI_TAPS_LIMIT]; // (tap_count)
    uint32_t tap_count;
    float *taps;              // (tap_count, rows of the last forward, dim), with room for LI_ROWS_LIMIT rows
    const li_model *target;   // of a layer that drafts for another model (eagle.c): that model
    float *features;          // (LI_ROWS_LIMIT, dim) what such a layer reads; NULL: another model
    float *logits;            // (logits_capacity, vocab_size)
    uint32_t logits_capacity; // rows
};

// The matrix that gives logits: the model's own, or that of the model for which it drafts.
const li_matrix *li_model_output(const li_model *model);

// Reserves room for `length` positions of a sequence. False: no memory, and the sequence has not changed.
bool li_model_reserve(li_model *model, uint32_t sequence, uint32_t length);

// Computes the frequencies of the rotary positions, and sets has_long_rope. The weights must be loaded.
// LI_ERROR_MODEL_WEIGHTS: a divisor is too small.
li_status li_model_set_rope(li_model *model);

#endif
