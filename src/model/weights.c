// Memory for the bound weights.
#include "model/weights.h"

#include "base/assert.h"
#include "base/memory.h"
#include "model/model.h"

// Bytes of the file's largest tile: its rows are collected before they are repacked.
static uint64_t staging_size(const li_model *model)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < model->loader.count; i++) {
        const li_arrival *arrival = &model->loader.arrivals[i];
        LI_ASSERT(!arrival->matrix != !arrival->vector);
        const li_matrix *matrix = arrival->matrix;
        uint64_t size = matrix ? LI_TILE_ROWS * li_weight_row_size(matrix->type, matrix->columns)
                               : li_weight_row_size(arrival->vector->type, arrival->vector->length);
        if (size > largest) largest = size;
    }
    return largest;
}

uint64_t li_weights_size(const li_model *model)
{
    uint64_t size = staging_size(model);
    for (uint32_t i = 0; i < model->loader.count; i++) {
        const li_matrix *matrix = model->loader.arrivals[i].matrix;
        size += matrix ? li_matrix_size(matrix) : sizeof(float) * (uint64_t)model->loader.arrivals[i].vector->length;
    }
    return size;
}

bool li_weights_create(li_model *model)
{
    LI_ASSERT(!model->loader.staging);
    bool is_taken = true;
    for (uint32_t i = 0; i < model->loader.count && is_taken; i++) {
        li_matrix *matrix = model->loader.arrivals[i].matrix;
        li_vector *vector = model->loader.arrivals[i].vector;
        if (vector) vector->values = li_memory_alloc(vector->length * sizeof(float));
        is_taken = matrix ? li_matrix_create(matrix) : !!vector->values;
    }
    model->loader.staging = li_memory_alloc((size_t)staging_size(model));
    return is_taken && model->loader.staging;
}

void li_weights_destroy(li_model *model)
{
    for (uint32_t i = 0; i < model->loader.count; i++) {
        const li_arrival *arrival = &model->loader.arrivals[i];
        if (arrival->matrix) li_matrix_destroy(arrival->matrix);
        if (arrival->vector) li_memory_free(arrival->vector->values);
    }
    li_memory_free(model->weights.layers);
    li_memory_free(model->loader.arrivals);
    li_memory_free(model->loader.staging);
}
