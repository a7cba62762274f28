#include "sample/sampler_scratch.h"

#include "base/assert.h"
#include "base/memory.h"
#include "sample/softmax.h"

// `size` bytes, which the scratch owns. NULL: no memory; then the status of the scratch is an error.
static void *take(li_sampler_scratch *scratch, size_t size)
{
    LI_ASSERT(scratch->owned_count < LI_SCRATCH_ARRAYS);
    void *memory = li_memory_alloc(size);
    if (memory)
        scratch->owned[scratch->owned_count++] = memory;
    else
        scratch->status = LI_ERROR_OUT_OF_MEMORY;
    return memory;
}

li_sampler_scratch *li_sampler_scratch_create(uint32_t vocab_size)
{
    LI_ASSERT(vocab_size && vocab_size <= LI_VOCAB_LIMIT);
    li_sampler_scratch *scratch = li_memory_alloc(sizeof *scratch);
    if (!scratch) return NULL;
    li_funnel *funnel = &scratch->funnel;
    const uint32_t blocks = li_softmax_blocks(vocab_size), capacity = blocks * LI_SOFTMAX_BLOCK;
    scratch->users = 1;
    scratch->capacity = capacity;
    scratch->trace.vocab_size = vocab_size;
    scratch->input = take(scratch, capacity * sizeof(float));
    funnel->weights = take(scratch, capacity * sizeof(float));
    funnel->id_store = take(scratch, capacity * sizeof(uint32_t));
    funnel->value_store = take(scratch, capacity * sizeof(float));
    funnel->scratch.keys = take(scratch, 2 * capacity * sizeof(uint32_t));
    funnel->scratch.masses = (float *)(funnel->scratch.keys + capacity);
    funnel->block_peaks = take(scratch, blocks * sizeof(float));
    funnel->block_sums = take(scratch, blocks * sizeof(double));
    if (scratch->status == LI_OK) return scratch;
    li_sampler_scratch_drop(scratch);
    return NULL;
}

void li_sampler_scratch_drop(li_sampler_scratch *scratch)
{
    LI_ASSERT(!scratch || scratch->users);
    if (!scratch || --scratch->users) return;
    while (scratch->owned_count) li_memory_free(scratch->owned[--scratch->owned_count]);
    li_memory_free(scratch->funnel.edits);
    li_memory_free(scratch);
}

li_status li_sampler_scratch_reserve(li_sampler_scratch *scratch, bool with_trace)
{
    const uint32_t capacity = scratch->capacity;
    li_trace *trace = &scratch->trace;
    scratch->status = LI_OK;
    if (!scratch->tokens) scratch->tokens = take(scratch, capacity * sizeof(uint32_t));
    if (!scratch->probabilities) scratch->probabilities = take(scratch, capacity * sizeof(double));
    if (!with_trace) return scratch->status;
    if (!trace->removed_by) trace->removed_by = take(scratch, capacity);
    if (!trace->logits) trace->logits = take(scratch, capacity * sizeof(float));
    if (!trace->probabilities) trace->probabilities = take(scratch, capacity * sizeof(double));
    return scratch->status;
}

li_status li_sampler_scratch_reserve_edits(li_sampler_scratch *scratch, uint64_t count)
{
    LI_ASSERT(scratch->funnel.edit_count == 0); // the edits of a step do not move
    if (count <= scratch->edit_capacity) return LI_OK;
    if (count > UINT32_MAX / sizeof(li_edit)) return LI_ERROR_OUT_OF_MEMORY;
    li_edit *edits = li_memory_alloc((size_t)count * sizeof *edits);
    if (!edits) return LI_ERROR_OUT_OF_MEMORY;
    li_memory_free(scratch->funnel.edits);
    scratch->funnel.edits = edits;
    scratch->edit_capacity = (uint32_t)count;
    return LI_OK;
}
