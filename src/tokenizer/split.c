// The matcher of split.h: alternatives in order, each item greedy, with backtracking.
#include "tokenizer/split.h"

#include "base/assert.h"

#include <stddef.h>

typedef struct piece {
    const li_char_classes *classes;
    const uint8_t *begin, *end;
} piece;

static bool is_in(const piece *in, const uint8_t *at, uint32_t set, uint32_t *length)
{
    return at < in->end && li_char_class_at(in->classes, at, length) & set;
}

static const uint8_t *char_before(const uint8_t *at)
{
    LI_ASSERT(at);
    do at--;
    while ((*at & 0xc0) == 0x80);
    return at;
}

// Bytes of the contraction at `at`; 0: there is none.
static uint32_t contraction_length(const uint8_t *at, const uint8_t *end, bool is_cased)
{
    LI_ASSERT(at <= end);
    static const char seconds[] = "rvl";
    static const char thirds[] = "eel";
    if (end - at < 2 || at[0] != '\'') return 0;
    uint8_t fold = is_cased ? 0 : 0x20;
    uint8_t letter = at[1] | fold;
    if (letter == 's' || letter == 't' || letter == 'm' || letter == 'd') return 2;
    if (end - at < 3) return 0;
    // U+017F, the long s, folds to s.
    if (!is_cased && at[1] == 0xc5 && at[2] == 0xbf) return 3;
    for (uint32_t i = 0; i < 3; i++) {
        if (letter == seconds[i] && (at[2] | fold) == thirds[i]) return 3;
    }
    return 0;
}

// The end of the match at `at` of the alternative that begins with `item`; NULL: no match.
static const uint8_t *match(const piece *in, const li_split_item *item, const uint8_t *at)
{
    LI_ASSERT(at >= in->begin && at <= in->end);
    uint32_t length;
    for (;; item++) {
        if (item->set) break;
        switch (item->operation) {
        case LI_SPLIT_CONTRACTION:
        case LI_SPLIT_CONTRACTION_CASED:
            length = contraction_length(at, in->end, item->operation == LI_SPLIT_CONTRACTION_CASED);
            if (!length && !item->max) return NULL;
            at += length;
            break;
        case LI_SPLIT_NOT_BEFORE_WORD:
            if (at < in->end && !is_in(in, at, LI_CHAR_ANY_SPACE, &length)) return NULL;
            break;
        case LI_SPLIT_NOT_AFTER_SPACE:
            if (at > in->begin && is_in(in, char_before(at), LI_CHAR_ANY_SPACE, &length)) return NULL;
            break;
        case LI_SPLIT_AT_END:
            if (at < in->end) return NULL;
            break;
        default:
            return at;
        }
    }
    uint32_t count = 0;
    while ((count < item->max || item->max == LI_SPLIT_MANY) && is_in(in, at, item->set, &length)) {
        at += length;
        count++;
    }
    for (;;) {
        if (count < item->min) return NULL;
        const uint8_t *end = match(in, item + 1, at);
        if (end || count == 0) return end;
        at = char_before(at);
        count--;
    }
}

// The end of the match at `at` of the first alternative that matches at least one character; NULL: none does.
static const uint8_t *match_step(const piece *in, const li_split_item *step, const uint8_t *at)
{
    LI_ASSERT(at < in->end);
    for (;;) {
        const uint8_t *end = match(in, step, at);
        if (end && end > at) return end;
        while (step->set || step->operation > LI_SPLIT_NEXT) step++;
        if (step->operation == LI_SPLIT_STOP) return NULL;
        step++;
    }
}

void li_split(const li_char_classes *classes, const li_split_item *const *steps, const uint8_t *text, uint32_t length,
              li_split_take *take, void *context)
{
    LI_ASSERT(!length || (*text & 0xc0) != 0x80); // begins with a character
    if (!*steps) {
        if (length) take(context, text, length);
        return;
    }
    piece in = {classes, text, text + length};
    const uint8_t *gap = text; // start of the text that no alternative has matched
    for (const uint8_t *at = text; at < in.end;) {
        const uint8_t *end = match_step(&in, *steps, at);
        if (!end) {
            uint32_t size;
            li_char_class_at(classes, at, &size);
            at += size;
            continue;
        }
        LI_ASSERT(end <= in.end);
        if (at > gap) li_split(classes, steps + 1, gap, (uint32_t)(at - gap), take, context);
        li_split(classes, steps + 1, at, (uint32_t)(end - at), take, context);
        gap = at = end;
    }
    if (gap < in.end) li_split(classes, steps + 1, gap, (uint32_t)(in.end - gap), take, context);
}
