// The product of a weight matrix with rows of inputs.
#ifndef LI_MULTIPLY_H
#define LI_MULTIPLY_H

#include "model/input_rows.h"
#include "model/matrix.h"

// output (count, matrix->rows): output[i][r] = dot product of matrix row r and input row i, for `count` input rows of
// matrix->columns numbers. Every result is summed in the same order for every count.
void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output);

#define LI_PRODUCTS_MOST 3u // matrices that are multiplied together

typedef struct li_product {
    const li_matrix *matrix;
    float *output; // (count, matrix->rows)
} li_product;

// li_matrix_multiply of one input and each of `matrices` (1 to LI_PRODUCTS_MOST) matrices. Threads share one loop over
// the rows of all matrices. A matrix whose type needs another quantisation of the input begins another loop.
void li_matrices_multiply(const li_product *products, uint32_t matrices, li_input *input, uint32_t count);

#endif
