// The stack of terms.
#include "grammar/terms/scratch.h"

bool li_scratch_push(li_grammar *grammar, li_term term)
{
    return LI_HEAP_PUSH(grammar, &grammar->scratch, term);
}
