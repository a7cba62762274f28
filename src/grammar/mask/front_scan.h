// A walk with only the term at the front of a state: the tokens that the term reads to their end, and the nodes at
// which the term may end.
#ifndef LI_FRONT_SCAN_H
#define LI_FRONT_SCAN_H

#include "grammar/mask/string_tokens.h"

typedef struct li_front_scan {
    li_walker *walker;
    // For a string that is at the beginning of a character: what any string reads. Else NULL.
    const struct li_string_tokens *inside;
    li_state any;                   // the state of any string
    bool has_standins;              // the term has stand-ins for counts (length_bounds.h)
    uint32_t used;                  // the most rounds of stand-ins that a token uses
    bool is_relative;               // the changes are tokens removed from inside->bits, else tokens added to none
    li_token_set changes;           // its bits: the tokens that stay within the term
    uint32_t *valid;                // with inside: (a bit for each of its crossings) where the term may end
    LI_LIST(li_crossing) crossings; // else
} li_front_scan;

// Fills bits, changes and crossings. False: the grammar has failed.
bool li_front_scan_run(li_front_scan *scan, li_state from);

#endif
