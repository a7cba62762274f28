// JSON text of many constant objects. Their texts (constant_text.h) are a sorted list. A state is the range of texts
// that begin with the text read; a byte narrows the range by binary search. If each object were a term, every byte
// would derive every object.
//
// Words of LI_KIND_CONSTANT: the texts left, whether something was read since the last opening bracket, the level of
// the brackets. Words of LI_KIND_CONSTANT_TEXT: the texts left, the level, a place, its detail.
//
// Objects whose keys may come in any order are not read in this way: the objects that agree with the members read so
// far are not a range of a sorted list.
#include "grammar/json/constant_term.h"

#include <string.h>

#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/json/constant_text.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/json_string.h"
#include "grammar/numbers/number_term.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/first_bytes.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/string_list.h"
#include "grammar/terms/term.h"

// Up to this many different numbers at one place are read in all spellings; more are read without exponents.
enum { FEW_NUMBERS = 16 };

typedef enum place {
    IN_STRING,   // detail: the state within an escape
    IN_WHOLE,    // of a number
    IN_FRACTION, // after the point
    IN_ZEROS,    // after the digits of the number; detail: the zeros read. The texts begin after the number
} place;

static li_term between(li_grammar *grammar, li_term texts, bool has_items, uint32_t level)
{
    if (texts <= LI_TERM_EMPTY) return texts;
    return li_term_intern(grammar, LI_KIND_CONSTANT, 0, (uint32_t[]){texts, has_items, level}, 3);
}

static li_term within(li_grammar *grammar, li_term texts, uint32_t level, place place, uint32_t detail)
{
    uint32_t flags = 0;
    if (texts == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    if (place == IN_STRING && !li_quoted_leads_on(grammar, texts, detail, &flags)) return LI_TERM_NOTHING;
    return li_term_intern(grammar, LI_KIND_CONSTANT_TEXT, flags, (uint32_t[]){texts, level, place, detail}, 4);
}

static li_term mark(li_grammar *grammar, uint8_t byte, li_term rest)
{
    return li_sequence(grammar, li_byte_range(grammar, byte, byte), rest);
}

static void push_word(li_grammar *grammar, li_term texts, const char *word, uint32_t level)
{
    li_term rest = between(grammar, li_derive(grammar, texts, (uint8_t)word[0]), true, level);
    if (rest == LI_TERM_NOTHING) return;
    li_term literal = li_literal(grammar, (const uint8_t *)word, (uint32_t)strlen(word));
    li_scratch_push(grammar, li_sequence(grammar, literal, rest));
}

static uint32_t length_of_number(const li_string *text, uint32_t from)
{
    uint32_t length = 0;
    while (text->bytes[from + length] != LI_MARK_END) length++;
    return length;
}

static bool is_same_number(const li_string *a, const li_string *b, uint32_t from)
{
    uint32_t length = length_of_number(a, from);
    return length == length_of_number(b, from) && memcmp(a->bytes + from, b->bytes + from, length) == 0;
}

// Pushes each number in all spellings. False: there are too many numbers; nothing was pushed.
static bool push_each_number(li_grammar *grammar, li_term texts, uint32_t most, uint32_t level)
{
    li_string_range range = li_strings_range(grammar, texts);
    const li_string *strings = range.strings + range.first;
    uint32_t count = range.end - range.first, depth = range.depth, different = 0;
    for (uint32_t i = 0; i < count && different <= most; i++)
        different += i == 0 || !is_same_number(&strings[i - 1], &strings[i], depth);
    if (different > most) return false;
    for (uint32_t i = 0; i < count && grammar->status == LI_OK; i++) {
        if (i && is_same_number(&strings[i - 1], &strings[i], depth)) continue;
        const uint8_t *number = strings[i].bytes + depth;
        uint32_t length = length_of_number(&strings[i], depth);
        li_number_range only = {.has_minimum = true, .has_maximum = true};
        if (!li_decimal_read(grammar, number, length, &only.minimum)) break;
        only.maximum = only.minimum;
        li_term rest = between(grammar, li_derive_bytes(grammar, texts, number, length + 1), true, level);
        li_scratch_push(grammar, li_sequence(grammar, li_number(grammar, &only), rest));
    }
    return true;
}

// A value and the rest of the text, at a level of brackets.
static li_term values(li_grammar *grammar, li_term texts, uint32_t level)
{
    uint32_t start = li_scratch_mark(grammar), inner = grammar->spelling.indents ? level + 1 : 0;
    push_word(grammar, texts, "null", level);
    push_word(grammar, texts, "false", level);
    push_word(grammar, texts, "true", level);
    li_term string = within(grammar, li_derive(grammar, texts, LI_MARK_STRING), level, IN_STRING, LI_ESCAPE_NONE);
    li_scratch_push(grammar, mark(grammar, '"', string));
    li_term array = between(grammar, li_derive(grammar, texts, LI_MARK_ARRAY), false, inner);
    li_scratch_push(grammar, mark(grammar, '[', array));
    li_term object = between(grammar, li_derive(grammar, texts, LI_MARK_OBJECT), false, inner);
    li_scratch_push(grammar, mark(grammar, '{', object));
    li_term numbers = li_derive(grammar, texts, LI_MARK_NUMBER), powers = li_derive(grammar, texts, LI_MARK_POWER);
    if (numbers != LI_TERM_NOTHING && !push_each_number(grammar, numbers, FEW_NUMBERS, level))
        li_scratch_push(grammar, within(grammar, numbers, level, IN_WHOLE, 0));
    if (powers != LI_TERM_NOTHING) push_each_number(grammar, powers, UINT32_MAX, level);
    return li_scratch_choose(grammar, start);
}

li_term li_constant_expand(li_grammar *grammar, li_term term)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term texts = of->constant.texts;
    li_enclosure enclosure = {.has_items = of->constant.has_items, .level = of->constant.level};
    li_term key = li_derive(grammar, texts, LI_MARK_KEY), end = li_derive(grammar, texts, LI_MARK_OBJECT_END), item;
    if (key != LI_TERM_NOTHING || end != LI_TERM_NOTHING) {
        enclosure.bracket = '}';
        item = mark(grammar, '"', within(grammar, key, enclosure.level, IN_STRING, LI_ESCAPE_NONE));
    } else {
        enclosure.bracket = ']';
        end = li_derive(grammar, texts, LI_MARK_ARRAY_END);
        item = values(grammar, texts, enclosure.level);
    }
    enclosure.closed = between(grammar, end, true, grammar->spelling.indents ? enclosure.level - 1 : 0);
    return li_enclosed(grammar, &enclosure, item);
}

