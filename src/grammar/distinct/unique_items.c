// Items of arrays that must differ. Words: the term of the rest of the item; its text read (recorded_text.h); the set
// of excluded values that the item may still become, unless the term excludes them; then the words of the array after
// the item (array_frame.h), without the item in `seen`.
//
// The terms of strings and of bounded numbers exclude the values seen. Other numbers, objects and arrays are compared
// when their text is complete; until then a search (enumerate_json.c) ensures that another value is possible.
#include "grammar/distinct/unique_items.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/distinct/distinct_items.h"
#include "grammar/distinct/enumerate_json.h"
#include "grammar/distinct/enumerate_values.h"
#include "grammar/json/array_contains.h"
#include "grammar/json/array_term.h"
#include "grammar/json/canonical.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/json_string.h"
#include "grammar/json/json_value.h"
#include "grammar/json/recorded_text.h"
#include "grammar/json/value_prefix.h"
#include "grammar/nodes/node_table.h"
#include "grammar/numbers/number_term.h"
#include "grammar/numbers/unbounded_number.h"
#include "grammar/tableau/node_shape.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/proposal.h"
#include "grammar/terms/term.h"

enum { OWN_WORDS = 3, ALL_WORDS = OWN_WORDS + LI_ARRAY_WORDS };

typedef struct item {
    li_term rest, text, avoided;
    uint32_t words[ALL_WORDS], count;
} item;

static bool has_compounds(const li_grammar *grammar, li_term set)
{
    for (uint32_t i = 0, count = li_value_set_count(grammar, set); i < count; i++) {
        li_canonical_kind kind = li_canonical_kind_of(grammar, li_value_set_at(grammar, set, i));
        if (kind == LI_CANONICAL_ARRAY || kind == LI_CANONICAL_OBJECT) return true;
    }
    return false;
}

static bool differs(li_grammar *grammar, void *context, const uint8_t *text, uint32_t length)
{
    const li_term *avoided = context;
    li_term value = li_canonical(grammar, text, length);
    return value == LI_TERM_NOTHING || !li_value_set_has(grammar, *avoided, value);
}

// Whether a value that is not excluded can follow the text.
static bool can_differ(li_grammar *grammar, const item *item)
{
    if (item->avoided == LI_TERM_NOTHING) return true; // no excluded value is left
    uint32_t most = li_value_set_count(grammar, item->avoided) + 1;
    if (li_values_abound(grammar, item->rest, most)) return true;
    li_term avoided = item->avoided;
    uint32_t length;
    uint8_t *text = li_recorded_copy(grammar, item->text, &length);
    if (!text) return false;
    li_texts_query query = {
        .before = text, .before_length = length, .most = most, .visit = differs, .context = &avoided};
    li_texts_result result = li_texts(grammar, item->rest, &query);
    li_memory_free(text);
    // Undecided: `true` could lead to a dead end, `false` could refuse a valid item.
    if (result == LI_TEXTS_SOME) li_grammar_exceed(grammar, LI_LIMIT_VALUES);
    return result == LI_TEXTS_STOPPED && grammar->status == LI_OK;
}

static void load(const li_grammar *grammar, li_term term, item *item)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_RECORDED && li_term_length(grammar, term) > OWN_WORDS);
    item->count = li_term_length(grammar, term);
    memcpy(item->words, li_term_words(grammar, term), item->count * sizeof *item->words);
    item->rest = item->words[0];
    item->text = item->words[1];
    item->avoided = item->words[2];
}

// Drops the values that do not begin with the text. False: the item can become only the remaining values.
static bool narrow(li_grammar *grammar, item *item)
{
    li_text_view view = li_recorded_view(grammar, item->text);
    if (view.length) item->avoided = li_value_set_narrow(grammar, item->avoided, &view);
    return can_differ(grammar, item);
}

static li_term intern_narrowed(li_grammar *grammar, item *item)
{
    item->words[0] = item->rest;
    item->words[1] = item->text;
    item->words[2] = item->avoided;
    grammar->records = true;
    uint32_t flags = li_term_flags(grammar, item->rest) & LI_OVERRUN_FLAGS;
    return li_term_intern(grammar, LI_KIND_RECORDED, flags, item->words, item->count);
}

static li_term intern(li_grammar *grammar, item *item)
{
    if (item->rest == LI_TERM_NOTHING) return LI_TERM_NOTHING;
    if (item->avoided != LI_TERM_NOTHING && !narrow(grammar, item)) return LI_TERM_NOTHING;
    return intern_narrowed(grammar, item);
}

