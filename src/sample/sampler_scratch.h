// What one call of a sampler works in and leaves its results in. Samplers that were created beside each other share it.
#ifndef LI_SAMPLER_SCRATCH_H
#define LI_SAMPLER_SCRATCH_H

#include "sample/funnel.h"
#include "sample/trace.h"

#define LI_SCRATCH_ARRAYS 13u

typedef struct li_sampler_scratch {
    uint32_t users;    // samplers that work in this scratch
    uint32_t capacity; // vocab_size rounded up to whole blocks: the elements of every array that has one for each token
    uint32_t edit_capacity;
    li_funnel funnel;
    float *input;          // (vocab_size) where a row from elsewhere is copied to
    uint32_t *tokens;      // (vocab_size) NULL until the first result
    double *probabilities; // (vocab_size) NULL until the first result
    li_trace trace;        // its arrays: NULL until the first trace
    li_information information;
    li_sampler_arrays arrays;
    void *owned[LI_SCRATCH_ARRAYS]; // (owned_count) the arrays above, but for the edits
    uint32_t owned_count;
    li_status status; // LI_ERROR_OUT_OF_MEMORY: an array could not be taken
} li_sampler_scratch;

// Scratch for rows of `vocab_size` logits, with one user and no room for edits. NULL: no memory.
li_sampler_scratch *li_sampler_scratch_create(uint32_t vocab_size);
// Takes one user away; frees the scratch when that was the last one. NULL is allowed.
void li_sampler_scratch_drop(li_sampler_scratch *scratch);

// Room for results (tokens, probabilities), for traces, and for `count` edits in one step. LI_ERROR_OUT_OF_MEMORY
// leaves what there was.
li_status li_sampler_scratch_reserve(li_sampler_scratch *scratch, bool with_trace);
li_status li_sampler_scratch_reserve_edits(li_sampler_scratch *scratch, uint64_t count);

#endif
