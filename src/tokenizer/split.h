// Splits text before its bytes are merged: a small matcher for the regular expressions that pre-tokenizers use.
#ifndef LI_SPLIT_H
#define LI_SPLIT_H

#include "tokenizer/text_class.h"

// A part of an alternative: `min` to `max` characters of `set` (bits of text_class.h), greedy; or, where `set` is 0, an
// operation.
typedef struct li_split_item {
    uint32_t set;
    union {
        uint8_t min;
        uint8_t operation; // li_split_operation
    };
    uint8_t max; // LI_SPLIT_MANY: no limit. Of a contraction: 1 if it is optional
} li_split_item;

#define LI_SPLIT_MANY 255u

enum li_split_operation {
    LI_SPLIT_STOP,              // ends the last alternative
    LI_SPLIT_NEXT,              // ends an alternative; another follows
    LI_SPLIT_CONTRACTION,       // 's 't 're 've 'm 'll 'd
    LI_SPLIT_CONTRACTION_CASED, // the same, only in lower case
    LI_SPLIT_NOT_BEFORE_WORD,   // (?!\S)
    LI_SPLIT_NOT_AFTER_SPACE,   // (?<!\s)
    LI_SPLIT_AT_END,            // $
};

typedef void li_split_take(void *context, const uint8_t *piece, uint32_t length);

// Splits text (length, UTF-8) by the steps in order. A step is a list of alternatives: each match becomes a piece, and
// so does the text between matches. `take` gets the final pieces from left to right; no piece is empty.
void li_split(const li_char_classes *classes, const li_split_item *const *steps, const uint8_t *text, uint32_t length,
              li_split_take *take, void *context);

#endif
