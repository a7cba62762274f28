// First bytes and classes of bytes, by the form of terms.
#include "grammar/terms/first_bytes.h"

#include <string.h>

#include "grammar/terms/derivative.h"
#include "grammar/terms/kinds.h"

enum { DEPTH = 16, NODES = 1000 };

void li_byte_set_add(uint32_t set[8], uint32_t low, uint32_t high)
{
    for (uint32_t byte = low; byte <= high; byte++) set[byte >> 5] |= 1u << (byte & 31);
}

void li_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    const li_kind_traits *kind = &li_kinds[li_term_kind(grammar, term)];
    if (kind->add_first && depth <= DEPTH && li_grammar_spend(grammar))
        kind->add_first(grammar, term, set, depth);
    else
        li_byte_set_add(set, 0, 255);
}

void li_first_bytes(li_grammar *grammar, li_term term, uint32_t set[8])
{
    li_add_first(grammar, term, set, 0);
}

void li_nothing_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)grammar, (void)term, (void)set, (void)depth;
}

void li_bytes_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)depth;
    for (uint32_t i = 0; i < 8; i++) set[i] |= li_term_words(grammar, term)[i];
}

// Of the UTF-8 of a code point.
static uint32_t first_byte(uint32_t code)
{
    if (code < 0x80) return code;
    return code < 0x800 ? 0xc0 | code >> 6 : code < 0x10000 ? 0xe0 | code >> 12 : 0xf0 | code >> 18;
}

void li_class_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)depth;
    const uint32_t *words = li_term_words(grammar, term);
    for (uint32_t i = 0; i < li_term_length(grammar, term); i += 2)
        li_byte_set_add(set, first_byte(words[i]), first_byte(words[i + 1]));
}

void li_sequence_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    li_term head = li_term_words(grammar, term)[0], tail = li_term_words(grammar, term)[1];
    li_add_first(grammar, head, set, depth + 1);
    if (li_term_is_nullable(grammar, head)) li_add_first(grammar, tail, set, depth + 1);
}

void li_choice_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
        li_add_first(grammar, li_term_words(grammar, term)[i], set, depth + 1);
}

void li_both_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    uint32_t common[8];
    memset(common, 0xff, sizeof common);
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
        uint32_t part[8] = {0};
        li_add_first(grammar, li_term_words(grammar, term)[i], part, depth + 1);
        for (uint32_t k = 0; k < 8; k++) common[k] &= part[k];
    }
    for (uint32_t k = 0; k < 8; k++) set[k] |= common[k];
}

void li_repeat_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    li_add_first(grammar, li_term_words(grammar, term)[0], set, depth + 1);
}

void li_expanded_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    li_add_first(grammar, li_expand(grammar, term), set, depth + 1);
}

// ---- classes of bytes ----------------------------------------------------------------------------------------------

void li_byte_classes_part(li_byte_classes *classes, const uint32_t set[4])
{
    uint8_t numbers[256];
    uint32_t made = 0;
    memset(numbers, UINT8_MAX, 2 * classes->count);
    for (uint32_t byte = 0; byte < 128; byte++) {
        uint8_t *number = &numbers[2u * classes->of[byte] + (set[byte / 32] >> byte % 32 & 1)];
        if (*number == UINT8_MAX) *number = (uint8_t)made++;
        classes->of[byte] = *number;
    }
    classes->count = made;
}

bool li_byte_classes_split(li_byte_classes *classes, li_term term)
{
    if (term <= LI_TERM_EMPTY || term == classes->former) return true;
    if (classes->nodes-- == 0) return false;
    const li_kind_traits *kind = &li_kinds[li_term_kind(classes->grammar, term)];
    return kind->split && kind->split(classes, term);
}

bool li_bytes_split(li_byte_classes *classes, li_term term)
{
    classes->former = term;
    li_byte_classes_part(classes, li_term_words(classes->grammar, term));
    return true;
}

bool li_class_split(li_byte_classes *classes, li_term term)
{
    uint32_t set[4] = {0}, length = li_term_length(classes->grammar, term);
    const uint32_t *words = li_term_words(classes->grammar, term);
    classes->former = term;
    for (uint32_t i = 0; i < length; i += 2)
        for (uint32_t code = words[i]; code <= words[i + 1] && code < 128; code++) set[code / 32] |= 1u << code % 32;
    li_byte_classes_part(classes, set);
    return true;
}

bool li_sequence_split(li_byte_classes *classes, li_term term)
{
    const uint32_t *words = li_term_words(classes->grammar, term);
    // An open head may be empty on conditions.
    bool goes_on = li_term_flags(classes->grammar, words[0]) & (LI_FLAG_NULLABLE | LI_FLAG_OPEN);
    return li_byte_classes_split(classes, words[0]) && (!goes_on || li_byte_classes_split(classes, words[1]));
}

bool li_parts_split(li_byte_classes *classes, li_term term)
{
    for (uint32_t i = 0, count = li_term_length(classes->grammar, term); i < count; i++)
        if (!li_byte_classes_split(classes, li_term_words(classes->grammar, term)[i])) return false;
    return true;
}

bool li_body_split(li_byte_classes *classes, li_term term)
{
    return li_byte_classes_split(classes, li_term_words(classes->grammar, term)[0]);
}

bool li_find_alike(const li_grammar *grammar, li_term term, uint8_t classes[128])
{
    li_byte_classes all = {.grammar = grammar, .of = classes, .count = 1, .nodes = NODES};
    memset(classes, 0, 128);
    return li_byte_classes_split(&all, term);
}
