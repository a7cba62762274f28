// The small state that every stage works on: one row of logits on its way to one token. Survivors are
// kept in ascending id order throughout; nothing here sorts the vocabulary or allocates.
#ifndef LI_FUNNEL_H
#define LI_FUNNEL_H

#include "base/inline.h"
#include "lastinch.h"
#include "sample/row.h"
#include "sample/select.h"

typedef struct li_edit {
    uint32_t id;
    float former;
} li_edit;

typedef struct li_funnel {
    float *row;        // (vocab_size) the caller's logits, edited in place and restored by li_funnel_undo
    uint32_t row_size; // tokens of the row that exist: the padding beyond is never read
    uint32_t count;    // survivors
    uint32_t step;     // number of the coming draw, for stages that use random numbers

    // Until a stage cuts, the survivors are the unmasked tokens of the whole row and ids is NULL; then they
    // are listed.
    const uint32_t *ids; // (length) ascending; NULL: i is the id
    const float *values; // (length) their logits; while ids is NULL the row, or a copy of it with a mask applied
    uint32_t length;     // count, or row_size while ids is NULL

    float peak;         // largest logit of the survivors
    double temperature; // in force for the weights e^((value - peak) / temperature)
    double total;       // sum of the weights, when is_weighed
    bool is_weighed;
    double threshold; // logit at which the last cut was made, less the peak before it
    bool was_cut;     // by the stage that runs; for the trace
    // (count) probabilities of the survivors before adaptive-p, in mass_store; NULL where adaptive-p did not run.
    const float *undistorted;

    li_edit *edits; // what to undo
    uint32_t edit_count;

    uint32_t *id_store;  // (vocab_size)
    float *value_store;  // (vocab_size)
    uint32_t *key_store; // (vocab_size) scratch of selection and ordering
    float *mass_store;   // (vocab_size) scratch of selection and ordering
    float *weights;      // (vocab_size, rounded up to whole blocks) scratch of selection
    float *block_peaks;  // (vocab_size / 64, rounded up) largest logit of every 64 of the row
    double *block_sums;  // (vocab_size / 64, rounded up) sums of the weights, when is_weighed
} li_funnel;

// Starts a step on `row`, of which the first `row_size` logits belong to tokens.
void li_funnel_begin(li_funnel *funnel, float *row, uint32_t row_size);
// Sets one logit and remembers its former value. What the engine masked stays masked, what is no number stays to
// be found, and however low the value is, the token can still be chosen where nothing else is left.
void li_funnel_edit(li_funnel *funnel, uint32_t id, double value);
// Masks one token.
void li_funnel_ban(li_funnel *funnel, uint32_t id);
// Adds a bias, given by its float's bits; -infinity bans.
void li_funnel_add(li_funnel *funnel, uint32_t id, uint32_t bias_bits);
// Gives a token a logit, whatever it has.
void li_funnel_force(li_funnel *funnel, uint32_t id);
// Gives the row back as it was, bit for bit.
void li_funnel_undo(li_funnel *funnel);

// Reads the edited row once: finds the peak, refuses NaN and +infinity, drops masked tokens. With
// `allowed` (ascending ids) only those are read, with `bitmask` (row_size / 32, rounded up) those whose bit is 1.
li_status li_funnel_scan(li_funnel *funnel, const uint32_t *allowed, uint32_t allowed_count, const uint32_t *bitmask);
// What li_row_normalise gives of the edited row, whatever a list or a bitmask left of it. After a scan, before a cut.
li_status li_funnel_normalise_row(li_funnel *funnel, double *peak, double *log_total);
// Writes the logits (edit_count) that the tokens which edits banned had before. Returns how many tokens those are. Uses
// key_store.
uint32_t li_funnel_banned_logits(li_funnel *funnel, float *logits);
// Index of the survivor with the largest logit, the lowest id on a tie.
uint32_t li_funnel_argmax(const li_funnel *funnel);

// Sums the weights of the survivors at the temperature; does nothing when that is done.
void li_funnel_weigh(li_funnel *funnel);
// How far above the peak a survivor's logit would have that probability, given by its logarithm. The logit itself may
// be beyond what a float64 can tell from the peak.
double li_funnel_distance_of(li_funnel *funnel, double log_probability);
// The weight of a logit, to the last bit; those that are summed are single precision.
double li_funnel_weight_of(const li_funnel *funnel, float value);
// Entropy of the survivors at the temperature, in nats. Leaves their weights in funnel->weights.
double li_funnel_entropy(li_funnel *funnel);
// Lists the survivors, where they are not yet.
void li_funnel_list(li_funnel *funnel);
bool li_funnel_is_crowded(const li_funnel *funnel, float value);
void li_funnel_set_temperature(li_funnel *funnel, double temperature);

// Keeps the survivors whose logit is above `value`, and of those equal to it the first `ties` by id.
void li_funnel_cut(li_funnel *funnel, float value, uint32_t ties);
// The cut that leaves the k likeliest survivors; k is below their number.
li_cut li_funnel_cut_of(const li_funnel *funnel, double k);
// Keeps the k likeliest survivors; keep_ties: and what ties with the last of them.
void li_funnel_keep_likeliest(li_funnel *funnel, double k, bool keep_ties);
// As li_funnel_cut, but the `least` likeliest stay; keep_ties: and what ties with the last of them.
void li_funnel_cut_to(li_funnel *funnel, li_cut cut, double least, bool keep_ties);
// Keeps the survivors whose logit is at least the peak plus `distance`, and the `least` (1 or more) likeliest.
void li_funnel_cut_below(li_funnel *funnel, double distance, double least, bool keep_ties);

// For truncations that do not go from the likeliest down. Lists the survivors and returns their logits (count):
// write other keys over them and cut by those. End gives the survivors their logits back, and a new peak.
float *li_funnel_keys(li_funnel *funnel);
void li_funnel_end_keys(li_funnel *funnel);

LI_INLINE bool li_bitmask_has(const uint32_t *bitmask, uint32_t id)
{
    return bitmask[id >> 5] >> (id & 31) & 1;
}

LI_INLINE uint32_t li_funnel_id(const li_funnel *funnel, uint32_t index)
{
    return funnel->ids ? funnel->ids[index] : index;
}

#endif
