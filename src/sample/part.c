// A step on a part of a row (li_part). Public functions: lastinch.h.
//
// The edits run on a row of which only the listed tokens are known. Then the candidates, which are the tokens of the
// part and the listed ones, become the survivors. If the part lacks no token and they are few, they lie in the row's
// blocks of 64, so that all sums are the row's. Otherwise a stand-in for the tokens left out goes before them: an
// impossible id with the largest logit left out, first among equals. Until a stage has dropped the stand-in, only
// stages run of which that is a proof that the row's cut is the same: cuts by rank, by distance from the peak, and by
// the total of the weights. Of the total bounds are known: the stage runs with both, and must keep the same tokens.
// What a cut leaves is the same list of survivors as the row's, so all later stages and the draw are the row's.
#include <string.h>

#include "base/assert.h"
#include "base/exp.h"
#include "sample/distribution.h"
#include "sample/sampler.h"
#include "sample/softmax.h"

#define BLOCK LI_SOFTMAX_BLOCK

#define LEFT_OUT UINT32_MAX // id of the stand-in

// More than the relative error of the row's sums, in which a weight passes through at most 15 additions in single
// precision for the total, and 17 for the selection: 32 * 2^-24 is 1.9e-6.
#define SUM_ERROR 3e-6
// More than that of the weights of tokens left out, whose exponents have three roundings in single precision. Weights
// below e^-88 are 0: 88 * 3 * 2^-24 is 1.6e-5.
#define WEIGHT_ERROR 2e-5
// Fixed-point numbers are exact enough below this logit.
#define LARGEST_PEAK 16000.0f
// Sums of such logits in double precision are within 1e-11, which must be nothing to the exponents.
#define LEAST_TEMPERATURE 1e-4

typedef struct candidates {
    const uint32_t *ids; // (count) ascending
    uint32_t count;
    float peak;     // of the row before the edits
    float left_out; // largest logit left out
    const li_part *part;
} candidates;

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- which tokens are candidates ----

// A bit for each token.
typedef struct marked {
    uint32_t *marks;
    uint32_t count;
} marked;

static void mark(marked *marked, uint32_t id)
{
    uint32_t *word = &marked->marks[id >> 5], bit = 1u << (id & 31);
    marked->count += !(*word & bit);
    *word |= bit;
}

// Writes the marked ids, ascending, at most `room` of them. Returns their number.
static uint32_t list_marked(const marked *marked, uint32_t *ids, uint32_t room)
{
    const uint32_t most = marked->count < room ? marked->count : room;
    for (uint32_t word = 0, count = 0; count < most; word++) {
        while (!marked->marks[word]) word++;
        for (uint32_t bits = marked->marks[word]; bits && count < most; bits &= bits - 1)
            ids[count++] = word * 32 + (uint32_t)__builtin_ctz(bits);
    }
    return marked->count;
}

// Marks all tokens that the edits and the lists of the mask may touch.
static void mark_listed(const li_sampler *sampler, marked *marked)
{
    const li_history *history = &sampler->history;
    const li_list *lists = sampler->settings.lists;
    if (history->is_counting)
        for (uint32_t scope = 0; scope < LI_SCOPE_COUNT; scope++)
            for (uint32_t i = 0; i < history->counts[scope].distinct_count; i++)
                mark(marked, history->counts[scope].distinct[i]);
    if (li_chain_has(&sampler->chain, LI_STAGE_DRY) || li_chain_has(&sampler->chain, LI_STAGE_NO_REPEAT_NGRAM))
        for (uint32_t i = 0; i < history->length; i++) mark(marked, li_history_back(history, i));
    for (uint32_t i = 0; i < lists[LI_LIST_BIAS].count; i += 2) mark(marked, lists[LI_LIST_BIAS].words[i]);
    const li_list *sequences = &lists[LI_LIST_SEQUENCES];
    for (uint32_t i = 0, length; i < sequences->count; i += 2 + length) {
        length = sequences->words[i];
        mark(marked, sequences->words[i + 1 + length]);
    }
    static const uint8_t plain[] = {LI_LIST_BANNED, LI_LIST_ALLOWED, LI_LIST_EOS, LI_LIST_FIRST, LI_LIST_LAST};
    for (uint32_t name = 0; name < sizeof plain; name++)
        for (uint32_t i = 0; i < lists[plain[name]].count; i++) mark(marked, lists[plain[name]].words[i]);
}

static marked no_marks(li_sampler *sampler)
{
    uint32_t *marks = sampler->scratch->funnel.scratch.keys;
    memset(marks, 0, (sampler->vocab_size + 31) / 32 * sizeof *marks);
    return (marked){marks, 0};
}

