// The bytes of values are written in one pass over the text, and become the words of a term.
#include "grammar/json/canonical.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/core/arena.h"
#include "grammar/json/recorded_text.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

enum { VALUE_TAG = UINT32_MAX - 1, VALUE_BYTES = 1 };
enum { SET_TAG = UINT32_MAX - 2, SET_STRINGS = 1, SET_VALUES = 2 };

typedef struct writer {
    li_grammar *grammar;
    const uint8_t *at, *end;
    uint8_t *bytes;
    uint32_t count, room;
} writer;

static void fail(writer *writer)
{
    li_grammar_fail(writer->grammar, LI_ERROR_OUT_OF_MEMORY);
    writer->at = writer->end;
}

static bool make_room(writer *writer, uint32_t more)
{
    if (writer->room - writer->count >= more) return true;
    uint32_t room = 2 * writer->room + more;
    uint8_t *bytes = li_memory_resize(writer->bytes, writer->room, room);
    if (!bytes) {
        fail(writer);
        return false;
    }
    writer->bytes = bytes;
    writer->room = room;
    return true;
}

static void put(writer *writer, const void *bytes, uint32_t count)
{
    if (count == 0 || !make_room(writer, count)) return;
    memcpy(writer->bytes + writer->count, bytes, count);
    writer->count += count;
}

static void put_number(writer *writer, uint32_t number)
{
    put(writer, (uint8_t[]){(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16), (uint8_t)(number >> 24)},
        4);
}

