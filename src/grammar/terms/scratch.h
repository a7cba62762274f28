// A stack of terms for functions that collect the parts of a choice. Functions leave the stack as they found it.
#ifndef LI_SCRATCH_H
#define LI_SCRATCH_H

#include "base/assert.h"
#include "grammar/core/grammar.h"

// The present height of the stack.
LI_INLINE uint32_t li_scratch_mark(const li_grammar *grammar)
{
    return grammar->scratch.count;
}

// False: no memory, and the grammar has failed.
bool li_scratch_push(li_grammar *grammar, li_term term);
// Takes the terms above the mark off the stack.
LI_INLINE void li_scratch_drop(li_grammar *grammar, uint32_t mark)
{
    LI_ASSERT(mark <= grammar->scratch.count); // functions leave the stack as they found it
    grammar->scratch.count = mark;
}

#endif
