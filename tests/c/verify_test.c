// Speculative sampling: the output has the distribution of plain sampling, which the float64 reference computes
// exactly. Wrong rules that look similar must fail the same test.
#include "check.h"
#include "reference.h"
#include "rows.h"

// ---- the distribution of three tokens ------------------------------------------------------------------

enum { KINDS = 6, LENGTH = 3, PROMPT = 2, TRIPLES = KINDS * KINDS * KINDS, TRIALS = 24000 };

static const uint32_t prompt[PROMPT] = {4, 1};

typedef struct setting {
    double temperature, top_p, repetition, presence;
    bool is_masked;
} setting;

// The logits after a text (length tokens) depend on its last two tokens; the draft's are near the target's.
static void logits_after(const uint32_t *text, uint32_t length, bool is_draft, float *row)
{
    uint32_t salt = 100 + text[length - 2] * KINDS + text[length - 1];
    for (uint32_t id = 0; id < KINDS; id++) {
        row[id] = (float)(1.3 * normal(salt * KINDS + id));
        if (is_draft) row[id] += (float)(0.8 * normal(5000 + salt * KINDS + id));
    }
}

// A grammar: never the successor of the last token, and never 3 as the first token.
static uint32_t allowed_after(const uint32_t *text, uint32_t length)
{
    uint32_t bits = 0x3fu & ~(1u << ((text[length - 1] + 1) % KINDS));
    return length == PROMPT ? bits & ~8u : bits;
}

// The exact probability of each triple under plain sampling by the target.
static void compute_joint(const setting *target, double *joint)
{
    for (uint32_t triple = 0; triple < TRIPLES; triple++) {
        CHECK_CASE("triple %u", triple);
        uint32_t text[PROMPT + LENGTH] = {prompt[0], prompt[1], triple / 36, triple / 6 % 6, triple % 6};
        joint[triple] = 1.0;
        for (uint32_t length = PROMPT; length < PROMPT + LENGTH; length++) {
            float row[KINDS];
            uint32_t seen[KINDS] = {0}, emitted[KINDS] = {0};
            logits_after(text, length, false, row);
            for (uint32_t i = 0; i < length; i++) seen[text[i]]++;
            for (uint32_t i = PROMPT; i < length; i++) emitted[text[i]]++;
            for (uint32_t id = 0; id < KINDS && target->is_masked; id++)
                if (!(allowed_after(text, length) >> id & 1)) row[id] = -INFINITY;
            reference_options options = {
                .temperature = target->temperature,
                .top_p = target->top_p,
                .typical_p = 1,
                .tfs_z = 1,
                .min_keep = 1,
                .repetition = target->repetition,
                .presence = target->presence,
                .context_counts = seen,
                .generated_counts = emitted,
                .order = default_order,
                .order_count = ORDER,
            };
            reference_result result = reference_run(row, KINDS, &options);
            double probability = 0.0;
            for (uint32_t i = 0; i < result.count; i++)
                if (result.tokens[i].id == text[length]) probability = result.tokens[i].probability;
            CHECK_GT(result.margin, 1e-6);
            free(result.tokens);
            joint[triple] *= probability;
        }
    }
}

static li_sampler *create(const setting *how)
{
    li_sampler *sampler = li_sampler_create(KINDS);
    li_options *options = options_of(sampler);
    options->temperature = how->temperature;
    options->top_p = how->top_p;
    options->repetition_penalty = how->repetition;
    options->presence_penalty = how->presence;
    options->seed = 77;
    return sampler;
}

static void begin(li_sampler *sampler, uint32_t stream)
{
    options_of(sampler)->stream = stream;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    li_sampler_reset(sampler);
    CHECK_EQ(li_sampler_accept(sampler, prompt, PROMPT, true), LI_OK);
}

static void mask(li_sampler *sampler, const setting *how, const uint32_t *text, uint32_t length)
{
    uint32_t *bits = li_sampler_bitmask(sampler, how->is_masked);
    bits[0] = allowed_after(text, length);
}

typedef enum rule { RIGHT, ALWAYS, FROM_TARGET, ANY_RATIO, RULES } rule;

