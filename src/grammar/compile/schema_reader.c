// The reader of the table of schemas.
#include "grammar/compile/schema_reader.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/compile/expression.h"
#include "grammar/core/arena.h"
#include "grammar/schema/constant.h"
#include "grammar/schema/constant_choice.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

enum { FEW_PROPERTIES = 8 };

static uint32_t read_text(li_reader *reader)
{
    uint32_t length;
    const uint8_t *bytes = li_read_utf8(reader, &length);
    return li_text_intern(reader->grammar, bytes, length);
}

// Reads the index of a schema in the form. Its index in the table is one higher, because `true` comes first.
static uint32_t read_index(li_reader *reader)
{
    uint32_t index = li_read_number(reader);
    if (index < reader->grammar->schemas->form_count) return index + 1;
    li_read_fail(reader);
    return 0;
}

static uint32_t read_optional_index(li_reader *reader)
{
    uint32_t index = li_read_number(reader);
    if (index <= reader->grammar->schemas->form_count) return index;
    li_read_fail(reader);
    return 0;
}

static li_term read_language(li_reader *reader)
{
    li_term term = li_read_expression(reader);
    if (!(li_term_flags(reader->grammar, term) & LI_FLAG_REGULAR)) li_read_fail(reader);
    // Bytes that are not UTF-8 cannot be in a string.
    return li_both(reader->grammar, li_any_text(reader->grammar), term);
}

static bool make_items(li_reader *reader, li_clause *clause, uint32_t count, uint32_t width)
{
    LI_ASSERT(!clause->items);
    clause->count = count;
    clause->items = li_grammar_alloc(reader->grammar, ((size_t)count * width + 1) * sizeof *clause->items);
    if (!clause->items) li_read_fail(reader);
    return clause->items != NULL;
}

// Sorts positions by their texts, with a heap: in place, never in quadratic time.
static void sort_positions(uint32_t *order, uint32_t count, const uint32_t *items)
{
    for (uint32_t end = count, start = count / 2; end > 1;) {
        uint32_t moved;
        if (start > 0) {
            moved = order[--start];
        } else {
            moved = order[--end];
            order[end] = order[0];
        }
        uint32_t hole = start;
        for (uint32_t child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && items[2 * order[child + 1]] > items[2 * order[child]]) child++;
            if (items[2 * order[child]] <= items[2 * moved]) break;
            order[hole] = order[child];
        }
        order[hole] = moved;
    }
}

static void index_properties(li_reader *reader, li_clause *clause)
{
    li_schemas *schemas = reader->grammar->schemas;
    uint32_t stamp = ++schemas->stamp;
    for (uint32_t i = 0; i < clause->count; i++) {
        uint32_t text = clause->items[2 * i];
        if (schemas->text_stamps.at[text] == stamp) li_read_fail(reader); // a key twice
        schemas->text_stamps.at[text] = stamp;
    }
    if (clause->count <= FEW_PROPERTIES) return;
    clause->order = li_grammar_alloc(reader->grammar, clause->count * sizeof *clause->order);
    if (!clause->order) return;
    for (uint32_t i = 0; i < clause->count; i++) clause->order[i] = i;
    sort_positions(clause->order, clause->count, clause->items);
}

static void read_list(li_reader *reader, li_clause *clause, uint32_t (*read)(li_reader *))
{
    uint32_t count = li_read_count(reader);
    if (!make_items(reader, clause, count, 1)) return;
    for (uint32_t i = 0; i < count && reader->grammar->status == LI_OK; i++) clause->items[i] = read(reader);
}

static void read_pairs(li_reader *reader, li_clause *clause, uint32_t (*read)(li_reader *))
{
    uint32_t count = li_read_count(reader);
    if (!make_items(reader, clause, count, 2)) return;
    for (uint32_t i = 0; i < count && reader->grammar->status == LI_OK; i++) {
        clause->items[2 * i] = read(reader);
        clause->items[2 * i + 1] = read_index(reader);
    }
}

static void read_decimal(li_reader *reader, li_clause *clause)
{
    uint32_t length;
    const uint8_t *text = li_read_text(reader, &length);
    if (!li_decimal_read(reader->grammar, text, length, &clause->decimal)) li_read_fail(reader);
    if (clause->keyword == LI_KEYWORD_MULTIPLE_OF && clause->decimal.sign <= 0) li_read_fail(reader);
}

