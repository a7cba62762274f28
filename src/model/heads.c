// Medusa heads: each head reads the state that gave the next token, after the final norm, and guesses a later one. A
// head adds to the state the SiLU of a product with it. Source: Cai et al., "Medusa: simple LLM inference acceleration
// framework with multiple decoding heads", 2024, section 2.1. There each head has an output matrix of its own. Here it
// has a projection, as wide as the state, before the output matrix of the model, or nothing. Public functions:
// lastinch.h.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "model/draft.h"
#include "model/fault.h"
#include "model/layer.h"
#include "model/multiply.h"
#include "model/number.h"
#include "model/vector.h"

typedef struct head {
    li_matrix matrix;     // (dim, dim)
    float *bias;          // (dim)
    li_matrix projection; // (dim, dim) no rows: none
} head;

struct li_heads {
    li_model *model;
    uint32_t count;
    li_matrix output; // the rows of the model's output matrix that are multiplied
    head heads[LI_HEADS_LIMIT];
    float *logits; // (count, rows of the output)
};

// ---- the file ----------------------------------------------------------------------------------------

// Finds a tensor of (rows, columns).
static li_status find_tensor(li_gguf *gguf, uint32_t index, const char *part, uint32_t columns, uint32_t rows,
                             const li_gguf_tensor **found)
{
    LI_ASSERT(index < LI_HEADS_LIMIT && LI_HEADS_LIMIT <= 10);
    char name[40] = "medusa.0";
    name[7] = (char)('0' + index);
    memcpy(name + 8, part, strlen(part) + 1);
    const li_gguf_tensor *tensor = li_gguf_find_tensor(gguf, name);
    *found = tensor;
    if (!tensor) {
        li_fault_begin(gguf, LI_FAULT_TENSOR_MISSING);
        li_fault_add_text(gguf, name, strlen(name));
        return LI_ERROR_MODEL_TENSOR_MISSING;
    }
    return li_tensor_check(gguf, tensor, rows == 1, columns, rows);
}

static const uint8_t *bytes_of(const li_gguf *gguf, const li_gguf_tensor *tensor)
{
    return gguf->bytes + gguf->data_start + tensor->offset;
}

static li_status read_matrix(const li_gguf *gguf, const li_gguf_tensor *tensor, li_matrix *matrix)
{
    *matrix = (li_matrix){.type = (li_weight_type)tensor->type,
                          .rows = (uint32_t)tensor->shape[1],
                          .columns = (uint32_t)tensor->shape[0]};
    if (!li_matrix_create(matrix)) return LI_ERROR_OUT_OF_MEMORY;
    const size_t row_size = (size_t)li_weight_row_size(matrix->type, matrix->columns);
    for (uint32_t row = 0; row < matrix->rows; row += LI_TILE_ROWS) {
        const uint32_t rows = matrix->rows - row < LI_TILE_ROWS ? matrix->rows - row : LI_TILE_ROWS;
        if (!li_matrix_pack(matrix, row, rows, bytes_of(gguf, tensor) + row * row_size)) return LI_ERROR_MODEL_WEIGHTS;
    }
    return LI_OK;
}

static li_status read_vector(const li_gguf *gguf, const li_gguf_tensor *tensor, float **vector)
{
    const uint32_t length = (uint32_t)tensor->shape[0];
    *vector = li_memory_alloc(length * sizeof(float));
    if (!*vector) return LI_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < length; i++) {
        (*vector)[i] = li_number_read((li_weight_type)tensor->type, bytes_of(gguf, tensor), i);
        if (!li_number_is_finite((li_weight_type)tensor->type, bytes_of(gguf, tensor), i))
            return LI_ERROR_MODEL_WEIGHTS;
    }
    return LI_OK;
}

// Finds the tensors of a head, and reads them unless `head` is NULL.
static li_status read_head(li_gguf *gguf, uint32_t index, uint32_t dim, bool has_projection, head *head)
{
    const li_gguf_tensor *matrix, *bias, *projection;
    li_status status = find_tensor(gguf, index, ".weight", dim, dim, &matrix);
    if (status == LI_OK) status = find_tensor(gguf, index, ".bias", dim, 1, &bias);
    if (status == LI_OK && has_projection)
        status = find_tensor(gguf, index, ".projection.weight", dim, dim, &projection);
    if (!head || status != LI_OK) return status;
    status = read_matrix(gguf, matrix, &head->matrix);
    if (status == LI_OK) status = read_vector(gguf, bias, &head->bias);
    if (status == LI_OK && has_projection) status = read_matrix(gguf, projection, &head->projection);
    return status;
}

