// Every format of blocks against a reader in float64: rows of tiles, rows that are looked up, products.
#include "../vectors/llama-blocks.h"
#include "block_reference.h"
#include "check.h"
#include "model/multiply.h"

#define ROWS    11
#define COLUMNS 768
#define INPUTS  11

static uint8_t raw[ROWS * COLUMNS * 2];
static double weights[ROWS][COLUMNS];
static float output[INPUTS * ROWS], again[INPUTS * ROWS];
static li_input input;

static uint32_t random_state = 1;
static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static double uniform(void)
{
    return next_random() * 0x1p-23 - 1;
}

static uint32_t row_size(const block_type *type, uint32_t columns)
{
    return columns / type->columns * type->size;
}

static bool pack(li_matrix *matrix, const block_type *type, uint32_t columns, bool is_looked_up)
{
    *matrix = (li_matrix){(li_weight_type)type->number, ROWS, columns, .is_looked_up = is_looked_up};
    CHECK(li_matrix_create(matrix));
    bool is_finite = true;
    for (uint32_t first = 0; first < ROWS; first += LI_TILE_ROWS) {
        uint32_t count = ROWS - first < LI_TILE_ROWS ? ROWS - first : LI_TILE_ROWS;
        is_finite &= li_matrix_pack(matrix, first, count, raw + first * row_size(type, columns));
    }
    return is_finite;
}

// Fills raw and weights.
static void fill(const block_type *type, uint32_t columns, int exponent)
{
    uint8_t *block = raw;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t k = 0; k < columns; k += type->columns, block += type->size)
            block_fill(type, block, exponent, next_random);
}

static void read_weights(const block_type *type, uint32_t columns)
{
    const uint8_t *block = raw;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t k = 0; k < columns; k += type->columns, block += type->size)
            for (uint32_t j = 0; j < type->columns; j++) weights[row][k + j] = block_weight(type->number, block, j);
}

// Every row comes back as the floats nearest to the weights, from tiles and from the file's own form.
static void check_rows(const block_type *type, uint32_t columns)
{
    read_weights(type, columns);
    for (int is_looked_up = 0; is_looked_up < 2; is_looked_up++) {
        CHECK_CASE("is_looked_up %d", is_looked_up);
        li_matrix matrix;
        CHECK(pack(&matrix, type, columns, is_looked_up));
        bool is_same = true;
        for (uint32_t row = 0; row < ROWS; row++) {
            float out[COLUMNS];
            li_matrix_get_row(&matrix, row, out);
            for (uint32_t k = 0; k < columns; k++) is_same &= out[k] == (float)weights[row][k];
        }
        CHECK(is_same);
        li_matrix_destroy(&matrix);
    }
}

static void test_rows_widen_to_the_values_of_their_formula(void)
{
    for (size_t t = 0; t < BLOCK_TYPES; t++) {
        CHECK_CASE("%s", block_types[t].name);
        const block_type *type = &block_types[t];
        for (uint32_t columns = type->columns; columns <= COLUMNS; columns += type->columns) {
            CHECK_CASE("columns %u", columns);
            fill(type, columns, -100);
            check_rows(type, columns);
        }
        // Each byte of the small scales takes all values while the others are random.
        for (uint32_t at = type->factors; at < type->factors_end; at++) {
            uint32_t blocks = ROWS * COLUMNS / type->columns;
            for (uint32_t value = 0; value < 256; value += blocks) {
                fill(type, COLUMNS, -3);
                for (uint32_t i = 0; i < blocks; i++) raw[i * type->size + at] = (uint8_t)(value + i);
                check_rows(type, COLUMNS);
            }
        }
    }
}

