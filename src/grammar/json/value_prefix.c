// Reads the text beside the canonical bytes of the value (canonical.c). Complete parts are compared. The part in which
// the text ends gives the next bytes.
//
// A mask asks about many texts that begin alike. For some values the open objects, arrays and strings of a former text
// are kept, with the places up to which they were read; another text that begins as far alike is read from there.
#include "grammar/json/value_prefix.h"

#include <string.h>

#include "base/memory.h"
#include "grammar/core/arena.h"
#include "grammar/core/json_escape.h"
#include "grammar/core/utf8.h"
#include "grammar/json/canonical.h"
#include "grammar/numbers/number_term.h"

typedef enum match {
    MATCH_NOT,  // no spelling of the value begins with the text
    MATCH_PART, // the text ends within the value
    MATCH_WHOLE,
} match;

enum {
    PLACES = 12, // open values deeper than that are not kept
    KEPT_VALUES = 32,
    KEPT_BEHIND = 16,  // bytes that a text may have beyond the kept text before it is kept instead
    MUCH_WORK = 64,    // bytes and keys read, after which the text is kept
    WORK_OF_UNIT = 48, // bytes and keys read for a unit of fuel
};

// What comes next in an object. PASSED: the rest of a value, plus what pass_value passed. BEHIND: what follows a value.
#define FIRST_KEY 0u
#define KEY       1u
#define PASSED    2u
#define BEHIND    (1u << 31)

// Where the reading of an open value can go on.
typedef struct place {
    uint32_t value, start; // the offset of the value in the canonical bytes; of its text
    uint32_t at;           // how far the text is read; 0: not known
    li_term text;          // the text up to there
    uint32_t count;        // of items or bytes read; of an object: what comes next
    uint32_t next;         // the offset of the value that follows; 0: a key follows
} place;

typedef struct kept_prefix {
    uint32_t count, length; // of places; of the text
    place places[PLACES];
} kept_prefix;

// Keeps two texts for each value: while a walk goes down and up again, one of them is a prefix of all its texts.
struct li_prefixes {
    li_term values[KEPT_VALUES];
    kept_prefix kept[KEPT_VALUES][2];
    uint32_t next; // the pair to replace
};

typedef struct reader {
    li_grammar *grammar;
    const uint8_t *at, *end;
    uint32_t *set;               // the next bytes; NULL: not wanted
    const uint8_t *text, *value; // their first bytes
    const li_term *texts;        // of the view; NULL: no places are kept
    const kept_prefix *former;   // may be NULL
    uint32_t level, work;
    kept_prefix now; // as far as `level`
} reader;

// The kept place at which the reading of the value at this level, from its first byte, can go on; NULL: none.
static const place *kept_place(const reader *reader, const uint8_t *value)
{
    if (!reader->former || reader->level >= reader->former->count) return NULL;
    const place *place = &reader->former->places[reader->level];
    bool is_same = place->at > 0 && place->value == (uint32_t)(value - reader->value) &&
                   place->start == (uint32_t)(reader->at - reader->text) &&
                   place->at <= (uint32_t)(reader->end - reader->text) && reader->texts[place->at - 1] == place->text;
    return is_same ? place : NULL;
}

// Notes how far the value at this level is read.
static void note_place(reader *reader, const uint8_t *value, const uint8_t *start, uint32_t count, const uint8_t *next)
{
    if (!reader->texts || reader->level >= PLACES) return;
    uint32_t at = (uint32_t)(reader->at - reader->text);
    reader->now.count = reader->level + 1;
    reader->now.places[reader->level] = (place){.value = (uint32_t)(value - reader->value),
                                                .start = (uint32_t)(start - reader->text),
                                                .at = at,
                                                .text = at ? reader->texts[at - 1] : LI_TERM_NOTHING,
                                                .count = count,
                                                .next = next ? (uint32_t)(next - reader->value) : 0};
}

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

