#include "sample/funnel.h"

#include "base/assert.h"
#include "base/exp.h"
#include "sample/logits.h"
#include "sample/softmax.h"

#define BLOCK LI_SOFTMAX_BLOCK

void li_funnel_begin(li_funnel *funnel, float *row, uint32_t row_size)
{
    LI_ASSERT(row && row_size);
    LI_ASSERT(funnel->edit_count == 0); // the step before has undone its edits
    LI_ASSERT(funnel->id_store && funnel->value_store && funnel->weights && funnel->block_peaks);
    funnel->row = row;
    funnel->row_size = funnel->count = funnel->length = row_size;
    funnel->ids = NULL;
    funnel->values = row;
    funnel->temperature = 1.0;
    funnel->is_weighed = false;
    funnel->edit_count = 0;
    funnel->undistorted = NULL;
    funnel->bend.temperature = 0.0;
}

static void set(li_funnel *funnel, uint32_t id, float value)
{
    LI_ASSERT(funnel->edits);
    funnel->edits[funnel->edit_count++] = (li_edit){id, funnel->row[id]};
    funnel->row[id] = value;
}

static bool is_editable(const li_funnel *funnel, uint32_t id)
{
    return funnel->row[id] > LI_MASKED && funnel->row[id] < __builtin_inff();
}

void li_funnel_edit(li_funnel *funnel, uint32_t id, double value)
{
    if (is_editable(funnel, id)) set(funnel, id, li_logits_clamp(value));
}

void li_funnel_ban(li_funnel *funnel, uint32_t id)
{
    if (is_editable(funnel, id)) set(funnel, id, -__builtin_inff());
}

void li_funnel_add(li_funnel *funnel, uint32_t id, uint32_t bias_bits)
{
    float bias;
    __builtin_memcpy(&bias, &bias_bits, sizeof bias);
    if (bias == -__builtin_inff())
        li_funnel_ban(funnel, id);
    else
        li_funnel_edit(funnel, id, (double)funnel->row[id] + (double)bias);
}

void li_funnel_force(li_funnel *funnel, uint32_t id)
{
    set(funnel, id, 0.0f);
}

void li_funnel_undo(li_funnel *funnel)
{
    while (funnel->edit_count) {
        const li_edit *edit = &funnel->edits[--funnel->edit_count];
        funnel->row[edit->id] = edit->former;
    }
}

static uint32_t count_reaching(const float *values, uint32_t count, float bound)
{
    uint32_t reaching = 0, i = 0;
    for (; i + 16 <= count; i += 16)
        reaching += (uint32_t)__builtin_popcount(li_f32x16_ge_mask(values + i, li_f32x4_splat(bound)));
    for (; i < count; i++) reaching += values[i] >= bound;
    return reaching;
}

static void list_allowed(li_funnel *funnel, const uint32_t *allowed, uint32_t allowed_count, const uint32_t *bitmask)
{
    LI_ASSERT(allowed_count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < allowed_count && allowed[i] < funnel->row_size; i++) {
        float value = funnel->row[allowed[i]];
        if (value <= LI_MASKED) continue; // keeps a NaN, which li_logits_check reports
        if (bitmask && !li_bitmask_has(bitmask, allowed[i])) continue;
        funnel->id_store[kept] = allowed[i];
        funnel->value_store[kept++] = value;
    }
    funnel->ids = funnel->id_store;
    funnel->values = funnel->value_store;
    funnel->count = funnel->length = kept;
}

// Copies the row with -infinity where the bit is 0.
static void copy_unmasked(li_funnel *funnel, const uint32_t *bitmask)
{
    for (uint32_t id = 0; id < funnel->row_size; id++)
        funnel->value_store[id] = li_bitmask_has(bitmask, id) ? funnel->row[id] : -__builtin_inff();
    funnel->values = funnel->value_store;
}

li_status li_funnel_scan(li_funnel *funnel, const uint32_t *allowed, uint32_t allowed_count, const uint32_t *bitmask)
{
    LI_ASSERT(!funnel->ids && !funnel->is_weighed); // nothing was cut before
    LI_ASSERT(!allowed || li_is_ascending(allowed, allowed_count));
    if (allowed)
        list_allowed(funnel, allowed, allowed_count, bitmask);
    else if (bitmask)
        copy_unmasked(funnel, bitmask);
    float sum;
    funnel->peak = li_logits_scan(funnel->values, funnel->length, funnel->block_peaks, &sum);
    // A masked logit of -1e30 outweighs a million logits below 1e23.
    if (funnel->count && sum > -1e29f && funnel->peak < 1e23f) return LI_OK;
    funnel->count = count_reaching(funnel->values, funnel->length, (float)LI_LOWEST);
    return li_logits_check(funnel->values, funnel->length, funnel->peak, sum);
}

