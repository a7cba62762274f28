// The golden stream: 2,750 seeded tokens over logits from an integer generator, equal in every build.
// tests/vectors/golden-stream.js runs the same stream through the JavaScript API in Node and the browsers.
#include "check.h"
#include "lastinch.h"

#define VOCAB_SIZE 2048u
#define SEGMENT    125u

// The digest is not a reference result. It shows only that all builds agree.
#include "golden_digest.h"

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x21f0aaadu;
    x = (x ^ x >> 15) * 0x735a2d97u;
    return x ^ x >> 15;
}

static void fill_row(float *row, uint32_t step)
{
    for (uint32_t id = 0; id < VOCAB_SIZE; id++) {
        uint32_t x = mix(step * VOCAB_SIZE + id);
        int32_t sum = (int32_t)((x & 255) + (x >> 8 & 255) + (x >> 16 & 255) + (x >> 24)) - 510;
        row[id] = (float)sum / 64.0f + (mix(x) % 300 == 0 ? 6.0f : 0.0f);
    }
}

// Options that a segment does not set are off.
#pragma clang diagnostic ignored "-Winitializer-overrides"
#define OFF                                                                                                            \
    .temperature = 1, .dynatemp_exponent = 1, .top_p = 1, .typical_p = 1, .tfs_z = 1, .xtc_threshold = 0.1,            \
    .min_keep = 1, .repetition_penalty = 1, .dry_base = 1.75, .dry_allowed_length = 2, .length_decay = 1,              \
    .adaptive_target = -1, .smoothing_curve = 1

static const li_options segments[] = {
    {OFF, .temperature = 0.8, .top_p = 0.95},
    {OFF, .top_k = 40, .min_p = 0.05, .repetition_penalty = 1.1, .count_scope = 1},
    {OFF, .temperature = 2, .min_p = 0.1},
    {OFF, .temperature = 0, .repetition_penalty = 1.3, .penalty_window = 64},
    {OFF},
    {OFF, .temperature = 0.5, .top_k = 100, .top_p = 0.9, .frequency_penalty = 0.5, .presence_penalty = 0.25},
    {OFF, .temperature = 1.5, .top_p = 0.999},
    {OFF, .temperature = 0.001, .top_k = 7, .top_p = 0.5, .min_p = 0.5, .presence_penalty = 2},
    {OFF, .typical_p = 0.9},
    {OFF, .temperature = 1.2, .epsilon_cutoff = 0.001},
    {OFF, .temperature = 2, .eta_cutoff = 0.002},
    {OFF, .temperature = 3, .top_n_sigma = 3},
    {OFF, .top_h = 0.4, .min_keep = 20},
    {OFF, .tfs_z = 0.97},
    {OFF, .top_p = 0.98, .xtc_probability = 0.5, .xtc_threshold = 0.05},
    {OFF, .temperature = 0.8, .dynatemp_range = 0.7, .dynatemp_exponent = 1.5, .min_p = 0.01},
    {OFF, .top_k = 30, .dry_multiplier = 0.8, .dry_allowed_length = 1},
    {OFF, .top_k = 3, .no_repeat_ngram = 2},
    {OFF, .mirostat = 1, .mirostat_tau = 3, .mirostat_eta = 0.1},
    {OFF, .temperature = 1.5, .mirostat = 2, .mirostat_tau = 5, .mirostat_eta = 0.3},
    {OFF, .min_p = 0.05, .adaptive_target = 0.4, .adaptive_decay = 0.9},
    {OFF, .temperature = 0.9, .top_p = 0.9, .draw = 1, .stream = 3},
};

int main(void)
{
    static float row[VOCAB_SIZE];
    li_sampler *sampler = li_sampler_create(VOCAB_SIZE);
    uint32_t digest = 2166136261u;
    for (uint32_t step = 0; step < SEGMENT * sizeof segments / sizeof *segments; step++) {
        CHECK_CASE("step %u", step);
        if (step % SEGMENT == 0) {
            li_options *options = (li_options *)li_sampler_options(sampler);
            *options = segments[step / SEGMENT];
            options->token_count = VOCAB_SIZE;
            options->seed = 20261121;
            CHECK_EQ(li_sampler_configure(sampler), LI_OK);
        }
        fill_row(row, step);
        int32_t token = li_sampler_sample(sampler, row);
        CHECK_GE(token, 0);
        for (int byte = 0; byte < 4; byte++) digest = (digest ^ ((uint32_t)token >> 8 * byte & 255)) * 16777619u;
    }
    li_sampler_destroy(sampler);
    if (digest != GOLDEN_DIGEST) printf("golden stream digest: 0x%08xu\n", (unsigned)digest);
    CHECK_EQ(digest, GOLDEN_DIGEST);
    return check_done("golden");
}
