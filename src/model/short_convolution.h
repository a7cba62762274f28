// The short convolution of LFM2, in the place of attention: over the last positions, for each channel by itself.
#ifndef LI_SHORT_CONVOLUTION_H
#define LI_SHORT_CONVOLUTION_H

#include "model/model.h"

// Writes what the block of a layer adds to the rows (count) of the residual stream to scratch.delta.
void li_short_convolution(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count);

#endif