// Blocks that llama.cpp quantised give the weights that llama.cpp reads: the digest is of those.
static void test_weights_are_those_of_llama_cpp(void)
{
    for (size_t t = 0; t < BLOCK_TYPES; t++) {
        CHECK_CASE("%s", block_types[t].name);
        const char *text = llama_blocks[t].bytes;
        CHECK_EQ(llama_blocks[t].number, block_types[t].number);
        for (uint32_t i = 0; text[2 * i]; i++)
            raw[i] = (uint8_t)strtoul((char[]){text[2 * i], text[2 * i + 1], 0}, NULL, 16);
        li_matrix matrix = {(li_weight_type)block_types[t].number, 1, 256, .is_looked_up = false};
        CHECK(li_matrix_create(&matrix));
        CHECK(li_matrix_pack(&matrix, 0, 1, raw));
        float row[256];
        li_matrix_get_row(&matrix, 0, row);
        uint32_t sum = 2166136261u;
        for (uint32_t k = 0; k < 256; k++) row[k] += 0.0f; // no difference between the zeros
        for (const uint8_t *at = (const uint8_t *)row, *end = at + sizeof row; at < end; at++)
            sum = (sum ^ *at) * 16777619u;
        CHECK_EQ(sum, llama_blocks[t].digest);
        li_matrix_destroy(&matrix);
    }
}

static void test_scales_of_mxfp4(void)
{
    for (int exponent = 0; exponent < 256; exponent++) {
        CHECK_CASE("exponent %d", exponent);
        const block_type *type = &block_types[BLOCK_TYPES - 1];
        fill(type, 32, 0);
        for (uint32_t row = 0; row < ROWS; row++) raw[17 * row] = (uint8_t)exponent;
        if (exponent < 253) {
            check_rows(type, 32);
            continue;
        }
        li_matrix matrix; // a weight of the largest digit would be infinite, or the scale is not a number
        CHECK(!pack(&matrix, type, 32, false));
        li_matrix_destroy(&matrix);
    }
}

static void test_non_finite_scales_are_refused(void)
{
    static const char halves[4][3] = {"\0\174", "\0\374", "\1\174", "\377\377"};
    for (size_t t = 0; t < BLOCK_TYPES; t++)
        for (int i = 0; i < 2 && block_types[t].halves[i] >= 0; i++)
            for (int h = 0; h < 4; h++)
                for (int is_looked_up = 0; is_looked_up < 2; is_looked_up++) {
                    CHECK_CASE("%s, half %d, number %d, is_looked_up %d", block_types[t].name, i, h, is_looked_up);
                    const block_type *type = &block_types[t];
                    fill(type, COLUMNS, 0);
                    uint32_t block = next_random() % (ROWS * COLUMNS / type->columns);
                    memcpy(raw + block * type->size + type->halves[i], halves[h], 2);
                    li_matrix matrix;
                    CHECK(!pack(&matrix, type, COLUMNS, is_looked_up));
                    li_matrix_destroy(&matrix);
                }
}

// ---- products ----------------------------------------------------------------------------------------

// Input k of row i as the product takes it: a whole number times the scale of its 32, or 256, as input_rows.h says.
static double quantised(const block_type *type, uint32_t i, uint32_t k, uint32_t columns)
{
    const float *block = input.values + i * columns + k / type->columns * type->columns;
    double most = 0;
    for (uint32_t j = 0; j < type->columns; j++) most = fmax(most, fabs((double)block[j]));
    if (most == 0) return 0;
    int exponent;
    double scale = (double)((float)most / 127.0f);
    frexp(scale, &exponent);
    if (type->columns == 32) scale = ldexp(rint(ldexp(scale, 11 - exponent)), exponent - 11);
    return rint((double)(block[k % type->columns] * (127.0f / (float)most))) * scale;
}

static uint32_t digest = 2166136261u;