static void read_clause(li_reader *reader, li_clause *clause)
{
    switch (clause->keyword) {
    case LI_KEYWORD_FALSE:
    case LI_KEYWORD_UNIQUE_ITEMS:
        break;
    case LI_KEYWORD_TYPE:
    case LI_KEYWORD_MIN_LENGTH:
    case LI_KEYWORD_MAX_LENGTH:
    case LI_KEYWORD_MIN_ITEMS:
    case LI_KEYWORD_MAX_ITEMS:
    case LI_KEYWORD_MIN_PROPERTIES:
    case LI_KEYWORD_MAX_PROPERTIES:
        clause->value = li_read_number(reader);
        break;
    case LI_KEYWORD_ENUM:
        read_list(reader, clause, li_constant_read);
        if (reader->grammar->status == LI_OK) li_enum_arrange(reader->grammar, clause);
        break;
    case LI_KEYWORD_MINIMUM:
    case LI_KEYWORD_MAXIMUM:
    case LI_KEYWORD_EXCLUSIVE_MINIMUM:
    case LI_KEYWORD_EXCLUSIVE_MAXIMUM:
    case LI_KEYWORD_MULTIPLE_OF:
        read_decimal(reader, clause);
        break;
    case LI_KEYWORD_PATTERN:
    case LI_KEYWORD_FORMAT:
        clause->value = read_language(reader);
        break;
    case LI_KEYWORD_PREFIX_ITEMS:
    case LI_KEYWORD_ALL_OF:
    case LI_KEYWORD_ANY_OF:
    case LI_KEYWORD_ONE_OF:
        read_list(reader, clause, read_index);
        break;
    case LI_KEYWORD_ITEMS:
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
    case LI_KEYWORD_PROPERTY_NAMES:
    case LI_KEYWORD_NOT:
    case LI_KEYWORD_REF:
    case LI_KEYWORD_UNEVALUATED_ITEMS:
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        clause->value = read_index(reader);
        break;
    case LI_KEYWORD_CONTAINS:
        if (!make_items(reader, clause, 2, 1)) break;
        clause->value = read_index(reader);
        clause->items[0] = li_read_number(reader);
        clause->items[1] = li_read_number(reader) - 1; // 0 becomes LI_NO_LIMIT
        break;
    case LI_KEYWORD_PROPERTIES:
        read_pairs(reader, clause, read_text);
        if (reader->grammar->status == LI_OK) index_properties(reader, clause);
        break;
    case LI_KEYWORD_PATTERN_PROPERTIES:
        read_pairs(reader, clause, read_language);
        break;
    case LI_KEYWORD_REQUIRED:
        read_list(reader, clause, read_text);
        break;
    case LI_KEYWORD_IF:
        if (!make_items(reader, clause, 2, 1)) break;
        clause->value = read_index(reader);
        clause->items[0] = read_optional_index(reader);
        clause->items[1] = read_optional_index(reader);
        break;
    default:
        li_read_fail(reader);
    }
}

typedef LI_LIST(li_clause) li_clauses;

// One clause for each key, so that each is decided on its own.
static void read_dependents(li_reader *reader, li_clauses *clauses, uint32_t keyword)
{
    uint32_t count = li_read_count(reader);
    if (!LI_ARENA_RESERVE(reader->grammar, clauses, clauses->count + count)) return;
    for (uint32_t i = 0; i < count && reader->grammar->status == LI_OK; i++) {
        li_clause *clause = &clauses->at[clauses->count++];
        *clause = (li_clause){.keyword = keyword, .value = read_text(reader)};
        if (keyword == LI_KEYWORD_DEPENDENT_REQUIRED)
            read_list(reader, clause, read_text);
        else if (make_items(reader, clause, 1, 1))
            clause->items[0] = read_index(reader);
    }
}

static void read_schema(li_reader *reader, uint32_t schema)
{
    LI_ASSERT(schema && schema < reader->grammar->schemas->all.count);
    li_grammar *grammar = reader->grammar;
    uint32_t count = li_read_count(reader);
    li_clauses clauses = {0};
    if (!LI_ARENA_RESERVE(grammar, &clauses, count)) return;
    for (uint32_t i = 0; i < count && grammar->status == LI_OK; i++) {
        uint32_t keyword = li_read_number(reader);
        if (keyword == LI_KEYWORD_DEPENDENT_REQUIRED || keyword == LI_KEYWORD_DEPENDENT_SCHEMAS) {
            read_dependents(reader, &clauses, keyword);
            continue;
        }
        if (!LI_ARENA_PUSH(grammar, &clauses, (li_clause){.keyword = keyword})) return;
        read_clause(reader, &clauses.at[clauses.count - 1]);
    }
    li_schema *read = &grammar->schemas->all.at[schema];
    *read = (li_schema){.clauses = clauses.at, .clause_count = clauses.count, .origin = schema - 1};
}

void li_schemas_read(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    li_schemas *schemas = grammar->schemas = li_grammar_alloc(grammar, sizeof *schemas);
    if (!schemas) return;
    uint32_t count = li_read_count(reader);
    schemas->form_count = count;
    if (!LI_ARENA_RESERVE(grammar, &schemas->all, count + 1)) return;
    schemas->all.count = count + 1;
    for (uint32_t i = 0; i < count && grammar->status == LI_OK; i++) read_schema(reader, i + 1);
    if (grammar->status != LI_OK) return;
    li_constant_choices_join(grammar);
    li_schemas_finish(grammar);
}
