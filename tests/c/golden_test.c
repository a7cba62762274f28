// The golden stream: 2,000 seeded tokens over logits from an integer generator, the same on every build.
// tests/vectors/golden-stream.js runs the same stream through the JavaScript API in Node and the browsers.
#include "check.h"
#include "lastinch.h"

#define VOCAB_SIZE 2048u
#define SEGMENT    250u

// The expected digest is no reference result: it only says that all builds agree with each other.
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

static const li_options segments[] = {
    {.temperature = 0.8, .top_p = 0.95, .repetition_penalty = 1},
    {.temperature = 1, .top_k = 40, .top_p = 1, .min_p = 0.05, .repetition_penalty = 1.1, .count_scope = 1},
    {.temperature = 2, .top_p = 1, .min_p = 0.1, .repetition_penalty = 1},
    {.temperature = 0, .top_p = 1, .repetition_penalty = 1.3, .penalty_window = 64},
    {.temperature = 1, .top_p = 1, .repetition_penalty = 1},
    {.temperature = 0.5,
     .top_k = 100,
     .top_p = 0.9,
     .repetition_penalty = 1,
     .frequency_penalty = 0.5,
     .presence_penalty = 0.25},
    {.temperature = 1.5, .top_p = 0.999, .repetition_penalty = 1},
    {.temperature = 0.001, .top_k = 7, .top_p = 0.5, .min_p = 0.5, .repetition_penalty = 1, .presence_penalty = 2},
};

int main(void)
{
    static float row[VOCAB_SIZE];
    li_sampler *sampler = li_sampler_create(VOCAB_SIZE);
    uint32_t digest = 2166136261u;
    for (uint32_t step = 0; step < 2000; step++) {
        if (step % SEGMENT == 0) {
            li_options *options = (li_options *)li_sampler_options(sampler);
            *options = segments[step / SEGMENT];
            options->token_count = VOCAB_SIZE;
            options->seed = 20261121;
            CHECK(li_sampler_configure(sampler) == LI_OK);
        }
        fill_row(row, step);
        int32_t token = li_sampler_sample(sampler, row);
        CHECK(token >= 0);
        for (int byte = 0; byte < 4; byte++) digest = (digest ^ ((uint32_t)token >> 8 * byte & 255)) * 16777619u;
    }
    li_sampler_destroy(sampler);
    if (digest != GOLDEN_DIGEST) printf("golden stream digest: 0x%08xu\n", (unsigned)digest);
    CHECK(digest == GOLDEN_DIGEST);
    return check_done("golden");
}
