// Windows of tokens that the output has had before.
#ifndef LI_WINDOWS_H
#define LI_WINDOWS_H

#include "sample/history.h"

// Writes whether an earlier token of the output followed the same `window` tokens (1 or more) as the next token will.
// The history has as many. LI_ERROR_OUT_OF_MEMORY: the set cannot grow.
li_status li_windows_find(li_history *history, uint32_t window, bool *is_repeated);

#endif
