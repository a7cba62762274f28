// The state that every stage works on: one row of logits on its way to one token. Survivors stay in ascending id order.
// No function here sorts the vocabulary or takes memory.
#ifndef LI_FUNNEL_H
#define LI_FUNNEL_H

#include "base/assert.h"
#include "base/inline.h"
#include "lastinch.h"
#include "sample/logits.h"
#include "sample/select.h"

typedef struct li_edit {
    uint32_t id;
    float former;
} li_edit;

// What smoothing does to logits. temperature 0: nothing.
typedef struct li_bend {
    double peak, temperature, square, cube;
} li_bend;

typedef struct li_funnel {
    float *row;        // (vocab_size) the caller's logits, edited in place and restored by li_funnel_undo
    uint32_t row_size; // tokens; the padding beyond is never read
    uint32_t count;    // survivors
    uint32_t step;     // number of the next draw, for stages that use random numbers

    // Before the first cut ids is NULL, and the survivors are the unmasked tokens of the whole row. A cut lists the
    // survivors. A part of a row (part.c) begins with the ids of whole blocks of 64, in which tokens may be masked.
    const uint32_t *ids; // (length) ascending; NULL: i is the id
    const float *values; // (length) their logits; while ids is NULL the row, or a copy with a mask applied
    uint32_t length;     // count, or more where tokens are masked: row_size while ids is NULL

    float peak;         // largest logit of the survivors
    double temperature; // of the weights e^((value - peak) / temperature)
    double total;       // sum of the weights, when is_weighed
    bool is_weighed;
    li_bend bend;     // after smoothing, survivors' logits are bent ones of the row
    double threshold; // logit of the last cut, less the peak before that cut
    bool was_cut;     // the running stage has cut; for the trace
    // (count) probabilities of the survivors before adaptive-p, in scratch.masses; NULL where adaptive-p did not run.
    const float *undistorted;

    li_edit *edits; // (edit_count) for li_funnel_undo
    uint32_t edit_count;

    uint32_t *id_store;        // (vocab_size)
    float *value_store;        // (vocab_size)
    li_select_scratch scratch; // (vocab_size) of selection and ordering
    float *weights;            // (vocab_size, rounded up to whole blocks) scratch of selection
    float *block_peaks;        // (vocab_size / 64, rounded up) largest logit of every 64 of the row
    double *block_sums;        // (vocab_size / 64, rounded up) sums of the weights, when is_weighed
} li_funnel;

// Starts a step on `row`, of which the first `row_size` logits belong to tokens.
void li_funnel_begin(li_funnel *funnel, float *row, uint32_t row_size);
// Sets one logit and remembers the former value. A masked logit stays masked and a NaN stays for li_logits_check to
// report. The new value is clamped to LI_LOWEST, so the token can still be chosen where no other is left.
void li_funnel_edit(li_funnel *funnel, uint32_t id, double value);
// Masks one token.
void li_funnel_ban(li_funnel *funnel, uint32_t id);
// Adds a bias, given by the bits of a float; -infinity bans the token.
void li_funnel_add(li_funnel *funnel, uint32_t id, uint32_t bias_bits);
// Gives a token the logit 0, even if the token is masked.
void li_funnel_force(li_funnel *funnel, uint32_t id);
// Restores the row, bit for bit.
void li_funnel_undo(li_funnel *funnel);

// Reads the edited row once: finds the peak and drops masked tokens. `allowed` (ascending ids; or NULL) limits the
// survivors to these ids, `bitmask` (row_size / 32, rounded up; or NULL) to tokens whose bit is 1. Errors: those of
// li_logits_check.
li_status li_funnel_scan(li_funnel *funnel, const uint32_t *allowed, uint32_t allowed_count, const uint32_t *bitmask);
// As li_logits_normalise, on the edited row without list and bitmask. Call after a scan and before a cut.
li_status li_funnel_normalise_row(li_funnel *funnel, double *peak, double *log_total);
// Writes the former logits (edit_count) of the tokens that edits banned. Returns the number of these tokens. Uses
// scratch.keys.
uint32_t li_funnel_banned_logits(li_funnel *funnel, float *logits);
// Index of the survivor with the largest logit, the lowest id on a tie.
uint32_t li_funnel_argmax(const li_funnel *funnel);

// Computes and sums the weights of the survivors at the temperature, once.
void li_funnel_weigh(li_funnel *funnel);
// The distance from the peak, in logits, at which a survivor has the probability e^log_probability. Callers compare
// distances, because peak + distance may round to the peak.
double li_funnel_distance_of(li_funnel *funnel, double log_probability);
// The weight of a logit in float64; funnel->weights are single precision.
double li_funnel_weight_of(const li_funnel *funnel, float value);
// Entropy of the survivors at the temperature, in nats. Fills funnel->weights.
double li_funnel_entropy(li_funnel *funnel);
// Lists the survivors, unless they are listed.
void li_funnel_list(li_funnel *funnel);
bool li_funnel_is_crowded(const li_funnel *funnel, float value);
void li_funnel_set_temperature(li_funnel *funnel, double temperature);

// Keeps the survivors whose logit is above `value`, and of those equal to `value` the first `ties` by id.
void li_funnel_cut(li_funnel *funnel, float value, uint32_t ties);
// The cut that leaves the k likeliest survivors.
li_cut li_funnel_cut_of(const li_funnel *funnel, double k);
// The cut that leaves the least mass of at least `target` (> 0) of the weights, if it is found among the likeliest
// tokens, which usually hold nearly all; otherwise ties is 0.
li_cut li_funnel_cut_of_mass(const li_funnel *funnel, double target);
// Keeps the k likeliest survivors. keep_ties: also all that tie with the last of these.
void li_funnel_keep_likeliest(li_funnel *funnel, double k, bool keep_ties);
// As li_funnel_cut, but keeps at least the `least` likeliest. keep_ties: also all that tie with the last of these.
void li_funnel_cut_to(li_funnel *funnel, li_cut cut, double least, bool keep_ties);
// Keeps the survivors whose logit is at least the peak plus `distance`, and at least the `least` (1 or more) likeliest.
void li_funnel_cut_below(li_funnel *funnel, double distance, double least, bool keep_ties);

// For truncations by a key other than the logit. Lists the survivors and returns their logits (count), over which the
// caller writes keys to cut by. li_funnel_end_keys restores the survivors' logits and finds the new peak.
float *li_funnel_keys(li_funnel *funnel);
// The logit of a survivor whose logit in the row is `value`.
float li_funnel_bent(const li_funnel *funnel, float value);
void li_funnel_end_keys(li_funnel *funnel);

LI_INLINE bool li_bitmask_has(const uint32_t *bitmask, uint32_t id)
{
    return bitmask[id >> 5] >> (id & 31) & 1;
}

LI_INLINE uint32_t li_funnel_id(const li_funnel *funnel, uint32_t index)
{
    LI_ASSERT(index < funnel->length);
    return funnel->ids ? funnel->ids[index] : index;
}

#endif