li_status li_funnel_normalise_row(li_funnel *funnel, double *peak, double *log_total)
{
    LI_ASSERT(funnel->values != funnel->row || (!funnel->ids && funnel->length == funnel->row_size));
    if (funnel->values != funnel->row) return li_logits_normalise(funnel->row, funnel->row_size, peak, log_total);
    li_funnel_weigh(funnel);
    *peak = (double)funnel->peak;
    *log_total = li_log(funnel->total);
    return LI_OK;
}

uint32_t li_funnel_banned_logits(li_funnel *funnel, float *logits)
{
    LI_ASSERT((void *)logits != (void *)funnel->scratch.keys);
    uint32_t *ids = funnel->scratch.keys, count = 0;
    for (uint32_t i = funnel->edit_count; i-- > 0;) {
        const li_edit *edit = &funnel->edits[i];
        // Backwards, the first edit found of a banned token is the ban. Restoring the logit hides the token's earlier
        // edits from this test.
        if (funnel->row[edit->id] > LI_MASKED || !(edit->former > LI_MASKED)) continue;
        ids[count] = edit->id;
        logits[count++] = funnel->row[edit->id] = edit->former;
    }
    for (uint32_t i = 0; i < count; i++) funnel->row[ids[i]] = -__builtin_inff();
    return count;
}

uint32_t li_funnel_argmax(const li_funnel *funnel)
{
    LI_ASSERT(funnel->count && funnel->length);
    uint32_t i = 0;
    if (!funnel->ids)
        while (funnel->block_peaks[i / BLOCK] < funnel->peak) i += BLOCK;
    while (funnel->values[i] < funnel->peak) i++;
    LI_ASSERT(i < funnel->length);
    return i;
}

void li_funnel_set_temperature(li_funnel *funnel, double temperature)
{
    LI_ASSERT(temperature > 0.0);
    funnel->temperature = temperature;
    funnel->is_weighed = false;
}

void li_funnel_weigh(li_funnel *funnel)
{
    LI_ASSERT(funnel->count && funnel->count <= funnel->length && funnel->length <= funnel->row_size);
    if (funnel->is_weighed) return;
    funnel->total = li_softmax_sum(funnel->values, funnel->length, funnel->peak, funnel->temperature,
                                   funnel->block_sums, funnel->weights);
    funnel->is_weighed = true;
    LI_ASSERT(funnel->total > 0.0);
}

double li_funnel_distance_of(li_funnel *funnel, double log_probability)
{
    li_funnel_weigh(funnel);
    return funnel->temperature * (log_probability + li_log(funnel->total));
}

double li_funnel_weight_of(const li_funnel *funnel, float value)
{
    LI_ASSERT(value <= funnel->peak);
    return li_exp(((double)value - (double)funnel->peak) / funnel->temperature);
}

double li_funnel_entropy(li_funnel *funnel)
{
    li_funnel_weigh(funnel);
    const li_f32x4 peak = li_f32x4_splat(funnel->peak), masked = li_f32x4_splat(LI_MASKED);
    double sum = 0.0;
    uint32_t start = 0;
    for (; start + BLOCK <= funnel->length; start += BLOCK) {
        li_f32x4 four = li_f32x4_splat(0.0f);
        for (uint32_t i = start; i < start + BLOCK; i += 4) {
            // An infinite masked logit times its weight of 0 would be NaN.
            li_f32x4 distance = li_f32x4_sub(peak, li_f32x4_pmax(li_f32x4_load(funnel->values + i), masked));
            four = li_f32x4_add(four, li_f32x4_mul(li_f32x4_load(funnel->weights + i), distance));
        }
        sum += (double)li_f32x4_total(four);
    }
    for (; start < funnel->length; start++)
        if (funnel->weights[start] > 0.0f)
            sum += (double)funnel->weights[start] * ((double)funnel->peak - (double)funnel->values[start]);
    return li_log(funnel->total) + sum / funnel->total / funnel->temperature;
}

// A cheap lower bound of the k-th largest logit: at least k survivors reach it.
static float bound_of(const li_funnel *funnel, uint32_t k)
{
    LI_ASSERT(k < funnel->count);
    uint32_t blocks = li_softmax_blocks(funnel->length);
    if (funnel->ids || k > blocks) return LI_MASKED;
    return li_select_upper_set(funnel->block_peaks, NULL, blocks, blocks, k, &funnel->scratch).value;
}

typedef struct cutter {
    float value;
    uint32_t ties, kept;
} cutter;