// The verdict on a proposed token, by the right rule or by a wrong one.
static int32_t judge(rule by, li_sampler *target, float *row, const li_proposal *proposal, uint32_t token)
{
    if (by == ALWAYS) return (int32_t)token;
    int32_t verified = li_sampler_verify(target, row, proposal, token, -1, -1);
    if (by == FROM_TARGET && verified != (int32_t)token) return li_sampler_choose(target, row);
    if (by == ANY_RATIO) // accepts with only the target's probability
        return li_sampler_verify(target, row, proposal, token, 0, 0) == (int32_t)token &&
                       uniform(9000000 + (uint32_t)verified + token) < li_sampler_chosen_probability(target)
                   ? (int32_t)token
                   : verified;
    return verified;
}

// Generates LENGTH tokens, `ahead` of them proposed at a time. Returns the number of accepted tokens.
static uint32_t speculate(rule by, uint32_t ahead, li_sampler *target, li_sampler *draft, const setting *how,
                          const setting *draft_how, li_proposal *const *proposals, uint32_t *text)
{
    uint32_t length = PROMPT, accepted = 0;
    memcpy(text, prompt, sizeof prompt);
    while (length < PROMPT + LENGTH) {
        float row[KINDS];
        uint32_t drafted = 0, guess[PROMPT + 2 * LENGTH];
        memcpy(guess, text, length * sizeof *text);
        li_sampler_mark(draft);
        for (; drafted < ahead && length + drafted < PROMPT + LENGTH; drafted++) {
            logits_after(guess, length + drafted, true, row);
            mask(draft, draft_how, guess, length + drafted);
            int32_t token = li_proposal_draw(proposals[drafted], draft, row);
            CHECK_GE(token, 0);
            CHECK_EQ(li_sampler_emit(draft, (uint32_t)token), LI_OK);
            guess[length + drafted] = (uint32_t)token;
        }
        CHECK_EQ(li_sampler_rewind(draft), LI_OK);
        for (uint32_t i = 0; i <= drafted && length < PROMPT + LENGTH; i++) {
            logits_after(text, length, false, row);
            mask(target, how, text, length);
            int32_t token =
                i < drafted ? judge(by, target, row, proposals[i], guess[length]) : li_sampler_choose(target, row);
            CHECK_GE(token, 0);
            CHECK_EQ(li_sampler_emit(target, (uint32_t)token), LI_OK);
            CHECK_EQ(li_sampler_emit(draft, (uint32_t)token), LI_OK);
            bool is_right = i < drafted && (uint32_t)token == guess[length];
            text[length++] = (uint32_t)token;
            accepted += is_right;
            if (!is_right) break;
        }
    }
    return accepted;
}

// The chi-square of `seen` (count cells, `draws` in all) as a multiple of that limit; INFINITY where an impossible
// outcome was seen. Rare outcomes are counted as one.
static double excess(const uint32_t *seen, const double *probabilities, uint32_t count, double draws)
{
    double chi_square = 0.0, rare = 0.0, degrees = -1.0, seen_rare = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double expected = probabilities[i] * draws;
        if (seen[i] && expected == 0.0) return INFINITY;
        if (expected < 8.0) {
            rare += expected;
            seen_rare += seen[i];
            continue;
        }
        chi_square += (seen[i] - expected) * (seen[i] - expected) / expected;
        degrees++;
    }
    if (rare >= 8.0) chi_square += (seen_rare - rare) * (seen_rare - rare) / rare;
    return chi_square / chi_square_limit(degrees + (rare >= 8.0));
}

