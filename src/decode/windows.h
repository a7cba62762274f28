// Windows of tokens that the output has had before.
#ifndef LI_WINDOWS_H
#define LI_WINDOWS_H

#include "sample/history.h"

// The position of the first token of the output that followed the same `window` tokens (1 or more) as the next token
// will, or 0: no token did. The history has as many. NULL: no memory.
const uint32_t *li_windows_find(li_history *history, uint32_t window);

#endif
