// The part of a term that masks propose: a term may read more (LI_FLAG_OVERRUN).
#ifndef LI_PROPOSAL_H
#define LI_PROPOSAL_H

#include "grammar/core/grammar.h"

// Pushes terms on the scratch stack (scratch.h) whose union is the term. Only regular choices stay whole.
void li_push_alternatives(li_grammar *grammar, li_term term);
// The term without the alternatives that no mask proposes.
li_term li_proposed(li_grammar *grammar, li_term term);

// Behaviours of LI_KIND_CHOICE and LI_KIND_SEQUENCE.
li_term li_choice_propose(li_grammar *grammar, li_term term);
li_term li_sequence_propose(li_grammar *grammar, li_term term);

#endif
