// The layer that drafts for another model. Public functions: lastinch.h.
#ifndef LI_EAGLE_H
#define LI_EAGLE_H

#include "model/model.h"

// Writes what row `row` of the call reads to the scratch, as place `place` of a batch: the embedding of its token and
// its feature.
void li_eagle_embed(li_model *model, uint32_t place, uint32_t row);

#endif
