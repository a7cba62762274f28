// Constant objects as sorted texts, so that constants with the same beginning are neighbours.
#include "grammar/json/constant_text.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/schema/schema_table.h"
#include "grammar/tableau/node_shape.h"
#include "grammar/terms/string_list.h"

enum {
    FEW = 512, // up to this number, constants are separate terms that are merged
    // Numbers that JSON.stringify writes without an exponent: digits before the point, and zeros after the point.
    MOST_WHOLE = 21,
    MOST_ZEROS = 5,
};

typedef struct writer {
    li_grammar *grammar;
    LI_LIST(uint8_t) text;
} writer;

static void put(writer *writer, const uint8_t *bytes, uint32_t length)
{
    if (!LI_ARENA_RESERVE(writer->grammar, &writer->text, writer->text.count + length)) return;
    if (length) memcpy(writer->text.at + writer->text.count, bytes, length);
    writer->text.count += length;
}

static void put_byte(writer *writer, uint8_t byte)
{
    put(writer, &byte, 1);
}

static void put_text(writer *writer, uint8_t mark, uint32_t text)
{
    LI_ASSERT(text < writer->grammar->schemas->texts.count);
    const li_text *of = &writer->grammar->schemas->texts.at[text];
    put_byte(writer, mark);
    put(writer, of->bytes, of->length);
    put_byte(writer, LI_MARK_END);
}

static void put_digits(writer *writer, const li_decimal *decimal, uint32_t from, uint32_t to)
{
    LI_ASSERT(from <= to || to == decimal->length);
    for (uint32_t i = from; i < to; i++) put_byte(writer, '0' + (i < decimal->length ? decimal->digits[i] : 0));
}

static void put_exponent(writer *writer, int32_t exponent)
{
    uint8_t digits[11];
    uint32_t at = sizeof digits;
    for (uint32_t left = (uint32_t)(exponent < 0 ? -exponent : exponent); left || at == sizeof digits; left /= 10)
        digits[--at] = (uint8_t)('0' + left % 10);
    if (exponent < 0) digits[--at] = '-';
    put(writer, digits + at, sizeof digits - at);
}

static void put_number(writer *writer, const li_decimal *decimal)
{
    int32_t whole = (int32_t)decimal->length + decimal->exponent;
    bool is_plain = decimal->sign == 0 || (whole <= MOST_WHOLE && whole >= -MOST_ZEROS);
    put_byte(writer, is_plain ? LI_MARK_NUMBER : LI_MARK_POWER);
    if (decimal->sign < 0) put_byte(writer, '-');
    if (decimal->sign == 0 || (is_plain && whole <= 0)) put_byte(writer, '0');
    if (!is_plain) {
        put_digits(writer, decimal, 0, decimal->length);
        put_byte(writer, 'e');
        put_exponent(writer, decimal->exponent);
    } else {
        uint32_t before = whole > 0 ? (uint32_t)whole : 0;
        put_digits(writer, decimal, 0, before);
        if (before < decimal->length) put_byte(writer, '.');
        for (int32_t zeros = whole; zeros < 0; zeros++) put_byte(writer, '0');
        put_digits(writer, decimal, before, decimal->length);
    }
    put_byte(writer, LI_MARK_END);
}

static bool put_value(writer *writer, uint32_t constant, li_node node);

static bool put_items(writer *writer, const li_constant *constant, const li_array_shape *shape)
{
    if (shape->prefix_count < constant->count) return false;
    put_byte(writer, LI_MARK_ARRAY);
    for (uint32_t i = 0; i < constant->count; i++)
        if (!put_value(writer, constant->items[i], shape->prefix[i])) return false;
    put_byte(writer, LI_MARK_ARRAY_END);
    return true;
}

// The index of the member with a key. The search begins at `first`, where the member usually is.
static uint32_t find_member(writer *writer, const li_constant *constant, const li_text *key, uint32_t first)
{
    LI_ASSERT(first <= constant->count);
    const li_text *texts = writer->grammar->schemas->texts.at;
    for (uint32_t i = 0; i < constant->count && li_grammar_spend(writer->grammar); i++) {
        uint32_t at = (first + i) % constant->count;
        if (texts[constant->items[2 * at]].bytes == key->bytes) return at;
    }
    return UINT32_MAX;
}

// Writes all but LI_MARK_OBJECT.
static bool put_members(writer *writer, const li_constant *constant, const li_object_shape *shape)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->known_count; i++) {
        if (shape->known_nodes[i] == LI_NODE_NONE) continue;
        uint32_t at = find_member(writer, constant, &shape->known[i], count++);
        if (at == UINT32_MAX) return false;
        put_text(writer, LI_MARK_KEY, constant->items[2 * at]);
        put_byte(writer, LI_MARK_COLON);
        if (!put_value(writer, constant->items[2 * at + 1], shape->known_nodes[i])) return false;
    }
    put_byte(writer, LI_MARK_OBJECT_END);
    return count == constant->count;
}

static bool put_value(writer *writer, uint32_t index, li_node node)
{
    LI_ASSERT(index < writer->grammar->schemas->constants.count);
    li_grammar *grammar = writer->grammar;
    li_constant constant = grammar->schemas->constants.at[index];
    if (!li_grammar_spend(grammar)) return false;
    if (constant.plain) {
        bool is_true = constant.plain == LI_PLAIN_TRUE;
        put_byte(writer, constant.plain == LI_PLAIN_NULL ? LI_MARK_NULL : is_true ? LI_MARK_TRUE : LI_MARK_FALSE);
    } else if (constant.sort == LI_SORT_NUMBER) {
        put_number(writer, &constant.decimal);
    } else if (constant.sort == LI_SORT_STRING) {
        put_text(writer, LI_MARK_STRING, constant.text);
    } else {
        const li_shape *shape = li_node_shape(grammar, node);
        if (!shape || shape->object_count + shape->array_count == 0) return false;
        if (constant.sort == LI_SORT_ARRAY) return put_items(writer, &constant, &shape->arrays[0]);
        put_byte(writer, LI_MARK_OBJECT);
        return put_members(writer, &constant, &shape->objects[0]);
    }
    return grammar->status == LI_OK;
}

li_term li_constant_texts(li_grammar *grammar, const li_shape *shape)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->object_count; i++) count += shape->objects[i].constant > 0;
    if (count <= FEW || grammar->spelling.any_order) return LI_TERM_NOTHING;
    li_string *strings = li_grammar_alloc(grammar, count * sizeof *strings);
    if (!strings) return LI_TERM_NOTHING;
    writer writer = {.grammar = grammar};
    count = 0;
    for (uint32_t i = 0; i < shape->object_count; i++) {
        const li_object_shape *object = &shape->objects[i];
        if (!object->constant) continue;
        writer.text.count = 0;
        li_constant constant = grammar->schemas->constants.at[object->constant - 1];
        if (!put_members(&writer, &constant, object)) return LI_TERM_NOTHING;
        uint8_t *bytes = li_grammar_alloc(grammar, writer.text.count);
        if (!bytes) return LI_TERM_NOTHING;
        memcpy(bytes, writer.text.at, writer.text.count);
        strings[count++] = (li_string){.bytes = bytes, .length = writer.text.count};
    }
    return li_strings(grammar, strings, count);
}
