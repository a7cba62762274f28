// Tokens inside JSON strings, which are most of a vocabulary. They are found once for a vocabulary, so the mask of a
// string is a copy with a few changes.
#ifndef LI_STRING_TOKENS_H
#define LI_STRING_TOKENS_H

#include "grammar/mask/state_cache.h"
#include "grammar/mask/token_set.h"

// A node at which the term at the front of a state may end: the rest of the state reads the rest of the tokens below.
typedef struct li_crossing {
    uint32_t node;
    uint32_t depth; // of the node
} li_crossing;

enum {
    LI_INSIDE_LENGTHS = 256,
    LI_INSIDE_FEW = 256, // up to this many tokens are removed one by one
};

struct li_string_tokens {
    uint32_t words;
    uint32_t *bits;      // (words) tokens that stay inside of a string, read from after its opening quote
    uint32_t *ended;     // (words) these tokens, and tokens that end with the closing quote
    uint8_t *characters; // (token_count) of the string that such a token begins; 255: or more
    uint32_t most;       // the most characters of such a token
    uint32_t *longest;   // (few) the longest of these tokens, the longest first
    uint32_t few;
    uint32_t *within[LI_INSIDE_LENGTHS]; // (words) by number: tokens of at most this many characters; or NULL
    uint32_t crossing_count;
    li_crossing *crossings;        // (crossing_count) where a string ends, by node
    uint32_t *crossing_characters; // (crossing_count) characters of the string before its end
    li_vocabulary *rests;          // the bytes of tokens after the closing quote; of each rest:
    uint32_t *rest_tokens;         // its token
    uint32_t *rest_crossings;      // the index of its crossing
    li_token_set rests_found;      // room for a walk of the rests
};

// Finds the string tokens of a vocabulary, so that no mask has to. Without memory they are found on first use.
void li_string_tokens_prepare(li_vocabulary *vocabulary);
// The string tokens of the vocabulary. NULL: the grammar has failed.
struct li_string_tokens *li_string_tokens_of(li_walker *walker, li_vocabulary *vocabulary);
void li_string_tokens_destroy(struct li_string_tokens *inside);
// The tokens for a string that has room for at most `most` more characters.
typedef struct li_string_tokens_bound {
    const uint32_t *bits;  // (words) inside->bits or an entry of inside->within
    uint32_t longer_count; // how many tokens of inside->longest are still too long, the first ones
} li_string_tokens_bound;
// False: no memory.
bool li_string_tokens_within(struct li_string_tokens *inside, const li_vocabulary *vocabulary, uint32_t most,
                             li_string_tokens_bound *bound);
// Characters that the spelling of a JSON string begins, at its front.
uint32_t li_string_tokens_count(const uint8_t *bytes, uint32_t length);

#endif
