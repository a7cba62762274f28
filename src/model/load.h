// The state of loading: the tensor that the next bytes belong to. Functions: li_model_write and li_model_finish.
#ifndef LI_LOAD_H
#define LI_LOAD_H

#include "lastinch.h"
#include "model/hash.h"
#include "model/weights.h"

// The destination of one tensor of the file.
typedef struct li_arrival {
    uint64_t offset;   // of the tensor in the tensor data
    li_matrix *matrix; // matrix or vector; the other is NULL
    li_vector *vector;
} li_arrival;

typedef struct li_loader {
    uint32_t count, current;
    uint32_t next_row;    // of the current matrix
    uint64_t position;    // in the tensor data
    li_status status;     // the first error; later bytes are refused
    li_arrival *arrivals; // (count) by offset
    uint8_t *staging;     // (file bytes of the largest tile) rows of an incomplete tile
    size_t staged;        // bytes in `staging`
    li_hash hash;         // of the header and the tensor data so far
} li_loader;

#endif
