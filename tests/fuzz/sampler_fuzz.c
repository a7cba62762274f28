// Any options, lists, logits, tokens and states: no crash, and documented properties hold.
#include <stdlib.h>
#include <string.h>

#include "lastinch.h"

#define PROMISE(condition)                                                                                             \
    if (!(condition)) abort()

typedef struct input {
    const uint8_t *bytes;
    size_t size;
} input;

static void take(input *in, void *to, size_t size)
{
    size_t taken = size < in->size ? size : in->size;
    memset(to, 0, size);
    memcpy(to, in->bytes, taken);
    in->bytes += taken;
    in->size -= taken;
}

static uint32_t take_small(input *in, uint32_t limit)
{
    uint8_t byte;
    take(in, &byte, 1);
    return byte % limit;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    input in = {bytes, size};
    // Up to five blocks of 64 logits, the last one usually partial.
    uint32_t vocab_size = 1 + take_small(&in, 64) * (1 + take_small(&in, 5));
    li_sampler *sampler = li_sampler_create(vocab_size);
    PROMISE(sampler);
    float row[320], before[320];
    for (int round = 0; round < 4 && in.size; round++) {
        uint32_t ids[16], count = take_small(&in, 17);
        float values[16];
        for (uint32_t i = 0; i < count; i++) ids[i] = take_small(&in, 255) * vocab_size / 253;
        take(&in, values, count * sizeof *values);
        switch (take_small(&in, 6)) {
        case 0:
        case 1: { // a valid list, or any words
            uint32_t words[48], used = 0, name = take_small(&in, LI_LIST_COUNT + 1);
            bool has_lengths = name == LI_LIST_SEQUENCES || name == LI_LIST_BREAKERS;
            for (uint32_t i = 0; i < count; i++) {
                if (has_lengths) words[used++] = 1 + (ids[i] & 1 && i + 1 < count);
                if (name == LI_LIST_SEQUENCES) memcpy(&words[used++], &values[i], sizeof *values);
                words[used++] = ids[i];
                if (has_lengths && words[used - 2 - (name == LI_LIST_SEQUENCES)] == 2) words[used++] = ids[++i];
                if (name == LI_LIST_BIAS) memcpy(&words[used++], &values[i], sizeof *values);
            }
            li_sampler_set_list(sampler, (li_list_name)name, words, used);
            break;
        }
        case 2:
            for (uint32_t i = 0; i < (vocab_size + 31) / 32; i++)
                take(&in, li_sampler_bitmask(sampler, count & 1) + i, sizeof(uint32_t));
            break;
        case 3:
            li_sampler_set_order(sampler, ids, count, count & 7);
            break;
        case 4:
            li_sampler_accept(sampler, ids, count, round & 1);
            break;
        case 5:
            li_sampler_load_state(sampler, in.bytes, (uint32_t)in.size);
            break;
        }
        double *options = li_sampler_options(sampler);
        // Sets some options: any bits, or a value that is likely to be valid.
        for (uint32_t left = take_small(&in, 4) + 1; left; left--) {
            uint32_t choice = take_small(&in, 2 * LI_OPTION_COUNT), slot = choice / 2;
            double former = options[slot];
            if (choice & 1)
                options[slot] = take_small(&in, 129) / 64.0;
            else
                take(&in, &options[slot], sizeof *options);
            if (li_sampler_configure(sampler)) options[slot] = former;
        }
        uint32_t given = take_small(&in, 40);
        take(&in, row, given * sizeof *row);
        for (uint32_t i = given; i < vocab_size; i++) row[i] = (float)(int8_t)(i * 89 + given) / 16.0f;
        memcpy(before, row, sizeof row);

        int32_t survivors = li_sampler_distribution(sampler, row);
        PROMISE(survivors != 0 && survivors <= (int32_t)vocab_size);
        double sum = 0.0;
        for (int32_t i = 0; i < survivors; i++) sum += li_sampler_get_arrays(sampler)->probabilities[i];
        PROMISE(survivors < 0 || (sum > 0.999999 && sum < 1.000001));
        int32_t traced = li_sampler_trace(sampler, row);
        PROMISE(traced == survivors);
        for (uint32_t i = 0; survivors > 0 && i < li_sampler_get_arrays(sampler)->trace_stages; i++) {
            const li_stage_record *record = &li_sampler_get_arrays(sampler)->trace_records[i];
            PROMISE(record->after > 0 && record->after <= record->before);
            PROMISE(!record->has_cut || (record->mass >= 0.0 && record->mass < 1.000001 && record->threshold >= 0.0));
        }
        int32_t informed = li_sampler_inform(sampler, row, round & 1, given % vocab_size, count);
        PROMISE(informed <= (int32_t)count);
        li_sampler *beside = li_sampler_create_beside(sampler);
        PROMISE(beside && li_sampler_sample(beside, row) < (int32_t)vocab_size);
        li_sampler_destroy(beside);
        // The trace must be computed again, because other calls used the same scratch.
        PROMISE(li_sampler_trace(sampler, row) == survivors);
        int32_t token = li_sampler_sample(sampler, row);
        PROMISE((token < 0) == (survivors < 0) && token < (int32_t)vocab_size);
        PROMISE(token < 0 || li_sampler_get_arrays(sampler)->trace_removed_by[token] == 255);
        PROMISE(memcmp(before, row, vocab_size * sizeof *row) == 0);
    }
    uint32_t state_size = li_sampler_state_size(sampler);
    uint8_t *state = malloc(state_size);
    li_sampler_save_state(sampler, state);
    PROMISE(li_sampler_load_state(sampler, state, state_size) == LI_OK);
    free(state);
    li_sampler_destroy(sampler);
    return 0;
}
