// Multi-token prediction: one more layer reads a token together with the model's state at the position before, and
// predicts the token after that one. To predict a further token, the layer reads its own output in place of the state.
// Source: DeepSeek-AI, "DeepSeek-V3 technical report", 2024; the order of the inputs, and zeros for the state before
// the text, are llama.cpp's. The keys and values of the layer and the states lie in the slots of the sequence, so that
// texts share and cut them as they do those of other layers.
#include "model/draft.h"

#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "model/layer.h"
#include "model/multiply.h"
#include "model/vector.h"

li_matrix li_draft_output(const li_matrix *matrix)
{
    li_matrix first = *matrix;
    if (first.rows > LI_DRAFT_VOCABULARY) first.rows = LI_DRAFT_VOCABULARY;
    return first;
}

void li_draft_choices(const float *row, uint32_t length, uint32_t width, uint32_t *ids)
{
    LI_ASSERT(width && width <= LI_GUESSES_LIMIT && width <= length);
    float largest[LI_GUESSES_LIMIT];
    for (uint32_t i = 0; i < width; i++) {
        largest[i] = -__builtin_inff();
        ids[i] = i;
    }
    for (uint32_t id = 0; id < length; id++) {
        if (!(row[id] > largest[width - 1])) continue;
        uint32_t at = width - 1;
        for (; at && row[id] > largest[at - 1]; at--) {
            largest[at] = largest[at - 1];
            ids[at] = ids[at - 1];
        }
        largest[at] = row[id];
        ids[at] = id;
    }
}

static li_status check_rows(const li_model *model, uint32_t count, uint32_t wanted)
{
    const li_cache *cache = &model->cache;
    const li_row *rows = model->rows;
    if (!model->config.drafts || count < 1 || count > LI_ROWS_LIMIT || wanted > LI_ROWS_TENTATIVE)
        return LI_ERROR_BAD_ARGUMENT;
    if (rows->sequence >= cache->sequences) return LI_ERROR_MODEL_ROWS;
    const li_sequence *table = &cache->tables[rows->sequence];
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].token >= model->config.vocab_size || rows[i].sequence != rows->sequence) return LI_ERROR_MODEL_ROWS;
        if (rows[i].position != table->read + i) return LI_ERROR_MODEL_ROWS;
    }
    const uint32_t end = table->read + count;
    if (wanted ? end != table->length + 1 : end > table->length) return LI_ERROR_MODEL_ROWS;
    if (wanted > cache->unused_count || wanted > cache->positions - table->length) return LI_ERROR_MODEL_CONTEXT_FULL;
    return LI_OK;
}

// Passes rows (count, of one batch) through the layer. Their slots are in the table of the sequence; the output is
// scratch.hidden.
static void pass_rows(li_model *model, const li_layer *layer, const li_row *rows, uint32_t count)
{
    LI_ASSERT(model->config.drafts && count && count <= model->scratch.batch);
    LI_ASSERT(rows[count - 1].position < model->cache.tables[rows->sequence].length);
    const li_model_config *config = &model->config;
    const size_t dim = config->dim;
    li_model_scratch *scratch = &model->scratch;
    const uint32_t *slots = li_cache_slots(&model->cache, rows->sequence);
    const li_matrix *embedding = layer->draft_embedding.rows ? &layer->draft_embedding : &model->weights.embedding;
    for (size_t i = 0; i < count; i++) {
        float *state = scratch->hidden + i * dim;
        li_matrix_get_row(embedding, rows[i].token, scratch->delta + i * dim);
        memset(state, 0, dim * sizeof(float));
        if (rows[i].position) memcpy(state, li_draft_state(model, slots[rows[i].position - 1]), dim * sizeof(float));
        li_layer_set_turns(model, (uint32_t)i, rows[i].position);
        scratch->slots[i] = slots[rows[i].position];
    }
    li_input *input = li_layer_join(model, &layer->embedding_norm, &layer->state_norm, count);
    li_matrix_multiply(&layer->joint, input, count, scratch->hidden);
    li_layer_forward(model, config->layers, rows, count);
}

// Returns the likeliest token by the layer's output for a row (dim). The output becomes the state of the row.
static uint32_t predict(li_model *model, const li_layer *layer, const li_row *row, const float *output)
{
    LI_ASSERT(row->position < model->cache.tables[row->sequence].length);
    const li_weights *weights = &model->weights;
    const size_t size = model->config.dim * sizeof(float);
    memmove(model->scratch.hidden, output, size);
    const li_vector *norm = layer->draft_norm.length ? &layer->draft_norm : &weights->output_norm;
    li_input *input = li_layer_norm(model, norm, &weights->output_norm_bias, 1);
    memcpy(li_draft_state(model, li_cache_slots(&model->cache, row->sequence)[row->position]), input->values, size);
    const li_matrix matrix = li_draft_output(layer->draft_output.rows ? &layer->draft_output : li_model_output(model));
    LI_ASSERT(!matrix.is_looked_up && matrix.rows);
    li_matrix_multiply(&matrix, input, 1, model->logits);
    uint32_t best;
    li_draft_choices(model->logits, matrix.rows, 1, &best);
    return best;
}

li_status li_model_draft(li_model *model, uint32_t count, uint32_t wanted, uint32_t *into)
{
    if (!model->is_ready) return LI_ERROR_MODEL_INCOMPLETE;
    li_status status = check_rows(model, count, wanted);
    if (status != LI_OK) return status;
    li_cache *cache = &model->cache;
    const uint32_t sequence = model->rows->sequence, batch = model->scratch.batch;
    const uint32_t length = li_sequence_length(model, sequence);
    if (!li_cache_reserve(cache, sequence, length + wanted) || !li_cache_take_pages(cache, wanted))
        return LI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < wanted; i++) li_cache_append(cache, sequence);
    const li_layer *layer = &model->weights.layers[model->config.layers];
    uint32_t rows = 0;
    for (uint32_t first = 0; first < count; first += batch) {
        rows = count - first < batch ? count - first : batch;
        pass_rows(model, layer, model->rows + first, rows);
    }
    li_row row = model->rows[count - 1];
    for (uint32_t i = 0; i < wanted; i++, rows = 1) {
        if (i) pass_rows(model, layer, &row, 1);
        into[i] = predict(model, layer, &row, model->scratch.hidden + (size_t)(rows - 1) * model->config.dim);
        row.token = into[i];
        row.position++;
    }
    cache->tables[sequence].read += count;
    li_cache_keep(cache, sequence, length);
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_LOST : LI_OK;
}

uint32_t li_sequence_read(const li_model *model, uint32_t sequence)
{
    return sequence < model->cache.sequences ? model->cache.tables[sequence].read : 0;
}
