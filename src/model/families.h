// The families of models: what the graph of forward.c does differently for each.
#ifndef LI_FAMILIES_H
#define LI_FAMILIES_H

#include <stdbool.h>
#include <stdint.h>

// Groups of tensors that only some families have, as bits.
typedef enum li_tensors {
    LI_TENSORS_COMMON = 0,            // of every family
    LI_TENSORS_QK_NORM = 1,           // norms of each head of queries and keys
    LI_TENSORS_BLOCK_BIAS = 2,        // biases of the outputs of attention and of the feed forward block
    LI_TENSORS_ROPE_FACTORS = 4,      // divisors of the frequencies of the rotary positions
    LI_TENSORS_LONG_ROPE_FACTORS = 8, // the same, one table for short and one for long contexts
} li_tensors;

typedef struct li_family {
    const char *name;    // general.architecture; its metadata keys begin with it
    bool rotates_halves; // rotary positions turn pairs (i, i + n / 2); otherwise (2 i, 2 i + 1)
    uint32_t tensors;    // the groups of li_tensors that it may have
} li_family;

// The family of this name (length), or NULL.
const li_family *li_family_find(const char *name, uint32_t length);

#endif
