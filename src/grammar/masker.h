// Masks: which tokens may come next.
#ifndef LI_MASKER_H
#define LI_MASKER_H

#include "grammar/walk.h"

struct li_masker {
    uint32_t users;
    li_grammar *grammar;
    li_vocabulary *vocabulary;
    uint64_t fuel; // of one call
    uint32_t words;
    uint32_t *bits; // (words) the mask asked for last
    li_walker walker;
};

// The tokens that may come next in a state, a bit each in masker->bits: those of which every byte leads on and does not
// run over the bound of whitespace, and special tokens. Not those of eos.
li_status li_mask_fill(li_masker *masker, li_term state);
// Calls `visit` for each special token that may come next, at most once for each way to it.
void li_mask_specials(li_grammar *grammar, li_term state, void (*visit)(void *context, uint32_t token), void *context);

#endif