uint32_t li_canonical_number_at(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint8_t peek(writer *writer)
{
    while (writer->at < writer->end &&
           (*writer->at == ' ' || *writer->at == '\t' || *writer->at == '\n' || *writer->at == '\r'))
        writer->at++;
    return writer->at < writer->end ? *writer->at : 0;
}

static void put_string(writer *writer)
{
    const uint8_t *start = ++writer->at;
    while (writer->at < writer->end && *writer->at != '"') writer->at += *writer->at == '\\' ? 2 : 1;
    if (writer->at >= writer->end) return;
    uint32_t length = (uint32_t)(writer->at++ - start), at = writer->count + 1;
    put(writer, "s\0\0\0\0", 5);
    if (!make_room(writer, length + 4)) return;
    uint32_t decoded = li_unescape(start, length, writer->bytes + writer->count);
    writer->count = at;
    put_number(writer, decoded);
    writer->count += decoded;
}

static bool is_digit(const writer *writer)
{
    return writer->at < writer->end && *writer->at >= '0' && *writer->at <= '9';
}

// Sign and digits of an exponent, plus a number.
static void put_sum(writer *writer, bool is_negative, const uint8_t *digits, uint32_t count, int64_t more)
{
    enum { SMALL = 18 };
    while (count && *digits == '0') digits++, count--;
    if (is_negative) more = -more;
    uint32_t start = writer->count;
    put(writer, "\0\0\0\0+", LI_VALUE_EXPONENT_DIGITS);
    if (!make_room(writer, count + SMALL + 2)) return;
    uint8_t *sum = writer->bytes + start + LI_VALUE_EXPONENT_DIGITS;
    if (count <= SMALL) {
        for (int64_t scale = 1; count > 0; scale *= 10) more += scale * (digits[--count] - '0');
        if (more < 0) {
            is_negative = !is_negative;
            more = -more;
        }
    } else {
        // The exponent is at least the number that is added, so its sign stays.
        for (uint32_t i = count; i-- > 0;) {
            more += digits[i] - '0';
            int64_t digit = (more % 10 + 10) % 10;
            sum[i] = (uint8_t)digit;
            more = (more - digit) / 10;
        }
        uint32_t zeros = more == 0 && sum[0] == 0;
        memmove(sum, sum + zeros, count -= zeros);
    }
    for (; more > 0; more /= 10) {
        memmove(sum + 1, sum, count++);
        sum[0] = (uint8_t)(more % 10);
    }
    sum[-1] = is_negative && count ? '-' : '+';
    writer->count = start;
    put_number(writer, count);
    writer->count += count + 1;
}

static void put_decimal(writer *writer)
{
    const uint8_t *first = writer->at;
    uint32_t start = writer->count, length = 0;
    int64_t place = 0; // of the last digit, without the exponent
    bool is_negative = *writer->at == '-', is_fraction = false, is_downward = false;
    put(writer, "d\0\0\0\0\0", LI_VALUE_DIGITS);
    if (is_negative) writer->at++;
    for (; is_digit(writer) || (writer->at < writer->end && *writer->at == '.'); writer->at++) {
        if (*writer->at == '.') {
            is_fraction = true;
            continue;
        }
        uint8_t digit = (uint8_t)(*writer->at - '0');
        place -= is_fraction;
        if (writer->count > start + LI_VALUE_DIGITS || digit) put(writer, &digit, 1);
    }
    while (writer->count > start + LI_VALUE_DIGITS && writer->bytes[writer->count - 1] == 0) {
        writer->count--;
        place++;
    }
    if (writer->at < writer->end && (*writer->at | 32) == 'e') {
        writer->at++;
        is_downward = writer->at < writer->end && *writer->at == '-';
        if (!is_digit(writer) && writer->at < writer->end) writer->at++;
    }
    const uint8_t *digits = writer->at;
    while (is_digit(writer)) writer->at++;
    if (writer->at == first) {
        li_grammar_exceed(writer->grammar, LI_LIMIT_DIGITS);
        writer->at = writer->end;
        return;
    }
    length = writer->count - start - LI_VALUE_DIGITS;
    writer->count = start + LI_VALUE_SIGN;
    put(writer, (uint8_t[]){length == 0 ? 1 : is_negative ? 0 : 2}, 1);
    put_number(writer, length);
    writer->count += length;
    put_sum(writer, is_downward && length, digits, length ? (uint32_t)(writer->at - digits) : 0, length ? place : 0);
}

static void put_value(writer *writer);

static void put_array(writer *writer)
{
    uint32_t start = writer->count, items = 0;
    put(writer, "[\0\0\0\0", 5);
    writer->at++;
    while (peek(writer) != ']' && writer->at < writer->end) {
        put_value(writer);
        items++;
        if (peek(writer) == ',') writer->at++;
    }
    if (writer->at >= writer->end) return;
    writer->at++;
    uint32_t end = writer->count;
    writer->count = start + LI_VALUE_COUNT;
    put_number(writer, items);
    writer->count = end;
}

typedef struct member {
    uint32_t start, key_length, length; // of the member's bytes
} member;

static int compare_keys(const writer *writer, const member *a, const member *b)
{
    uint32_t common = a->key_length < b->key_length ? a->key_length : b->key_length;
    int order =
        common ? memcmp(writer->bytes + a->start + LI_VALUE_PARTS, writer->bytes + b->start + LI_VALUE_PARTS, common)
               : 0;
    return order ? order : (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

// Sorts the members by key. Of members with equal keys only the last stays.
static void order_members(writer *writer, uint32_t start, member *members, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0, high = kept;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (compare_keys(writer, &members[middle], &members[i]) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        member moved = members[i];
        if (low < kept && compare_keys(writer, &members[low], &moved) == 0) {
            members[low] = moved;
            continue;
        }
        memmove(members + low + 1, members + low, (kept - low) * sizeof *members);
        members[low] = moved;
        kept++;
    }
    uint32_t end = writer->count;
    if (!make_room(writer, end - start)) return;
    for (uint32_t i = 0; i < kept; i++) put(writer, writer->bytes + members[i].start, members[i].length);
    uint32_t length = writer->count - end;
    memmove(writer->bytes + start + LI_VALUE_PARTS, writer->bytes + end, length);
    writer->count = start + LI_VALUE_COUNT;
    put_number(writer, kept);
    writer->count = start + LI_VALUE_PARTS + length;
}

static void put_object(writer *writer)
{
    uint32_t start = writer->count, count = 0, room = 0;
    member *members = NULL;
    put(writer, "{\0\0\0\0", 5);
    writer->at++;
    while (peek(writer) == '"') {
        if (count == room) {
            member *larger = li_memory_resize(members, room * sizeof *members, (2 * room + 8) * sizeof *members);
            if (!larger) {
                fail(writer);
                break;
            }
            members = larger;
            room = 2 * room + 8;
        }
        member *next = &members[count++];
        next->start = writer->count;
        put_string(writer);
        next->key_length = writer->count - next->start - 5;
        if (peek(writer) == ':') writer->at++;
        put_value(writer);
        next->length = writer->count - next->start;
        if (peek(writer) == ',') writer->at++;
    }
    if (writer->at < writer->end) {
        writer->at++;
        order_members(writer, start, members, count);
    }
    li_memory_free(members);
}

static void put_value(writer *writer)
{
    if (!li_depth_enter(writer->grammar)) {
        writer->at = writer->end;
        return;
    }
    uint8_t first = peek(writer);
    if (first == '"') {
        put_string(writer);
    } else if (first == '[') {
        put_array(writer);
    } else if (first == '{') {
        put_object(writer);
    } else if (first == 'n' || first == 't' || first == 'f') {
        put(writer, writer->at, 1);
        writer->at += first == 'f' ? 5 : 4;
        if (writer->at > writer->end) writer->at = writer->end;
    } else {
        put_decimal(writer);
    }
    li_depth_leave(writer->grammar);
}

static li_term finish(writer *writer)
{
    li_grammar *grammar = writer->grammar;
    li_term value = LI_TERM_NOTHING;
    uint32_t count = VALUE_BYTES + (writer->count + 3) / 4;
    uint32_t *words = grammar->status == LI_OK ? li_memory_alloc(count * sizeof *words) : NULL;
    if (words) {
        words[0] = (uint32_t)VALUE_TAG;
        memcpy(words + VALUE_BYTES, writer->bytes, writer->count);
        value = li_term_intern(grammar, LI_KIND_RECORDED, 0, words, count);
    } else {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
    }
    li_memory_free(words);
    li_memory_free(writer->bytes);
    return value;
}

li_term li_canonical(li_grammar *grammar, const uint8_t *text, uint32_t length)
{
    writer writer = {.grammar = grammar, .at = text, .end = text + length};
    if (make_room(&writer, 64)) put_value(&writer);
    return finish(&writer);
}

li_term li_canonical_string(li_grammar *grammar, const uint8_t *text, uint32_t length)
{
    writer writer = {.grammar = grammar};
    put(&writer, "s", 1);
    put_number(&writer, length);
    put(&writer, text, length);
    return finish(&writer);
}

const uint8_t *li_canonical_skip(const uint8_t *value)
{
    const uint8_t *exponent;
    uint32_t count;
    switch (value[0]) {
    case LI_CANONICAL_STRING:
        return value + LI_VALUE_PARTS + li_canonical_number_at(value + LI_VALUE_COUNT);
    case LI_CANONICAL_NUMBER:
        exponent = value + LI_VALUE_DIGITS + li_canonical_number_at(value + LI_VALUE_DIGIT_COUNT);
        return exponent + LI_VALUE_EXPONENT_DIGITS + li_canonical_number_at(exponent);
    case LI_CANONICAL_ARRAY:
    case LI_CANONICAL_OBJECT:
        count = li_canonical_number_at(value + LI_VALUE_COUNT) << (value[0] == LI_CANONICAL_OBJECT);
        for (value += LI_VALUE_PARTS; count > 0; count--) value = li_canonical_skip(value);
        return value;
    default:
        return value + 1;
    }
}

bool li_canonical_is(li_grammar *grammar, const uint8_t *text, uint32_t length, const uint8_t *bytes, uint32_t count)
{
    writer writer = {.grammar = grammar, .at = text, .end = text + length};
    if (make_room(&writer, 64)) put_value(&writer);
    bool is_equal = writer.count == count && memcmp(writer.bytes, bytes, count) == 0;
    li_memory_free(writer.bytes);
    return is_equal && grammar->status == LI_OK;
}

const uint8_t *li_canonical_bytes(const li_grammar *grammar, li_term value)
{
    return (const uint8_t *)(li_term_words(grammar, value) + VALUE_BYTES);
}

li_canonical_kind li_canonical_kind_of(const li_grammar *grammar, li_term value)
{
    return (li_canonical_kind)li_canonical_bytes(grammar, value)[0];
}

li_term li_canonical_text(li_grammar *grammar, li_term value)
{
    // The loop runs backwards and loads the words again: they may move while the term is made.
    li_term term = LI_TERM_EMPTY;
    for (uint32_t i = li_canonical_number_at(li_canonical_bytes(grammar, value) + LI_VALUE_COUNT); i-- > 0;) {
        uint8_t byte = li_canonical_bytes(grammar, value)[LI_VALUE_PARTS + i];
        term = li_sequence(grammar, li_byte_range(grammar, byte, byte), term);
    }
    return term;
}

bool li_canonical_decimal(li_grammar *grammar, li_term value, li_decimal *decimal)
{
    const uint8_t *bytes = li_canonical_bytes(grammar, value);
    *decimal =
        (li_decimal){.sign = bytes[LI_VALUE_SIGN] - 1, .length = li_canonical_number_at(bytes + LI_VALUE_DIGIT_COUNT)};
    const uint8_t *exponent = bytes + LI_VALUE_DIGITS + decimal->length;
    uint32_t count = li_canonical_number_at(exponent);
    if (decimal->length > LI_DECIMAL_LIMIT) li_grammar_exceed(grammar, LI_LIMIT_DIGITS);
    if (count > 4 || grammar->status != LI_OK) return false;
    for (uint32_t i = 0; i < count; i++)
        decimal->exponent = 10 * decimal->exponent + exponent[LI_VALUE_EXPONENT_DIGITS + i];
    if (exponent[LI_VALUE_EXPONENT_SIGN] == '-') decimal->exponent = -decimal->exponent;
    if (decimal->length == 0) return true;
    uint8_t *digits = li_grammar_alloc(grammar, decimal->length);
    if (!digits) return false;
    memcpy(digits, bytes + LI_VALUE_DIGITS, decimal->length);
    decimal->digits = digits;
    return true;
}

uint32_t li_value_set_count(const li_grammar *grammar, li_term set)
{
    return set == LI_TERM_NOTHING ? 0 : li_term_length(grammar, set) - SET_VALUES;
}

li_term li_value_set_at(const li_grammar *grammar, li_term set, uint32_t index)
{
    return li_term_words(grammar, set)[SET_VALUES + index];
}

li_term li_value_set_strings(const li_grammar *grammar, li_term set)
{
    return set == LI_TERM_NOTHING ? LI_TERM_NOTHING : li_term_words(grammar, set)[SET_STRINGS];
}

// The index of the value in the ascending values, or the index where it belongs.
static uint32_t find(const li_grammar *grammar, li_term set, li_term value)
{
    uint32_t low = 0, high = li_value_set_count(grammar, set);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (li_value_set_at(grammar, set, middle) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool li_value_set_has(const li_grammar *grammar, li_term set, li_term value)
{
    uint32_t at = find(grammar, set, value);
    return at < li_value_set_count(grammar, set) && li_value_set_at(grammar, set, at) == value;
}

static li_term intern_set(li_grammar *grammar, li_term strings, const li_term *values, uint32_t count)
{
    uint32_t *words = li_memory_alloc((SET_VALUES + count) * sizeof *words);
    if (!words) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return LI_TERM_NOTHING;
    }
    words[0] = (uint32_t)SET_TAG;
    words[SET_STRINGS] = strings;
    memcpy(words + SET_VALUES, values, count * sizeof *words);
    li_term set = li_term_intern(grammar, LI_KIND_RECORDED, 0, words, SET_VALUES + count);
    li_memory_free(words);
    return set;
}

li_term li_value_set_of(li_grammar *grammar, const li_term *values, uint32_t count)
{
    return count ? intern_set(grammar, LI_TERM_NOTHING, values, count) : LI_TERM_NOTHING;
}

li_term li_value_set_add(li_grammar *grammar, li_term set, li_term value)
{
    if (value == LI_TERM_NOTHING || li_value_set_has(grammar, set, value)) return set;
    li_term strings = li_value_set_strings(grammar, set);
    if (li_canonical_kind_of(grammar, value) == LI_CANONICAL_STRING)
        strings = li_either(grammar, strings, li_canonical_text(grammar, value));
    uint32_t count = li_value_set_count(grammar, set), at = find(grammar, set, value);
    li_term *values = li_memory_alloc((count + 1) * sizeof *values);
    if (!values) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return set;
    }
    for (uint32_t i = 0; i < count; i++) values[i + (i >= at)] = li_value_set_at(grammar, set, i);
    values[at] = value;
    li_term larger = intern_set(grammar, strings, values, count + 1);
    li_memory_free(values);
    return larger;
}