// Reads the heads of a model of this width, or, if `heads` is NULL, only checks the header.
static li_status read_heads(li_heads *heads, li_gguf *gguf, uint32_t dim)
{
    static const char key[] = "medusa.head_count";
    uint64_t count = 0;
    if (!gguf->is_parsed) return LI_ERROR_BAD_ARGUMENT;
    if (heads && gguf->data_start + gguf->data_size > gguf->capacity) return LI_ERROR_GGUF_TRUNCATED;
    if (!li_gguf_get_unsigned(gguf, key, &count) || count < 1 || count > LI_HEADS_LIMIT) {
        li_fault_begin(gguf, li_gguf_find(gguf, key) < 0 ? LI_FAULT_KEY_MISSING : LI_FAULT_KEY_VALUE);
        li_fault_add_text(gguf, key, sizeof key - 1);
        return LI_ERROR_MODEL_CONFIG;
    }
    const bool has_projection = li_gguf_find_tensor(gguf, "medusa.0.projection.weight");
    if (heads) heads->count = (uint32_t)count;
    li_status status = LI_OK;
    for (uint32_t i = 0; i < count && status == LI_OK; i++)
        status = read_head(gguf, i, dim, has_projection, heads ? &heads->heads[i] : NULL);
    if (status == LI_OK && gguf->tensor_count != (has_projection ? 3 : 2) * count) {
        li_fault_begin(gguf, LI_FAULT_KEY_VALUE); // there are tensors of more heads, or of another kind of heads
        li_fault_add_text(gguf, key, sizeof key - 1);
        return LI_ERROR_MODEL_CONFIG;
    }
    return status;
}

// ---- the heads ---------------------------------------------------------------------------------------

li_status li_heads_check(li_gguf *gguf, uint32_t dim)
{
    li_fault_begin(gguf, LI_FAULT_NONE);
    return read_heads(NULL, gguf, dim);
}

li_heads *li_heads_create(li_model *model, li_gguf *gguf, li_status *status)
{
    li_fault_begin(gguf, LI_FAULT_NONE);
    li_heads *heads = li_memory_alloc(sizeof *heads);
    *status = LI_ERROR_OUT_OF_MEMORY;
    if (!heads) return NULL;
    heads->model = model;
    heads->output = li_draft_output(li_model_output(model));
    *status = read_heads(heads, gguf, model->config.dim);
    if (*status == LI_OK) {
        heads->logits = li_memory_alloc((size_t)heads->count * heads->output.rows * sizeof(float));
        if (!heads->logits) *status = LI_ERROR_OUT_OF_MEMORY;
    }
    if (*status == LI_OK) return heads;
    li_heads_destroy(heads);
    return NULL;
}

void li_heads_destroy(li_heads *heads)
{
    if (!heads) return;
    for (uint32_t i = 0; i < heads->count; i++) {
        li_matrix_destroy(&heads->heads[i].matrix);
        li_matrix_destroy(&heads->heads[i].projection);
        li_memory_free(heads->heads[i].bias);
    }
    li_memory_free(heads->logits);
    li_memory_free(heads);
}

uint32_t li_heads_count(const li_heads *heads)
{
    return heads->count;
}

// Writes the projection of state + SiLU(matrix * state + bias) of each head to the next input.
static li_input *output_rows(li_heads *heads, const float *state, uint32_t count)
{
    LI_ASSERT(count && count <= heads->count && count <= LI_BATCH_MIN);
    li_model *model = heads->model;
    const size_t dim = model->config.dim;
    float *out = model->scratch.delta;
    li_input *input = li_layer_next_input(model, model->config.dim);
    memcpy(input->values, state, dim * sizeof(float));
    for (uint32_t first = 0; first < count; first += LI_PRODUCTS_MOST) {
        const uint32_t some = count - first < LI_PRODUCTS_MOST ? count - first : LI_PRODUCTS_MOST;
        li_product products[LI_PRODUCTS_MOST];
        for (uint32_t i = 0; i < some; i++)
            products[i] = (li_product){&heads->heads[first + i].matrix, out + (first + i) * dim};
        li_matrices_multiply(products, some, input, 1);
    }
    for (size_t i = 0; i < count; i++) {
        const head *head = &heads->heads[i];
        float *row = out + i * dim;
        li_vector_add(row, head->bias, model->config.dim);
        li_vector_silu(row, model->config.dim);
        li_vector_add(row, state, model->config.dim);
        if (!head->projection.rows) continue;
        input = li_layer_next_input(model, model->config.dim);
        memcpy(input->values, row, dim * sizeof(float));
        li_matrix_multiply(&head->projection, input, 1, row);
    }
    input = li_layer_next_input(model, model->config.dim);
    memcpy(input->values, out, count * dim * sizeof(float));
    return input;
}

li_status li_heads_guess(li_heads *heads, const float *state, uint32_t count, uint32_t width, uint32_t *into)
{
    const li_matrix *output = &heads->output;
    if (!heads->model->is_ready) return LI_ERROR_MODEL_INCOMPLETE;
    if (count < 1 || count > heads->count || width < 1 || width > LI_GUESSES_LIMIT || width > output->rows)
        return LI_ERROR_BAD_ARGUMENT;
    li_input *input = output_rows(heads, state, count);
    li_matrix_multiply(output, input, count, heads->logits);
    for (uint32_t i = 0; i < count; i++)
        li_draft_choices(heads->logits + (size_t)i * output->rows, output->rows, width, into + (size_t)i * width);
    return li_parallel_has_lost_helper() ? LI_ERROR_WORKER_LOST : LI_OK;
}
