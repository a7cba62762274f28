// The gated delta net of Qwen3.5 replaces attention: each head has a matrix as its state, which every row updates and
// reads.
#ifndef LI_DELTA_NET_H
#define LI_DELTA_NET_H

#include "model/model.h"

// Writes the output of the block, to be added to the residual stream (count rows), to scratch.delta. Updates the
// layer's part of the states, which no other sequence may share. The caller updates `settled` after the last layer.
void li_delta_net(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count);

#endif
