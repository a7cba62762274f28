// The sampler object: sampler.c creates and configures it, step.c runs it, state.c keeps its state.
#ifndef LI_SAMPLER_H
#define LI_SAMPLER_H

#include "sample/chain.h"
#include "sample/sampler_scratch.h"

#define LI_NOTHING_DRAWN UINT32_MAX
#define LI_NO_MARK       UINT32_MAX

// The state at li_sampler_mark, for li_sampler_rewind.
typedef struct li_mark {
    uint32_t length; // LI_NO_MARK: no mark
    uint32_t draws;
    li_chosen chosen;
    li_feedback feedback;
    li_break last_break;
} li_mark;

struct li_sampler {
    uint32_t vocab_size;
    li_settings written;  // being written by the caller; configure copies them into `settings`
    li_settings settings; // in force; shares its lists with `written` until those are replaced
    li_chain chain;
    li_history history;
    uint32_t draws; // steps that used random numbers
    li_chosen chosen;
    float *logits;     // (vocab_size) result of li_sampler_logits; NULL until the first call
    uint32_t *bitmask; // (vocab_size / 32, rounded up) result of li_sampler_bitmask; NULL until the first call
    li_sampler_scratch *scratch;
    li_mark mark;
    li_stage part_stage; // result of li_sampler_part_stage
};

// Starts a step on a row, which is edited from then on until li_funnel_undo.
li_funnel *li_sampler_begin_step(li_sampler *sampler, float *logits);
// Runs `chain` with the sampler's settings on a row. The row stays edited until li_funnel_undo, except after an error.
// `trace` (or NULL) records every stage.
li_status li_sampler_run(li_sampler *sampler, const li_chain *chain, float *logits, li_trace *trace);
// Notes that the survivor at `index` was chosen, with its probability, and undoes the edits. The survivors are weighed,
// or there is one. Returns the token.
int32_t li_sampler_take(li_sampler *sampler, uint32_t index);
// The uniform number of the next draw; negative, if the sampler draws by Gumbel noise.
double li_sampler_uniform(const li_sampler *sampler);
// Chooses from the survivors of the chain with the uniform number u, or by Gumbel noise if u is negative. Undoes the
// edits. Returns the token.
int32_t li_sampler_draw(li_sampler *sampler, double u);
// Starts the feedback of the stages in `stages`, a bit each. Forgets the mark and the token chosen last.
void li_sampler_begin_feedback(li_sampler *sampler, uint32_t stages);

#endif
