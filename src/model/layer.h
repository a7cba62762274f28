// One layer of the transformer: a mixer (attention, short convolution or delta net) and the feed-forward block.
#ifndef LI_LAYER_H
#define LI_LAYER_H

#include "model/model.h"

// Norms the first `count` rows of the residual stream into the input of the next product. Returns that input.
// A weight of length 0: no norm. A bias of length 0: no bias.
li_input *li_layer_norm(li_model *model, const li_vector *weight, const li_vector *bias, uint32_t count);

// The input of the next product, for `count` rows: the normed embedding (scratch.delta) of a row, then its normed state
// (scratch.hidden).
li_input *li_layer_join(li_model *model, const li_vector *embedding_norm, const li_vector *state_norm, uint32_t count);

// The input of the next product. The caller writes its `columns`.
li_input *li_layer_next_input(li_model *model, uint32_t columns);

// Writes the cosines and sines of a position to the scratch, as those of row `row` of a batch.
void li_layer_set_turns(li_model *model, uint32_t row, uint32_t position);

// Writes queries, keys and values of the rows (count) of the residual stream to the scratch, normed and rotated as
// attention reads them. The layer has attention, and the turns of the rows are set.
void li_layer_heads(li_model *model, uint32_t layer, uint32_t count);

// Passes the rows (count) of the residual stream through a layer, and writes their keys and values to the cache.
void li_layer_forward(li_model *model, uint32_t layer, const li_row *rows, uint32_t count);

#ifdef LI_THREADS
// Computes the products of a layer for one row of zeros, to find the fastest number of threads. Writes only scratch
// memory. The weights must be loaded.
void li_layer_try_products(li_model *model, uint32_t layer);
#endif

#endif
