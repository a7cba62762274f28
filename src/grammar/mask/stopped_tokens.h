// Tokens that continue after a stop (distinct/forget.h).
#ifndef LI_STOPPED_TOKENS_H
#define LI_STOPPED_TOKENS_H

#include "lastinch.h"

// After a walk of inside->rests: turns the stopped nodes from `first` on into nodes of the vocabulary at which the
// string may end (masker->scan.valid).
void li_mask_stop_at_crossings(li_masker *masker, uint32_t first);
// Continues the walks from all stopped nodes with the text that masker->state records, and drops the tokens after which
// a value could only become an excluded value. Returns whether a token was dropped.
bool li_mask_follow_stops(li_masker *masker);

#endif
