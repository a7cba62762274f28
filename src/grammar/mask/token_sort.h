// The order of the tokens of a vocabulary.
#ifndef LI_TOKEN_SORT_H
#define LI_TOKEN_SORT_H

#include "grammar/mask/vocabulary.h"

// Writes the tokens that have bytes to `ids`, which it allocates: by bytes, equal tokens by id. Sets `ranked_count`.
// Errors: LI_ERROR_OUT_OF_MEMORY.
li_status li_vocabulary_sort(li_vocabulary *vocabulary);

#endif
