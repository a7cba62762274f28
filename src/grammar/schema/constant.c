// Constant JSON values within schemas (const, enum). Equal values are interned as one.
#include "grammar/schema/constant.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/schema/schema_graph.h"

// The order of members does not matter, so their hashes are added.
static uint32_t hash_constant(const li_constant *constant)
{
    uint32_t hash = li_mix(li_mix(li_mix(17, constant->sort), constant->plain), constant->text);
    const li_decimal *decimal = &constant->decimal;
    hash = li_mix(li_mix(li_mix(hash, decimal->sign), decimal->exponent), decimal->length);
    for (uint32_t i = 0; i < decimal->length; i++) hash = li_mix(hash, decimal->digits[i]);
    if (constant->sort != LI_SORT_OBJECT) {
        for (uint32_t i = 0; i < constant->count; i++) hash = li_mix(hash, constant->items[i]);
        return hash;
    }
    uint32_t sum = constant->count;
    for (uint32_t i = 0; i < constant->count; i++)
        sum += li_mix(li_mix(7, constant->items[2 * i]), constant->items[2 * i + 1]);
    return li_mix(hash, sum);
}

// Both have the same number of distinct keys. Marks say where `a` has each key.
static bool members_equal(li_schemas *schemas, const li_constant *a, const li_constant *b)
{
    LI_ASSERT(a->count == b->count);
    if (schemas->stamp > UINT32_MAX - a->count - 1) return false; // after 2^32 compared keys
    uint32_t base = schemas->stamp + 1;
    schemas->stamp += a->count;
    for (uint32_t i = 0; i < a->count; i++) schemas->text_stamps.at[a->items[2 * i]] = base + i;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t position = schemas->text_stamps.at[b->items[2 * i]] - base;
        if (position >= a->count || a->items[2 * position + 1] != b->items[2 * i + 1]) return false;
    }
    return true;
}

