// Strings that any text can go on to.
#ifndef LI_OPEN_H
#define LI_OPEN_H

#include "grammar/walk.h"

// Notes of a state, the rest of a string at the beginning of a character, whether any text may be read next: OPEN or
// CLOSED; and of others that are met on the way. False: that was given up, which is CLOSED too.
bool li_open_find(li_walker *walker, li_state state);

#endif
