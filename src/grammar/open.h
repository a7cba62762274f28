// Strings that any text can go on to, or any short one.
#ifndef LI_OPEN_H
#define LI_OPEN_H

#include "grammar/walk.h"

// Notes of a state, the rest of a string at the beginning of a character, whether any text may be read next (OPEN) or
// not, as far as can be seen (CLOSED); and any of how many characters (walker->depths). Likewise of others met on the way.
// Takes so many steps, fewer than *steps, which it lowers.
void li_open_find(li_walker *walker, li_state state, uint32_t *steps);

#endif