static void check_product(const block_type *type, uint32_t columns)
{
    fill(type, columns, -4);
    read_weights(type, columns);
    li_matrix matrix;
    CHECK(pack(&matrix, type, columns, false));
    CHECK(li_input_create(&input, INPUTS, columns));
    input.columns = columns;
    for (uint32_t i = 0; i < INPUTS * columns; i++) input.values[i] = (float)uniform();
    if (columns > 32) memset(input.values + columns, 0, 32 * sizeof(float)); // a block of zeros has no scale
    input.quantised_for = LI_WEIGHT_F32;
    li_matrix_multiply(&matrix, &input, INPUTS, output);
    double worst = 0;
    for (uint32_t i = 0; i < INPUTS; i++) {
        double x[COLUMNS];
        for (uint32_t k = 0; k < columns; k++) x[k] = quantised(type, i, k, columns);
        for (uint32_t row = 0; row < ROWS; row++) {
            double expected = 0, size = 0;
            for (uint32_t k = 0; k < columns; k++) {
                expected += weights[row][k] * x[k];
                size += fabs(weights[row][k] * x[k]);
            }
            worst = fmax(worst, fabs((double)output[i * ROWS + row] - expected) / size);
        }
    }
    CHECK_LT(worst, 1e-6);
    // One row at a time gives the same bits.
    float *values = input.values;
    for (uint32_t i = 0; i < INPUTS; i++) {
        input.values = values + i * columns;
        input.quantised_for = LI_WEIGHT_F32;
        li_matrix_multiply(&matrix, &input, 1, again + i * ROWS);
    }
    input.values = values;
    CHECK_BYTES(output, again, INPUTS * ROWS * sizeof(float));
    for (const uint8_t *at = (const uint8_t *)output, *end = at + sizeof output; at < end; at++)
        digest = (digest ^ *at) * 16777619u;
    li_input_destroy(&input);
    li_matrix_destroy(&matrix);
}

static void test_products_equal_the_reference_in_every_build(void)
{
    for (size_t t = 0; t < BLOCK_TYPES; t++)
        for (uint32_t columns = block_types[t].columns; columns <= COLUMNS; columns += 2 * block_types[t].columns)
            check_product(&block_types[t], columns);
    CHECK_EQ(digest, 1106064035u); // scalar code and SIMD give the same bits
}

// Matrices of different types share one input, in any order.
static void test_one_input_serves_matrices_of_every_type(void)
{
    li_matrix matrices[BLOCK_TYPES];
    CHECK(li_input_create(&input, INPUTS, 256));
    input.columns = 256;
    // The groups of rows have room for one row more, which must not change a product of fewer rows.
    static float more[(INPUTS + 1) * ROWS];
    for (uint32_t i = 0; i < (INPUTS + 1) * 256; i++) input.values[i] = (float)uniform();
    for (size_t t = 0; t < BLOCK_TYPES; t++) {
        CHECK_CASE("%s", block_types[t].name);
        fill(&block_types[t], 256, 0);
        CHECK(pack(&matrices[t], &block_types[t], 256, false));
    }
    for (size_t a = 0; a < BLOCK_TYPES; a++)
        for (size_t b = 0; b < BLOCK_TYPES; b++) {
            CHECK_CASE("%s after %s", block_types[b].name, block_types[a].name);
            input.quantised_for = LI_WEIGHT_F32;
            li_matrix_multiply(&matrices[b], &input, INPUTS, output);
            input.quantised_for = LI_WEIGHT_F32;
            li_matrix_multiply(&matrices[a], &input, INPUTS + 1, more);
            li_matrix_multiply(&matrices[b], &input, INPUTS, again);
            CHECK_BYTES(output, again, sizeof output);
        }
    for (size_t t = 0; t < BLOCK_TYPES; t++) li_matrix_destroy(&matrices[t]);
    li_input_destroy(&input);
}

// Packed weights stay quantised: they take at most 15 % more memory than the file.
static void test_packed_weights_take_at_most_1_15_times_the_file(void)
{
    for (size_t t = 0; t < BLOCK_TYPES; t++) {
        CHECK_CASE("%s", block_types[t].name);
        li_matrix matrix = {(li_weight_type)block_types[t].number, 64, 768, .is_looked_up = false};
        CHECK_LE(100 * li_matrix_size(&matrix), 115 * 64 * row_size(&block_types[t], 768));
        CHECK_EQ(li_weight_row_size(matrix.type, 768), row_size(&block_types[t], 768));
        matrix.is_looked_up = true;
        CHECK_EQ(li_matrix_size(&matrix), 64 * row_size(&block_types[t], 768));
    }
}

int main(void)
{
    test_rows_widen_to_the_values_of_their_formula();
    test_weights_are_those_of_llama_cpp();
    test_scales_of_mxfp4();
    test_non_finite_scales_are_refused();
    test_products_equal_the_reference_in_every_build();
    test_one_input_serves_matrices_of_every_type();
    test_packed_weights_take_at_most_1_15_times_the_file();
    return check_done("blocks");
}
