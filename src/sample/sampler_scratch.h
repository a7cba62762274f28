// The memory that one call of a sampler works in and leaves its results in. Samplers that were created beside each
// other share one scratch.
#ifndef LI_SAMPLER_SCRATCH_H
#define LI_SAMPLER_SCRATCH_H

#include "sample/funnel.h"
#include "sample/trace.h"

#define LI_SCRATCH_ARRAYS 13u

typedef struct li_sampler_scratch {
    uint32_t users;    // samplers that use this scratch
    uint32_t capacity; // elements of an array over tokens: vocab_size rounded up to whole blocks
    uint32_t edit_capacity;
    li_funnel funnel;
    float *input;          // (vocab_size) for a row that the caller copies in
    uint32_t *tokens;      // (vocab_size) NULL until the first result
    double *probabilities; // (vocab_size) NULL until the first result
    li_trace trace;        // its arrays are NULL until the first trace
    li_information information;
    li_sampler_arrays arrays;
    void *owned[LI_SCRATCH_ARRAYS]; // (owned_count) all arrays above except the edits
    uint32_t owned_count;
    li_status status; // LI_ERROR_OUT_OF_MEMORY: memory for an array is missing
} li_sampler_scratch;

// A scratch for rows of `vocab_size` logits, with one user and no room for edits. NULL: no memory.
li_sampler_scratch *li_sampler_scratch_create(uint32_t vocab_size);
// Removes one user; the last one frees the scratch. Allows NULL.
void li_sampler_scratch_drop(li_sampler_scratch *scratch);

// Room for results (tokens, probabilities), and with_trace for traces too; room for `count` edits in one step.
// LI_ERROR_OUT_OF_MEMORY keeps the former arrays.
li_status li_sampler_scratch_reserve(li_sampler_scratch *scratch, bool with_trace);
li_status li_sampler_scratch_reserve_edits(li_sampler_scratch *scratch, uint64_t count);

#endif
