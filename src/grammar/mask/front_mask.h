// The part that the term at the front of a state has in its mask.
#ifndef LI_FRONT_MASK_H
#define LI_FRONT_MASK_H

#include "grammar/core/grammar.h"

// The bits of which a mask is a changed copy.
typedef struct li_base {
    uint32_t kind, value;
} li_base;
enum {
    LI_BASE_NONE,   // no token
    LI_BASE_INSIDE, // tokens inside a string
    LI_BASE_ENDED,  // also tokens that end the string
    LI_BASE_WITHIN, // tokens inside a string with room for `value` more characters
    LI_BASE_HEAD,   // the cached bits of a term at the front; the value is its key
    LI_BASE_OWN,    // bits of its own
};
// Adds the part of a term at the front to masker->bits; `is_first`: the part becomes the bits, and *base their base.
// False: the part of this term is not cached, and nothing has changed.
bool li_mask_head(li_masker *masker, li_term head, li_term tail, bool is_first, li_base *base);
// Whether the part of this term is cached already.
bool li_mask_head_is_known(const li_masker *masker, li_term head);
// The bits of a base other than OWN; NULL: all 0.
const uint32_t *li_mask_base(const li_masker *masker, li_base base);

#endif
