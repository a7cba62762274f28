// The products of a weight matrix with rows of inputs.
#ifndef LI_MULTIPLY_H
#define LI_MULTIPLY_H

#include "model/input_rows.h"
#include "model/matrix.h"

// output[i][r] = matrix row r * input row i, for `count` input rows of matrix->columns numbers; a row of
// output is matrix->rows long. Every result is summed in the same order whatever the count is.
void li_matrix_multiply(const li_matrix *matrix, li_input *input, uint32_t count, float *output);

#endif
