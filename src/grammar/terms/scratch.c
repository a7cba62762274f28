// The stack of terms.
#include "grammar/terms/scratch.h"

#include "grammar/core/growth.h"

bool li_scratch_push(li_grammar *grammar, li_term term)
{
    uint32_t count = grammar->scratch_count + 1;
    if (!li_array_reserve(grammar, (void **)&grammar->scratch, &grammar->scratch_room, count, sizeof term))
        return false;
    grammar->scratch[grammar->scratch_count++] = term;
    return true;
}
