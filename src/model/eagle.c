// EAGLE-3: one layer of its own file drafts for a model, its target (Li et al., "EAGLE-3: scaling up inference
// acceleration of large language models via training-time test", 2025). At a position it reads a feature, which is a
// product of three of the target's hidden states there, and the token that comes next, and predicts the token after
// that one. To predict a further token it reads its own output in place of the feature. Keys, tensors and order of the
// inputs are llama.cpp's (`eagle3`). It is a model of one layer, with sequences, rows and branches of its own, which
// forward.c passes.
#include "model/eagle.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/draft.h"
#include "model/layer.h"
#include "model/multiply.h"

li_status li_eagle_attach(li_model *model, const li_model *target)
{
    const li_model_config *own = &model->config, *theirs = &target->config;
    // Without matrices of its own it is as wide as its target.
    const bool shares = own->tied || !model->weights.embedding.rows;
    if (!model->is_ready || !target->is_ready || model->graph.features != LI_EAGLE_TAPS * theirs->dim ||
        own->vocab_size != theirs->vocab_size || (shares && own->dim != theirs->dim))
        return LI_ERROR_BAD_ARGUMENT;
    model->features = li_memory_alloc((size_t)LI_ROWS_LIMIT * own->dim * sizeof(float));
    if (!model->features) return LI_ERROR_OUT_OF_MEMORY;
    model->target = target;
    // Tokens beyond this are never guessed (see draft.h): rows of logits end there.
    if (model->output_size > LI_DRAFT_VOCABULARY) model->output_size = LI_DRAFT_VOCABULARY;
    return LI_OK;
}

float *li_eagle_features(li_model *model)
{
    return model->features;
}

void li_eagle_fuse(li_model *model, const float *states, uint32_t row, uint32_t count)
{
    LI_ASSERT(model->target && count && count <= LI_EAGLE_FUSED && row + count <= LI_ROWS_LIMIT);
    li_input *input = li_layer_next_input(model, model->graph.features);
    memcpy(input->values, states, (size_t)count * model->graph.features * sizeof(float));
    li_matrix_multiply(&model->weights.fusion, input, count, model->features + (size_t)row * model->config.dim);
}

void li_eagle_embed(li_model *model, uint32_t place, uint32_t row)
{
    const size_t dim = model->config.dim;
    const li_matrix *own = &model->weights.embedding;
    li_matrix_get_row(own->rows ? own : &model->target->weights.embedding, model->rows[row].token,
                      model->scratch.delta + place * dim);
    memcpy(model->scratch.hidden + place * dim, model->features + row * dim, dim * sizeof(float));
}

void li_eagle_choices(const li_model *model, const float *logits, uint32_t width, uint32_t *into)
{
    LI_ASSERT(width <= model->output_size);
    li_draft_choices(logits, model->output_size, width, into);
}
