// The state of a model's loading.
#ifndef LI_LOAD_H
#define LI_LOAD_H

#include "lastinch.h"
#include "model/weights.h"

// Where the next bytes of tensor data go.
typedef struct li_arrival {
    uint64_t offset;   // of the tensor in the tensor data
    li_matrix *matrix; // one of these two, the other is NULL
    li_vector *vector;
} li_arrival;

typedef struct li_loader {
    uint32_t count, current;
    uint32_t next_row;    // of the current matrix
    uint64_t position;    // in the tensor data
    li_status status;     // the first error; later bytes are refused with it
    li_arrival *arrivals; // (count) by offset
    uint8_t *staging;     // (the largest group of LI_TILE_ROWS rows in the file) rows that are not complete yet
    size_t staged;        // bytes in it
} li_loader;

#endif
