// Saved states of samplers: bytes that are not a state are refused, and the sampler continues unchanged.
#include <math.h>

#include "check.h"
#include "rows.h"

enum { VOCAB = 30, LENGTH = 12 };

static li_sampler *make_sampler(uint32_t vocab)
{
    li_sampler *sampler = li_sampler_create(vocab);
    li_options *options = options_of(sampler);
    options->seed = 3;
    options->repetition_penalty = 1.3;
    options->dry_multiplier = 0.8;
    CHECK_EQ(li_sampler_configure(sampler), LI_OK);
    return sampler;
}

static void tell(li_sampler *sampler, uint32_t first)
{
    for (uint32_t i = 0; i < LENGTH; i++) {
        const uint32_t id = (first + 7 * i) % 5;
        CHECK_EQ(li_sampler_accept(sampler, &id, 1, false), LI_OK);
    }
}

// The next four draws.
static void draw(li_sampler *sampler, int32_t drawn[4])
{
    float row[VOCAB];
    for (uint32_t step = 0; step < 4; step++) {
        for (uint32_t i = 0; i < VOCAB; i++) row[i] = (float)sin(i + 31.0 * step);
        drawn[step] = li_sampler_sample(sampler, row);
        const uint32_t id = (uint32_t)drawn[step];
        CHECK_GE(drawn[step], 0);
        CHECK_EQ(li_sampler_accept(sampler, &id, 1, false), LI_OK);
    }
}

static void test_bytes_that_are_no_state_change_nothing(void)
{
    enum { MAGIC, OTHER_VOCABULARY, SHORT, LONG, ODD, EMPTY, FOREIGN_TOKEN, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        CHECK_CASE("kind %d", kind);
        li_sampler *source = make_sampler(kind == OTHER_VOCABULARY ? VOCAB + 1 : VOCAB);
        li_sampler *sampler = make_sampler(VOCAB), *twin = make_sampler(VOCAB);
        tell(source, 0), tell(sampler, 1), tell(twin, 1);
        uint32_t size = li_sampler_state_size(source), given = size, foreign = VOCAB;
        uint8_t *state = calloc(size + 4, 1);
        li_sampler_save_state(source, state);
        if (kind == MAGIC) state[0]++;
        if (kind == SHORT) given -= 4;
        if (kind == LONG) given += 4;
        if (kind == ODD) given++;
        if (kind == EMPTY) given = 0;
        if (kind == FOREIGN_TOKEN) memcpy(state + size - 4, &foreign, 4);
        CHECK_EQ(li_sampler_load_state(sampler, state, given), LI_ERROR_BAD_STATE);
        int32_t drawn[2][4];
        draw(sampler, drawn[0]), draw(twin, drawn[1]);
        CHECK_BYTES(drawn[0], drawn[1], sizeof drawn[0]);
        free(state);
        li_sampler_destroy(source), li_sampler_destroy(sampler), li_sampler_destroy(twin);
    }
}

int main(void)
{
    test_bytes_that_are_no_state_change_nothing();
    return check_done("state");
}
