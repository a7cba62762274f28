// The gated delta net of Qwen3.5, in the place of attention: a state of one matrix for each head, which every row reads
// and corrects.
#ifndef LI_DELTA_NET_H
#define LI_DELTA_NET_H

#include "model/model.h"

// Writes what the block of a layer adds to the rows (count) of the residual stream to scratch.delta. The states of the
// sequences must be their own. Adds the rows to the states but for their `settled`, which counts for all layers.
void li_delta_net(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count);

#endif
