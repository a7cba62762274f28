// The stack of terms.
#include "grammar/terms/scratch.h"

#include "base/assert.h"
#include "grammar/core/growth.h"
#include "grammar/terms/constructors.h"

bool li_scratch_push(li_grammar *grammar, li_term term)
{
    uint32_t count = grammar->scratch_count + 1;
    if (!li_array_reserve(grammar, (void **)&grammar->scratch, &grammar->scratch_room, count, sizeof term))
        return false;
    grammar->scratch[grammar->scratch_count++] = term;
    return true;
}

li_term li_scratch_choose(li_grammar *grammar, uint32_t mark)
{
    LI_ASSERT(mark <= grammar->scratch_count);
    li_term choice = li_choice(grammar, grammar->scratch + mark, grammar->scratch_count - mark);
    grammar->scratch_count = mark;
    return choice;
}