static bool constants_equal(li_schemas *schemas, const li_constant *a, const li_constant *b)
{
    if (a->sort != b->sort || a->plain != b->plain || a->text != b->text || a->count != b->count) return false;
    if (a->sort == LI_SORT_NUMBER) return li_decimal_compare(&a->decimal, &b->decimal) == 0;
    if (a->sort == LI_SORT_OBJECT) return members_equal(schemas, a, b);
    return a->count == 0 || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

static uint32_t intern(li_grammar *grammar, const li_constant *constant)
{
    li_schemas *schemas = grammar->schemas;
    uint32_t hash = hash_constant(constant), probe = 0, index = schemas->constants.count;
    for (uint32_t known; (known = li_table_next(&schemas->by_constant, hash, &probe)) != LI_TABLE_NONE;)
        if (constants_equal(schemas, &schemas->constants.at[known], constant)) return known;
    if (!li_grammar_spend(grammar) || !li_table_add(grammar, &schemas->by_constant, hash, index) ||
        !LI_ARENA_PUSH(grammar, &schemas->constants, *constant))
        return UINT32_MAX;
    return index;
}

static void push_word(li_grammar *grammar, uint32_t word)
{
    LI_ARENA_PUSH(grammar, &grammar->schemas->words, word);
}

static bool has_key_twice(li_schemas *schemas, const li_constant *constant)
{
    uint32_t stamp = ++schemas->stamp;
    for (uint32_t i = 0; i < constant->count; i++) {
        uint32_t text = constant->items[2 * i];
        if (schemas->text_stamps.at[text] == stamp) return true;
        schemas->text_stamps.at[text] = stamp;
    }
    return false;
}

// Reads the items of an array or the members of an object onto the stack of words.
static void read_items(li_reader *reader, li_constant *constant)
{
    li_grammar *grammar = reader->grammar;
    li_schemas *schemas = grammar->schemas;
    uint32_t count = li_read_count(reader), start = schemas->words.count;
    for (uint32_t i = 0; i < count && grammar->status == LI_OK; i++) {
        if (constant->sort == LI_SORT_OBJECT) {
            uint32_t length;
            const uint8_t *bytes = li_read_utf8(reader, &length);
            push_word(grammar, li_text_intern(grammar, bytes, length));
        }
        push_word(grammar, li_constant_read(reader));
    }
    uint32_t words = schemas->words.count - start;
    uint32_t *items = li_grammar_alloc(grammar, (words + 1) * sizeof *items);
    if (items && grammar->status == LI_OK) {
        if (words) memcpy(items, schemas->words.at + start, words * sizeof *items);
        constant->items = items;
        constant->count = count;
        if (constant->sort == LI_SORT_OBJECT && has_key_twice(schemas, constant)) li_read_fail(reader);
    }
    schemas->words.count = start;
}

uint32_t li_constant_read(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    li_constant constant = {.sort = LI_SORT_BOOLEAN};
    uint32_t tag = li_read_number(reader), length;
    const uint8_t *bytes;
    if (++reader->depth > LI_FORM_DEPTH) li_read_fail(reader);
    switch (grammar->status == LI_OK ? tag : 0) {
    case LI_FORM_NULL:
        constant.sort = LI_SORT_NULL;
        constant.plain = LI_PLAIN_NULL;
        break;
    case LI_FORM_FALSE:
        constant.plain = LI_PLAIN_FALSE;
        break;
    case LI_FORM_TRUE:
        constant.plain = LI_PLAIN_TRUE;
        break;
    case LI_FORM_DECIMAL:
        constant.sort = LI_SORT_NUMBER;
        bytes = li_read_text(reader, &length);
        if (!li_decimal_read(grammar, bytes, length, &constant.decimal)) li_read_fail(reader);
        break;
    case LI_FORM_STRING:
        constant.sort = LI_SORT_STRING;
        bytes = li_read_utf8(reader, &length);
        constant.text = li_text_intern(grammar, bytes, length);
        break;
    case LI_FORM_ARRAY:
    case LI_FORM_OBJECT:
        constant.sort = tag == LI_FORM_ARRAY ? LI_SORT_ARRAY : LI_SORT_OBJECT;
        read_items(reader, &constant);
        break;
    default:
        li_read_fail(reader);
    }
    reader->depth--;
    return grammar->status == LI_OK ? intern(grammar, &constant) : UINT32_MAX;
}

void li_enum_arrange(li_grammar *grammar, li_clause *clause)
{
    const li_constant *constants = grammar->schemas->constants.at;
    uint32_t *sorted = li_grammar_alloc(grammar, ((size_t)clause->count + 1) * sizeof *sorted), used = 0;
    clause->order = li_grammar_alloc(grammar, 7 * sizeof *clause->order);
    if (!sorted || !clause->order) return;
    for (uint32_t sort = 0; sort < 6; sort++) {
        clause->order[sort] = used;
        for (uint32_t i = 0; i < clause->count; i++)
            if (constants[clause->items[i]].sort == 1u << sort) sorted[used++] = clause->items[i];
    }
    clause->order[6] = used;
    LI_ASSERT(used == clause->count);
    clause->items = sorted;
}

// The schema that a part of a constant must satisfy: {"enum": [part]}.
static uint32_t part_schema(li_grammar *grammar, uint32_t constant, uint32_t origin)
{
    li_clause *clause = li_grammar_alloc(grammar, sizeof *clause);
    uint32_t *item = li_grammar_alloc(grammar, sizeof *item);
    if (!clause || !item) return 0;
    *item = constant;
    *clause = (li_clause){.keyword = LI_KEYWORD_ENUM, .count = 1, .items = item};
    li_enum_arrange(grammar, clause);
    return li_schema_make(grammar, clause, 1, origin);
}

static uint32_t false_schema(li_grammar *grammar, uint32_t origin)
{
    li_clause *clause = li_grammar_alloc(grammar, sizeof *clause);
    if (!clause) return 0;
    *clause = (li_clause){.keyword = LI_KEYWORD_FALSE};
    return li_schema_make(grammar, clause, 1, origin);
}

uint32_t li_constant_schema(li_grammar *grammar, uint32_t index, uint32_t origin)
{
    li_schemas *schemas = grammar->schemas;
    LI_ASSERT(index < schemas->constants.count);
    LI_ASSERT(schemas->constants.at[index].sort >= LI_SORT_ARRAY);
    if (schemas->constants.at[index].schema) return schemas->constants.at[index].schema;
    li_constant constant = schemas->constants.at[index];
    bool is_array = constant.sort == LI_SORT_ARRAY;
    li_clause *clauses = li_grammar_alloc(grammar, 4 * sizeof *clauses);
    uint32_t *items = li_grammar_alloc(grammar, (2 * (size_t)constant.count + 1) * sizeof *items);
    uint32_t *keys = li_grammar_alloc(grammar, (constant.count + 1) * sizeof *keys);
    if (!clauses || !items || !keys) return 0;
    for (uint32_t i = 0; i < constant.count; i++) {
        if (is_array) {
            items[i] = part_schema(grammar, constant.items[i], origin);
        } else {
            keys[i] = items[2 * i] = constant.items[2 * i];
            items[2 * i + 1] = part_schema(grammar, constant.items[2 * i + 1], origin);
        }
    }
    uint32_t nothing = false_schema(grammar, origin), count = 4;
    clauses[0] = (li_clause){.keyword = LI_KEYWORD_TYPE, .value = is_array ? LI_TYPE_ARRAY : LI_TYPE_OBJECT};
    if (is_array) {
        clauses[1] = (li_clause){.keyword = LI_KEYWORD_PREFIX_ITEMS, .count = constant.count, .items = items};
        clauses[2] = (li_clause){.keyword = LI_KEYWORD_ITEMS, .value = nothing};
        clauses[3] = (li_clause){.keyword = LI_KEYWORD_MIN_ITEMS, .value = constant.count};
    } else {
        clauses[1] = (li_clause){.keyword = LI_KEYWORD_PROPERTIES, .count = constant.count, .items = items};
        clauses[2] = (li_clause){.keyword = LI_KEYWORD_REQUIRED, .count = constant.count, .items = keys};
        clauses[3] = (li_clause){.keyword = LI_KEYWORD_ADDITIONAL_PROPERTIES, .value = nothing};
    }
    uint32_t schema = li_schema_make(grammar, clauses, count, origin);
    return schemas->constants.at[index].schema = schema;
}
