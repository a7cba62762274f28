// Speculative sampling: keeps the draft's distribution and verifies its token with the target's. Public functions:
// lastinch.h.
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/random.h"
#include "sample/sampler.h"
#include "sample/softmax.h"

struct li_proposal {
    uint32_t *ids;  // (length of id_capacity) ascending, if is_listed
    float *weights; // (length of capacity) of the survivors; masked tokens weigh 0
    uint32_t length, capacity, id_capacity;
    bool is_listed; // otherwise i is the id
    double total;   // sum of the weights
};

li_proposal *li_proposal_create(void)
{
    return li_memory_alloc(sizeof(li_proposal));
}

void li_proposal_destroy(li_proposal *proposal)
{
    if (!proposal) return;
    li_memory_free(proposal->ids);
    li_memory_free(proposal->weights);
    li_memory_free(proposal);
}

// Reserves room for `length` numbers of 4 bytes and drops the old numbers. The capacity doubles, so it seldom grows.
static bool reserve(void **numbers, uint32_t *capacity, uint32_t length)
{
    LI_ASSERT(length && (!*capacity || *numbers));
    if (length <= *capacity) return true;
    uint32_t more = *capacity ? *capacity : 64;
    while (more < length) more *= 2;
    void *fresh = li_memory_alloc(more * sizeof(uint32_t));
    if (!fresh) return false;
    li_memory_free(*numbers);
    *numbers = fresh;
    *capacity = more;
    return true;
}

static li_status keep(li_proposal *proposal, const li_funnel *funnel)
{
    LI_ASSERT(funnel->is_weighed);
    void *ids = proposal->ids, *weights = proposal->weights;
    bool is_kept = reserve(&weights, &proposal->capacity, funnel->length);
    if (is_kept && funnel->ids) is_kept = reserve(&ids, &proposal->id_capacity, funnel->length);
    proposal->ids = ids;
    proposal->weights = weights;
    if (!is_kept) return LI_ERROR_OUT_OF_MEMORY;
    memcpy(proposal->weights, funnel->weights, funnel->length * sizeof *proposal->weights);
    if (funnel->ids) memcpy(proposal->ids, funnel->ids, funnel->length * sizeof *proposal->ids);
    proposal->is_listed = funnel->ids != NULL;
    proposal->length = funnel->length;
    proposal->total = funnel->total;
    LI_ASSERT(proposal->total > 0.0);
    return LI_OK;
}

// Runs the chain and weighs the survivors.
static li_status weigh(li_sampler *sampler, float *logits)
{
    if (sampler->settings.lists[LI_LIST_WATERMARK].count) return LI_ERROR_CONFLICT;
    li_status status = li_sampler_run(sampler, &sampler->chain, logits, NULL);
    if (status == LI_OK) li_funnel_weigh(&sampler->scratch->funnel);
    return status;
}

static double uniform(const li_sampler *sampler, li_random_purpose purpose)
{
    const li_options *options = &sampler->settings.options;
    return li_random_uniform((uint64_t)options->seed, (uint32_t)options->stream, sampler->draws, purpose, 0);
}

li_status li_proposal_keep(li_proposal *proposal, li_sampler *sampler, float *draft_logits)
{
    proposal->length = 0;
    li_status status = weigh(sampler, draft_logits);
    if (status) return status;
    status = keep(proposal, &sampler->scratch->funnel);
    li_funnel_undo(&sampler->scratch->funnel);
    return status;
}

int32_t li_proposal_draw(li_proposal *proposal, li_sampler *sampler, float *draft_logits)
{
    proposal->length = 0;
    li_status status = weigh(sampler, draft_logits);
    if (status) return status;
    const li_funnel *funnel = &sampler->scratch->funnel;
    status = keep(proposal, funnel);
    if (status) {
        li_funnel_undo(&sampler->scratch->funnel);
        return status;
    }
    double u = uniform(sampler, LI_RANDOM_DRAFT);
    return li_sampler_take(sampler,
                           li_softmax_find(funnel->weights, funnel->length, funnel->block_sums, u * funnel->total));
}

