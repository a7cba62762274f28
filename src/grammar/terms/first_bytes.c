// What may come first in a term, by its form.
#include "grammar/terms/first_bytes.h"

#include <string.h>

#include "grammar/terms/derivative.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/string_list.h"

static void add_range(uint32_t set[8], uint32_t low, uint32_t high)
{
    for (uint32_t byte = low; byte <= high; byte++) set[byte >> 5] |= 1u << (byte & 31);
}

static void add_space(uint32_t set[8])
{
    add_range(set, ' ', ' ');
    add_range(set, '\t', '\n');
    add_range(set, '\r', '\r');
}

// Of the UTF-8 of a code point.
static uint32_t first_byte(uint32_t code)
{
    if (code < 0x80) return code;
    return code < 0x800 ? 0xc0 | code >> 6 : code < 0x10000 ? 0xe0 | code >> 12 : 0xf0 | code >> 18;
}

static void add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    const uint32_t *words = li_term_words(grammar, term);
    li_kind kind = li_term_kind(grammar, term);
    if (depth > 16) kind = LI_KIND_COUNT;
    switch (kind) {
    case LI_KIND_NOTHING:
    case LI_KIND_EMPTY:
    case LI_KIND_SPECIAL:
        return;
    case LI_KIND_BYTES:
        for (uint32_t i = 0; i < 8; i++) set[i] |= words[i];
        return;
    case LI_KIND_CLASS:
        for (uint32_t i = 0; i < li_term_length(grammar, term); i += 2)
            add_range(set, first_byte(words[i]), first_byte(words[i + 1]));
        return;
    case LI_KIND_SEQUENCE:
        add_first(grammar, words[0], set, depth + 1);
        words = li_term_words(grammar, term); // it may have moved
        if (li_term_is_nullable(grammar, words[0])) add_first(grammar, words[1], set, depth + 1);
        return;
    case LI_KIND_CHOICE:
        for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
            add_first(grammar, li_term_words(grammar, term)[i], set, depth + 1);
        return;
    case LI_KIND_BOTH: {
        uint32_t common[8];
        memset(common, 0xff, sizeof common);
        for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
            uint32_t part[8] = {0};
            add_first(grammar, li_term_words(grammar, term)[i], part, depth + 1);
            for (uint32_t k = 0; k < 8; k++) common[k] &= part[k];
        }
        for (uint32_t k = 0; k < 8; k++) set[k] |= common[k];
        return;
    }
    case LI_KIND_REPEAT:
        add_first(grammar, words[0], set, depth + 1);
        return;
    case LI_KIND_SPACE:
        add_space(set);
        return;
    case LI_KIND_QUOTED:
        if (words[1] == 0 && li_term_kind(grammar, words[0]) == LI_KIND_STRINGS) {
            li_strings_first_bytes(grammar, words[0], set);
            add_range(set, '"', '"');
            add_range(set, '\\', '\\');
            return;
        }
        add_range(set, ' ', 255);
        return;
    case LI_KIND_NUMBER:
        add_range(set, '+', '9');
        add_range(set, 'E', 'E');
        add_range(set, 'e', 'e');
        return;
    case LI_KIND_KEY:
        li_kinds[kind].add_first(grammar, term, set);
        return;
    case LI_KIND_RECORDED:
        add_first(grammar, li_term_words(grammar, term)[0], set, depth + 1);
        if (!li_term_is_nullable(grammar, li_term_words(grammar, term)[0])) return;
        // The rest of the array is a part of it: a number ends where that begins.
        add_space(set);
        add_range(set, ',', ',');
        add_range(set, ']', ']');
        return;
    case LI_KIND_RULE:
    case LI_KIND_VALUE:
    case LI_KIND_OBJECT:
    case LI_KIND_ARRAY:
        add_first(grammar, li_expand(grammar, term), set, depth + 1);
        return;
    default:
        add_range(set, 0, 255);
    }
}

void li_first_bytes(li_grammar *grammar, li_term term, uint32_t set[8])
{
    add_first(grammar, term, set, 0);
}

enum { NODES = 1000 };

typedef struct partition {
    const li_grammar *grammar;
    uint8_t *classes; // (128)
    uint32_t count, nodes;
    li_term former; // the same characters often stand in many places
} partition;

static void split_by_set(partition *at, const uint32_t set[4])
{
    uint8_t numbers[256];
    uint32_t made = 0;
    memset(numbers, UINT8_MAX, 2 * at->count);
    for (uint32_t byte = 0; byte < 128; byte++) {
        uint8_t *number = &numbers[2u * at->classes[byte] + (set[byte / 32] >> byte % 32 & 1)];
        if (*number == UINT8_MAX) *number = (uint8_t)made++;
        at->classes[byte] = *number;
    }
    at->count = made;
}

static void split_by_class(partition *at, li_term term)
{
    uint32_t set[4] = {0}, length = li_term_length(at->grammar, term);
    const uint32_t *words = li_term_words(at->grammar, term);
    for (uint32_t i = 0; i < length; i += 2)
        for (uint32_t code = words[i]; code <= words[i + 1] && code < 128; code++) set[code / 32] |= 1u << code % 32;
    split_by_set(at, set);
}

static bool split(partition *at, li_term term)
{
    static const uint32_t word_bytes[4] = {0, 0x03ff0000, 0x87fffffe, 0x07fffffe};
    // As a JSON string spells it: what is below a space is not read, and two bytes are special.
    static const uint32_t marks[3][4] = {{UINT32_MAX}, {0, 1u << 2}, {0, 0, 1u << 28}};
    const li_grammar *grammar = at->grammar;
    while (term > LI_TERM_EMPTY && term != at->former) {
        const uint32_t *words = li_term_words(grammar, term);
        uint32_t length = li_term_length(grammar, term);
        if (at->nodes-- == 0) return false;
        switch (li_term_kind(grammar, term)) {
        case LI_KIND_BYTES:
            at->former = term;
            split_by_set(at, words);
            return true;
        case LI_KIND_CLASS:
            at->former = term;
            split_by_class(at, term);
            return true;
        case LI_KIND_SEQUENCE: {
            // An open head may be empty on conditions.
            bool goes_on = li_term_flags(grammar, words[0]) & (LI_FLAG_NULLABLE | LI_FLAG_OPEN);
            if (!split(at, words[0])) return false;
            if (!goes_on) return true;
            term = words[1];
            break;
        }
        case LI_KIND_CHOICE:
        case LI_KIND_BOTH:
            for (uint32_t i = 0; i < length; i++)
                if (!split(at, words[i])) return false;
            return true;
        case LI_KIND_NOT:
        case LI_KIND_REPEAT:
            term = words[0];
            break;
        case LI_KIND_AHEAD:
            term = words[1];
            break;
        case LI_KIND_EDGE:
            return true;
        case LI_KIND_PATTERN:
            if (li_term_flags(grammar, words[0]) & LI_FLAG_EDGE) split_by_set(at, word_bytes);
            if (!split(at, words[0])) return false;
            term = words[2];
            break;
        case LI_KIND_QUOTED:
            if (words[1]) return false; // in an escape
            for (uint32_t i = 0; i < 3; i++) split_by_set(at, marks[i]);
            term = words[0];
            break;
        default:
            return false;
        }
    }
    return true;
}

bool li_find_alike(const li_grammar *grammar, li_term term, uint8_t classes[128])
{
    partition at = {.grammar = grammar, .classes = classes, .count = 1, .nodes = NODES};
    memset(classes, 0, 128);
    return split(&at, term);
}
