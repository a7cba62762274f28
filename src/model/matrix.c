// Repacking of weight rows from the order of the file into tiles.
#include "model/matrix.h"

#include <string.h>

#include "base/half.h"
#include "base/memory.h"

#define RAW_BLOCK_SIZE  (2u + LI_BLOCK)                                                    // half scale, bytes
#define TILE_BLOCK_SIZE (LI_TILE_ROWS * (uint32_t)sizeof(float) + LI_TILE_ROWS * LI_BLOCK) // float scales, bytes

uint64_t li_matrix_row_size(li_weight_type type, uint32_t columns)
{
    if (type == LI_WEIGHT_Q8_0) return (uint64_t)columns / LI_BLOCK * RAW_BLOCK_SIZE;
    return (uint64_t)columns * (type == LI_WEIGHT_F16 ? 2 : 4);
}

static uint64_t tile_size(li_weight_type type, uint32_t columns)
{
    if (type == LI_WEIGHT_Q8_0) return (uint64_t)columns / LI_BLOCK * TILE_BLOCK_SIZE;
    return (uint64_t)columns * LI_TILE_ROWS * (type == LI_WEIGHT_F16 ? 2 : 4);
}

uint64_t li_matrix_size(li_weight_type type, uint32_t rows, uint32_t columns)
{
    return ((uint64_t)rows + LI_TILE_ROWS - 1) / LI_TILE_ROWS * tile_size(type, columns);
}

bool li_matrix_create(li_matrix *matrix, li_weight_type type, uint32_t rows, uint32_t columns)
{
    matrix->type = type;
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->tile_size = (size_t)tile_size(type, columns);
    matrix->tiles = li_memory_alloc((size_t)li_matrix_size(type, rows, columns));
    return matrix->tiles != NULL;
}

void li_matrix_destroy(li_matrix *matrix)
{
    li_memory_free(matrix->tiles);
    matrix->tiles = NULL;
}

static uint16_t read_half(const uint8_t *raw)
{
    return (uint16_t)(raw[0] | raw[1] << 8);
}

// 0, or NaN when the weight is NaN or infinite.
static float defect(float weight)
{
    return weight - weight;
}

// ---- one row into column `row` of a tile -------------------------------------------------------------

static bool pack_f32(float *tile, uint32_t row, uint32_t columns, const uint8_t *raw)
{
    float defects = 0;
    for (uint32_t k = 0; k < columns; k++) {
        float weight;
        memcpy(&weight, raw + 4 * (size_t)k, 4);
        defects += defect(weight);
        tile[LI_TILE_ROWS * (size_t)k + row] = weight;
    }
    return defects == 0;
}

static bool pack_f16(uint16_t *tile, uint32_t row, uint32_t columns, const uint8_t *raw)
{
    float defects = 0;
    for (uint32_t k = 0; k < columns; k++) {
        uint16_t weight = read_half(raw + 2 * (size_t)k);
        defects += defect(li_half_to_float(weight));
        tile[LI_TILE_ROWS * (size_t)k + row] = weight;
    }
    return defects == 0;
}

static bool pack_q8_0(uint8_t *tile, uint32_t row, uint32_t columns, const uint8_t *raw)
{
    float defects = 0;
    for (uint32_t k = 0; k < columns; k += LI_BLOCK) {
        float scale = li_half_to_float(read_half(raw));
        defects += defect(scale);
        memcpy(tile + row * sizeof scale, &scale, sizeof scale);
        uint8_t *pairs = tile + LI_TILE_ROWS * sizeof scale + (size_t)2 * row;
        for (uint32_t j = 0; j < LI_BLOCK; j += 2) memcpy(pairs + LI_TILE_ROWS * (size_t)j, raw + 2 + j, 2);
        raw += RAW_BLOCK_SIZE;
        tile += TILE_BLOCK_SIZE;
    }
    return defects == 0;
}

bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw)
{
    uint8_t *tile = matrix->tiles + first_row / LI_TILE_ROWS * matrix->tile_size;
    size_t row_size = (size_t)li_matrix_row_size(matrix->type, matrix->columns);
    bool is_finite = true;
    for (uint32_t i = 0; i < count; i++, raw += row_size) {
        uint32_t row = first_row % LI_TILE_ROWS + i;
        if (matrix->type == LI_WEIGHT_F32)
            is_finite &= pack_f32((float *)(void *)tile, row, matrix->columns, raw);
        else if (matrix->type == LI_WEIGHT_F16)
            is_finite &= pack_f16((uint16_t *)(void *)tile, row, matrix->columns, raw);
        else
            is_finite &= pack_q8_0(tile, row, matrix->columns, raw);
    }
    return is_finite;
}

// ---- and back ----------------------------------------------------------------------------------------

static void get_row_q8_0(const uint8_t *tile, uint32_t row, uint32_t columns, float *out)
{
    for (uint32_t k = 0; k < columns; k += LI_BLOCK) {
        float scale;
        memcpy(&scale, tile + row * sizeof scale, sizeof scale);
        const int8_t *pairs = (const int8_t *)tile + LI_TILE_ROWS * sizeof scale + (size_t)2 * row;
        for (uint32_t j = 0; j < LI_BLOCK; j++)
            out[k + j] = (float)pairs[LI_TILE_ROWS * (size_t)(j & ~1u) + (j & 1)] * scale;
        tile += TILE_BLOCK_SIZE;
    }
}

void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out)
{
    const uint8_t *tile = matrix->tiles + row / LI_TILE_ROWS * matrix->tile_size;
    row %= LI_TILE_ROWS;
    if (matrix->type == LI_WEIGHT_Q8_0) {
        get_row_q8_0(tile, row, matrix->columns, out);
        return;
    }
    for (uint32_t k = 0; k < matrix->columns; k++) {
        size_t place = LI_TILE_ROWS * (size_t)k + row;
        if (matrix->type == LI_WEIGHT_F32)
            out[k] = ((const float *)(const void *)tile)[place];
        else
            out[k] = li_half_to_float(((const uint16_t *)(const void *)tile)[place]);
    }
}
