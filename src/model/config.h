// The configuration that a file's metadata describes.
#ifndef LI_CONFIG_H
#define LI_CONFIG_H

#include "lastinch.h"
#include "model/families.h"
#include "model/rope.h"

// What the metadata say of the arithmetic besides li_model_config.
typedef struct li_graph {
    const li_family *family;
    float score_scale; // of the products of queries and keys; times log2(e), because the softmax uses powers of two
    li_rope_scaling rope;
} li_graph;

// Reads and checks the metadata. vocab_size and tied come from the tensors, context_length and cache_type from the
// caller of li_model_create. An error sets the fault of the gguf.
li_status li_config_read(li_gguf *gguf, li_model_config *config, li_graph *graph);

#endif