uint32_t li_sampler_part_ids(li_sampler *sampler, uint32_t *ids)
{
    marked listed = no_marks(sampler);
    mark_listed(sampler, &listed);
    return list_marked(&listed, ids, LI_PART_LISTED);
}

// ---- bounds of the mass of what was left out ----

// The number in 2^-16, rounded towards zero, and limited to 2^30.
static int32_t fixed_of(float value)
{
    uint32_t bits = bits_of(value), exponent = bits >> 23 & 255, digits = (bits & 0x7fffff) | 0x800000;
    int32_t size = exponent > 140   ? 1 << 30
                   : exponent > 134 ? (int32_t)(digits << (exponent - 134))
                   : exponent > 110 ? (int32_t)(digits >> (134 - exponent))
                                    : 0;
    return bits >> 31 ? -size : size;
}

typedef struct bin_range {
    uint32_t start, width; // in 2^-16
} bin_range;

static bin_range range_of(uint32_t bin)
{
    return bin < 256   ? (bin_range){bin << 11, 1u << 11}
           : bin < 384 ? (bin_range){(8u << 16) + ((bin - 256) << 13), 1u << 13}
           : bin < 448 ? (bin_range){(24u << 16) + ((bin - 384) << 15), 1u << 15}
                       : (bin_range){(56u << 16) + ((bin - 448) << 18), 1u << 18};
}

static uint32_t bin_of(uint32_t distance, uint32_t *rest)
{
    uint32_t bin = distance < 8u << 16    ? distance >> 11
                   : distance < 24u << 16 ? 256 + ((distance - (8u << 16)) >> 13)
                   : distance < 56u << 16 ? 384 + ((distance - (24u << 16)) >> 15)
                                          : 448 + ((distance - (56u << 16)) >> 18);
    if (bin >= LI_PART_BINS - 1) {
        *rest = 0;
        return LI_PART_BINS - 1;
    }
    const bin_range range = range_of(bin);
    *rest = (distance - range.start) / (range.width >> 11);
    return bin;
}

// Takes the listed tokens that are in no bin of `tokens` out of their bins: they are candidates. If they were all that
// is left out, nothing is.
static void take_out(li_part *part, const uint32_t *ids, uint32_t count, const li_funnel *funnel, const uint32_t *mask)
{
    const uint32_t peak = (uint32_t)fixed_of(li_select_value(part->peak));
    for (uint32_t i = 0; i < count; i++) {
        float value = funnel->row[ids[i]];
        if (!(value > LI_MASKED) || ids[i] >= funnel->row_size || (mask && !li_bitmask_has(mask, ids[i]))) continue;
        uint32_t rest, bin = bin_of(peak - (uint32_t)fixed_of(value), &rest);
        if (bin < part->bins) continue;
        LI_ASSERT(part->counts[bin]);
        part->counts[bin]--;
        part->rests[bin] -= rest;
    }
    uint32_t bin = part->bins;
    while (bin < LI_PART_BINS && !part->counts[bin]) bin++;
    if (bin == LI_PART_BINS) part->left_out = 0;
}

// Bounds of the mass of the tokens left out, whose weights are relative to the peak of the funnel. A token may be one
// unit of 2^-16 nearer than its bin and rest say, and a step and one unit farther, because both logits are rounded. Of
// tokens at a mean distance in a bin, the mass is least if all are there, and most if they are at the ends of the bin,
// because e^-x is convex. No token is nearer than the largest left out.
static void tail_of(const candidates *all, const li_funnel *funnel, double *low, double *high)
{
    const double beyond = (double)funnel->peak - (double)all->peak, inverse = 1.0 / funnel->temperature;
    const double nearest = (double)funnel->peak - (double)all->left_out;
    *low = *high = 0.0;
    for (uint32_t bin = all->part->bins; bin < LI_PART_BINS; bin++) {
        double count = (double)all->part->counts[bin];
        if (count == 0.0) continue;
        const bin_range range = range_of(bin);
        double step = (double)(range.width >> 11) * 0x1p-16, passed = (double)all->part->rests[bin] / count * step;
        double start = beyond + ((double)range.start - 1.0) * 0x1p-16, end = start + (double)range.width * 0x1p-16;
        double first = start > nearest ? start : nearest, weight = li_exp(-first * inverse);
        if (bin == LI_PART_BINS - 1) {
            *high += count * weight;
            continue;
        }
        double share = start + passed > first ? (start + passed - first) / (end - first) : 0.0;
        *high += count * (weight - share * (weight - li_exp(-end * inverse)));
        // One unit because `start` is one early, and one for the rounding.
        *low += count * li_exp(-(start + passed + step + 0x2p-16) * inverse);
    }
    *low *= 1.0 - WEIGHT_ERROR;
    *high *= 1.0 + WEIGHT_ERROR;
}

