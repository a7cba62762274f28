// Classes of code points as UTF-8. A class is one term until its first byte is read. The rest is then at most three
// bytes deep, and the same term for all leading bytes with the same continuations.
#include "grammar/terms/char_class.h"

#include <string.h>

#include "grammar/terms/constructors.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"

enum { LAST_CODE_POINT = 0x10ffff, FIRST_SURROGATE = 0xd800, LAST_SURROGATE = 0xdfff };

// Adds a range to the ranges on the scratch stack, in ascending order.
static void push_range(li_grammar *grammar, uint32_t mark, uint32_t low, uint32_t high)
{
    if (high > LAST_CODE_POINT) high = LAST_CODE_POINT;
    if (low > high) return;
    if (grammar->scratch.count > mark && low <= grammar->scratch.at[grammar->scratch.count - 1] + 1) {
        if (high > grammar->scratch.at[grammar->scratch.count - 1])
            grammar->scratch.at[grammar->scratch.count - 1] = high;
        return;
    }
    if (li_scratch_push(grammar, low)) li_scratch_push(grammar, high);
}

static li_term ascii_class(li_grammar *grammar, const uint32_t *ranges, uint32_t words)
{
    uint32_t set[8] = {0};
    for (uint32_t i = 0; i < words; i += 2)
        for (uint32_t code = ranges[i]; code <= ranges[i + 1]; code++) set[code / 32] |= 1u << code % 32;
    return li_bytes(grammar, set);
}

li_term li_class(li_grammar *grammar, const uint32_t *ranges, uint32_t count)
{
    uint32_t mark = li_scratch_mark(grammar);
    // A push may move the scratch stack, where the ranges may lie.
    bool is_scratch = ranges >= grammar->scratch.at && ranges < grammar->scratch.at + grammar->scratch.room;
    uint32_t offset = is_scratch ? (uint32_t)(ranges - grammar->scratch.at) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *range = (is_scratch ? grammar->scratch.at + offset : ranges) + (size_t)2 * i;
        uint32_t low = range[0], high = range[1];
        if (low < FIRST_SURROGATE) push_range(grammar, mark, low, high < FIRST_SURROGATE ? high : FIRST_SURROGATE - 1);
        if (high > LAST_SURROGATE) push_range(grammar, mark, low > LAST_SURROGATE ? low : LAST_SURROGATE + 1, high);
    }
    const uint32_t *words = grammar->scratch.at + mark;
    uint32_t length = grammar->scratch.count - mark;
    li_scratch_drop(grammar, mark);
    if (grammar->status != LI_OK || length == 0) return LI_TERM_NOTHING;
    if (words[length - 1] < 128) return ascii_class(grammar, words, length);
    return li_term_intern(grammar, LI_KIND_CLASS, LI_FLAG_REGULAR | LI_FLAG_TEXT, words, length);
}

li_term li_any_text(li_grammar *grammar)
{
    if (!grammar->any_text) {
        li_term any = li_class(grammar, (uint32_t[]){0, LAST_CODE_POINT}, 1);
        grammar->any_text = li_repeat(grammar, any, 0, LI_NO_LIMIT);
    }
    return grammar->any_text;
}

// The index of the first range that does not end before `code`.
static uint32_t find_range(const li_grammar *grammar, li_term term, uint32_t code)
{
    const uint32_t *ranges = li_term_words(grammar, term);
    uint32_t low = 0, high = li_term_length(grammar, term) / 2;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ranges[2 * middle + 1] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The last byte of the 64 code points from `base` on.
static li_term last_byte(li_grammar *grammar, li_term term, uint32_t base)
{
    uint32_t set[8] = {0};
    const uint32_t *ranges = li_term_words(grammar, term);
    uint32_t count = li_term_length(grammar, term) / 2;
    for (uint32_t i = find_range(grammar, term, base); i < count && ranges[2 * i] < base + 64; i++) {
        uint32_t low = ranges[2 * i] > base ? ranges[2 * i] : base;
        uint32_t high = ranges[2 * i + 1] < base + 63 ? ranges[2 * i + 1] : base + 63;
        for (uint32_t code = low; code <= high; code++) set[4 + (code - base) / 32] |= 1u << (code - base) % 32;
    }
    return li_bytes(grammar, set);
}

static li_term any_bytes(li_grammar *grammar, uint32_t count)
{
    li_term byte = li_byte_range(grammar, 0x80, 0xbf), term = byte;
    while (--count) term = li_sequence(grammar, byte, term);
    return term;
}

// The last `count` bytes of the 64^count code points from `base` on. Leaves out code points below `least`, which UTF-8
// encodes in fewer bytes.
static li_term last_bytes(li_grammar *grammar, li_term term, uint32_t base, uint32_t count, uint32_t least)
{
    uint32_t size = 1u << 6 * count, each = size / 64;
    if (base + size <= least) return LI_TERM_NOTHING;
    uint32_t range = find_range(grammar, term, base);
    const uint32_t *ranges = li_term_words(grammar, term);
    if (2 * range == li_term_length(grammar, term) || ranges[2 * range] >= base + size) return LI_TERM_NOTHING;
    if (base >= least && ranges[2 * range] <= base && ranges[2 * range + 1] >= base + size - 1)
        return any_bytes(grammar, count);
    if (count == 1) return last_byte(grammar, term, base);
    uint32_t mark = li_scratch_mark(grammar), from = 0;
    // Neighbours with equal continuations share an alternative.
    li_term rest = last_bytes(grammar, term, base, count - 1, least);
    for (uint32_t byte = 1; byte <= 64; byte++) {
        li_term next = byte < 64 ? last_bytes(grammar, term, base + byte * each, count - 1, least) : LI_TERM_NOTHING;
        if (byte < 64 && next == rest) continue;
        li_term head = li_byte_range(grammar, (uint8_t)(0x80 + from), (uint8_t)(0x7f + byte));
        if (rest != LI_TERM_NOTHING && !li_scratch_push(grammar, li_sequence(grammar, head, rest))) break;
        rest = next;
        from = byte;
    }
    return li_scratch_choose(grammar, mark);
}

li_term li_class_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    if (byte < 0x80) {
        uint32_t at = find_range(grammar, term, byte);
        return li_term_words(grammar, term)[2 * at] <= byte ? LI_TERM_EMPTY : LI_TERM_NOTHING;
    }
    if (byte < 0xc2 || byte > 0xf4) return LI_TERM_NOTHING;
    if (byte < 0xe0) return last_bytes(grammar, term, (byte & 31u) << 6, 1, 0x80);
    if (byte < 0xf0) return last_bytes(grammar, term, (byte & 15u) << 12, 2, 0x800);
    return last_bytes(grammar, term, (byte & 7u) << 18, 3, 0x10000);
}
