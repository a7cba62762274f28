// Reads any bytes as rows of any tensor type: repacks the rows, reads them back, multiplies with them.
#include <stdlib.h>
#include <string.h>

#include "model/multiply.h"

#define COLUMNS 256u
#define ROWS    9u

static void require(bool holds)
{
    if (!holds) abort();
}

static bool is_finite(float x)
{
    return x - x == 0;
}

static void pack(li_matrix *matrix, const uint8_t *raw, bool *is_sound)
{
    size_t row_size = (size_t)li_weight_row_size(matrix->type, COLUMNS);
    require(li_matrix_create(matrix));
    *is_sound = li_matrix_pack(matrix, 0, LI_TILE_ROWS, raw);
    *is_sound &= li_matrix_pack(matrix, LI_TILE_ROWS, ROWS - LI_TILE_ROWS, raw + LI_TILE_ROWS * row_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1 || !li_weight_is_known(bytes[0])) return 0;
    li_matrix tiles = {.type = (li_weight_type)bytes[0], .rows = ROWS, .columns = COLUMNS}, table = tiles;
    table.is_looked_up = true;
    // The input is repeated as often as the rows need, in memory of exactly their size.
    size_t needed = ROWS * (size_t)li_weight_row_size(tiles.type, COLUMNS);
    uint8_t *raw = malloc(needed);
    for (size_t i = 0; i < needed; i++) raw[i] = size > 1 ? bytes[1 + i % (size - 1)] : 0;
    bool is_sound, is_sound_too;
    pack(&tiles, raw, &is_sound);
    pack(&table, raw, &is_sound_too);
    free(raw);
    require(is_sound == is_sound_too);
    float row[COLUMNS], same[COLUMNS], output[5 * ROWS];
    for (uint32_t r = 0; is_sound && r < ROWS; r++) {
        li_matrix_get_row(&tiles, r, row);
        li_matrix_get_row(&table, r, same);
        require(memcmp(row, same, sizeof row) == 0);
        for (uint32_t k = 0; k < COLUMNS; k++) require(is_finite(row[k]));
    }
    li_input input = {.columns = COLUMNS, .quantised_for = LI_WEIGHT_F32};
    require(li_input_create(&input, 5, COLUMNS));
    for (uint32_t k = 0; k < 5 * COLUMNS; k++) input.values[k] = (float)bytes[k % size] - 128;
    li_matrix_multiply(&tiles, &input, 5, output);
    float sum = 0;
    for (uint32_t i = 0; i < 5 * ROWS; i++) sum += output[i];
    volatile float sink = sum; // reads every number: none may be undefined
    (void)sink;
    li_input_destroy(&input);
    li_matrix_destroy(&tiles);
    li_matrix_destroy(&table);
    return 0;
}
