// The short convolution of LFM2 replaces attention: a depthwise convolution over the last positions.
#ifndef LI_SHORT_CONVOLUTION_H
#define LI_SHORT_CONVOLUTION_H

#include "model/model.h"

// Writes the output of the block, to be added to the residual stream (count rows), to scratch.delta.
void li_short_convolution(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count);

#endif
