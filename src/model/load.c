// Streams tensor data into the weights: collects rows until a tile is complete, then repacks them.
#include <string.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/number.h"

// Bytes in the file of the next tile of the tensor, or of the whole vector.
static size_t next_size(const li_loader *loader, const li_arrival *arrival, uint32_t *rows)
{
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
    float defects = 0;
    for (size_t i = 0; i < vector->length; i++) {
        vector->values[i] = li_number_read(vector->type, raw, i);
        defects += li_number_defect(vector->values[i]);
    }
    return defects == 0;
}

static void take_rows(li_loader *loader, const uint8_t *raw, uint32_t rows)
{
    const li_arrival *arrival = &loader->arrivals[loader->current];
    bool is_finite =
        arrival->vector ? widen(arrival->vector, raw) : li_matrix_pack(arrival->matrix, loader->next_row, rows, raw);
    if (!is_finite) loader->status = LI_ERROR_MODEL_WEIGHTS;
    loader->next_row += rows;
    if (loader->next_row == (arrival->matrix ? arrival->matrix->rows : 1)) {
        loader->next_row = 0;
        loader->current++;
    }
}

// Consumes some of the bytes (size). Returns how many.
static size_t take(li_loader *loader, const uint8_t *bytes, size_t size)
{
    const li_arrival *arrival = &loader->arrivals[loader->current];
    if (loader->position < arrival->offset) {
        uint64_t gap = arrival->offset - loader->position;
        return gap < size ? (size_t)gap : size;
    }
    uint32_t rows;
    size_t whole = next_size(loader, arrival, &rows);
    if (loader->staged == 0 && size >= whole) {
        take_rows(loader, bytes, rows);
        return whole;
    }
    size_t taken = size < whole - loader->staged ? size : whole - loader->staged;
    memcpy(loader->staging + loader->staged, bytes, taken);
    loader->staged += taken;
    if (loader->staged == whole) {
        loader->staged = 0;
        take_rows(loader, loader->staging, rows);
    }
    return taken;
}

li_status li_model_write(li_model *model, const uint8_t *bytes, uint32_t size)
{
    li_loader *loader = &model->loader;
    size_t left = size;
    // Bytes after the last tensor are padding.
    while (left && loader->status == LI_OK && loader->current < loader->count) {
        size_t taken = take(loader, bytes, left);
        bytes += taken;
        left -= taken;
        loader->position += taken;
    }
    return loader->status;
}

li_status li_model_finish(li_model *model)
{
    li_loader *loader = &model->loader;
    if (loader->status != LI_OK) return loader->status;
    if (loader->current < loader->count) return LI_ERROR_MODEL_INCOMPLETE;
    li_memory_free(loader->staging);
    loader->staging = NULL;
    loader->status = li_model_set_rope(model);
    model->is_ready = loader->status == LI_OK;
    return loader->status;
}
