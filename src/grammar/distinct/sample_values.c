// Some values of a node, made from its shapes without terms of objects and arrays, so that the search for satisfiable
// nodes can use them. Leaves out arrays with contains.
#include "grammar/distinct/sample_values.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "grammar/distinct/enumerate_words.h"
#include "grammar/json/canonical.h"
#include "grammar/numbers/number_term.h"
#include "grammar/tableau/node_shape.h"
#include "grammar/tableau/satisfiable.h"

// Limits: parts of an object or array, values of a part, combinations, depth.
enum { PARTS = 12, VALUES = 24, TRIES = 400, SAMPLE_DEPTH = 5 };

typedef struct samples {
    li_term_set values;
    li_word_list texts; // of each value
} samples;

typedef struct part {
    const uint8_t *key;
    uint32_t key_length;
    bool may_miss;
    samples samples;
} part;

typedef struct text {
    uint8_t *bytes;
    uint32_t length, room;
} text;

static bool put(li_grammar *grammar, text *text, const uint8_t *bytes, uint32_t length)
{
    if (text->room - text->length < length) {
        uint32_t room = 2 * text->room + length;
        uint8_t *moved = li_memory_resize(text->bytes, text->room, room);
        if (!moved) {
            li_grammar_fail(grammar, LI_ERROR_OUT_OF_MEMORY);
            return false;
        }
        text->bytes = moved;
        text->room = room;
    }
    if (length) memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return true;
}

static void put_string(li_grammar *grammar, text *text, const uint8_t *bytes, uint32_t length)
{
    static const char digits[] = "0123456789abcdef";
    put(grammar, text, (const uint8_t *)"\"", 1);
    for (uint32_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i];
        bool is_plain = byte >= 0x20 && byte != '"' && byte != '\\';
        uint8_t escape[6] = {'\\', 'u', '0', '0', (uint8_t)digits[byte >> 4], (uint8_t)digits[byte & 15]};
        put(grammar, text, is_plain ? &byte : escape, is_plain ? 1 : 6);
    }
    put(grammar, text, (const uint8_t *)"\"", 1);
}

static void clear(samples *samples)
{
    li_term_set_clear(&samples->values);
    li_word_list_clear(&samples->texts);
}

static void add(li_grammar *grammar, samples *samples, const uint8_t *bytes, uint32_t length)
{
    li_term value = li_canonical(grammar, bytes, length);
    if (value == LI_TERM_NOTHING || samples->values.terms.count >= VALUES ||
        !li_term_set_add(grammar, &samples->values, value))
        return;
    li_word_list_add(grammar, &samples->texts, bytes, length);
}

static void add_scalars(li_grammar *grammar, const li_shape *shape, samples *samples)
{
    if (shape->has_null) add(grammar, samples, (const uint8_t *)"null", 4);
    if (shape->has_false) add(grammar, samples, (const uint8_t *)"false", 5);
    if (shape->has_true) add(grammar, samples, (const uint8_t *)"true", 4);
    li_word_list words = {0};
    text text = {0};
    if (shape->strings != LI_TERM_NOTHING) li_words_list(grammar, shape->strings, VALUES, &words);
    for (uint32_t i = 0; i < words.ends.count; i++) {
        uint32_t length;
        const uint8_t *word = li_word_at(&words, i, &length);
        text.length = 0;
        put_string(grammar, &text, word, length);
        if (grammar->status == LI_OK) add(grammar, samples, text.bytes, text.length);
    }
    li_memory_free(text.bytes);
    li_word_list_clear(&words);
    for (uint32_t i = 0; i < shape->number_count; i++) {
        li_words_of_number(grammar, li_number(grammar, &shape->numbers[i]), NULL, 0, VALUES, &words);
        for (uint32_t j = 0; j < words.ends.count; j++) {
            uint32_t length;
            const uint8_t *word = li_word_at(&words, j, &length);
            add(grammar, samples, word, length);
        }
        li_word_list_clear(&words);
    }
}

static bool has_twice(const part *parts, const uint32_t *digits, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (parts[i].samples.values.terms.at[digits[i]] == parts[j].samples.values.terms.at[digits[j]]) return true;
    return false;
}

// How the values of parts are combined.
typedef struct combination {
    const part *parts; // (count)
    uint32_t count;
    const li_object_shape *object; // NULL: an array
    bool is_unique;                // the items of an array must differ
    bool misses_first;             // combinations without optional parts come first, or last
} combination;

