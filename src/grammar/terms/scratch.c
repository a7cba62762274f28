// The stack of terms.
#include "grammar/terms/scratch.h"

#include "base/assert.h"
#include "grammar/terms/constructors.h"

bool li_scratch_push(li_grammar *grammar, li_term term)
{
    return LI_HEAP_PUSH(grammar, &grammar->scratch, term);
}

li_term li_scratch_choose(li_grammar *grammar, uint32_t mark)
{
    LI_ASSERT(mark <= grammar->scratch.count);
    li_term choice = li_choice(grammar, grammar->scratch.at + mark, grammar->scratch.count - mark);
    grammar->scratch.count = mark;
    return choice;
}
