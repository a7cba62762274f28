// Reads the text beside the canonical bytes of the value (canonical.c). Complete parts are compared. The part in which
// the text ends gives the next bytes.
#include "grammar/json/value_prefix.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/json/canonical.h"
#include "grammar/numbers/number_term.h"

typedef enum match {
    MATCH_NOT,  // no spelling of the value begins with the text
    MATCH_PART, // the text ends within the value
    MATCH_WHOLE,
} match;

typedef struct reader {
    li_grammar *grammar;
    const uint8_t *at, *end;
    uint32_t *set; // the next bytes; NULL: not wanted
} reader;

static void offer(const reader *reader, const char *bytes)
{
    for (; reader->set && *bytes; bytes++) reader->set[(uint8_t)*bytes / 32] |= 1u << (uint8_t)*bytes % 32;
}

static void offer_byte(const reader *reader, uint8_t byte)
{
    if (reader->set) reader->set[byte / 32] |= 1u << byte % 32;
}

// Skips whitespace. False: the text has ended.
static bool pass_space(reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r'))
        reader->at++;
    if (reader->at < reader->end) return true;
    offer(reader, " \t\n\r");
    return false;
}

static match match_word(reader *reader, const char *word)
{
    for (; *word; word++, reader->at++) {
        if (reader->at == reader->end) {
            offer_byte(reader, (uint8_t)*word);
            return MATCH_PART;
        }
        if (*reader->at != (uint8_t)*word) return MATCH_NOT;
    }
    return MATCH_WHOLE;
}

// A string after the opening quote.
static match match_string(reader *reader, const uint8_t *text, uint32_t length)
{
    uint32_t count = 0, escape = LI_ESCAPE_NONE;
    while (reader->at < reader->end) {
        uint8_t byte = *reader->at++, bytes[4] = {byte};
        uint32_t character, size = 1;
        if (escape != LI_ESCAPE_NONE) {
            if (li_escape_read(&escape, byte, &character) != LI_ESCAPE_DONE) continue;
            size = li_utf8_write(character, bytes);
        } else if (byte == '\\') {
            escape = LI_ESCAPE_BEGUN;
            continue;
        } else if (byte == '"') {
            return count == length ? MATCH_WHOLE : MATCH_NOT;
        }
        if (size > length - count || memcmp(text + count, bytes, size) != 0) return MATCH_NOT;
        count += size;
    }
    if (escape != LI_ESCAPE_NONE)
        offer(reader, "\"\\/bfnrtu0123456789abcdefABCDEF");
    else
        offer_byte(reader, count == length ? '"' : text[count]);
    if (count < length) offer(reader, "\\");
    return MATCH_PART;
}

// Whether the sign and the digits of a number, which may be incomplete, begin the value.
static bool match_digits(const reader *reader, const uint8_t *value)
{
    const uint8_t *at = reader->at;
    uint32_t length = li_canonical_number_at(value + 2), count = 0;
    bool is_negative = *at == '-';
    if (is_negative && value[1] == 2) return false;
    if (!is_negative && value[1] == 0) return false;
    bool has_exponent = false;
    for (at += is_negative; at < reader->end && !has_exponent; at++) {
        if (*at == '.' || *at == '+') continue;
        has_exponent = (*at | 32) == 'e';
        uint8_t digit = (uint8_t)(*at - '0');
        if (has_exponent || (count == 0 && digit == 0)) continue;
        if (digit != (count < length ? value[6 + count] : 0)) return false;
        count++;
    }
    if (has_exponent) {
        offer(reader, "0123456789");
        return true;
    }
    offer_byte(reader, (uint8_t)('0' + (count < length ? value[6 + count] : 0)));
    if (count == 0) offer(reader, "0");
    return true;
}

static bool means(reader *reader, const uint8_t *start, const uint8_t *value)
{
    return li_canonical_is(reader->grammar, start, (uint32_t)(reader->at - start), value,
                           (uint32_t)(li_canonical_skip(value) - value));
}

static match match_number(reader *reader, const uint8_t *value)
{
    const uint8_t *start = reader->at;
    if (!li_is_of_number(*start)) return MATCH_NOT;
    while (reader->at < reader->end && li_is_of_number(*reader->at)) reader->at++;
    if (reader->at < reader->end) return means(reader, start, value) ? MATCH_WHOLE : MATCH_NOT;
    reader->at = start;
    if (!match_digits(reader, value)) return MATCH_NOT;
    offer(reader, ".eE+-,]} \t\n\r");
    return MATCH_PART;
}

static match match_value(reader *reader, const uint8_t *value);

static match match_array(reader *reader, const uint8_t *value)
{
    uint32_t count = li_canonical_number_at(value + 1);
    value += 5;
    if (*reader->at++ != '[') return MATCH_NOT;
    for (uint32_t i = 0; i < count; i++, value = li_canonical_skip(value)) {
        match item = match_value(reader, value);
        if (item != MATCH_WHOLE) return item;
        if (!pass_space(reader)) {
            offer(reader, i + 1 < count ? "," : "]");
            return MATCH_PART;
        }
        if (*reader->at != (i + 1 < count ? ',' : ']')) return MATCH_NOT;
        reader->at++;
    }
    if (count) return MATCH_WHOLE;
    if (pass_space(reader)) return *reader->at++ == ']' ? MATCH_WHOLE : MATCH_NOT;
    offer(reader, "]");
    return MATCH_PART;
}

