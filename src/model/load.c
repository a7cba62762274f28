// Streams tensor data into the weights: collects rows until a tile is complete, then repacks them.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/model.h"
#include "model/number.h"

// Bytes in the file of the next tile of the tensor, or of the whole vector.
static size_t next_size(const li_loader *loader, const li_arrival *arrival, uint32_t *rows)
{
    LI_ASSERT(arrival->vector || loader->next_row < arrival->matrix->rows);
    if (arrival->vector) {
        *rows = 1;
        return (size_t)li_weight_row_size(arrival->vector->type, arrival->vector->length);
    }
    uint32_t left = arrival->matrix->rows - loader->next_row;
    *rows = left < LI_TILE_ROWS ? left : LI_TILE_ROWS;
    return *rows * (size_t)li_weight_row_size(arrival->matrix->type, arrival->matrix->columns);
}

static bool widen(li_vector *vector, const uint8_t *raw)
{
    LI_ASSERT(vector->values);
    bool is_finite = true;
    for (size_t i = 0; i < vector->length; i++) {
        vector->values[i] = li_number_read(vector->type, raw, i);
        is_finite &= li_number_is_finite(vector->type, raw, i);
    }
    return is_finite;
}

static void store_rows(li_loader *loader, const uint8_t *raw, uint32_t rows)
{
    LI_ASSERT(loader->current < loader->count && rows);
    const li_arrival *arrival = &loader->arrivals[loader->current];
    bool is_finite =
        arrival->vector ? widen(arrival->vector, raw) : li_matrix_pack(arrival->matrix, loader->next_row, rows, raw);
    if (!is_finite) loader->status = LI_ERROR_MODEL_WEIGHTS;
    loader->next_row += rows;
    LI_ASSERT(loader->next_row <= (arrival->matrix ? arrival->matrix->rows : 1));
    if (loader->next_row == (arrival->matrix ? arrival->matrix->rows : 1)) {
        loader->next_row = 0;
        loader->current++;
    }
}

// Reads at most `size` bytes. Returns how many it has read.
static size_t consume(li_loader *loader, const uint8_t *bytes, size_t size)
{
    LI_ASSERT(loader->current < loader->count && size);
    const li_arrival *arrival = &loader->arrivals[loader->current];
    if (loader->position < arrival->offset) {
        uint64_t gap = arrival->offset - loader->position;
        return gap < size ? (size_t)gap : size;
    }
    uint32_t rows;
    size_t whole = next_size(loader, arrival, &rows);
    LI_ASSERT(loader->position >= arrival->offset && loader->staged < whole);
    if (loader->staged == 0 && size >= whole) {
        store_rows(loader, bytes, rows);
        return whole;
    }
    size_t consumed = size < whole - loader->staged ? size : whole - loader->staged;
    memcpy(loader->staging + loader->staged, bytes, consumed);
    loader->staged += consumed;
    if (loader->staged == whole) {
        loader->staged = 0;
        store_rows(loader, loader->staging, rows);
    }
    return consumed;
}

li_status li_model_write(li_model *model, const uint8_t *bytes, uint32_t size)
{
    li_loader *loader = &model->loader;
    size_t left = size;
    // Bytes after the last tensor are padding.
    while (left && loader->status == LI_OK && loader->current < loader->count) {
        size_t consumed = consume(loader, bytes, left);
        bytes += consumed;
        left -= consumed;
        loader->position += consumed;
    }
    li_hash_add(&loader->hash, bytes - (size - left), size - left);
    return loader->status;
}

li_status li_model_finish(li_model *model)
{
    li_loader *loader = &model->loader;
    if (loader->status != LI_OK) return loader->status;
    if (loader->current < loader->count) return LI_ERROR_MODEL_INCOMPLETE;
    li_memory_free(loader->staging);
    loader->staging = NULL;
    model->file_hash = li_hash_value(&loader->hash);
    loader->status = li_model_set_rope(model);
    model->is_ready = loader->status == LI_OK;
    return loader->status;
}
