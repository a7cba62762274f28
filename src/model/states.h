// The states of recurrent layers. A sequence has one state for all of them. A state stands at one position and cannot
// go back, so the rows that came last are kept beside: a sequence that is cut among them still has its state. Sequences
// share a state until one of them goes on.
#ifndef LI_STATES_H
#define LI_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct li_state {
    uint32_t owners;  // sequences
    uint32_t settled; // positions that the matrices have taken in
    uint32_t goal;    // positions that they take in with the present call
    uint32_t unused;
    // By layer: matrices, then rows. The rows are those of the last taps - 1 positions before `settled`, zeros before
    // the text, and of the positions from `settled` on, at most LI_ROWS_TENTATIVE.
    float numbers[];
} li_state;

typedef struct li_states {
    uint32_t layers; // that are recurrent; 0: sequences have no state
    uint32_t rows;   // of a layer
    size_t row;      // numbers of a row
    size_t matrices; // numbers of a layer's matrices
    uint32_t count;  // states in memory
    li_state **of;   // (sequences) NULL: of an empty sequence
} li_states;

// Sets the sizes; `layers` is set already. matrices, row: numbers of a layer's. taps: positions that a convolution
// reads.
void li_states_shape(li_states *states, size_t matrices, size_t row, uint32_t taps);
// Bytes of LI_STATES_PLANNED states.
uint64_t li_states_size(const li_states *states);
bool li_states_create(li_states *states, uint32_t sequences);
void li_states_destroy(li_states *states, uint32_t sequences);

// As li_sequence_least.
uint32_t li_states_least(const li_states *states, uint32_t sequence);
// Gives a sequence a state of its own: its state, or a copy where others share it. False: no memory, nothing changed.
bool li_states_own(li_states *states, uint32_t sequence);
// Cuts a sequence to `length` positions and returns how many are left: `length` or 0.
uint32_t li_states_keep(li_states *states, uint32_t sequence, uint32_t length);
// Makes `to` share the state of the first `length` positions of `from`. Returns how many positions `to` has: that many,
// or 0.
uint32_t li_states_share(li_states *states, uint32_t from, uint32_t to, uint32_t length);

// The matrices of a layer, by its place.
float *li_state_matrices(const li_states *states, li_state *state, uint32_t layer);
// A row of a layer.
float *li_state_row(const li_states *states, li_state *state, uint32_t layer, uint32_t row);

#endif