// The rest of the array after the whole text of the item.
static li_term finish(li_grammar *grammar, const item *item)
{
    li_array_frame frame;
    li_text_view view = li_recorded_view(grammar, item->text);
    if (!view.bytes) return LI_TERM_NOTHING;
    li_term value = li_canonical(grammar, view.bytes, view.length);
    if (value == LI_TERM_NOTHING || li_value_set_has(grammar, item->avoided, value)) return LI_TERM_NOTHING;
    if (!li_array_load(grammar, item->words + OWN_WORDS, &frame)) return LI_TERM_NOTHING;
    frame.seen = li_value_set_add(grammar, frame.seen, value);
    return li_array_rest(grammar, &frame);
}

bool li_recorded_lacks(const li_grammar *grammar, li_term term)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_RECORDED && li_term_length(grammar, term) > OWN_WORDS);
    return li_term_words(grammar, term)[OWN_WORDS + 1] >> 1 & 1;
}

li_term li_recorded_after(li_grammar *grammar, li_term term)
{
    item item;
    li_array_frame frame;
    load(grammar, term, &item);
    if (!li_array_load(grammar, item.words + OWN_WORDS, &frame)) return LI_TERM_NOTHING;
    if (frame.shape->contains_count || frame.shape->prefix_count) return LI_TERM_NOTHING;
    uint64_t places = (uint64_t)li_value_set_count(grammar, frame.seen) + frame.needed + 2;
    bool is_ample =
        frame.room == 0 || (places < UINT32_MAX && li_values_count(grammar, frame.shape->rest, (uint32_t)places, NULL));
    frame.lacks_item = true;
    return is_ample ? li_array_rest(grammar, &frame) : LI_TERM_NOTHING;
}

// Whether whitespace that comes next lies between the parts of the item, not within a string. Whitespace begins no
// part.
static bool is_between(const li_grammar *grammar, li_term rest)
{
    const li_payload *of = li_term_payload(grammar, rest);
    switch (li_term_kind(grammar, rest)) {
    case LI_KIND_SPACE:
    case LI_KIND_OBJECT:
    case LI_KIND_ARRAY:
        return true;
    case LI_KIND_SEQUENCE:
        return is_between(grammar, of->sequence.head);
    case LI_KIND_RECORDED: // an item of an array within the item
        return is_between(grammar, of->recorded.rest);
    case LI_KIND_CHOICE:
        for (uint32_t i = 0; i < li_term_length(grammar, rest); i++)
            if (!is_between(grammar, li_term_words(grammar, rest)[i])) return false;
        return true;
    default:
        return false;
    }
}

li_term li_recorded_derive(li_grammar *grammar, li_term term, uint8_t byte)
{
    item item;
    load(grammar, term, &item);
    bool is_space = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
    // Whitespace between the parts changes no value. It is not recorded, so all of it leads to few terms.
    if (is_space && is_between(grammar, item.rest)) {
        item.rest = li_derive(grammar, item.rest, byte);
        return item.rest == LI_TERM_NOTHING ? LI_TERM_NOTHING : intern_narrowed(grammar, &item);
    }
    li_term ended = LI_TERM_NOTHING;
    // Only a number can both end here and continue.
    if (li_term_is_nullable(grammar, item.rest)) ended = li_derive(grammar, finish(grammar, &item), byte);
    item.rest = li_derive(grammar, item.rest, byte);
    if (item.rest == LI_TERM_NOTHING) return ended;
    item.text = li_record(grammar, item.text, byte);
    li_term going_on = item.rest == LI_TERM_EMPTY ? finish(grammar, &item) : intern(grammar, &item);
    return li_either(grammar, ended, going_on);
}

static li_term add_word(li_grammar *grammar, li_term sum, li_term avoided, const li_array_frame *next, const char *word,
                        uint32_t length)
{
    li_array_frame after = *next;
    li_term value = li_canonical(grammar, (const uint8_t *)word, length);
    if (li_value_set_has(grammar, avoided, value)) return sum;
    after.seen = li_value_set_add(grammar, next->seen, value);
    li_term literal = li_literal(grammar, (const uint8_t *)word, length);
    return li_either(grammar, sum, li_sequence(grammar, literal, li_array_rest(grammar, &after)));
}

static li_term add_strings(li_grammar *grammar, li_term sum, li_term strings, li_term avoided, item *item)
{
    li_term texts = li_value_set_strings(grammar, avoided);
    if (texts != LI_TERM_NOTHING) strings = li_both(grammar, strings, li_not(grammar, texts));
    if (strings == LI_TERM_NOTHING) return sum;
    item->rest = li_quoted(grammar, strings);
    item->text = li_record(grammar, LI_TERM_NOTHING, '"');
    item->avoided = LI_TERM_NOTHING;
    li_term quote = li_byte_range(grammar, '"', '"');
    return li_either(grammar, sum, li_sequence(grammar, quote, intern(grammar, item)));
}

static bool has_numbers(const li_grammar *grammar, li_term set)
{
    for (uint32_t i = 0, count = li_value_set_count(grammar, set); i < count; i++)
        if (li_canonical_kind_of(grammar, li_value_set_at(grammar, set, i)) == LI_CANONICAL_NUMBER) return true;
    return false;
}