// ---- the chain on the candidates ----

static bool is_candidate(const li_sampler *sampler, uint32_t id)
{
    const li_funnel *funnel = &sampler->scratch->funnel;
    const uint32_t *mask = sampler->settings.bitmask;
    return id < funnel->row_size && funnel->row[id] > LI_MASKED && !(mask && !li_bitmask_has(mask, id));
}

static void add(li_funnel *funnel, uint32_t id, float value)
{
    funnel->id_store[funnel->length] = id;
    funnel->value_store[funnel->length++] = value;
}

// Makes the candidates the survivors; `is_partial`: after the stand-in. They are listed as stages list survivors, or
// else in the blocks of the row that have any, with the other tokens of these blocks masked.
static void begin_candidates(li_sampler *sampler, const candidates *all, bool is_partial)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    funnel->length = funnel->count = 0;
    funnel->peak = -__builtin_inff();
    funnel->ids = funnel->id_store;
    funnel->values = funnel->value_store;
    funnel->is_weighed = false;
    if (is_partial) add(funnel, LEFT_OUT, all->left_out);
    uint32_t start = 0, end = 0; // of the block, in the row
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t id = all->ids[i];
        if (!is_candidate(sampler, id)) continue;
        float value = funnel->row[id];
        if (value > funnel->peak) funnel->peak = value;
        funnel->count++;
        if (is_partial) {
            add(funnel, id, value);
            continue;
        }
        if (id >= end) {
            start = id / BLOCK * BLOCK;
            end = start + BLOCK < funnel->row_size ? start + BLOCK : funnel->row_size;
            for (uint32_t of = start; of < end; of++) add(funnel, of, -__builtin_inff());
        }
        funnel->value_store[funnel->length - (end - id)] = value;
    }
    if (is_partial) funnel->count = funnel->length;
}

// Whether the row's survivors would be masked instead of listed: the same tokens, but other sums.
static bool is_crowded(const li_funnel *funnel)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0, last = UINT32_MAX; i < funnel->length; i++)
        if (funnel->ids[i] / BLOCK != last) {
            last = funnel->ids[i] / BLOCK;
            blocks++;
        }
    return blocks > li_softmax_blocks(funnel->row_size) / 4;
}

// Runs a stage that reads of the row only the total of its weights, and keeps more or fewer of the likeliest as that
// rises: if both bounds of the total keep the same number, so does the total.
static bool run_between(li_sampler *sampler, const candidates *all, li_stage stage, bool is_partial)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    double low = 0.0, high = 0.0, sum;
    uint32_t kept[2];
    sum = li_softmax_sum(funnel->values, funnel->length, funnel->peak, funnel->temperature, funnel->block_sums,
                         funnel->weights);
    if (is_partial) {
        // Without the stand-in, and without the rounding of single precision.
        sum = 0.0;
        for (uint32_t i = 1; i < funnel->length; i++) sum += (double)funnel->weights[i];
        tail_of(all, funnel, &low, &high);
    }
    for (int side = 0; side < 2; side++) {
        if (side) begin_candidates(sampler, all, is_partial);
        funnel->is_weighed = true;
        funnel->total = side ? (sum + high) * (1.0 + SUM_ERROR) : (sum + low) * (1.0 - SUM_ERROR);
        li_chain_apply(stage, funnel, &sampler->settings, &sampler->history);
        kept[side] = funnel->ids[0] == LEFT_OUT ? 0 : funnel->count;
    }
    funnel->is_weighed = false; // if nothing was cut, the total is still a bound
    return kept[0] && kept[0] == kept[1] && !is_crowded(funnel);
}

// Runs a stage on candidates after a stand-in. False: it is not known what it would do to the row.
static bool run_partial(li_sampler *sampler, const candidates *all, li_stage stage)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    const li_options *options = &sampler->settings.options;
    switch (stage) {
    case LI_STAGE_TEMPERATURE:
        if (options->dynatemp_range > 0.0) return false;
        li_chain_apply(stage, funnel, &sampler->settings, &sampler->history);
        return options->temperature > 0.0 || funnel->ids[0] != LEFT_OUT;
    case LI_STAGE_TOP_K:
    case LI_STAGE_MIN_P:
        li_chain_apply(stage, funnel, &sampler->settings, &sampler->history);
        return funnel->ids[0] != LEFT_OUT;
    case LI_STAGE_MIROSTAT:
        if (options->mirostat == 1.0) return false;
    // fallthrough
    case LI_STAGE_TOP_P:
    case LI_STAGE_EPSILON:
        return all->peak < LARGEST_PEAK && all->peak > -LARGEST_PEAK && funnel->temperature >= LEAST_TEMPERATURE &&
               run_between(sampler, all, stage, true);
    default:
        return false;
    }
}

