// Masks: which tokens may come next.
//
// The mask of a state is put together from what is at its front, whose part is kept for all states that begin with it,
// and from walks with what follows it, where it may end. Most masks then differ from one met before, or from that of
// any string, in few tokens: they are kept as these.
#ifndef LI_MASKER_H
#define LI_MASKER_H

#include "grammar/mask/front_scan.h"
#include "grammar/mask/mask_store.h"

#define LI_STATE_ENDED UINT32_MAX // the state after a token of eos: only these may follow

struct li_masker {
    uint32_t users, matchers; // matchers are users too
    li_grammar *grammar;
    li_vocabulary *vocabulary;
    uint64_t fuel; // of one call
    uint32_t words;
    uint32_t *bits;          // (words) the mask asked for last
    li_found added, removed; // what `bits` differs in from its base, when a mask is being made
    li_walker walker;
    li_scan scan;
    li_store store;
    uint32_t shown; // where in the store the mask in `bits` is, or 0
    li_term state;  // whose mask is being made, with what it records
    li_term *parts; // (part_room) alternatives of the state at hand
    uint32_t part_room;
};

// The tokens that may come next in a state, a bit each in masker->bits: those of which every byte leads on and does not
// run over the bound of whitespace, special tokens, and those of eos where the text may end.
li_status li_mask_fill(li_masker *masker, li_term state);
// Compiles the grammar anew where its terms have become many; nobody may have one. False: it is as it was.
bool li_masker_renew(li_masker *masker);
// Calls `visit` for each special token that may come next, at most once for each way to it.
void li_mask_specials(li_grammar *grammar, li_term state, void (*visit)(void *context, uint32_t token), void *context);

#endif