static void combine(li_grammar *grammar, const combination *of, samples *samples)
{
    LI_ASSERT(of->count <= PARTS);
    const part *parts = of->parts;
    const li_object_shape *object = of->object;
    uint32_t count = of->count;
    uint32_t digits[PARTS] = {0};
    text text = {0};
    for (uint32_t tries = 0; tries < TRIES && samples->values.terms.count < VALUES && li_grammar_spend(grammar);
         tries++) {
        uint32_t put_count = 0, at = 0;
        text.length = 0;
        put(grammar, &text, (const uint8_t *)(object ? "{" : "["), 1);
        for (uint32_t i = 0; i < count; i++) {
            const part *part = &parts[i];
            bool misses = part->may_miss && digits[i] == (of->misses_first ? 0 : part->samples.values.terms.count);
            if (misses) continue;
            uint32_t length, index = digits[i] - (part->may_miss && of->misses_first);
            const uint8_t *value = li_word_at(&part->samples.texts, index, &length);
            if (put_count++) put(grammar, &text, (const uint8_t *)",", 1);
            if (object) put_string(grammar, &text, part->key, part->key_length);
            if (object) put(grammar, &text, (const uint8_t *)":", 1);
            put(grammar, &text, value, length);
        }
        put(grammar, &text, (const uint8_t *)(object ? "}" : "]"), 1);
        if (grammar->status != LI_OK) break;
        bool fits = object ? put_count >= object->least && put_count <= object->most
                           : !of->is_unique || !has_twice(parts, digits, count);
        if (fits) add(grammar, samples, text.bytes, text.length);
        while (at < count && ++digits[at] == parts[at].samples.values.terms.count + parts[at].may_miss)
            digits[at++] = 0;
        if (at == count) break;
    }
    li_memory_free(text.bytes);
}

static void sample_node(li_grammar *grammar, li_node node, uint32_t depth, samples *samples);

// False: no value was found.
static bool begin_part(li_grammar *grammar, part *part, li_node node, uint32_t depth)
{
    if (li_node_is_satisfiable(grammar, node)) sample_node(grammar, node, depth, &part->samples);
    return part->samples.values.terms.count > 0;
}

// Adds the required known keys, or the other known keys. False: no value was found for a required key.
static bool add_known(li_grammar *grammar, const li_object_shape *shape, bool required, uint32_t depth, part *parts,
                      uint32_t *count)
{
    for (uint32_t i = 0; i < shape->known_count; i++) {
        if (shape->required[i] != required) continue;
        if (*count == PARTS) return !required;
        parts[*count] = (part){shape->known[i].bytes, shape->known[i].length, !required, {{0}, {0}}};
        if (begin_part(grammar, &parts[*count], shape->known_nodes[i], depth))
            ++*count;
        else if (required)
            return false;
    }
    return true;
}

static void sample_object(li_grammar *grammar, const li_object_shape *shape, uint32_t depth, samples *samples)
{
    part parts[PARTS];
    uint32_t count = 0;
    bool is_possible = shape->obligation_count == 0 && add_known(grammar, shape, true, depth, parts, &count) &&
                       add_known(grammar, shape, false, depth, parts, &count);
    li_word_list keys[4] = {{0}};
    for (uint32_t i = 0; i < shape->class_count && i < 4 && is_possible; i++) {
        li_words_list(grammar, shape->class_keys[i], PARTS, &keys[i]);
        for (uint32_t j = 0; j < keys[i].ends.count && count < PARTS; j++) {
            part *part = &parts[count];
            *part = (struct part){.may_miss = true};
            part->key = li_word_at(&keys[i], j, &part->key_length);
            if (!begin_part(grammar, part, shape->class_nodes[i], depth)) break;
            count++;
        }
    }
    combination of = {.parts = parts, .count = count, .object = shape, .misses_first = true};
    if (is_possible) combine(grammar, &of, samples);
    of.misses_first = false;
    if (is_possible) combine(grammar, &of, samples);
    while (count--) clear(&parts[count].samples);
    for (uint32_t i = 0; i < 4; i++) li_word_list_clear(&keys[i]);
}

static void sample_array(li_grammar *grammar, const li_array_shape *shape, uint32_t depth, samples *samples)
{
    part parts[PARTS];
    uint32_t count = 0;
    for (bool is_possible = shape->contains_count == 0; is_possible && samples->values.terms.count < VALUES; count++) {
        combination of = {.parts = parts, .count = count, .is_unique = shape->is_unique};
        if (count >= shape->least) combine(grammar, &of, samples);
        if (count == PARTS || count == shape->most || grammar->status != LI_OK) break;
        parts[count] = (part){.may_miss = false};
        li_node node = count < shape->prefix_count ? shape->prefix[count] : shape->rest;
        if (!begin_part(grammar, &parts[count], node, depth)) break;
    }
    while (count--) clear(&parts[count].samples);
}

static void sample_node(li_grammar *grammar, li_node node, uint32_t depth, samples *samples)
{
    const li_shape *shape = depth && li_grammar_spend(grammar) ? li_node_shape(grammar, node) : NULL;
    if (!shape) return;
    add_scalars(grammar, shape, samples);
    for (uint32_t i = 0; i < shape->object_count && samples->values.terms.count < VALUES; i++)
        sample_object(grammar, &shape->objects[i], depth - 1, samples);
    for (uint32_t i = 0; i < shape->array_count && samples->values.terms.count < VALUES; i++)
        sample_array(grammar, &shape->arrays[i], depth - 1, samples);
}

void li_values_sample(li_grammar *grammar, li_node node, li_term_set *values)
{
    samples samples = {{0}, {0}};
    sample_node(grammar, node, SAMPLE_DEPTH, &samples);
    for (uint32_t i = 0; i < samples.values.terms.count; i++)
        li_term_set_add(grammar, values, samples.values.terms.at[i]);
    clear(&samples);
}
