// The parts of the forward pass, each against the same computation in float64.
#include <math.h>

#include "check.h"
#include "model/multiply.h"
#include "model/rope.h"
#include "model/vector.h"
#include "tiny_model.h"

#define ROWS_MAX    67
#define COLUMNS_MAX 160
#define INPUTS      9

static uint8_t raw[ROWS_MAX * COLUMNS_MAX * 4];
static float values[INPUTS * COLUMNS_MAX], scales[INPUTS * COLUMNS_MAX / 32], output[INPUTS * ROWS_MAX];
static uint8_t operands[2 * INPUTS * COLUMNS_MAX];
static int32_t starts[INPUTS * COLUMNS_MAX / 16];
static int16_t sums[INPUTS * COLUMNS_MAX / 16];

static double uniform(void)
{
    return tiny_random() * 0x1p-23 - 1;
}

// Repacks random rows in the format of files; `weights` (rows, columns) takes their values.
static void make_matrix(li_matrix *matrix, uint32_t type, uint32_t rows, uint32_t columns, double *weights)
{
    tiny_tensor tensor = {.name = "m", .type = type, .columns = columns, .rows = rows};
    tiny_fill(&tensor, raw);
    memcpy(weights, tensor.values, rows * columns * sizeof(double));
    free(tensor.values);
    *matrix = (li_matrix){.type = (li_weight_type)type, .rows = rows, .columns = columns};
    CHECK(li_matrix_create(matrix));
    size_t row_size = (size_t)li_weight_row_size((li_weight_type)type, columns);
    for (uint32_t first = 0; first < rows; first += LI_TILE_ROWS) {
        CHECK_CASE("first %u", first);
        uint32_t count = rows - first < LI_TILE_ROWS ? rows - first : LI_TILE_ROWS;
        CHECK(li_matrix_pack(matrix, first, count, raw + first * row_size));
    }
}

// values[at] as a multiple of its block's scale.
static double quant_of(uint32_t at)
{
    const float *block = values + at / 32 * 32;
    float most = 0;
    for (uint32_t k = 0; k < 32; k++) most = fmaxf(most, fabsf(block[k]));
    return most > 0 ? rint((double)(values[at] * (127.0f / most))) : 0;
}

// The index of the scale of values[i * columns + k]: rows that are multiplied at once lie side by side.
static uint32_t scale_of(uint32_t i, uint32_t k, uint32_t columns)
{
    uint32_t first = i / LI_ROWS_AT_ONCE * LI_ROWS_AT_ONCE, rows = li_rows_at_once(INPUTS - first);
    first = rows == 1 ? i : first;
    return first * (columns / 32) + k / 32 * rows + i - first;
}

static void test_matrices_equal_the_reference(void)
{
    static const uint32_t types[] = {F32, F16, Q8_0, Q4_0}, row_counts[] = {1, 7, 8, 9, ROWS_MAX};
    static const uint32_t column_counts[] = {1, 2, 31, 32, 33, 96, COLUMNS_MAX};
    static double weights[ROWS_MAX * COLUMNS_MAX];
    for (size_t t = 0; t < 4; t++)
        for (size_t r = 0; r < 5; r++)
            for (size_t c = 0; c < 7; c++) {
                uint32_t rows = row_counts[r], columns = column_counts[c];
                bool is_quantised = types[t] == Q8_0 || types[t] == Q4_0;
                if (is_quantised && columns % 32) continue;
                li_matrix matrix;
                make_matrix(&matrix, types[t], rows, columns, weights);
                float row[COLUMNS_MAX];
                bool is_same = true;
                for (uint32_t i = 0; i < rows; i++) {
                    li_matrix_get_row(&matrix, i, row);
                    for (uint32_t k = 0; k < columns; k++) is_same &= (double)row[k] == weights[i * columns + k];
                }
                CHECK(is_same);

                li_input input = {columns, LI_WEIGHT_F32, values, operands, starts, sums, scales};
                for (uint32_t i = 0; i < INPUTS * columns; i++) values[i] = (float)uniform();
                if (columns > 32) memset(values, 0, 32 * sizeof(float)); // a block of zeros has no scale
                li_matrix_multiply(&matrix, &input, INPUTS, output);
                double worst = 0;
                for (uint32_t i = 0; i < INPUTS; i++)
                    for (uint32_t j = 0; j < rows; j++) {
                        double expected = 0;
                        for (uint32_t k = 0; k < columns; k++) {
                            double x = (double)values[i * columns + k];
                            // For these types the product is defined with quantised inputs.
                            if (is_quantised) x = quant_of(i * columns + k) * (double)scales[scale_of(i, k, columns)];
                            expected += weights[j * columns + k] * x;
                        }
                        worst = fmax(worst, fabs((double)output[i * rows + j] - expected));
                    }
                CHECK_LT(worst, 2e-6);
                li_matrix_destroy(&matrix);
            }
}

