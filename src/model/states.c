#include "model/states.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "lastinch.h"

static size_t layer_size(const li_states *states)
{
    return states->matrices + states->rows * states->row;
}

static uint64_t state_size(const li_states *states)
{
    return sizeof(li_state) + (uint64_t)states->layers * layer_size(states) * sizeof(float);
}

void li_states_shape(li_states *states, size_t matrices, size_t row, uint32_t taps)
{
    states->matrices = matrices;
    states->row = row;
    states->rows = taps ? taps - 1 + LI_ROWS_TENTATIVE : 0;
}

uint64_t li_states_size(const li_states *states)
{
    return states->layers ? LI_STATES_PLANNED * state_size(states) : 0;
}

bool li_states_create(li_states *states, uint32_t sequences)
{
    LI_ASSERT(!states->layers || (states->rows && states->row && states->matrices));
    if (states->layers) states->of = li_memory_alloc(sequences * sizeof *states->of);
    return !states->layers || states->of;
}

static void release(li_states *states, uint32_t sequence)
{
    LI_ASSERT(!states->of[sequence] || (states->of[sequence]->owners && states->count));
    li_state *state = states->of[sequence];
    states->of[sequence] = NULL;
    if (!state || --state->owners) return;
    li_memory_free(state);
    states->count--;
}

void li_states_destroy(li_states *states, uint32_t sequences)
{
    for (uint32_t i = 0; states->of && i < sequences; i++) release(states, i);
    li_memory_free(states->of);
}

uint32_t li_states_least(const li_states *states, uint32_t sequence)
{
    return states->of[sequence] ? states->of[sequence]->settled : 0;
}

bool li_states_own(li_states *states, uint32_t sequence)
{
    if (!states->layers) return true;
    LI_ASSERT(!states->of[sequence] || states->of[sequence]->owners);
    li_state *former = states->of[sequence];
    if (former && former->owners == 1) return true;
    li_state *state = li_memory_alloc((size_t)state_size(states));
    if (!state) return false;
    if (former) {
        memcpy(state, former, (size_t)state_size(states));
        former->owners--;
    }
    state->owners = 1;
    states->of[sequence] = state;
    states->count++;
    return true;
}

uint32_t li_states_keep(li_states *states, uint32_t sequence, uint32_t length)
{
    if (!states->layers || (length && length >= li_states_least(states, sequence))) return length;
    release(states, sequence);
    return 0;
}

uint32_t li_states_share(li_states *states, uint32_t from, uint32_t to, uint32_t length)
{
    if (!states->layers) return length;
    if (from == to) return li_states_keep(states, to, length);
    release(states, to);
    if (!length || length < li_states_least(states, from)) return 0;
    states->of[to] = states->of[from];
    states->of[to]->owners++;
    LI_ASSERT(states->of[to]->owners > 1);
    return length;
}

float *li_state_matrices(const li_states *states, li_state *state, uint32_t layer)
{
    LI_ASSERT(layer < states->layers);
    return state->numbers + layer * layer_size(states);
}

float *li_state_row(const li_states *states, li_state *state, uint32_t layer, uint32_t row)
{
    LI_ASSERT(row < states->rows);
    return li_state_matrices(states, state, layer) + states->matrices + row * states->row;
}
