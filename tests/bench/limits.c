// What the forward pass is compared with: a loop that only reads, loops that only multiply and add, and the matrix
// products of a step alone.
#include <stdlib.h>

#include "base/memory.h"
#include "base/simd.h"
#include "model/multiply.h"

// Reads (size) bytes, a multiple of 64.
float read_only(const float *bytes, uint32_t size);
// Each `turns` * 96 or 48 multiply-adds in registers: of 16 bits, as quantised weights take them, and of floats.
// The compiler cannot see the value of `by`.
int32_t multiply_words_only(uint32_t turns, int32_t by);
float multiply_floats_only(uint32_t turns, float by);
// Makes matrices of zeros with the shapes of a model, tied; multiply_all runs a step's products with them, one row or
// four, inputs quantised beforehand. false: no memory.
bool make_matrices(uint32_t type, uint32_t dim, uint32_t hidden, uint32_t layers, uint32_t vocab);
void multiply_all(uint32_t rows);

float read_only(const float *bytes, uint32_t size)
{
    li_f32x4 sums[4];
    for (int i = 0; i < 4; i++) sums[i] = li_f32x4_splat(0);
    for (const float *end = bytes + size / sizeof(float); bytes < end; bytes += 16)
        for (int i = 0; i < 4; i++) sums[i] = li_f32x4_pmax(sums[i], li_f32x4_load(bytes + 4 * i));
    return li_f32x4_lane(li_f32x4_pmax(li_f32x4_pmax(sums[0], sums[1]), li_f32x4_pmax(sums[2], sums[3])), 0);
}

// Each sum is multiplied itself, so that no product can be taken out of the loop; so many do not wait for each other.
#define CHAINS 12u
int32_t multiply_words_only(uint32_t turns, int32_t by)
{
    li_i16x8 x = li_i16x8_splat_pair((const uint8_t *)&by);
    li_i32x4 sums[CHAINS];
    for (uint32_t i = 0; i < CHAINS; i++) sums[i] = li_i32x4_splat((int32_t)i + 1);
    for (uint32_t t = 0; t < turns; t++)
        for (uint32_t i = 0; i < CHAINS; i++) sums[i] = li_i32x4_add(sums[i], li_i32x4_dot(sums[i], x));
    for (uint32_t i = 1; i < CHAINS; i++) sums[0] = li_i32x4_add(sums[0], sums[i]);
    return li_i32x4_total(sums[0]);
}

float multiply_floats_only(uint32_t turns, float by)
{
    li_f32x4 sums[CHAINS], x = li_f32x4_splat(by);
    for (uint32_t i = 0; i < CHAINS; i++) sums[i] = li_f32x4_splat((float)(i + 1));
    for (uint32_t t = 0; t < turns; t++)
        for (uint32_t i = 0; i < CHAINS; i++) sums[i] = li_f32x4_add(sums[i], li_f32x4_mul(sums[i], x));
    for (uint32_t i = 1; i < CHAINS; i++) sums[0] = li_f32x4_add(sums[0], sums[i]);
    return li_f32x4_lane(sums[0], 0);
}

#define PER_LAYER 7u
#define ROWS      4u
static li_matrix *matrices;
static uint32_t count;
static li_input dim_input, hidden_input;
static float *output;

static bool make_input(li_input *input, uint32_t columns)
{
    input->columns = columns;
    return li_input_create(input, ROWS, columns);
}

static bool make_matrix(li_matrix *matrix, uint32_t type, uint32_t rows, uint32_t columns)
{
    *matrix = (li_matrix){.type = (li_weight_type)type, .rows = rows, .columns = columns};
    return li_matrix_create(matrix);
}

bool make_matrices(uint32_t type, uint32_t dim, uint32_t hidden, uint32_t layers, uint32_t vocab)
{
    const uint32_t shapes[PER_LAYER][2] = {{dim, dim},    {dim, dim},    {dim, dim},   {dim, dim},
                                           {hidden, dim}, {hidden, dim}, {dim, hidden}};
    bool is_made = make_input(&dim_input, dim) && make_input(&hidden_input, hidden);
    count = layers * PER_LAYER + 1;
    matrices = li_memory_alloc(count * sizeof(li_matrix));
    output = li_memory_alloc((size_t)ROWS * (vocab > hidden ? vocab : hidden) * sizeof(float));
    for (uint32_t i = 0; i + 1 < count && matrices; i++) {
        const uint32_t *shape = shapes[i % PER_LAYER];
        is_made &= make_matrix(&matrices[i], type, shape[0], shape[1]);
    }
    is_made &= matrices && make_matrix(&matrices[count - 1], type, vocab, dim);
    return is_made && output;
}

void multiply_all(uint32_t rows)
{
    for (uint32_t i = 0; i < count; i++)
        li_matrix_multiply(&matrices[i], matrices[i].columns == dim_input.columns ? &dim_input : &hidden_input, rows,
                           output);
}
