// Masks: which tokens may come next.
//
// The mask of a state has two parts: the tokens that the term at the front of the state reads, cached for all states
// with this front; and the tokens that continue after the front, found by walks with the rest of the state. Most masks
// differ in few tokens from a cached mask or from the mask of any string: the cache holds these tokens.
#ifndef LI_MASKER_H
#define LI_MASKER_H

#include "grammar/mask/front_scan.h"
#include "grammar/mask/mask_store.h"

#define LI_STATE_ENDED UINT32_MAX // the state after an eos token: only eos tokens may follow

struct li_masker {
    uint32_t users, matchers; // matchers are users too
    li_grammar *grammar;
    li_vocabulary *vocabulary;
    uint64_t fuel;      // of a mask, or of a token that is read
    uint64_t text_fuel; // of a call that reads or writes a text of any length
    uint32_t words;
    uint32_t *bits;              // (words) the mask asked for last
    li_token_set added, removed; // the differences between `bits` and their base, while a mask is made
    li_walker walker;
    li_front_scan scan;
    li_mask_store store;
    uint32_t shown; // where in the store the mask in `bits` is, or 0
    li_term state;  // whose mask is made, with its recorded text
    li_term *parts; // (part_room) alternatives of the state at hand
    uint32_t part_room;
};

// Sets the bits of masker->bits of the tokens that may come next: tokens whose every byte may follow and is proposed,
// special tokens, and eos tokens where the text may end.
li_status li_mask_fill(li_masker *masker, li_term state);
// Compiles the grammar again if it has many terms; no matcher may hold a term. False: nothing has changed.
bool li_masker_renew(li_masker *masker);

#endif