// Every input comes back within half a step, and the largest of a block as 127: the matrix is the identity.
static void test_quantised_inputs_lie_within_half_a_step(void)
{
    static const uint8_t one[2] = {0, 0x3c};
    li_matrix matrix = {.type = LI_WEIGHT_Q8_0, .rows = 32, .columns = 32};
    memset(raw, 0, sizeof raw);
    for (size_t row = 0; row < 32; row++) {
        memcpy(raw + 34 * row, one, sizeof one);
        raw[34 * row + 2 + row] = 1;
    }
    CHECK(li_matrix_create(&matrix));
    for (uint32_t row = 0; row < 32; row += LI_TILE_ROWS)
        CHECK(li_matrix_pack(&matrix, row, LI_TILE_ROWS, raw + 34 * (size_t)row));
    for (int i = 0; i < 200; i++) {
        double size = pow(10, uniform() * 20), most = 0;
        for (uint32_t k = 0; k < 32; k++) values[k] = (float)(size * uniform());
        li_input input = {32, LI_WEIGHT_F32, values, operands, starts, sums, scales};
        li_matrix_multiply(&matrix, &input, 1, output);
        double step = (double)scales[0];
        for (uint32_t k = 0; k < 32; k++) {
            CHECK_NEAR((double)output[k], (double)values[k], step * (0.5 + 127 * 0x1p-11));
            CHECK_EQ((double)output[k], quant_of(k) * step);
            most = fmax(most, fabs((double)output[k]));
        }
        CHECK_EQ(most, 127 * step);
    }
    li_matrix_destroy(&matrix);
}

static void test_turns_equal_the_sines_of_float64(void)
{
    static const uint32_t positions[] = {0, 1, 2, 100, 511, 4095, 131071, 1000003, (1u << 24) - 1};
    static const double bases[] = {10000, 500000, 1};
    for (size_t b = 0; b < 3; b++) {
        double frequencies[64];
        float turns[128], worst = 0;
        li_rope_scaling plain = {.pairs = 64, .base = bases[b], .factor = 1, .magnitude = 1};
        li_rope_frequencies(frequencies, &plain, NULL);
        for (uint32_t i = 0; i < 64; i++) CHECK_NEAR(frequencies[i] / pow(bases[b], -2.0 * i / 128), 1, 1e-14);
        for (size_t p = 0; p < sizeof positions / sizeof *positions; p++) {
            li_rope_turns(frequencies, 64, positions[p], 1, turns);
            for (uint32_t i = 0; i < 64; i++) {
                double angle = positions[p] * frequencies[i];
                worst = fmaxf(worst, (float)fabs((double)turns[2 * i] - cos(angle)));
                worst = fmaxf(worst, (float)fabs((double)turns[2 * i + 1] - sin(angle)));
            }
        }
        CHECK_LT(worst, 6.1e-8f); // a float32's own rounding
    }
}

static void test_swiglu_equals_its_formula(void)
{
    float gate[37], up[37], out[37];
    for (int round = 0; round < 20; round++) {
        CHECK_CASE("round %d", round);
        for (uint32_t i = 0; i < 37; i++) {
            gate[i] = (float)(uniform() * (round < 10 ? 5 : 200));
            up[i] = (float)uniform();
        }
        li_vector_swiglu(out, gate, up, 37);
        for (uint32_t i = 0; i < 37; i++) {
            double g = (double)gate[i], expected = g / (1 + exp(-g)) * (double)up[i];
            CHECK_NEAR((double)out[i], expected, 2e-6 * fabs(expected) + 1e-35);
        }
    }
}