// Skips the text of any value. False: the text has ended within the value.
static bool pass_value(reader *reader)
{
    uint32_t depth = 0;
    bool is_string = false;
    for (; reader->at < reader->end; reader->at++) {
        uint8_t byte = *reader->at;
        if (is_string) {
            if (byte == '\\') reader->at++;
            is_string = byte != '"';
        } else if (depth == 0 && (byte == ',' || byte == '}')) {
            return true;
        } else {
            is_string = byte == '"';
            depth += byte == '{' || byte == '[';
            depth -= byte == '}' || byte == ']';
        }
    }
    reader->at = reader->end;
    return false;
}

// Reads a key after its opening quote and finds the value of this key in the object. MATCH_PART: the text ends within
// the key.
static match match_key(reader *reader, const uint8_t *object, const uint8_t **value)
{
    const uint8_t *member = object + 5, *start = reader->at;
    match result = MATCH_NOT;
    for (uint32_t i = li_canonical_number_at(object + 1); i > 0;
         i--, member = li_canonical_skip(li_canonical_skip(member))) {
        reader->at = start;
        match key = match_string(reader, member + 5, li_canonical_number_at(member + 1));
        if (key == MATCH_PART) result = key;
        if (key != MATCH_WHOLE) continue;
        *value = li_canonical_skip(member);
        return key;
    }
    return result;
}

static match match_object(reader *reader, const uint8_t *object)
{
    const uint8_t *start = reader->at, *value = NULL;
    uint32_t count = li_canonical_number_at(object + 1);
    if (*reader->at++ != '{') return MATCH_NOT;
    for (bool is_first = true;; is_first = false) {
        if (!pass_space(reader)) {
            offer(reader, !is_first ? "," : count ? "\"" : "}");
            if (!is_first) offer(reader, "}");
            return MATCH_PART;
        }
        if (*reader->at == '}') {
            reader->at++;
            return means(reader, start, object) ? MATCH_WHOLE : MATCH_NOT;
        }
        if (!is_first) reader->at++; // a comma
        if (!pass_space(reader)) {
            offer(reader, "\"");
            return MATCH_PART;
        }
        reader->at++; // a quote
        match key = match_key(reader, object, &value);
        if (key != MATCH_WHOLE) return key;
        if (!pass_space(reader)) {
            offer(reader, ":");
            return MATCH_PART;
        }
        const uint8_t *colon = reader->at++;
        match member = match_value(reader, value);
        if (member == MATCH_PART || (member == MATCH_NOT && !reader->grammar->keys_repeat)) return member;
        // The key may come again with another value.
        if (member == MATCH_NOT) {
            reader->at = colon + 1;
            if (!pass_value(reader)) return MATCH_PART;
        }
    }
}

static match match_value(reader *reader, const uint8_t *value)
{
    static const char *const words[] = {"null", "false", "true"};
    li_canonical_kind kind = (li_canonical_kind)value[0];
    const char *word = words[kind == LI_CANONICAL_NULL ? 0 : kind == LI_CANONICAL_FALSE ? 1 : 2];
    if (!pass_space(reader)) {
        bool is_number = kind == LI_CANONICAL_NUMBER;
        offer_byte(reader, is_number ? '0' : kind == LI_CANONICAL_STRING ? '"' : value[0]);
        if (is_number) offer(reader, "-123456789");
        return MATCH_PART;
    }
    if (!li_depth_enter(reader->grammar)) return MATCH_PART;
    match result = MATCH_NOT;
    if (kind == LI_CANONICAL_NUMBER)
        result = match_number(reader, value);
    else if (kind == LI_CANONICAL_ARRAY)
        result = match_array(reader, value);
    else if (kind == LI_CANONICAL_OBJECT)
        result = match_object(reader, value);
    else if (kind != LI_CANONICAL_STRING)
        result = match_word(reader, word);
    else if (*reader->at++ == '"')
        result = match_string(reader, value + 5, li_canonical_number_at(value + 1));
    li_depth_leave(reader->grammar);
    return result;
}

bool li_value_has_prefix(li_grammar *grammar, li_term value, const uint8_t *text, uint32_t length, uint32_t set[8])
{
    reader reader = {.grammar = grammar, .at = text, .end = text + length, .set = set};
    match result = match_value(&reader, li_canonical_bytes(grammar, value));
    if (result != MATCH_WHOLE) return result == MATCH_PART;
    // Only space may follow the whole value.
    return !pass_space(&reader);
}

li_term li_value_set_narrow(li_grammar *grammar, li_term set, const uint8_t *text, uint32_t length)
{
    uint32_t count = li_value_set_count(grammar, set), kept = 0;
    li_term *values = li_memory_alloc((count + 1) * sizeof *values);
    if (!values) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return set;
    }
    for (uint32_t i = 0; i < count && li_grammar_spend(grammar); i++) {
        li_term value = li_value_set_at(grammar, set, i);
        if (li_value_has_prefix(grammar, value, text, length, NULL)) values[kept++] = value;
    }
    li_term narrowed = kept == count ? set : li_value_set_of(grammar, values, kept);
    li_memory_free(values);
    return narrowed;
}
