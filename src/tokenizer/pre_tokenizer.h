// The pre-tokenizers by the names that GGUF files give in tokenizer.ggml.pre.
#ifndef LI_PRE_TOKENIZER_H
#define LI_PRE_TOKENIZER_H

#include "tokenizer/split.h"

typedef struct li_pre_tokenizer {
    const char *names;             // separated by spaces
    const li_split_item *steps[7]; // in order, then NULL
    bool ignores_merges;           // a piece that is a token is not merged
    bool adds_bos;                 // unless the file says otherwise
} li_pre_tokenizer;

// The pre-tokenizer of this name (length), or NULL.
const li_pre_tokenizer *li_pre_tokenizer_find(const uint8_t *name, uint32_t length);

#endif