static void test_three_tokens_are_distributed_as_plain_sampling(void)
{
    static const setting settings[][2] = {
        // options of the target, of the draft
        {{1, 1, 1, 0, false}, {1, 1, 1, 0, false}},
        {{0.9, 0.85, 1.3, 0.4, true}, {0.9, 0.85, 1.3, 0.4, true}},
        {{1.2, 0.9, 1.1, 0, true}, {0.7, 1, 1, 0, false}}, // proposes tokens that the target does not allow
    };
    li_proposal *proposals[LENGTH];
    for (uint32_t i = 0; i < LENGTH; i++) proposals[i] = li_proposal_create();
    for (uint32_t s = 0; s < 3; s++)
        for (uint32_t by = 0; by < RULES; by++) {
            CHECK_CASE("s %u, by %u", s, by);
            double joint[TRIPLES], accepted = 0.0;
            uint32_t seen[TRIPLES] = {0}, trials = by ? TRIALS / 2 : TRIALS;
            compute_joint(&settings[s][0], joint);
            li_sampler *target = create(&settings[s][0]), *draft = create(&settings[s][1]);
            for (uint32_t trial = 0; trial < trials; trial++) {
                uint32_t text[PROMPT + LENGTH];
                begin(target, trial);
                begin(draft, trial); // with the target's own stream
                accepted += speculate((rule)by, 1 + trial % LENGTH, target, draft, &settings[s][0], &settings[s][1],
                                      proposals, text);
                seen[text[PROMPT] * 36 + text[PROMPT + 1] * 6 + text[PROMPT + 2]]++;
            }
            double beyond = excess(seen, joint, TRIPLES, trials);
            if (by == RIGHT) {
                CHECK_LT(beyond, 1.0);
                CHECK_GT(accepted, 0.5 * trials); // both were frequent
                CHECK_LT(accepted, 2.9 * trials);
            } else
                CHECK_GT(beyond, 2.0);
            li_sampler_destroy(target);
            li_sampler_destroy(draft);
        }
    for (uint32_t i = 0; i < LENGTH; i++) li_proposal_destroy(proposals[i]);
}

// ---- one token of many ------------------------------------------------------------------------------------

enum { VOCAB = 150 };

// Keeps the whole row, or cuts and lists the survivors.
static void narrow(li_sampler *sampler, uint32_t variant)
{
    if (variant == 1) options_of(sampler)->top_p = 0.8;
    if (variant == 2) options_of(sampler)->top_k = 20;
    if (variant == 3) options_of(sampler)->temperature = 2;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
}

static void test_one_token_is_distributed_as_plain_sampling(void)
{
    li_proposal *proposal = li_proposal_create(); // one proposal for all sizes
    for (uint32_t variant = 0; variant < 16; variant++) {
        CHECK_CASE("variant %u", variant);
        uint32_t size = VOCAB - 22 + 22 * (variant % 3); // size of the draft's row
        float row[VOCAB], draft_row[VOCAB + 22];
        fill(row, VOCAB, FLAT, variant);
        fill(draft_row, size, FLAT, variant + size % 7);
        row[VOCAB / 3] = draft_row[VOCAB / 3] = 4.0f;
        for (uint32_t id = 0; id < VOCAB && id < size; id++) draft_row[id] = (row[id] + draft_row[id]) / 2;
        li_sampler *target = li_sampler_create(VOCAB), *draft = li_sampler_create(size);
        narrow(target, variant % 4);
        narrow(draft, variant / 4);
        double probabilities[VOCAB] = {0};
        int32_t count = li_sampler_distribution(target, row);
        const li_sampler_arrays *arrays = li_sampler_get_arrays(target);
        for (int32_t i = 0; i < count; i++) probabilities[arrays->tokens[i]] = arrays->probabilities[i];
        uint32_t seen[VOCAB] = {0}, accepted = 0;
        bool is_said = true;
        for (uint32_t i = 0; i < TRIALS / 4; i++) {
            int32_t token = li_proposal_draw(proposal, draft, draft_row);
            CHECK_GE(token, 0);
            CHECK_EQ(li_sampler_emit(draft, (uint32_t)token), LI_OK);
            int32_t verified = li_sampler_verify(target, row, proposal, (uint32_t)token, -1, -1);
            CHECK_GE(verified, 0);
            CHECK_LT(verified, VOCAB);
            CHECK_EQ(li_sampler_emit(target, (uint32_t)verified), LI_OK);
            double said = li_sampler_last_probability(target);
            is_said &= fabs(said - probabilities[verified]) <= 1e-6 * said;
            seen[verified]++;
            accepted += verified == token;
        }
        CHECK(is_said);
        CHECK_LT(excess(seen, probabilities, VOCAB, TRIALS / 4), 1.0);
        CHECK_GT(accepted, TRIALS / 40);
        CHECK_LT(accepted, TRIALS / 4);
        li_sampler_destroy(target);
        li_sampler_destroy(draft);
    }
    li_proposal_destroy(proposal);
}

int main(void)
{
    test_three_tokens_are_distributed_as_plain_sampling();
    test_one_token_is_distributed_as_plain_sampling();
    return check_done("verify");
}
