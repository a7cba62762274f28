// Products of small matrices. Each element is summed in one lane, in the order of the depth, so its bits depend neither
// on the shape of the product nor on the build.
#ifndef LI_PRODUCT_H
#define LI_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

// Element (i, k) of a is a[i * a_row + k * a_step]; element (k, j) of b is b[k * b_row + j]; c is (rows, columns) with
// c_row floats from row to row. rows and columns are multiples of 4.
typedef struct li_product {
    const float *a, *b;
    float *c;
    uint32_t a_row, a_step, b_row, c_row;
    uint32_t rows, columns, depth;
    bool adds; // whether c keeps what it has
} li_product;

// c = a b, or c += a b.
void li_product_run(const li_product *product);

// out (columns, rows) = the transpose of in (rows, columns), whose rows lie in_row floats apart.
void li_transpose(float *out, const float *in, uint32_t in_row, uint32_t rows, uint32_t columns);

#endif