// Keeps the survivor at `from` if its value is above the cut or is one of the ties.
LI_INLINE void keep(li_funnel *funnel, cutter *cut, uint32_t from)
{
    LI_ASSERT(cut->kept <= from); // in place: a survivor is never overwritten before it is read
    float value = funnel->values[from];
    if (!(value > cut->value)) {
        if (value < cut->value || cut->ties == 0) return;
        cut->ties--;
    }
    funnel->id_store[cut->kept] = li_funnel_id(funnel, from);
    funnel->value_store[cut->kept++] = value;
}

// Keeps the sixteen survivors at `from`, as those with the numbers `to` and on.
LI_INLINE void keep_sixteen(li_funnel *funnel, uint32_t to, uint32_t from)
{
    static const uint32_t numbers[4] = {0, 1, 2, 3};
    const uint32_t *ids = funnel->ids;
    const float *values = funnel->values;
    uint32_t *id_store = funnel->id_store;
    float *value_store = funnel->value_store;
    for (uint32_t end = to + 16; to < end; to += 4, from += 4) {
        li_i32x4 four =
            ids ? li_i32x4_load(ids + from) : li_i32x4_add(li_i32x4_splat((int32_t)from), li_i32x4_load(numbers));
        li_i32x4_store(id_store + to, four);
        li_f32x4_store(value_store + to, li_f32x4_load(values + from));
    }
}

void li_funnel_cut(li_funnel *funnel, float value, uint32_t ties)
{
    LI_ASSERT(funnel->count && value == value);
    const li_f32x4 bound = li_f32x4_splat(value);
    cutter cut = {value, ties, 0};
    for (uint32_t start = 0; start < funnel->length; start += BLOCK) {
        // block_peaks describe the row, not lists of survivors.
        if (!funnel->ids && funnel->block_peaks[start / BLOCK] < value) continue;
        uint32_t end = funnel->length - start < BLOCK ? funnel->length : start + BLOCK, i = start;
        for (; i + 16 <= end; i += 16) {
            uint32_t found = li_f32x16_ge_mask(funnel->values + i, bound);
            if (found == 0xffffu && ties == UINT32_MAX) {
                keep_sixteen(funnel, cut.kept, i);
                cut.kept += 16;
                continue;
            }
            for (; found; found &= found - 1) keep(funnel, &cut, i + (uint32_t)__builtin_ctz(found));
        }
        for (; i < end; i++) keep(funnel, &cut, i);
    }
    LI_ASSERT(cut.kept); // a cut leaves a token
    funnel->ids = funnel->id_store;
    funnel->values = funnel->value_store;
    funnel->count = funnel->length = cut.kept;
    funnel->is_weighed = false;
    funnel->threshold = (double)value - (double)funnel->peak;
    funnel->was_cut = true;
}

// Whether so many tokens may reach the value that listing them costs more than masking the others.
bool li_funnel_is_crowded(const li_funnel *funnel, float value)
{
    uint32_t blocks = funnel->ids ? 0 : li_softmax_blocks(funnel->length), reaching = 0;
    for (uint32_t block = 0; block < blocks; block++) reaching += funnel->block_peaks[block] >= value;
    return reaching > blocks / 4;
}

// Keeps the survivors of the weighed row that reach the value: copies the row and masks the others in the copy, with
// weight 0.
static void mask_below(li_funnel *funnel, float value)
{
    LI_ASSERT(!funnel->ids && funnel->is_weighed && funnel->length % 4 == 0);
    const li_f32x4 bound = li_f32x4_splat(value), zero = li_f32x4_splat(0.0f), one = li_f32x4_splat(1.0f);
    const li_f32x4 masked = li_f32x4_splat(-__builtin_inff());
    li_f32x4 counts = zero;
    funnel->total = 0.0;
    uint32_t i = 0;
    do {
        li_f32x4 sum = zero;
        uint32_t block = i / BLOCK, end = funnel->length - i < BLOCK ? funnel->length : i + BLOCK;
        do {
            li_f32x4 four = li_f32x4_load(funnel->values + i);
            li_f32x4 weight = li_f32x4_select_ge(li_f32x4_load(funnel->weights + i), zero, four, bound);
            li_f32x4_store(funnel->value_store + i, li_f32x4_select_ge(four, masked, four, bound));
            li_f32x4_store(funnel->weights + i, weight);
            sum = li_f32x4_add(sum, weight);
            counts = li_f32x4_add(counts, li_f32x4_select_ge(one, zero, four, bound));
        } while ((i += 4) < end);
        funnel->total += funnel->block_sums[block] = li_softmax_block_total(sum);
    } while (i < funnel->length);
    funnel->values = funnel->value_store;
    funnel->count = (uint32_t)li_f32x4_total(counts);
    LI_ASSERT(funnel->count && funnel->total > 0.0);
    funnel->threshold = (double)value - (double)funnel->peak;
    funnel->was_cut = true;
}

