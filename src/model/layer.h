// One layer of the transformer: a mixer (attention, short convolution or delta net) and the feed-forward block.
#ifndef LI_LAYER_H
#define LI_LAYER_H

#include "model/model.h"

// Norms the first `count` rows of the residual stream into the input of the next product. Returns that input.
// A weight of length 0: no norm. A bias of length 0: no bias.
li_input *li_layer_norm(li_model *model, const li_vector *weight, const li_vector *bias, uint32_t count);

// The input of the next product. The caller writes its `columns`.
li_input *li_layer_next_input(li_model *model, uint32_t columns);

// Passes the rows (count) of the residual stream through a layer, and writes their keys and values to the cache.
void li_layer_forward(li_model *model, uint32_t layer, const li_row *rows, uint32_t count);

#ifdef LI_THREADS
// Computes the products of a layer for one row of zeros, to find the fastest number of threads. Writes only scratch
// memory. The weights must be loaded.
void li_layer_try_products(li_model *model, uint32_t layer);
#endif

#endif
