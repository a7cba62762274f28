// First bytes, found from the structure of terms; and classes of bytes, which sets and derivatives split.
#include "grammar/terms/first_bytes.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/kinds.h"

enum { DEPTH = 16, NODES = 1000 };

void li_byte_set_add(uint32_t set[8], uint32_t low, uint32_t high)
{
    LI_ASSERT(high < 256);
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

// The first byte of a code point in UTF-8.
static uint32_t first_byte(uint32_t code)
{
    LI_ASSERT(code <= 0x10ffff);
    if (code < 0x80) return code;
    return code < 0x800 ? 0xc0 | code >> 6 : code < 0x10000 ? 0xe0 | code >> 12 : 0xf0 | code >> 18;
}

void li_class_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_CLASS && li_term_length(grammar, term) % 2 == 0);
    (void)depth;
    const uint32_t *words = li_term_words(grammar, term);
    for (uint32_t i = 0; i < li_term_length(grammar, term); i += 2)
        li_byte_set_add(set, first_byte(words[i]), first_byte(words[i + 1]));
}

void li_sequence_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
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
    li_add_first(grammar, li_term_payload(grammar, term)->repeat.body, set, depth + 1);
}

void li_expanded_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    li_add_first(grammar, li_expand(grammar, term), set, depth + 1);
}

// ---- classes of bytes ----------------------------------------------------------------------------------------------

void li_byte_classes_part(li_byte_classes *classes, const uint32_t set[8])
{
    LI_ASSERT(classes->count <= 256 && classes->size <= 256);
    uint16_t numbers[512];
    uint32_t made = 0;
    memset(numbers, 0xff, 2 * classes->count * sizeof *numbers);
    for (uint32_t byte = 0; byte < classes->size; byte++) {
        uint16_t *number = &numbers[2u * classes->of[byte] + (set[byte / 32] >> byte % 32 & 1)];
        if (*number == UINT16_MAX) *number = (uint16_t)made++;
        classes->of[byte] = (uint8_t)*number;
    }
    classes->count = made;
    LI_ASSERT(made <= classes->size);
}

// Splits classes until the bytes of each class have one value.
static void part_by_values(li_byte_classes *classes)
{
    // For each new class: its first byte, and the next new class of the same old class.
    uint16_t chains[256], next[256];
    uint8_t first[256];
    uint32_t made = 0;
    memset(chains, 0xff, classes->count * sizeof *chains);
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t found = chains[classes->of[byte]];
        while (found != UINT16_MAX && classes->values[first[found]] != classes->values[byte]) found = next[found];
        if (found == UINT16_MAX) {
            found = made++;
            first[found] = (uint8_t)byte;
            next[found] = chains[classes->of[byte]];
            chains[classes->of[byte]] = (uint16_t)found;
        }
        classes->of[byte] = (uint8_t)found;
    }
    classes->count = made;
}

// Splits classes by the derivatives of the term by the bytes from `low` to `high`. Other bytes are not told apart.
static void part_by_derivatives(li_byte_classes *classes, li_term term, uint32_t low, uint32_t high)
{
    memset(classes->values, 0, sizeof classes->values);
    for (uint32_t byte = low; byte <= high; byte++)
        classes->values[byte] = li_derive(classes->grammar, term, (uint8_t)byte);
    part_by_values(classes);
}

// Recursion handles heads and parts, the loop handles tails: the depth does not grow with the length of a sequence.
static void split(li_byte_classes *classes, li_term term)
{
    while (classes->is_known && classes->count < classes->size && term > LI_TERM_EMPTY) {
        li_term *recent = &classes->recent[term % LI_RECENT_TERMS];
        if (*recent == term) return;
        *recent = term;
        if (!classes->derives && classes->nodes-- == 0) {
            classes->is_known = false;
            return;
        }
        const li_kind_traits *kind = &li_kinds[li_term_kind(classes->grammar, term)];
        if (kind->split)
            term = kind->split(classes, term);
        else {
            if (classes->derives) part_by_derivatives(classes, term, 0, 255);
            classes->is_known = classes->derives;
            return;
        }
    }
}

void li_byte_classes_split(li_byte_classes *classes, li_term term)
{
    if (classes->derives && !li_depth_enter(classes->grammar)) return;
    split(classes, term);
    if (classes->derives) li_depth_leave(classes->grammar);
}

li_term li_bytes_split(li_byte_classes *classes, li_term term)
{
    li_byte_classes_part(classes, li_term_words(classes->grammar, term));
    return LI_TERM_EMPTY;
}

li_term li_class_split(li_byte_classes *classes, li_term term)
{
    uint32_t set[8] = {0}, length = li_term_length(classes->grammar, term);
    const uint32_t *words = li_term_words(classes->grammar, term);
    for (uint32_t i = 0; i < length && words[i] < 128; i += 2)
        for (uint32_t code = words[i]; code <= words[i + 1] && code < 128; code++) set[code / 32] |= 1u << code % 32;
    li_byte_classes_part(classes, set);
    if (classes->size == 256) part_by_derivatives(classes, term, 0xc2, 0xf4);
    return LI_TERM_EMPTY;
}

li_term li_sequence_split(li_byte_classes *classes, li_term term)
{
    const li_payload *of = li_term_payload(classes->grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
    // An open head may be empty under conditions.
    bool goes_on = li_term_flags(classes->grammar, head) & (LI_FLAG_NULLABLE | LI_FLAG_OPEN);
    li_byte_classes_split(classes, head);
    return goes_on ? tail : LI_TERM_EMPTY;
}

li_term li_parts_split(li_byte_classes *classes, li_term term)
{
    for (uint32_t i = 0, count = li_term_length(classes->grammar, term); i < count; i++)
        li_byte_classes_split(classes, li_term_words(classes->grammar, term)[i]);
    return LI_TERM_EMPTY;
}

li_term li_body_split(li_byte_classes *classes, li_term term)
{
    return li_term_words(classes->grammar, term)[0];
}

bool li_find_alike(li_byte_classes *classes, li_term term)
{
    classes->is_known = true;
    classes->size = classes->derives || classes->has_leads ? 256 : 128;
    classes->count = 1;
    classes->nodes = NODES;
    memset(classes->of, 0, sizeof classes->of);
    memset(classes->recent, 0, sizeof classes->recent);
    li_byte_classes_split(classes, term);
    return classes->is_known;
}
