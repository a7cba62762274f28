// Repacks weight rows from the order of the file into tiles.
#include "model/matrix.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "model/number.h"

// Bytes of a row in the file.
static uint64_t raw_row_size(const li_matrix *matrix)
{
    return li_weight_row_size(matrix->type, matrix->columns);
}

static uint64_t tile_size(const li_matrix *matrix)
{
    LI_ASSERT(matrix->rows && matrix->columns && li_weight_is_known(matrix->type));
    const li_weight_format *format = li_weight_format_of(matrix->type);
    if (matrix->is_looked_up || format->columns == 1) return LI_TILE_ROWS * raw_row_size(matrix);
    return (uint64_t)(matrix->columns / format->columns) * li_tile_unit_size(format);
}

uint64_t li_matrix_size(const li_matrix *matrix)
{
    return ((uint64_t)matrix->rows + LI_TILE_ROWS - 1) / LI_TILE_ROWS * tile_size(matrix);
}

bool li_matrix_create(li_matrix *matrix)
{
    LI_ASSERT(!matrix->tiles);
    matrix->tile_size = (size_t)tile_size(matrix);
    matrix->tiles = li_memory_alloc((size_t)li_matrix_size(matrix));
    return matrix->tiles != NULL;
}

void li_matrix_destroy(li_matrix *matrix)
{
    li_memory_free(matrix->tiles);
    matrix->tiles = NULL;
}

// ---- one row of the file into row `row` of a tile ----------------------------------------------------

// `type` is a constant where this is inlined.
LI_INLINE bool pack_numbers(uint8_t *tile, li_weight_type type, uint32_t row, uint32_t columns, const uint8_t *raw)
{
    LI_ASSERT(row < LI_TILE_ROWS);
    const size_t size = type == LI_WEIGHT_F32 ? 4 : 2;
    bool is_finite = true;
    for (size_t k = 0; k < columns; k++) {
        is_finite &= li_number_is_finite(type, raw, k);
        memcpy(tile + size * (LI_TILE_ROWS * k + row), raw + size * k, size);
    }
    return is_finite;
}

// Returns whether the scales are finite. `tile` NULL: nothing is written.
static bool pack_blocks(uint8_t *tile, const li_weight_format *format, uint32_t row, uint32_t columns,
                        const uint8_t *raw)
{
    LI_ASSERT(columns % format->columns == 0);
    bool is_finite = true;
    for (uint32_t k = 0; k < columns; k += format->columns, raw += format->size) {
        for (uint32_t part = 0; part < format->columns / LI_BLOCK; part++) {
            li_block block;
            format->read(&block, raw, part);
            is_finite &= li_block_is_finite(format, &block);
            if (tile) li_tile_put(format, tile, row, part, &block);
        }
        if (tile) tile += li_tile_unit_size(format);
    }
    return is_finite;
}

static bool pack_row(const li_matrix *matrix, uint8_t *tile, uint32_t row, const uint8_t *raw)
{
    switch (matrix->type) {
    case LI_WEIGHT_F32:
        return pack_numbers(tile, LI_WEIGHT_F32, row, matrix->columns, raw);
    case LI_WEIGHT_F16:
        return pack_numbers(tile, LI_WEIGHT_F16, row, matrix->columns, raw);
    case LI_WEIGHT_BF16:
        return pack_numbers(tile, LI_WEIGHT_BF16, row, matrix->columns, raw);
    default:
        return pack_blocks(tile, li_weight_format_of(matrix->type), row, matrix->columns, raw);
    }
}

static bool copy_row(const li_matrix *matrix, uint8_t *to, const uint8_t *raw)
{
    memcpy(to, raw, (size_t)raw_row_size(matrix));
    if (li_weight_is_quantised(matrix->type))
        return pack_blocks(NULL, li_weight_format_of(matrix->type), 0, matrix->columns, raw);
    bool is_finite = true;
    for (size_t k = 0; k < matrix->columns; k++) is_finite &= li_number_is_finite(matrix->type, raw, k);
    return is_finite;
}

bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw)
{
    LI_ASSERT(count && first_row + count <= matrix->rows);
    LI_ASSERT(first_row % LI_TILE_ROWS + count <= LI_TILE_ROWS); // in one tile
    LI_ASSERT(matrix->tiles && matrix->tile_size);
    uint8_t *tile = matrix->tiles + first_row / LI_TILE_ROWS * matrix->tile_size;
    size_t row_size = (size_t)raw_row_size(matrix);
    bool is_finite = true;
    for (uint32_t i = 0; i < count; i++, raw += row_size) {
        uint32_t row = first_row % LI_TILE_ROWS + i;
        is_finite &=
            matrix->is_looked_up ? copy_row(matrix, tile + row * row_size, raw) : pack_row(matrix, tile, row, raw);
    }
    return is_finite;
}

// ---- rows as floats ----------------------------------------------------------------------------------

// `from`: a row in the layout of the file, or a tile, of which row `row` is read.
static void get_row_of_blocks(const li_matrix *matrix, const uint8_t *from, uint32_t row, float *out)
{
    LI_ASSERT(row < LI_TILE_ROWS);
    const li_weight_format *format = li_weight_format_of(matrix->type);
    const size_t step = matrix->is_looked_up ? format->size : li_tile_unit_size(format);
    for (uint32_t k = 0; k < matrix->columns; k += format->columns, from += step)
        for (uint32_t part = 0; part < format->columns / LI_BLOCK; part++) {
            li_block block;
            if (matrix->is_looked_up)
                format->read(&block, from, part);
            else
                li_tile_get(format, from, row, part, &block);
            li_block_get_weights(format, &block, out + k + LI_BLOCK * part);
        }
}

void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out)
{
    LI_ASSERT(row < matrix->rows && matrix->tiles);
    const uint8_t *from = matrix->tiles + row / LI_TILE_ROWS * matrix->tile_size;
    row %= LI_TILE_ROWS;
    if (matrix->is_looked_up) from += row * (size_t)raw_row_size(matrix);
    if (li_weight_is_quantised(matrix->type)) {
        get_row_of_blocks(matrix, from, row, out);
        return;
    }
    for (size_t k = 0; k < matrix->columns; k++)
        out[k] = li_number_read(matrix->type, from, matrix->is_looked_up ? k : LI_TILE_ROWS * k + row);
}
