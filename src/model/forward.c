// The forward pass: a batch of rows from embeddings through every layer (layer.c) to logits.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "model/draft.h"
#include "model/eagle.h"
#include "model/layer.h"
#include "model/multiply.h"
#include "model/vector.h"

// ---- checks and memory -------------------------------------------------------------------------------

// The length of a sequence after the first `count` rows of the call.
static uint32_t length_after(const li_model *model, uint32_t sequence, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (model->rows[i].sequence == sequence) return model->rows[i].position + 1;
    return model->cache.tables[sequence].length;
}

// The least position at which a sequence can be shared after the first `count` rows of the call. A sequence that the
// call begins has that of the sequence from which it branched.
static uint32_t least_after(const li_model *model, uint32_t sequence, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (model->rows[i].branch && model->rows[i].sequence == sequence) sequence = model->rows[i].branch - 1;
    return li_sequence_least(model, sequence);
}

// Whether row `index` may branch from another sequence. Of that sequence's last LI_ROWS_LIMIT positions no slots are
// dropped (li_cache_plan).
static bool may_branch(const li_model *model, uint32_t index)
{
    const li_row *row = &model->rows[index];
    const uint32_t from = row->branch - 1;
    if (from >= model->cache.sequences || from == row->sequence || model->states.layers) return false;
    const uint32_t length = length_after(model, from, index);
    return length_after(model, row->sequence, index) == 0 && row->position <= length &&
           length - row->position <= LI_ROWS_LIMIT && row->position >= least_after(model, from, index);
}

static li_status check_rows(const li_model *model, uint32_t count)
{
    LI_ASSERT(count <= LI_ROWS_LIMIT);
    const li_cache *cache = &model->cache;
    if (count > cache->unused_count) return LI_ERROR_MODEL_CONTEXT_FULL;
    for (uint32_t i = 0; i < count; i++) {
        const li_row *row = &model->rows[i];
        if (row->token >= model->config.vocab_size || row->sequence >= cache->sequences) return LI_ERROR_MODEL_ROWS;
        if (row->branch ? !may_branch(model, i) : row->position != length_after(model, row->sequence, i))
            return LI_ERROR_MODEL_ROWS;
        if (row->position >= cache->positions) return LI_ERROR_MODEL_CONTEXT_FULL;
    }
    return LI_OK;
}

// Reserves room in the tables of the sequences, and memory for their next slots. Their contents do not change. A
// sequence never has more slots in the cache of the sliding-window layers than in the other cache, so that one has
// enough.
static bool reserve_slots(li_model *model, uint32_t count)
{
    uint32_t window_count = 0;
    bool has_branch = false;
    for (uint32_t i = 0; i < count; i++) {
        const li_row *row = &model->rows[i];
        has_branch |= row->branch != 0;
        if (!li_model_reserve(model, row->sequence, row->position + 1)) return false;
        uint32_t rows = 0;
        for (uint32_t j = i; j < count; j++) rows += model->rows[j].sequence == row->sequence;
        if (row->position == model->cache.tables[row->sequence].length)
            window_count += li_sequence_window_need(model, row->sequence, rows);
    }
    // Slots that a branch shares do not become free when the other sequence drops them.
    return li_model_take_slots(model, count, has_branch ? count : window_count) == LI_OK;
}

// Makes the states of the sequences exclusive, and sets the position up to which this call updates them: see
// li_sequence_least. False: no memory. Only the sharing of states has changed then.
static bool prepare_states(li_model *model, uint32_t count)
{
    for (uint32_t i = 0; i < count && model->states.layers; i++) {
        const li_row *row = &model->rows[i];
        if (!li_states_own(&model->states, row->sequence)) return false;
        if (row->position != model->cache.tables[row->sequence].length) continue;
        uint32_t end = row->position, first_wanted = UINT32_MAX;
        for (uint32_t j = i; j < count; j++) {
            if (model->rows[j].sequence != row->sequence) continue;
            if (model->rows[j].wants_logits && first_wanted == UINT32_MAX) first_wanted = end;
            end++;
        }
        const uint32_t settled = model->states.of[row->sequence]->settled;
        const bool wants_none = first_wanted == UINT32_MAX;
        uint32_t goal = wants_none ? end : first_wanted;
        if (end - row->position == 1) goal = end;
        if (goal + LI_ROWS_TENTATIVE < end) goal = end - LI_ROWS_TENTATIVE;
        const bool is_prompt = wants_none || (end - row->position > 1 && goal + 1 >= end);
        if (is_prompt) goal = end > settled + LI_ROWS_BACK ? end - LI_ROWS_BACK : settled;
        LI_ASSERT(goal >= settled && goal <= end);
        model->states.of[row->sequence]->goal = goal;
    }
    return true;
}