// A string after the opening quote, of which `count` bytes are read. *plain: the last place of the text that is not
// within an escape, and the bytes of the string read there.
static match match_text(reader *reader, const uint8_t *text, uint32_t length, uint32_t count, const uint8_t **plain,
                        uint32_t *plain_count)
{
    uint32_t escape = LI_ESCAPE_NONE;
    while (reader->at < reader->end) {
        if (escape == LI_ESCAPE_NONE) {
            *plain = reader->at;
            *plain_count = count;
        }
        uint8_t byte = *reader->at++, bytes[4] = {byte};
        reader->work++;
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
    if (escape == LI_ESCAPE_NONE) {
        *plain = reader->at;
        *plain_count = count;
    }
    return MATCH_PART;
}

// A key after the opening quote.
static match match_name(reader *reader, const uint8_t *text, uint32_t length)
{
    const uint8_t *plain;
    uint32_t count;
    reader->work++;
    return match_text(reader, text, length, 0, &plain, &count);
}

static match match_string(reader *reader, const uint8_t *value)
{
    const uint8_t *start = reader->at, *plain = start;
    const place *kept = kept_place(reader, value);
    uint32_t count = 0, length = li_canonical_number_at(value + LI_VALUE_COUNT);
    if (*reader->at++ != '"') return MATCH_NOT;
    if (kept) {
        reader->at = reader->text + kept->at;
        count = kept->count;
    }
    match result = match_text(reader, value + LI_VALUE_PARTS, length, count, &plain, &count);
    if (result == MATCH_PART && plain > start) {
        reader->at = plain;
        note_place(reader, value, start, count, NULL);
        reader->at = reader->end;
    }
    return result;
}

// Whether the sign and the digits of a number, which may be incomplete, begin the value.
static bool match_digits(const reader *reader, const uint8_t *value)
{
    const uint8_t *at = reader->at;
    uint32_t length = li_canonical_number_at(value + LI_VALUE_DIGIT_COUNT), count = 0;
    bool is_negative = *at == '-';
    if (is_negative && value[LI_VALUE_SIGN] == 2) return false;
    if (!is_negative && value[LI_VALUE_SIGN] == 0) return false;
    bool has_exponent = false;
    for (at += is_negative; at < reader->end && !has_exponent; at++) {
        if (*at == '.' || *at == '+') continue;
        has_exponent = (*at | 32) == 'e';
        uint8_t digit = (uint8_t)(*at - '0');
        if (has_exponent || (count == 0 && digit == 0)) continue;
        if (digit != (count < length ? value[LI_VALUE_DIGITS + count] : 0)) return false;
        count++;
    }
    if (has_exponent) {
        offer(reader, "0123456789");
        return true;
    }
    offer_byte(reader, (uint8_t)('0' + (count < length ? value[LI_VALUE_DIGITS + count] : 0)));
    if (count == 0) offer(reader, "0");
    return true;
}

static bool means(reader *reader, const uint8_t *start, const uint8_t *value)
{
    reader->work += (uint32_t)(reader->at - start);
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

// A value within the value at hand.
static match match_part(reader *reader, const uint8_t *value)
{
    reader->level++;
    match result = match_value(reader, value);
    reader->level--;
    return result;
}

// Whether the text shows that a value is complete: only a number may go on.
static bool is_over(const reader *reader, const uint8_t *value)
{
    return value[0] != LI_CANONICAL_NUMBER || reader->at < reader->end;
}

static match match_array(reader *reader, const uint8_t *array)
{
    uint32_t count = li_canonical_number_at(array + LI_VALUE_COUNT), first = 0;
    const uint8_t *start = reader->at, *value = array + LI_VALUE_PARTS;
    const place *kept = kept_place(reader, array);
    bool is_read = kept && kept->count & BEHIND;
    if (*reader->at++ != '[') return MATCH_NOT;
    if (kept) {
        reader->at = reader->text + kept->at;
        first = kept->count & ~BEHIND;
        value = reader->value + kept->next;
    }
    for (uint32_t i = first; i < count; i++, value = li_canonical_skip(value), is_read = false) {
        if (!is_read) {
            note_place(reader, array, start, i, value);
            match item = match_part(reader, value);
            if (item != MATCH_WHOLE) return item;
        }
        if (is_over(reader, value)) note_place(reader, array, start, i | BEHIND, value);
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

// Skips the text of any value, of which `passed` says what is open: a string (1), and twice the number of brackets.
// False: the text has ended within the value.
static bool pass_value(reader *reader, uint32_t *passed)
{
    uint32_t depth = *passed / 2;
    bool is_string = *passed % 2;
    for (; reader->at < reader->end; reader->at++, reader->work++) {
        uint8_t byte = *reader->at;
        if (is_string && byte == '\\') {
            if (reader->end - reader->at == 1) break;
            reader->at++;
        } else if (is_string) {
            is_string = byte != '"';
        } else if (depth == 0 && (byte == ',' || byte == '}')) {
            return true;
        } else {
            is_string = byte == '"';
            depth += byte == '{' || byte == '[';
            depth -= byte == '}' || byte == ']';
        }
    }
    *passed = 2 * depth + is_string;
    return false;
}

// Passes a mark, and whitespace before. False: the text has ended.
static bool pass_mark(reader *reader, const char *mark)
{
    bool is_there = pass_space(reader);
    if (is_there) reader->at++;
    if (!is_there) offer(reader, mark);
    return is_there;
}

// Reads a key and its colon, and finds the value of this key in the object. MATCH_PART: the text ends before.
static match match_key(reader *reader, const uint8_t *object, const uint8_t **value)
{
    if (!pass_mark(reader, "\"")) return MATCH_PART;
    const uint8_t *member = object + LI_VALUE_PARTS, *start = reader->at;
    match result = MATCH_NOT;
    for (uint32_t i = li_canonical_number_at(object + LI_VALUE_COUNT); i > 0; i--) {
        const uint8_t *own = li_canonical_skip(member);
        reader->at = start;
        match key = match_name(reader, member + LI_VALUE_PARTS, li_canonical_number_at(member + LI_VALUE_COUNT));
        if (key == MATCH_PART) result = key;
        if (key == MATCH_WHOLE) {
            *value = own;
            return pass_mark(reader, ":") ? key : MATCH_PART;
        }
        member = li_canonical_skip(own);
        reader->work += (uint32_t)(member - own) / 16;
    }
    return result;
}

static match match_object(reader *reader, const uint8_t *object)
{
    const uint8_t *start = reader->at, *value = NULL;
    uint32_t count = li_canonical_number_at(object + LI_VALUE_COUNT);
    const place *kept = kept_place(reader, object);
    bool is_first = true, has_comma = false, is_passed = false;
    uint32_t passed = 0;
    if (*reader->at++ != '{') return MATCH_NOT;
    if (kept) {
        reader->at = reader->text + kept->at;
        has_comma = kept->count == KEY;
        is_first = kept->count == FIRST_KEY;
        is_passed = kept->count >= PASSED && kept->count < BEHIND;
        if (is_passed) passed = kept->count - PASSED;
        if (kept->next) value = reader->value + kept->next;
    }
    for (;; is_first = has_comma = is_passed = false, value = NULL, passed = 0) {
        if (!value && !is_passed) {
            if (!has_comma && !pass_space(reader)) {
                offer(reader, !is_first ? "," : count ? "\"" : "}");
                if (!is_first) offer(reader, "}");
                return MATCH_PART;
            }
            if (!has_comma && *reader->at == '}') {
                reader->at++;
                return means(reader, start, object) ? MATCH_WHOLE : MATCH_NOT;
            }
            // A number ends only at the comma.
            if (!is_first && !has_comma) reader->at++;
            note_place(reader, object, start, is_first ? FIRST_KEY : KEY, NULL);
            match key = match_key(reader, object, &value);
            if (key != MATCH_WHOLE) return key;
        }
        const uint8_t *behind = reader->at;
        match member = MATCH_NOT;
        if (!is_passed) {
            note_place(reader, object, start, KEY, value);
            member = match_part(reader, value);
        }
        if (member == MATCH_PART || (member == MATCH_NOT && !reader->grammar->keys_repeat)) return member;
        // The key may come again with another value.
        if (member == MATCH_NOT) {
            reader->at = behind;
            if (pass_value(reader, &passed)) continue;
            note_place(reader, object, start, PASSED + passed, NULL);
            reader->at = reader->end;
            return MATCH_PART;
        }
        if (is_over(reader, value)) note_place(reader, object, start, BEHIND, NULL);
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
    else
        result = match_string(reader, value);
    li_depth_leave(reader->grammar);
    return result;
}

// Whether the text begins with the whole kept text.
static bool goes_on(const reader *reader, const kept_prefix *kept)
{
    if (!kept->count) return false;
    const place *place = &kept->places[kept->count - 1];
    return place->at <= (uint32_t)(reader->end - reader->text) &&
           (!place->at || reader->texts[place->at - 1] == place->text);
}

static kept_prefix *kept_of(struct li_prefixes *prefixes, li_term value)
{
    uint32_t at = 0;
    while (at < KEPT_VALUES && prefixes->values[at] != value) at++;
    if (at == KEPT_VALUES) {
        at = prefixes->next++ % KEPT_VALUES;
        prefixes->values[at] = value;
        prefixes->kept[at][0].count = prefixes->kept[at][1].count = 0;
    }
    return prefixes->kept[at];
}

// Finds the kept text that the text continues: the longer, if it continues both or neither.
static void find_former(reader *reader, const kept_prefix kept[2])
{
    bool first = goes_on(reader, &kept[0]), second = goes_on(reader, &kept[1]);
    reader->former = &kept[first == second ? kept[1].length > kept[0].length : second];
}

// Keeps the places of the text if it went on far from the kept text, which stays, or from none.
static void keep(reader *reader, kept_prefix kept[2])
{
    const kept_prefix *former = reader->former;
    uint32_t length = (uint32_t)(reader->end - reader->text);
    bool is_on = goes_on(reader, former);
    if (is_on && length < former->length + KEPT_BEHIND && reader->work < MUCH_WORK) return;
    reader->now.length = length;
    kept[is_on == (former == kept)] = reader->now;
}

bool li_value_has_prefix(li_grammar *grammar, li_term value, const li_text_view *text, uint32_t set[8])
{
    reader reader = {.grammar = grammar,
                     .at = text->bytes,
                     .end = text->bytes + text->length,
                     .set = set,
                     .text = text->bytes,
                     .value = li_canonical_bytes(grammar, value),
                     .texts = text->texts};
    kept_prefix *kept = NULL;
    if (reader.texts) {
        if (!grammar->prefixes) grammar->prefixes = li_grammar_alloc(grammar, sizeof *grammar->prefixes);
        if (!grammar->prefixes) return true;
        kept = kept_of(grammar->prefixes, value);
        find_former(&reader, kept);
    }
    match result = match_value(&reader, reader.value);
    if (kept && result == MATCH_PART) keep(&reader, kept);
    li_grammar_pay(grammar, reader.work / WORK_OF_UNIT);
    if (result != MATCH_WHOLE) return result == MATCH_PART;
    // Only space may follow the whole value.
    return !pass_space(&reader);
}

li_term li_value_set_narrow(li_grammar *grammar, li_term set, const li_text_view *text)
{
    uint32_t count = li_value_set_count(grammar, set), kept = 0;
    li_term *values = li_memory_alloc((count + 1) * sizeof *values);
    if (!values) {
        li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
        return set;
    }
    for (uint32_t i = 0; i < count && li_grammar_spend(grammar); i++) {
        li_term value = li_value_set_at(grammar, set, i);
        if (li_value_has_prefix(grammar, value, text, NULL)) values[kept++] = value;
    }
    li_term narrowed = kept == count ? set : li_value_set_of(grammar, values, kept);
    li_memory_free(values);
    return narrowed;
}
