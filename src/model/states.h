// The states of recurrent layers. A sequence has one state for all recurrent layers. An update of a state cannot be
// undone, so the last rows are kept beside the state and applied later: a sequence can be cut among these rows.
// Sequences share a state (copy on write).
#ifndef LI_STATES_H
#define LI_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct li_state {
    uint32_t owners;  // sequences
    uint32_t settled; // positions whose updates the matrices contain
    uint32_t goal;    // `settled` after the present call
    uint32_t unused;
    // For each layer: matrices, then rows. First come the rows of the last taps - 1 positions before `settled` (zeros
    // before the text), then the rows of the positions from `settled` on, at most LI_ROWS_TENTATIVE.
    float numbers[];
} li_state;

typedef struct li_states {
    uint32_t layers; // recurrent layers; 0: sequences have no state
    uint32_t rows;   // of a layer
    size_t row;      // numbers of a row
    size_t matrices; // numbers of a layer's matrices
    uint32_t count;  // states in memory
    li_state **of;   // (sequences) NULL: of an empty sequence
} li_states;

// Sets the sizes; `layers` must be set. matrices, row: how many numbers those of a layer have. taps: positions that a
// convolution reads.
void li_states_shape(li_states *states, size_t matrices, size_t row, uint32_t taps);
// Bytes of LI_STATES_PLANNED states.
uint64_t li_states_size(const li_states *states);
bool li_states_create(li_states *states, uint32_t sequences);
void li_states_destroy(li_states *states, uint32_t sequences);

// As li_sequence_least.
uint32_t li_states_least(const li_states *states, uint32_t sequence);
// Makes the state of a sequence exclusive: copies the state if other sequences share it. False: no memory, nothing
// changed.
bool li_states_own(li_states *states, uint32_t sequence);
// Cuts a sequence to `length` positions and returns how many are left: `length` or 0.
uint32_t li_states_keep(li_states *states, uint32_t sequence, uint32_t length);
// Makes `to` share the state of the first `length` positions of `from`. Returns how many positions `to` has: `length`
// or 0.
uint32_t li_states_share(li_states *states, uint32_t from, uint32_t to, uint32_t length);

// The matrices of the recurrent layer number `layer`.
float *li_state_matrices(const li_states *states, li_state *state, uint32_t layer);
// A row of that layer.
float *li_state_row(const li_states *states, li_state *state, uint32_t layer, uint32_t row);

#endif