// Advances `settled` of the states after all layers have computed the rows of a batch, but not beyond `goal`.
static void settle_states(li_model *model, const li_row *rows, uint32_t count)
{
    for (uint32_t i = 0; i < count && model->states.layers; i++) {
        li_state *state = model->states.of[rows[i].sequence];
        state->settled = rows[i].position + 1 < state->goal ? rows[i].position + 1 : state->goal;
        LI_ASSERT(state->settled <= state->goal && state->goal - state->settled <= LI_ROWS_LIMIT);
    }
}

// Reserves memory for the rows of logits that the call wants. The capacity doubles, because freed memory cannot serve
// a larger request.
static bool reserve_logits(li_model *model, uint32_t count)
{
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < count; i++) wanted += model->rows[i].wants_logits != 0;
    if (wanted <= model->logits_capacity) return true;
    uint32_t capacity = model->logits_capacity;
    while (capacity < wanted) capacity *= 2;
    uint64_t size = (uint64_t)capacity * model->config.vocab_size * sizeof(float);
    float *logits = size <= LI_MEMORY_LIMIT ? li_memory_alloc((size_t)size) : NULL;
    if (!logits) return false;
    li_memory_free(model->logits);
    model->logits = logits;
    model->logits_capacity = capacity;
    return true;
}

// ---- a batch -----------------------------------------------------------------------------------------

// Copies the hidden states of `count` rows from `first` on (of `all` rows of the call) after `layer` to the taps.
static void keep_taps(li_model *model, uint32_t layer, const float *hidden, uint32_t first, uint32_t count,
                      uint32_t all)
{
    LI_ASSERT(first + count <= all && all <= LI_ROWS_LIMIT);
    size_t dim = model->config.dim;
    for (size_t i = 0; i < model->tap_count; i++)
        if (model->tap_layers[i] == layer)
            memcpy(model->taps + (i * all + first) * dim, hidden, count * dim * sizeof(float));
}

static bool is_tapped(const li_model *model, uint32_t layer)
{
    for (uint32_t i = 0; i < model->tap_count; i++)
        if (model->tap_layers[i] == layer) return true;
    return false;
}

// Logits (count, output_size) of the normed last hidden states.
static void multiply_output(const li_model *model, li_input *input, uint32_t count, float *logits)
{
    LI_ASSERT(count && logits);
    const li_graph *graph = &model->graph;
    const uint32_t size = model->output_size;
    li_matrix output = *li_model_output(model);
    output.rows = size; // fewer than it has in a layer of eagle.c
    li_matrix_multiply(&output, input, count, logits);
    for (size_t i = 0; i < count; i++) {
        float *row = logits + i * size;
        const float scale = graph->logit_cap != 0 ? graph->logit_scale / graph->logit_cap : graph->logit_scale;
        if (scale != 1) li_vector_scale(row, size, scale);
        if (graph->logit_cap == 0) continue;
        li_vector_tanh(row, size);
        li_vector_scale(row, size, graph->logit_cap);
    }
}

static li_input *norm_output(li_model *model, uint32_t count)
{
    return li_layer_norm(model, &model->weights.output_norm, &model->weights.output_norm_bias, count);
}

// Writes the embedding of a row's token, and of its position where positions are learned, to hidden (dim).
static void embed(const li_model *model, const li_row *row, float *hidden)
{
    LI_ASSERT(row->token < model->config.vocab_size);
    LI_ASSERT(!model->weights.positions.rows || row->position < model->weights.positions.rows);
    const uint32_t dim = model->config.dim;
    li_matrix_get_row(&model->weights.embedding, row->token, hidden);
    if (model->graph.embedding_scale != 1) li_vector_scale(hidden, dim, model->graph.embedding_scale);
    if (!model->weights.positions.rows) return;
    li_matrix_get_row(&model->weights.positions, row->position, model->scratch.delta);
    li_vector_add(hidden, model->scratch.delta, dim);
}