static li_term derive_string(li_grammar *grammar, li_term texts, uint32_t level, uint32_t escape, uint8_t byte)
{
    if (escape != LI_ESCAPE_NONE) {
        uint32_t character;
        uint8_t bytes[4];
        li_escape_step step = li_escape_read(&escape, byte, &character);
        if (step == LI_ESCAPE_REFUSED) return LI_TERM_NOTHING;
        if (step == LI_ESCAPE_DONE) texts = li_derive_bytes(grammar, texts, bytes, li_utf8_write(character, bytes));
        return within(grammar, texts, level, IN_STRING, escape);
    }
    if (byte == '\\') return within(grammar, texts, level, IN_STRING, LI_ESCAPE_BEGUN);
    if (byte < 0x20 || byte == LI_MARK_END) return LI_TERM_NOTHING;
    if (byte != '"') return within(grammar, li_derive(grammar, texts, byte), level, IN_STRING, LI_ESCAPE_NONE);
    texts = li_derive(grammar, texts, LI_MARK_END);
    li_term value = li_derive(grammar, texts, LI_MARK_COLON);
    if (value == LI_TERM_NOTHING) return between(grammar, texts, true, level);
    value = li_spaced(grammar, values(grammar, value, level));
    return li_spaced(grammar, li_sequence(grammar, grammar->spelling.key_separator, value));
}

static li_term derive_number(li_grammar *grammar, li_term texts, uint32_t level, uint32_t place, uint32_t zeros,
                             uint8_t byte)
{
    bool is_complete = place != IN_ZEROS || zeros > 0;
    li_term after = place == IN_ZEROS ? texts : li_derive(grammar, texts, LI_MARK_END);
    if (!li_is_of_number(byte))
        return is_complete ? li_derive(grammar, between(grammar, after, true, level), byte) : LI_TERM_NOTHING;
    if (place == IN_ZEROS)
        return byte == '0' && zeros < LI_NUMBER_SPARE ? within(grammar, after, level, IN_ZEROS, zeros + 1)
                                                      : LI_TERM_NOTHING;
    bool has_point = place == IN_FRACTION;
    li_term more = li_derive(grammar, texts, byte);
    more = within(grammar, more, level, has_point || byte == '.' ? IN_FRACTION : IN_WHOLE, 0);
    if (grammar->spelling.canonical_numbers || byte != (has_point ? '0' : '.')) return more;
    return li_either(grammar, more, within(grammar, after, level, IN_ZEROS, has_point));
}

li_term li_constant_text_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term texts = of->constant_text.texts;
    uint32_t level = of->constant_text.level, place = of->constant_text.place, state = of->constant_text.state;
    return place == IN_STRING ? derive_string(grammar, texts, level, state, byte)
                              : derive_number(grammar, texts, level, place, state, byte);
}

li_term li_constant_text_left(const li_grammar *grammar, li_term term)
{
    const li_payload *of = li_term_payload(grammar, term);
    bool is_plain = of->constant_text.place == IN_STRING && of->constant_text.state == LI_ESCAPE_NONE;
    return is_plain ? of->constant_text.texts : LI_TERM_NOTHING;
}

void li_constant_text_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    (void)depth;
    li_term texts = li_constant_text_left(grammar, term);
    if (texts == LI_TERM_NOTHING) {
        li_byte_set_add(set, 0, 0x7f);
        return;
    }
    li_strings_add_first(grammar, texts, set, 0);
    li_byte_set_add(set, '"', '"');
    li_byte_set_add(set, '\\', '\\');
}

li_term li_constants(li_grammar *grammar, const li_shape *shape, uint32_t level)
{
    return between(grammar, shape->constants, false, level);
}