static li_term add_numbers(li_grammar *grammar, li_term sum, const li_number_range *range, li_term avoided, item *item)
{
    static const li_decimal zero;
    li_number_range left = *range;
    item->text = LI_TERM_NOTHING;
    item->avoided = has_numbers(grammar, avoided) ? avoided : LI_TERM_NOTHING;
    item->rest = li_number(grammar, range);
    if (item->avoided == LI_TERM_NOTHING) return li_either(grammar, sum, intern(grammar, item));
    // The term of unbounded numbers excludes only zero, because any other number is the beginning of many numbers.
    // Complete numbers are compared.
    li_term value = li_canonical(grammar, (const uint8_t *)"0", 1);
    if (range->not_count == 0 && li_value_set_has(grammar, avoided, value)) {
        left.not_count = 1;
        left.not_values = &zero;
        item->rest = li_number(grammar, &left);
    }
    if (li_term_kind(grammar, item->rest) == LI_KIND_NUMBER && li_unbounded_number_is_endless(grammar, item->rest))
        return li_either(grammar, sum, intern(grammar, item));
    uint32_t count = li_value_set_count(grammar, avoided);
    li_decimal *values = li_memory_alloc((range->not_count + count + 1) * sizeof *values);
    if (!values) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return sum;
    }
    left.not_count = range->not_count;
    if (range->not_count) memcpy(values, range->not_values, range->not_count * sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        value = li_value_set_at(grammar, avoided, i);
        if (li_canonical_kind_of(grammar, value) != LI_CANONICAL_NUMBER) continue;
        li_decimal *decimal = &values[left.not_count];
        if (li_canonical_decimal(grammar, value, decimal))
            left.not_count += li_number_contains(grammar, range, decimal);
    }
    left.not_values = values;
    item->rest = li_number(grammar, &left);
    item->avoided = LI_TERM_NOTHING;
    li_memory_free(values);
    return li_either(grammar, sum, intern(grammar, item));
}

static li_term add_compounds(li_grammar *grammar, li_term sum, const li_shape *shape, uint32_t level, li_term avoided,
                             item *item)
{
    li_term compounds = li_objects(grammar, shape, level);
    for (uint32_t i = 0; i < shape->array_count; i++) {
        li_term array = li_array(grammar, &shape->arrays[i], level);
        array = li_sequence(grammar, li_byte_range(grammar, '[', '['), array);
        compounds = li_either(grammar, compounds, array);
    }
    item->rest = compounds;
    item->text = LI_TERM_NOTHING;
    item->avoided = has_compounds(grammar, avoided) ? avoided : LI_TERM_NOTHING;
    return li_either(grammar, sum, intern(grammar, item));
}

li_term li_unique_item(li_grammar *grammar, li_node node, const li_array_frame *next)
{
    LI_ASSERT(next->shape->is_unique);
    // The values of seen items, and values without which too few are left for the later places.
    li_term sum = LI_TERM_NOTHING, avoided = next->seen;
    if (!li_contains_can_finish(grammar, next) || !li_unique_can_finish(grammar, next, &avoided))
        return LI_TERM_NOTHING;
    const li_shape *shape = li_node_shape(grammar, node);
    if (!shape) return LI_TERM_NOTHING;
    item item;
    item.count = OWN_WORDS + li_array_store(next, item.words + OWN_WORDS);
    if (shape->has_null) sum = add_word(grammar, sum, avoided, next, "null", 4);
    if (shape->has_false) sum = add_word(grammar, sum, avoided, next, "false", 5);
    if (shape->has_true) sum = add_word(grammar, sum, avoided, next, "true", 4);
    sum = add_strings(grammar, sum, shape->strings, avoided, &item);
    for (uint32_t i = 0; i < shape->number_count; i++)
        sum = add_numbers(grammar, sum, &shape->numbers[i], avoided, &item);
    if (shape->object_count + shape->array_count)
        sum = add_compounds(grammar, sum, shape, grammar->spelling.indents ? next->level + 1 : 0, avoided, &item);
    return sum;
}

li_term li_recorded_propose(li_grammar *grammar, li_term term)
{
    item item;
    load(grammar, term, &item);
    li_term proposed = li_proposed(grammar, item.rest);
    if (proposed == item.rest) return term;
    item.rest = proposed;
    return intern(grammar, &item);
}

void li_recorded_add_first(li_grammar *grammar, li_term term, uint32_t set[8], uint32_t depth)
{
    li_term rest = li_term_payload(grammar, term)->recorded.rest;
    li_add_first(grammar, rest, set, depth + 1);
    if (!li_term_is_nullable(grammar, rest)) return;
    // The rest of the array is part of the term, because a number ends where the rest begins.
    li_space_add_first(grammar, term, set, depth);
    li_byte_set_add(set, ',', ',');
    li_byte_set_add(set, ']', ']');
}