// The index of `token` in ids (length, ascending; NULL: i is the id), or UINT32_MAX.
static uint32_t find(const uint32_t *ids, uint32_t length, uint32_t token)
{
    LI_ASSERT(!ids || li_is_ascending(ids, length));
    if (!ids) return token < length ? token : UINT32_MAX;
    uint32_t low = 0, high = length;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ids[middle] < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length && ids[low] == token ? low : UINT32_MAX;
}

static const uint32_t *ids_of(const li_proposal *proposal)
{
    return proposal->is_listed ? proposal->ids : NULL;
}

// Writes the draft's weights of the target's survivors to weights (length).
static void list_drafted(const li_funnel *funnel, const li_proposal *proposal, float *weights)
{
    LI_ASSERT(weights != funnel->weights && weights != proposal->weights);
    const uint32_t *ids = ids_of(proposal);
    memset(weights, 0, funnel->length * sizeof *weights);
    if (!ids && !funnel->ids) {
        uint32_t shared = proposal->length < funnel->length ? proposal->length : funnel->length;
        memcpy(weights, proposal->weights, shared * sizeof *weights);
        return;
    }
    for (uint32_t i = 0, at = 0; i < proposal->length; i++) {
        uint32_t id = ids ? ids[i] : i;
        if (!funnel->ids) at = id;
        while (at < funnel->length && li_funnel_id(funnel, at) < id) at++;
        if (at < funnel->length && li_funnel_id(funnel, at) == id) weights[at] = proposal->weights[i];
    }
}

// Overwrites value_store with the weights of max(0, target - draft), in units of the draft's weights: the survivors'
// logits are no longer needed. Returns their sum.
static double subtract(li_funnel *funnel, const li_proposal *proposal)
{
    LI_ASSERT(funnel->is_weighed && proposal->total > 0.0);
    const double scale = proposal->total / funnel->total;
    const float *weights = funnel->weights;
    float *rest = funnel->value_store;
    double total = 0.0;
    list_drafted(funnel, proposal, rest);
    for (uint32_t start = 0; start < funnel->length; start += LI_SOFTMAX_BLOCK) {
        uint32_t end = funnel->length - start < LI_SOFTMAX_BLOCK ? funnel->length : start + LI_SOFTMAX_BLOCK;
        double sum = 0.0;
        for (uint32_t i = start; i < end; i++) {
            double more = (double)weights[i] * scale - (double)rest[i];
            // max(0, more) without a branch, which would be hard to predict.
            rest[i] = (float)((more + __builtin_fabs(more)) / 2.0);
            sum += (double)rest[i];
        }
        total += funnel->block_sums[start / LI_SOFTMAX_BLOCK] = sum;
    }
    return total;
}

int32_t li_sampler_verify(li_sampler *sampler, float *target_logits, const li_proposal *proposal, uint32_t token,
                          double u, double v)
{
    uint32_t draft_index = find(ids_of(proposal), proposal->length, token);
    if (!(u < 1.0 && v < 1.0) || draft_index == UINT32_MAX || !(proposal->weights[draft_index] > 0.0f))
        return LI_ERROR_BAD_ARGUMENT;
    li_status status = weigh(sampler, target_logits);
    if (status) return status;
    li_funnel *funnel = &sampler->scratch->funnel;
    if (u < 0.0) u = uniform(sampler, LI_RANDOM_ACCEPT);
    if (v < 0.0) v = uniform(sampler, LI_RANDOM_RESIDUAL);
    double draft = (double)proposal->weights[draft_index] / proposal->total, target = 0.0;
    LI_ASSERT(draft_index < proposal->length && draft > 0.0 && u >= 0.0 && v >= 0.0);
    uint32_t index = find(funnel->ids, funnel->length, token);
    if (index != UINT32_MAX) target = (double)funnel->weights[index] / funnel->total;
    if (u * draft < target) return li_sampler_take(sampler, index);
    double rest = subtract(funnel, proposal);
    LI_ASSERT(rest >= 0.0);
    if (!(rest > 0.0)) rest = subtract(funnel, &(li_proposal){.total = 1.0}); // the two differ only by rounding
    return li_sampler_take(sampler, li_softmax_find(funnel->value_store, funnel->length, funnel->block_sums, v * rest));
}

double li_sampler_chosen_probability(const li_sampler *sampler)
{
    return sampler->chosen.probability;
}
