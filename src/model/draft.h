// The block that predicts later tokens. Public functions: lastinch.h.
#ifndef LI_DRAFT_H
#define LI_DRAFT_H

#include "model/model.h"

// The state (dim) of a slot after the final norm, which the block reads with the next token.
LI_INLINE float *li_draft_state(const li_model *model, uint32_t slot)
{
    return li_cache_convolution(&model->cache, model->convolutions, slot);
}

// The output matrix of a drafter: the first rows of a matrix. All rows of a large vocabulary would take several times
// as long as the rest of the drafter. Ids follow the order of merges, so low ids are frequent tokens (Zhao et al.,
// "FR-Spec", 2025, choose tokens by their counts).
li_matrix li_draft_output(const li_matrix *matrix);

// Writes the ids of the `width` largest of row (length), the largest first. NaN counts as the least.
void li_draft_choices(const float *row, uint32_t length, uint32_t width, uint32_t *ids);

#endif