li_cut li_funnel_cut_of(const li_funnel *funnel, double k)
{
    LI_ASSERT(k >= 1.0 && k <= (double)funnel->count);
    return li_select_upper_set(funnel->values, NULL, funnel->length, funnel->length, k, &funnel->scratch);
}

li_cut li_funnel_cut_of_mass(const li_funnel *funnel, double target)
{
    LI_ASSERT(funnel->is_weighed && target > 0.0);
    li_cut cut = {0};
    for (double tokens = 512.0; !funnel->ids && !cut.ties; tokens *= 16.0) {
        // `tokens` tokens at this logit weigh as much as the mass to cut.
        double low = (double)funnel->peak + funnel->temperature * li_log((funnel->total - target) / tokens);
        if (li_funnel_is_crowded(funnel, (float)low)) break;
        li_bracket bracket = {(float)low, __builtin_inff(), funnel->block_peaks};
        cut = li_select_within(funnel->values, funnel->weights, funnel->length, &bracket, target, &funnel->scratch);
    }
    return cut;
}

void li_funnel_keep_likeliest(li_funnel *funnel, double k, bool keep_ties)
{
    LI_ASSERT(k >= 1.0);
    if (k >= (double)funnel->count) return;
    // A cheap cut first: the exact selection then works on few values.
    if (!funnel->ids) li_funnel_cut(funnel, bound_of(funnel, (uint32_t)k), UINT32_MAX);
    li_cut cut = li_funnel_cut_of(funnel, k);
    li_funnel_cut(funnel, cut.value, keep_ties ? UINT32_MAX : cut.ties);
}

void li_funnel_cut_to(li_funnel *funnel, li_cut cut, double least, bool keep_ties)
{
    LI_ASSERT(least >= 0.0);
    if (least > 1.0) {
        if (least >= (double)funnel->count) return;
        li_cut floor = li_funnel_cut_of(funnel, least);
        if (keep_ties) floor.ties = UINT32_MAX;
        if (floor.value < cut.value || (floor.value == cut.value && floor.ties > cut.ties)) cut = floor;
    }
    if (funnel->is_weighed && cut.ties == UINT32_MAX && funnel->length % 4 == 0 &&
        li_funnel_is_crowded(funnel, cut.value))
        mask_below(funnel, cut.value);
    else
        li_funnel_cut(funnel, cut.value, cut.ties);
}

void li_funnel_cut_below(li_funnel *funnel, double distance, double least, bool keep_ties)
{
    LI_ASSERT(distance == distance && least >= 0.0);
    // bound: the smallest float that is at least the threshold, so that the comparison is exact, and above LI_MASKED.
    double threshold = (double)funnel->peak + distance;
    float bound = threshold > (double)LI_MASKED ? (float)threshold : LI_MASKED;
    if ((double)bound < threshold || bound == LI_MASKED) bound = li_select_value(li_select_key(bound) + 1);
    li_cut cut = {bound, UINT32_MAX};
    // A large peak may absorb the distance.
    if (distance > 0.0) cut = (li_cut){funnel->peak, keep_ties ? UINT32_MAX : 1};
    li_funnel_cut_to(funnel, cut, least, keep_ties);
    if (funnel->threshold > distance) funnel->threshold = distance;
}

void li_funnel_list(li_funnel *funnel)
{
    if (funnel->ids && funnel->count == funnel->length) return;
    bool was_cut = funnel->was_cut;
    li_funnel_cut(funnel, (float)LI_LOWEST, UINT32_MAX);
    funnel->was_cut = was_cut;
}

float *li_funnel_keys(li_funnel *funnel)
{
    li_funnel_list(funnel);
    return funnel->value_store;
}

float li_funnel_bent(const li_funnel *funnel, float value)
{
    const li_bend *bend = &funnel->bend;
    if (bend->temperature == 0.0) return value;
    double distance = ((double)value - bend->peak) / bend->temperature;
    double bent = distance * distance * (bend->cube * distance - bend->square);
    // At a very low temperature it is -infinity or NaN.
    return bent > LI_LOWEST ? (float)bent : (float)LI_LOWEST;
}

void li_funnel_end_keys(li_funnel *funnel)
{
    LI_ASSERT(funnel->ids == funnel->id_store && funnel->count);
    float highest = -__builtin_inff(), lowest = __builtin_inff();
    for (uint32_t i = 0; i < funnel->count; i++) {
        float value = funnel->value_store[i] = li_funnel_bent(funnel, funnel->row[funnel->id_store[i]]);
        if (value > highest) highest = value;
        if (value < lowest) lowest = value;
    }
    funnel->threshold = (double)lowest - (double)funnel->peak;
    funnel->peak = highest;
}