static bool run_stages(li_sampler *sampler, const candidates *all, bool is_partial)
{
    const li_chain *chain = &sampler->chain;
    li_funnel *funnel = &sampler->scratch->funnel;
    for (uint32_t i = 0; i < chain->order_count; i++) {
        li_stage stage = chain->order[i];
        if (!li_chain_has(chain, stage) || 1u << stage & LI_EDIT_STAGES) continue;
        if (is_partial) {
            sampler->part_stage = stage;
            uint32_t candidate_count = funnel->count - 1;
            if (!run_partial(sampler, all, stage)) return false;
            is_partial = funnel->ids[0] == LEFT_OUT;
            // If no token was left out, a cut by rank may have dropped the stand-in alone, and leaves the row unlisted.
            if (!is_partial && !all->part->left_out && funnel->count == candidate_count) return false;
        } else if (stage == LI_STAGE_TOP_P && funnel->count < funnel->length) {
            // The row's selection adds in another order.
            if (!run_between(sampler, all, stage, false)) {
                sampler->part_stage = stage;
                return false;
            }
        } else {
            li_chain_apply(stage, funnel, &sampler->settings, &sampler->history);
        }
    }
    if (is_partial) sampler->part_stage = LI_STAGE_MASK; // the draw might take what was left out
    return !is_partial;
}

// Runs the chain on a part. False: read the row. The edits are not undone.
static bool run(li_sampler *sampler, li_part *part, uint32_t *ids, const float *logits, uint32_t count)
{
    float *row = sampler->scratch->input;
    const li_chain *chain = &sampler->chain;
    const li_settings *settings = &sampler->settings;
    sampler->part_stage = LI_STAGE_MASK;
    if (part->strange || part->peak == 0 || part->count > LI_PART_TOKENS || count > LI_PART_LISTED) return false;
    marked candidate = no_marks(sampler);
    for (uint32_t i = 0; i < count; i++) {
        if (ids[i] >= sampler->vocab_size) return false;
        row[ids[i]] = logits[i];
        mark(&candidate, ids[i]);
    }
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t id = part->tokens[i][0];
        if (id >= sampler->vocab_size) return false;
        memcpy(&row[id], &part->tokens[i][1], sizeof *row);
        mark(&candidate, id);
    }
    li_funnel *funnel = li_sampler_begin_step(sampler, row);
    take_out(part, ids, count, funnel, settings->bitmask);
    // These lists name all survivors.
    if (li_mask_forced(settings, &sampler->history) || settings->lists[LI_LIST_ALLOWED].count)
        return li_chain_run(chain, funnel, settings, &sampler->history, NULL) == LI_OK;
    const candidates all = {ids, list_marked(&candidate, ids, LI_PART_IDS), li_select_value(part->peak),
                            part->left_out ? li_select_value(part->left_out) : (float)LI_LOWEST, part};
    for (uint32_t i = 0; i < chain->order_count; i++)
        if (li_chain_has(chain, chain->order[i]) && 1u << chain->order[i] & LI_EDIT_STAGES)
            li_chain_apply(chain->order[i], funnel, settings, &sampler->history);
    if (all.count >= funnel->row_size) return false; // the arrays have no room for the stand-in
    bool is_partial = part->left_out != 0;
    begin_candidates(sampler, &all, is_partial);
    if (!is_partial && (is_crowded(funnel) || funnel->count == funnel->length))
        begin_candidates(sampler, &all, is_partial = true);
    if (!(funnel->peak > all.left_out)) return false;
    return run_stages(sampler, &all, is_partial);
}

int32_t li_sampler_choose_part(li_sampler *sampler, li_part *part, uint32_t *ids, const float *logits, uint32_t count)
{
    if (run(sampler, part, ids, logits, count)) return li_sampler_draw(sampler, li_sampler_uniform(sampler));
    li_funnel_undo(&sampler->scratch->funnel);
    return LI_NEEDS_ROW;
}

int32_t li_sampler_distribution_part(li_sampler *sampler, li_part *part, uint32_t *ids, const float *logits,
                                     uint32_t count)
{
    li_funnel *funnel = &sampler->scratch->funnel;
    int32_t survivors = LI_NEEDS_ROW;
    if (li_sampler_scratch_reserve(sampler->scratch, false) == LI_OK && run(sampler, part, ids, logits, count)) {
        li_distribution_order(funnel, sampler->scratch->tokens, sampler->scratch->probabilities);
        survivors = (int32_t)funnel->count;
    }
    li_funnel_undo(funnel);
    return survivors;
}

uint32_t li_sampler_part_stage(const li_sampler *sampler)
{
    return sampler->part_stage;
}
