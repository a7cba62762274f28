// Repacks weight rows from the order of the file into tiles.
#include "model/matrix.h"

#include <string.h>

#include "base/half.h"
#include "base/memory.h"

static uint32_t tile_block_size(li_weight_type type)
{
    return LI_TILE_ROWS * li_weight_block_size(type);
}

static uint64_t tile_size(li_weight_type type, uint32_t columns)
{
    if (li_weight_is_quantised(type)) return (uint64_t)columns / LI_BLOCK * tile_block_size(type);
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

// Weight j of a block in the file, plus 128 or 8.
static uint32_t read_digit(const uint8_t *raw, li_weight_type type, uint32_t j)
{
    if (type == LI_WEIGHT_Q8_0) return raw[j] ^ 0x80u;
    return j < LI_BLOCK / 2 ? raw[j] & 15u : (uint32_t)raw[j - LI_BLOCK / 2] >> 4;
}

// The shift of weight j of a block within its word: column 2i + h of a group is digit i of half h.
static uint32_t digit_shift(uint32_t bits, uint32_t j)
{
    return bits * (j % (32 / bits) / 2) + 16 * (j % 2);
}

// The top bits of the halves' highest digits. Flipping them subtracts the excess of these digits.
#define SIGNS 0x80008000u

static bool pack_blocks(uint8_t *tile, li_weight_type type, uint32_t row, uint32_t columns, const uint8_t *raw)
{
    const uint32_t bits = li_weight_digit_bits(type), group = 32 / bits;
    float defects = 0;
    for (uint32_t k = 0; k < columns; k += LI_BLOCK) {
        uint16_t scale = read_half(raw);
        defects += defect(li_half_to_float(scale));
        memcpy(tile + row * sizeof scale, &scale, sizeof scale);
        uint8_t *words = tile + LI_TILE_ROWS * sizeof scale + 4 * (size_t)row;
        for (uint32_t j = 0; j < LI_BLOCK; j += group) {
            uint32_t word = SIGNS;
            for (uint32_t i = 0; i < group; i++) word ^= read_digit(raw + 2, type, j + i) << digit_shift(bits, j + i);
            memcpy(words + LI_TILE_ROWS * 4 * (size_t)(j / group), &word, sizeof word);
        }
        raw += li_weight_block_size(type);
        tile += tile_block_size(type);
    }
    return defects == 0;
}

bool li_matrix_pack(li_matrix *matrix, uint32_t first_row, uint32_t count, const uint8_t *raw)
{
    uint8_t *tile = matrix->tiles + first_row / LI_TILE_ROWS * matrix->tile_size;
    size_t row_size = (size_t)li_weight_row_size(matrix->type, matrix->columns);
    bool is_finite = true;
    for (uint32_t i = 0; i < count; i++, raw += row_size) {
        uint32_t row = first_row % LI_TILE_ROWS + i;
        if (matrix->type == LI_WEIGHT_F32)
            is_finite &= pack_f32((float *)(void *)tile, row, matrix->columns, raw);
        else if (matrix->type == LI_WEIGHT_F16)
            is_finite &= pack_f16((uint16_t *)(void *)tile, row, matrix->columns, raw);
        else
            is_finite &= pack_blocks(tile, matrix->type, row, matrix->columns, raw);
    }
    return is_finite;
}

// ---- and back ----------------------------------------------------------------------------------------

static void get_row_of_blocks(const uint8_t *tile, li_weight_type type, uint32_t row, uint32_t columns, float *out)
{
    const uint32_t bits = li_weight_digit_bits(type), group = 32 / bits, base = 1u << bits;
    for (uint32_t k = 0; k < columns; k += LI_BLOCK) {
        uint16_t scale;
        memcpy(&scale, tile + row * sizeof scale, sizeof scale);
        const uint8_t *words = tile + LI_TILE_ROWS * sizeof scale + 4 * (size_t)row;
        for (uint32_t j = 0; j < LI_BLOCK; j++) {
            uint32_t word;
            memcpy(&word, words + LI_TILE_ROWS * 4 * (size_t)(j / group), sizeof word);
            uint32_t digit = (word ^ SIGNS) >> digit_shift(bits, j) & (base - 1);
            out[k + j] = (float)((int32_t)digit - (int32_t)(base / 2)) * li_half_to_float(scale);
        }
        tile += tile_block_size(type);
    }
}

void li_matrix_get_row(const li_matrix *matrix, uint32_t row, float *out)
{
    const uint8_t *tile = matrix->tiles + row / LI_TILE_ROWS * matrix->tile_size;
    row %= LI_TILE_ROWS;
    if (li_weight_is_quantised(matrix->type)) {
        get_row_of_blocks(tile, matrix->type, row, matrix->columns, out);
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
