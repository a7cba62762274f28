// The product of a weight matrix with rows of inputs.
#ifndef LI_MULTIPLY_H
#define LI_MULTIPLY_H

#include "model/input_rows.h"
#include "model/matrix.h"

// output (count, matrix->rows): output[i][r] = dot product of matrix row r and input row i, for `count` input rows of
// matrix->columns numbers. Every result is summed in the same order for every count.
void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output);

#endif
