// One step of beam search: the best candidates stay in a heap while rows are added. Public functions: lastinch.h.
#include "base/assert.h"
#include "base/exp.h"
#include "base/memory.h"
#include "sample/sampler.h"

#define CAPACITY_LIMIT (1u << 20)

typedef struct penalty {
    double amount;
    uint32_t token;
} penalty;

struct li_beam_step {
    uint32_t capacity, keep, count;
    bool is_sorted;
    li_candidate *best; // (count of capacity) a heap with the worst on top, until is_sorted
    penalty *penalties; // (penalty_count of penalty_capacity) each token once
    uint32_t penalty_count, penalty_capacity;
};

li_beam_step *li_beam_step_create(uint32_t capacity)
{
    if (capacity == 0 || capacity > CAPACITY_LIMIT) return NULL;
    li_beam_step *step = li_memory_alloc(sizeof *step);
    if (!step) return NULL;
    step->capacity = step->keep = capacity;
    step->best = li_memory_alloc(capacity * sizeof *step->best);
    if (step->best) return step;
    li_beam_step_destroy(step);
    return NULL;
}

void li_beam_step_destroy(li_beam_step *step)
{
    if (!step) return;
    li_memory_free(step->best);
    li_memory_free(step->penalties);
    li_memory_free(step);
}

li_status li_beam_step_begin(li_beam_step *step, uint32_t keep)
{
    if (keep == 0 || keep > step->capacity) return LI_ERROR_BAD_ARGUMENT;
    step->keep = keep;
    step->count = step->penalty_count = 0;
    step->is_sorted = false;
    return LI_OK;
}

li_status li_beam_step_penalise(li_beam_step *step, uint32_t token, double amount)
{
    if (!(amount >= 0.0 && amount < __builtin_inf())) return LI_ERROR_BAD_ARGUMENT;
    for (uint32_t i = 0; i < step->penalty_count; i++) {
        if (step->penalties[i].token != token) continue;
        step->penalties[i].amount += amount;
        return LI_OK;
    }
    if (step->penalty_count == step->penalty_capacity) {
        uint32_t capacity = step->penalty_capacity ? 2 * step->penalty_capacity : 16;
        penalty *penalties =
            li_memory_resize(step->penalties, step->penalty_count * sizeof *penalties, capacity * sizeof *penalties);
        if (!penalties) return LI_ERROR_OUT_OF_MEMORY;
        step->penalties = penalties;
        step->penalty_capacity = capacity;
    }
    step->penalties[step->penalty_count++] = (penalty){amount, token};
    return LI_OK;
}

static double penalty_of(const li_beam_step *step, uint32_t token)
{
    for (uint32_t i = 0; i < step->penalty_count; i++)
        if (step->penalties[i].token == token) return step->penalties[i].amount;
    return 0.0;
}

// ---- the best so far: a heap with the worst on top ---------------------------------------------------

static bool is_worse(const li_candidate *a, const li_candidate *b)
{
    if (a->score != b->score) return a->score < b->score;
    if (a->beam != b->beam) return a->beam > b->beam;
    return a->token > b->token;
}

// Replaces the top of a heap (count) with a candidate.
static void replace_top(li_candidate *heap, uint32_t count, li_candidate candidate)
{
    LI_ASSERT(count);
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && is_worse(&heap[child + 1], &heap[child])) child++;
        if (!is_worse(&heap[child], &candidate)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = candidate;
}

static void offer(li_beam_step *step, li_candidate candidate)
{
    LI_ASSERT(!step->is_sorted && step->count <= step->keep && step->keep <= step->capacity);
    LI_ASSERT(candidate.score == candidate.score);
    li_candidate *heap = step->best;
    if (step->count == step->keep) {
        if (is_worse(&heap[0], &candidate)) replace_top(heap, step->count, candidate);
        return;
    }
    uint32_t at = step->count++;
    for (; at && is_worse(&candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = candidate;
}

const li_candidate *li_beam_step_best(li_beam_step *step)
{
    LI_ASSERT(step->count <= step->capacity);
    if (!step->is_sorted)
        for (uint32_t end = step->count; end > 1; end--) {
            li_candidate worst = step->best[0];
            replace_top(step->best, end - 1, step->best[end - 1]);
            step->best[end - 1] = worst;
        }
    step->is_sorted = true;
    return step->best;
}

uint32_t li_beam_step_count(const li_beam_step *step)
{
    return step->count;
}

// ---- a row -------------------------------------------------------------------------------------------

// The peak of a row and the logarithm of the sum of e^(logit - peak): see li_logits_normalise.
typedef struct norm {
    double peak, log_total;
} norm;

// The norm of the edited row before masks. Tokens that an edit banned count too, because a ban is a mask.
static li_status normalise(li_funnel *funnel, norm *of)
{
    li_status status = li_funnel_normalise_row(funnel, &of->peak, &of->log_total);
    if (status) return status;
    float *banned = funnel->scratch.masses;
    uint32_t count = li_funnel_banned_logits(funnel, banned);
    if (count == 0) return LI_OK;
    LI_ASSERT(count <= funnel->edit_count);
    double highest = of->peak, sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        if ((double)banned[i] > highest) highest = (double)banned[i];
    for (uint32_t i = 0; i < count; i++) sum += li_exp((double)banned[i] - highest);
    *of = (norm){highest, li_log(sum + li_exp(of->peak - highest + of->log_total))};
    LI_ASSERT(of->log_total == of->log_total);
    return LI_OK;
}

li_status li_beam_step_add(li_beam_step *step, li_sampler *sampler, float *logits, uint32_t beam, double score)
{
    if (step->is_sorted || score - score != 0.0) return LI_ERROR_BAD_ARGUMENT;
    li_chain edits = sampler->chain;
    edits.active_stages &= LI_EDIT_STAGES;
    li_status status = li_sampler_run(sampler, &edits, logits, NULL);
    if (status) return status;
    li_funnel *funnel = &sampler->scratch->funnel;
    norm of = {0.0, 0.0}; // a forced token has the logit 0: its log-probability is 0
    if (!li_mask_forced(&sampler->settings, &sampler->history)) status = normalise(funnel, &of);
    double likeliest = (double)funnel->peak - of.peak - of.log_total;
    bool is_hopeless = step->count == step->keep && score + likeliest < step->best[0].score;
    if (status == LI_OK && !is_hopeless) {
        // At most penalty_count tokens are penalised, so the best of the row are among this many.
        li_funnel_keep_likeliest(funnel, (double)step->keep + (double)step->penalty_count, false);
        li_funnel_list(funnel);
        for (uint32_t i = 0; i < funnel->count; i++) {
            uint32_t token = li_funnel_id(funnel, i);
            double log_probability = (double)funnel->values[i] - of.peak - of.log_total;
            offer(step, (li_candidate){score + (log_probability - penalty_of(step, token)), beam, token});
        }
    }
    li_funnel_undo(funnel);
    return status;
}