// Moves the normed rows that want logits to the front and computes their logits. Returns their number.
static uint32_t output_rows(li_model *model, li_input *input, const li_row *rows, uint32_t count, float *logits)
{
    size_t dim = model->config.dim;
    uint32_t wanted = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].wants_logits) continue;
        if (wanted != i) memcpy(input->values + wanted * dim, input->values + i * dim, dim * sizeof(float));
        wanted++;
    }
    if (wanted) multiply_output(model, input, wanted, logits);
    return wanted;
}

// Gives the row's sequence the positions before the row.
static void branch(li_model *model, const li_row *row)
{
    li_status status = li_sequence_share(model, row->branch - 1, row->sequence, row->position);
    LI_ASSERT(status == LI_OK && li_sequence_length(model, row->sequence) == row->position); // room is reserved
    (void)status;
}

// Computes `count` rows from `first` on (of `all` rows of the call). Returns the number of rows of logits.
static uint32_t forward_batch(li_model *model, uint32_t first, uint32_t count, uint32_t all, float *logits)
{
    LI_ASSERT(model->is_ready && count && count <= model->scratch.batch && first + count <= all);
    const li_model_config *config = &model->config;
    const li_row *rows = model->rows + first;
    li_model_scratch *scratch = &model->scratch;
    bool wants_logits = false;
    for (uint32_t i = 0; i < count; i++) {
        if (model->target)
            li_eagle_embed(model, i, first + i);
        else
            embed(model, &rows[i], scratch->hidden + (size_t)i * config->dim);
        li_layer_set_turns(model, i, rows[i].position);
        if (rows[i].branch) branch(model, &rows[i]);
        scratch->slots[i] = li_cache_append(&model->cache, rows[i].sequence);
        if (model->window_layers) scratch->window_slots[i] = li_cache_append(&model->window_cache, rows[i].sequence);
        LI_ASSERT(rows[i].position + 1 == model->cache.tables[rows[i].sequence].length);
        wants_logits |= rows[i].wants_logits != 0;
    }
    keep_taps(model, config->layers + 1, scratch->hidden, first, count, all);
    for (uint32_t layer = 0; layer < config->layers; layer++) {
        li_layer_forward(model, layer, rows, count);
        keep_taps(model, layer, scratch->hidden, first, count, all);
    }
    settle_states(model, rows, count);
    if (!wants_logits && !config->drafts && !is_tapped(model, config->layers)) return 0;
    li_input *input = norm_output(model, count);
    for (uint32_t i = 0; i < count && config->drafts; i++)
        memcpy(li_draft_state(model, scratch->slots[i]), input->values + (size_t)i * config->dim,
               config->dim * sizeof(float));
    keep_taps(model, config->layers, input->values, first, count, all);
    return output_rows(model, input, rows, count, logits);
}

li_status li_model_forward(li_model *model, uint32_t count)
{
    const bool lacks_target = model->graph.features && !model->target;
    if (!model->is_ready || lacks_target) return LI_ERROR_MODEL_INCOMPLETE;
    if (count < 1 || count > LI_ROWS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    li_status status = check_rows(model, count);
    if (status != LI_OK) return status;
    if (!reserve_logits(model, count) || !reserve_slots(model, count)) return LI_ERROR_OUT_OF_MEMORY;
    if (!prepare_states(model, count)) return LI_ERROR_OUT_OF_MEMORY;
    uint32_t written = 0;
    const uint32_t batch = model->scratch.batch;
    for (uint32_t first = 0; first < count; first += batch) {
        uint32_t rows = count - first < batch ? count - first : batch;
        float *logits = model->logits + (size_t)written * model->output_size;
        written += forward_batch(model, first, rows, count, logits);
        LI_ASSERT(written <= model->logits_capacity);
    }
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_LOST : LI_OK;
}

li_status li_model_early_logits(li_model *model, const float *hidden, uint32_t count, float *into)
{
    if (!model->is_ready) return LI_ERROR_MODEL_INCOMPLETE;
    if (count < 1 || count > LI_ROWS_LIMIT) return LI_ERROR_BAD_ARGUMENT;
    const uint32_t batch = model->scratch.batch;
    const size_t dim = model->config.dim, vocab_size = model->config.vocab_size;
    for (uint32_t first = 0; first < count; first += batch) {
        uint32_t rows = count - first < batch ? count - first : batch;
        memcpy(model->scratch.hidden, hidden + first * dim, rows * dim * sizeof(float));
        multiply_output(model, norm_output(model, rows), rows, into + first * vocab_size);
    }
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_LOST : LI_OK;
}