// Both are functions of one number. Only the absolute error of tanh is bounded, because small values come from a
// subtraction.
static void test_gelu_and_tanh_equal_their_formulas(void)
{
    for (uint32_t count = 1; count < 12; count++) {
        for (int round = 0; round < 400; round++) {
            CHECK_CASE("round %d", round);
            float x[12], gelu[12], tangent[12];
            for (uint32_t i = 0; i < count; i++)
                x[i] = gelu[i] = tangent[i] = (float)(uniform() * (round < 200 ? 4 : 50));
            li_vector_gelu(gelu, count);
            li_vector_tanh(tangent, count);
            for (uint32_t i = 0; i < count; i++) {
                double a = (double)x[i], u = 0.79788456080286535588 * (a + 0.044715 * a * a * a);
                // a (1 + tanh(u)) / 2, without its cancellation where u is negative
                double expected = a / (1 + exp(-2 * u));
                CHECK_NEAR((double)gelu[i], expected, (2e-6 + 2e-7 * fabs(u)) * fabs(expected) + 1e-35);
                CHECK_NEAR((double)tangent[i], tanh(a), 0x1p-22);
            }
        }
    }
    float edges[] = {0, -0.0f, INFINITY, 1e30f, -1e30f};
    li_vector_gelu(edges, 5);
    CHECK_EQ(edges[0], 0);
    CHECK_EQ(edges[1], 0);
    CHECK(isinf(edges[2]));
    CHECK_EQ(edges[3], 1e30f);
    CHECK_LT(fabsf(edges[4]), 1e-7f);
    float limits[] = {INFINITY, -INFINITY, 100, -100};
    li_vector_tanh(limits, 4);
    CHECK_EQ(limits[0], 1);
    CHECK_EQ(limits[1], -1);
    CHECK_EQ(limits[2], 1);
    CHECK_EQ(limits[3], -1);
}

static void test_products_and_centres_equal_their_formulas(void)
{
    for (uint32_t count = 1; count < 40; count++) {
        float x[40], y[40], product[40], centred[40], scaled[40];
        double mean = 0;
        for (uint32_t i = 0; i < count; i++) {
            x[i] = product[i] = scaled[i] = (float)uniform() + 3;
            y[i] = (float)uniform();
            mean += (double)x[i] / count;
        }
        li_vector_multiply(product, y, count);
        li_vector_scale(scaled, count, 0.3f);
        li_vector_centre(centred, x, count);
        for (uint32_t i = 0; i < count; i++) {
            CHECK_EQ(product[i], x[i] * y[i]);
            CHECK_EQ(scaled[i], x[i] * 0.3f);
            CHECK_NEAR((double)centred[i], (double)x[i] - mean, 1e-6);
        }
    }
}

static void test_the_norm_equals_its_formula(void)
{
    for (uint32_t count = 1; count < 40; count++) {
        float x[40], weight[40], out[40];
        double mean = 0;
        for (uint32_t i = 0; i < count; i++) {
            x[i] = (float)uniform();
            weight[i] = (float)uniform();
            mean += (double)x[i] * (double)x[i] / count;
        }
        li_vector_norm(out, x, weight, count, 1e-5f);
        for (uint32_t i = 0; i < count; i++) {
            double expected = (double)x[i] * (double)weight[i] / sqrt(mean + (double)1e-5f);
            CHECK_NEAR((double)out[i], expected, 1e-6);
        }
    }
}

int main(void)
{
    test_matrices_equal_the_reference();
    test_quantised_inputs_lie_within_half_a_step();
    test_turns_equal_the_sines_of_float64();
    test_swiglu_equals_its_formula();
    test_gelu_and_tanh_equal_their_formulas();
    test_products_and_centres_equal_their_formulas();
    test_the_norm_equals_its_formula();
    return check_done("model_parts");
}
