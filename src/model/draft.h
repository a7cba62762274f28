// The block that predicts later tokens. Public functions: lastinch.h.
#ifndef LI_DRAFT_H
#define LI_DRAFT_H

#include "model/model.h"

// The state (dim) of a slot after the final norm, which the block reads with the next token.
LI_INLINE float *li_draft_state(const li_model *model, uint32_t slot)
{
    return li_cache_convolution(&model->cache, model->convolutions, slot);
}

#endif
