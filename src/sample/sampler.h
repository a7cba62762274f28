// The sampler object; sampler.c makes and configures it, step.c runs it, state.c keeps it.
#ifndef LI_SAMPLER_H
#define LI_SAMPLER_H

#include "sample/chain.h"
#include "sample/sampler_scratch.h"

#define LI_NOTHING_DRAWN UINT32_MAX
#define LI_NO_MARK       UINT32_MAX

// What changes as tokens are accepted, to go back to.
typedef struct li_mark {
    uint32_t length; // LI_NO_MARK: there is none
    uint32_t draws, drawn;
    double drawn_probability, undistorted_probability, last_probability;
    li_feedback feedback;
    li_break last_break;
} li_mark;

struct li_sampler {
    uint32_t vocab_size;
    li_settings written;  // what the caller is writing; configure takes it over
    li_settings settings; // in force; its lists are those of `written` until those are replaced
    li_chain chain;
    li_history history;
    uint32_t draws;                 // steps that used random numbers
    uint32_t drawn;                 // the token chosen last, until one is accepted, or LI_NOTHING_DRAWN
    double drawn_probability;       // with which it was chosen
    double undistorted_probability; // and before adaptive-p distorted it
    double last_probability;        // of the token last chosen and accepted
    float *logits;                  // (vocab_size) the caller's row in the sampler's keeping, once it was asked for
    uint32_t *bitmask;              // (vocab_size / 32, rounded up) likewise
    li_sampler_scratch *scratch;
    li_mark mark;
};

// Runs `chain` with the sampler's settings on a row, which stays edited until li_funnel_undo, unless an error comes
// back. `trace` (or NULL) records what every stage does.
li_status li_sampler_run(li_sampler *sampler, const li_chain *chain, float *logits, li_trace *trace);
// Remembers that the survivor at `index` was chosen with `probability`, for the feedback, and undoes the edits. Returns
// the token.
int32_t li_sampler_take(li_sampler *sampler, uint32_t index, double probability);
// Begins the feedback of the stages in `stages`, a bit each; forgets the mark and what was drawn last.
void li_sampler_begin_feedback(li_sampler *sampler, uint32_t stages);

#endif
