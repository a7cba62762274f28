// JSON strings: the spellings of a text. Words: the regular term of the rest of the text; the state within an escape.
#include "grammar/json/json_string.h"

#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/string_list.h"
#include "grammar/terms/term.h"

enum { NOT_UTF8 = 0xf8 }; // UTF-8 has no byte from here on

// Whether a text of `rest` begins with the UTF-8 of a number from `low` to `high`: a byte with the bits `mark`, then
// `left` continuation bytes.
static bool follows(li_grammar *grammar, li_term rest, uint32_t left, uint32_t mark, uint32_t low, uint32_t high)
{
    uint32_t shift = 6 * left, full = (1u << shift) - 1;
    for (uint32_t part = low >> shift; part <= high >> shift; part++) {
        if (li_refuses(grammar, rest, (uint8_t)(mark | part))) continue;
        li_term next = li_derive(grammar, rest, (uint8_t)(mark | part));
        if (next == LI_TERM_NOTHING) continue;
        uint32_t from = part == low >> shift ? low & full : 0, to = part == high >> shift ? high & full : full;
        if (left == 0 || (from == 0 && to == full)) return true;
        if (follows(grammar, next, left - 1, 0x80, from, to)) return true;
    }
    return false;
}

// Whether a text of `inner` begins with a character in the range. Branches at each byte of UTF-8 that the range covers
// in part, so the cost is some hundred derivatives at most.
static bool begins_within(li_grammar *grammar, li_term inner, li_character_range range)
{
    static const uint32_t ends[] = {0x7f, 0x7ff, 0xffff, 0x10ffff}, marks[] = {0, 0xc0, 0xe0, 0xf0};
    uint32_t low = range.low;
    for (uint32_t i = 0; i < 4 && low <= range.high; i++) {
        if (low > ends[i]) continue;
        uint32_t high = range.high < ends[i] ? range.high : ends[i];
        if (follows(grammar, inner, i, marks[i], low, high)) return true;
        low = ends[i] + 1;
    }
    return false;
}

// Whether every next character is an ASCII character that JSON writes without an escape.
static bool is_plain(li_grammar *grammar, li_term inner)
{
    uint32_t first[8] = {0};
    if (inner == li_any_text(grammar)) return false;
    li_first_bytes(grammar, inner, first);
    for (uint32_t byte = 0; byte < NOT_UTF8; byte++) {
        bool may_be_escaped = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\' || byte == '/';
        may_be_escaped = may_be_escaped && first[byte / 32] >> byte % 32 & 1;
        if (may_be_escaped && li_derive(grammar, inner, (uint8_t)byte) != LI_TERM_NOTHING) return false;
    }
    return true;
}

bool li_quoted_leads_on(li_grammar *grammar, li_term inner, uint32_t escape, uint32_t *flags)
{
    li_character_range ranges[2];
    bool leads_on = escape == LI_ESCAPE_NONE;
    uint32_t count = leads_on ? 0 : li_escape_ranges(escape, ranges);
    for (uint32_t i = 0; i < count && !leads_on; i++) leads_on = begins_within(grammar, inner, ranges[i]);
    // Masks propose no needless escape, so that fixed text is forced.
    *flags = leads_on && escape == LI_ESCAPE_BEGUN && is_plain(grammar, inner) ? LI_FLAG_OVERRUN : 0;
    return leads_on;
}

static li_term quoted(li_grammar *grammar, li_term inner, uint32_t escape)
{
    uint32_t flags = 0;
    if (inner == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    if (inner == li_any_text(grammar) && escape != LI_ESCAPE_NONE)
        escape = li_escape_simplify(escape);
    else if (!li_quoted_leads_on(grammar, inner, escape, &flags))
        return LI_TERM_NOTHING;
    return li_term_intern(grammar, LI_KIND_QUOTED, flags, (uint32_t[]){inner, escape}, 2);
}

li_term li_quoted(li_grammar *grammar, li_term inner)
{
    return quoted(grammar, inner, LI_ESCAPE_NONE);
}

li_term li_quoted_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term inner = of->quoted.text;
    uint32_t escape = of->quoted.escape, character;
    if (escape != LI_ESCAPE_NONE) {
        switch (li_escape_read(&escape, byte, &character)) {
        case LI_ESCAPE_REFUSED:
            return LI_TERM_NOTHING;
        case LI_ESCAPE_OPEN:
            return quoted(grammar, inner, escape);
        case LI_ESCAPE_DONE:
            break;
        }
        uint8_t bytes[4];
        return li_quoted(grammar, li_derive_bytes(grammar, inner, bytes, li_utf8_write(character, bytes)));
    }
    if (byte == '"') return li_term_is_nullable(grammar, inner) ? LI_TERM_EMPTY : LI_TERM_NOTHING;
    if (byte == '\\') return quoted(grammar, inner, LI_ESCAPE_BEGUN);
    return byte < 0x20 ? LI_TERM_NOTHING : li_quoted(grammar, li_derive(grammar, inner, byte));
}

bool li_quoted_refuses(const li_grammar *grammar, li_term term, uint8_t byte)
{
    const li_payload *of = li_term_payload(grammar, term);
    bool is_plain = of->quoted.escape == LI_ESCAPE_NONE && byte != '"' && byte != '\\';
    return is_plain && li_refuses(grammar, of->quoted.text, byte);
}

void li_quoted_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)depth;
    li_term inner = li_term_payload(grammar, term)->quoted.text;
    bool is_list = li_term_kind(grammar, inner) == LI_KIND_STRINGS;
    if (!is_list || li_term_payload(grammar, term)->quoted.escape != LI_ESCAPE_NONE) {
        li_byte_set_add(set, ' ', 255);
        return;
    }
    li_strings_add_first(grammar, inner, set, 0);
    li_byte_set_add(set, '"', '"');
    li_byte_set_add(set, '\\', '\\');
}

li_term li_quoted_split(li_byte_classes *classes, li_term term)
{
    // Bytes below a space are not allowed, and two bytes are special.
    static const uint32_t marks[3][8] = {{UINT32_MAX}, {0, 1u << 2}, {0, 0, 1u << 28}};
    const li_payload *of = li_term_payload(classes->grammar, term);
    if (of->quoted.escape != LI_ESCAPE_NONE) classes->is_known = false;
    for (uint32_t i = 0; i < 3; i++) li_byte_classes_part(classes, marks[i]);
    return of->quoted.text;
}

uint32_t li_quoted_counts_used(const li_grammar *grammar, li_term term, uint32_t *nodes)
{
    return li_counts_used_of(grammar, li_term_payload(grammar, term)->quoted.text, nodes);
}
