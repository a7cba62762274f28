// Facts about schemas, found before the tableau takes schemas apart: equal schemas, schemas that apply themselves in
// place, and the types of which a schema accepts every value or none.
#include "grammar/schema/schema_graph.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"

// Recursion follows chains of schemas that apply in place.
enum { HEIGHT_LIMIT = 300, MERGE_ROUNDS = 6 };

uint32_t *li_clause_child(li_clause *clause, uint32_t i)
{
    switch (clause->keyword) {
    case LI_KEYWORD_ITEMS:
    case LI_KEYWORD_CONTAINS:
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
    case LI_KEYWORD_PROPERTY_NAMES:
    case LI_KEYWORD_NOT:
    case LI_KEYWORD_REF:
    case LI_KEYWORD_UNEVALUATED_ITEMS:
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        return i == 0 ? &clause->value : NULL;
    case LI_KEYWORD_PREFIX_ITEMS:
    case LI_KEYWORD_ALL_OF:
    case LI_KEYWORD_ANY_OF:
    case LI_KEYWORD_ONE_OF:
        return i < clause->count ? &clause->items[i] : NULL;
    case LI_KEYWORD_PROPERTIES:
    case LI_KEYWORD_PATTERN_PROPERTIES:
        return i < clause->count ? &clause->items[2 * i + 1] : NULL;
    case LI_KEYWORD_DEPENDENT_SCHEMAS:
        return i == 0 ? &clause->items[0] : NULL;
    case LI_KEYWORD_IF:
        return i == 0 ? &clause->value : i < 3 ? &clause->items[i - 1] : NULL;
    default:
        return NULL;
    }
}

bool li_clause_is_in_place(const li_clause *clause)
{
    switch (clause->keyword) {
    case LI_KEYWORD_NOT:
    case LI_KEYWORD_REF:
    case LI_KEYWORD_IF:
    case LI_KEYWORD_ALL_OF:
    case LI_KEYWORD_ANY_OF:
    case LI_KEYWORD_ONE_OF:
    case LI_KEYWORD_DEPENDENT_SCHEMAS:
        return true;
    default:
        return false;
    }
}

uint32_t li_keyword_sort(uint32_t keyword)
{
    if (keyword >= LI_KEYWORD_MINIMUM && keyword <= LI_KEYWORD_MULTIPLE_OF) return LI_SORT_NUMBER;
    if (keyword >= LI_KEYWORD_MIN_LENGTH && keyword <= LI_KEYWORD_FORMAT) return LI_SORT_STRING;
    if (keyword >= LI_KEYWORD_PREFIX_ITEMS && keyword <= LI_KEYWORD_CONTAINS) return LI_SORT_ARRAY;
    if (keyword >= LI_KEYWORD_PROPERTIES && keyword <= LI_KEYWORD_DEPENDENT_SCHEMAS) return LI_SORT_OBJECT;
    if (keyword == LI_KEYWORD_UNEVALUATED_ITEMS) return LI_SORT_ARRAY;
    if (keyword == LI_KEYWORD_UNEVALUATED_PROPERTIES) return LI_SORT_OBJECT;
    return LI_SORT_ALL;
}

li_claim li_claim_resolve(const li_grammar *grammar, li_claim claim)
{
    LI_ASSERT(li_claim_schema(claim) < grammar->schemas->all.count);
    li_claim same = grammar->schemas->all.at[li_claim_schema(claim)].same_as;
    return li_claim_is_negated(claim) ? li_claim_opposite(same) : same;
}

// ---- equal schemas -------------------------------------------------------------------------------------------------

static uint32_t item_words(const li_clause *clause)
{
    switch (clause->keyword) {
    case LI_KEYWORD_PROPERTIES:
    case LI_KEYWORD_PATTERN_PROPERTIES:
        return 2 * clause->count;
    case LI_KEYWORD_CONTAINS:
    case LI_KEYWORD_IF:
        return 2;
    default:
        return clause->count;
    }
}

static uint32_t hash_schema(const li_schema *schema)
{
    uint32_t hash = schema->clause_count;
    for (uint32_t i = 0; i < schema->clause_count; i++) {
        const li_clause *clause = &schema->clauses[i];
        hash = li_mix(li_mix(hash, clause->keyword), clause->value);
        for (uint32_t j = 0, words = item_words(clause); j < words; j++) hash = li_mix(hash, clause->items[j]);
        hash = li_mix(li_mix(hash, clause->decimal.exponent), clause->decimal.length);
    }
    return hash;
}

static bool schemas_equal(const li_schema *a, const li_schema *b)
{
    if (a->clause_count != b->clause_count) return false;
    for (uint32_t i = 0; i < a->clause_count; i++) {
        const li_clause *p = &a->clauses[i], *q = &b->clauses[i];
        if (p->keyword != q->keyword || p->value != q->value || p->count != q->count) return false;
        uint32_t words = item_words(p);
        if (words && memcmp(p->items, q->items, words * sizeof *p->items) != 0) return false;
        if (li_decimal_compare(&p->decimal, &q->decimal) != 0) return false;
    }
    return true;
}

// The first schema that is equal to the schema at the index.
static uint32_t first_equal(li_grammar *grammar, li_table *by_content, uint32_t index)
{
    const li_schema *all = grammar->schemas->all.at;
    uint32_t hash = hash_schema(&all[index]), probe = 0;
    for (uint32_t known; (known = li_table_next(by_content, hash, &probe)) != LI_TABLE_NONE;)
        if (schemas_equal(&all[known], &all[index])) return known;
    li_table_add(grammar, by_content, hash, index);
    return index;
}

// Points every reference at the first of equal schemas. Equal references make more schemas equal, so there are a few
// rounds.
static void merge_equal(li_grammar *grammar)
{
    li_schemas *schemas = grammar->schemas;
    uint32_t *same = li_grammar_alloc(grammar, (size_t)schemas->all.count * sizeof *same);
    if (!same) return;
    li_table by_content = {0};
    uint32_t merged = 0;
    for (uint32_t round = 0; round < MERGE_ROUNDS && grammar->status == LI_OK; round++) {
        li_table_forget(&by_content);
        uint32_t before = merged;
        merged = 0;
        for (uint32_t i = 0; i < schemas->all.count; i++) {
            same[i] = first_equal(grammar, &by_content, i);
            merged += same[i] != i;
        }
        if (merged == before) break;
        for (uint32_t i = 0; i < schemas->all.count; i++)
            for (uint32_t j = 0; j < schemas->all.at[i].clause_count; j++) {
                li_clause *clause = &schemas->all.at[i].clauses[j];
                for (uint32_t k = 0, *child; (child = li_clause_child(clause, k)); k++) *child = same[*child];
            }
    }
    li_table_clear(&by_content);
}

// ---- types accepted or refused as a whole --------------------------------------------------------------------------

typedef struct extent_of_types {
    uint8_t always, never, plain;
} extent_of_types;

static const extent_of_types everything = {LI_SORT_ALL, 0, LI_PLAIN_ALL};

static extent_of_types extent_of(const li_schemas *schemas, uint32_t schema)
{
    const li_schema *entry = &schemas->all.at[schema];
    return (extent_of_types){entry->always, entry->never, entry->plain};
}

static extent_of_types negated(extent_of_types a)
{
    return (extent_of_types){a.never, a.always, (uint8_t)(LI_PLAIN_ALL & ~a.plain)};
}

static extent_of_types both(extent_of_types a, extent_of_types b)
{
    return (extent_of_types){a.always & b.always, a.never | b.never, a.plain & b.plain};
}

static extent_of_types either(extent_of_types a, extent_of_types b)
{
    return negated(both(negated(a), negated(b)));
}

static extent_of_types of_type(uint32_t bits)
{
    uint32_t sorts = 0, plain = 0;
    if (bits & LI_TYPE_NULL) sorts |= LI_SORT_NULL, plain |= LI_PLAIN_NULL;
    if (bits & LI_TYPE_BOOLEAN) sorts |= LI_SORT_BOOLEAN, plain |= LI_PLAIN_FALSE | LI_PLAIN_TRUE;
    if (bits & LI_TYPE_NUMBER) sorts |= LI_SORT_NUMBER;
    if (bits & LI_TYPE_STRING) sorts |= LI_SORT_STRING;
    if (bits & LI_TYPE_ARRAY) sorts |= LI_SORT_ARRAY;
    if (bits & LI_TYPE_OBJECT) sorts |= LI_SORT_OBJECT;
    uint32_t never = LI_SORT_ALL & ~sorts & ~(bits & LI_TYPE_INTEGER ? LI_SORT_NUMBER : 0u);
    return (extent_of_types){(uint8_t)sorts, (uint8_t)never, (uint8_t)plain};
}

static extent_of_types of_enum(const li_schemas *schemas, const li_clause *clause)
{
    uint32_t sorts = 0, plain = 0;
    for (uint32_t i = 0; i < clause->count; i++) {
        sorts |= schemas->constants.at[clause->items[i]].sort;
        plain |= schemas->constants.at[clause->items[i]].plain;
    }
    return (extent_of_types){0, (uint8_t)(LI_SORT_ALL & ~sorts), (uint8_t)plain};
}

static extent_of_types of_one(const li_schemas *schemas, const li_clause *clause)
{
    extent_of_types none = everything, one = negated(everything);
    for (uint32_t i = 0; i < clause->count; i++) {
        extent_of_types next = extent_of(schemas, clause->items[i]);
        one = either(both(one, negated(next)), both(none, next));
        none = both(none, negated(next));
    }
    return one;
}

static extent_of_types of_clause(const li_schemas *schemas, const li_clause *clause)
{
    extent_of_types result = everything;
    switch (clause->keyword) {
    case 0:
        return everything;
    case LI_KEYWORD_FALSE:
        return negated(everything);
    case LI_KEYWORD_TYPE:
        return of_type(clause->value);
    case LI_KEYWORD_ENUM:
        return of_enum(schemas, clause);
    case LI_KEYWORD_NOT:
        return negated(extent_of(schemas, clause->value));
    case LI_KEYWORD_REF:
        return extent_of(schemas, clause->value);
    case LI_KEYWORD_ALL_OF:
        for (uint32_t i = 0; i < clause->count; i++) result = both(result, extent_of(schemas, clause->items[i]));
        return result;
    case LI_KEYWORD_ANY_OF:
        result = negated(everything);
        for (uint32_t i = 0; i < clause->count; i++) result = either(result, extent_of(schemas, clause->items[i]));
        return result;
    case LI_KEYWORD_ONE_OF:
        return of_one(schemas, clause);
    case LI_KEYWORD_IF: {
        extent_of_types condition = extent_of(schemas, clause->value);
        return both(either(negated(condition), extent_of(schemas, clause->items[0])),
                    either(condition, extent_of(schemas, clause->items[1])));
    }
    default:
        result.always &= ~li_keyword_sort(clause->keyword);
        return result;
    }
}

static uint32_t evaluated_by(const li_schemas *schemas, li_clause *clause)
{
    switch (clause->keyword) {
    case LI_KEYWORD_PROPERTIES:
    case LI_KEYWORD_PATTERN_PROPERTIES:
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        return LI_SORT_OBJECT;
    case LI_KEYWORD_PREFIX_ITEMS:
    case LI_KEYWORD_ITEMS:
    case LI_KEYWORD_CONTAINS:
    case LI_KEYWORD_UNEVALUATED_ITEMS:
        return LI_SORT_ARRAY;
    default:
        break;
    }
    uint32_t sorts = 0;
    if (li_clause_is_in_place(clause) && clause->keyword != LI_KEYWORD_NOT)
        for (uint32_t i = 0, *child; (child = li_clause_child(clause, i)); i++)
            sorts |= schemas->all.at[*child].evaluates;
    return sorts;
}

// The simplest claim that equals the schema.
static li_claim same_as(const li_schemas *schemas, uint32_t index)
{
    const li_schema *schema = &schemas->all.at[index];
    const li_clause *only = NULL;
    li_claim itself = li_claim_of(index, false);
    if (schema->evaluates == 0 && schema->always == LI_SORT_ALL) return LI_CLAIM_TRUE;
    if (schema->evaluates == 0 && schema->never == LI_SORT_ALL) return LI_CLAIM_FALSE;
    for (uint32_t i = 0; i < schema->clause_count; i++) {
        if (schema->clauses[i].keyword == 0) continue;
        if (only) return itself;
        only = &schema->clauses[i];
    }
    if (!only) return LI_CLAIM_TRUE;
    switch (only->keyword) {
    case LI_KEYWORD_REF:
        return schemas->all.at[only->value].same_as;
    case LI_KEYWORD_NOT: {
        // A schema under `not` evaluates nothing, so not(not(S)) is not S if S evaluates.
        li_claim claim = li_claim_opposite(schemas->all.at[only->value].same_as);
        return li_claim_is_negated(claim) || schemas->all.at[li_claim_schema(claim)].evaluates == 0 ? claim : itself;
    }
    case LI_KEYWORD_ALL_OF:
    case LI_KEYWORD_ANY_OF:
    case LI_KEYWORD_ONE_OF:
        return only->count == 1 ? schemas->all.at[only->items[0]].same_as : itself;
    default:
        return itself;
    }
}

void li_schema_finish(li_grammar *grammar, uint32_t index)
{
    LI_ASSERT(index < grammar->schemas->all.count);
    const li_schemas *schemas = grammar->schemas;
    li_schema *schema = &grammar->schemas->all.at[index];
    extent_of_types extent = everything;
    schema->height = 1;
    schema->evaluates = 0;
    for (uint32_t i = 0; i < schema->clause_count; i++) {
        li_clause *clause = &schema->clauses[i];
        if (li_clause_is_in_place(clause))
            for (uint32_t j = 0, *child; (child = li_clause_child(clause, j)); j++)
                if (schemas->all.at[*child].height >= schema->height)
                    schema->height = schemas->all.at[*child].height + 1;
        if (schema->height > HEIGHT_LIMIT) {
            li_refuse(grammar, index, clause->keyword, LI_REFUSAL_TOO_COMPLEX);
            clause->keyword = 0;
            schema->height = 1;
        }
        extent = both(extent, of_clause(schemas, clause));
        schema->evaluates |= evaluated_by(schemas, clause);
    }
    // Null, false and true are decided here.
    uint32_t booleans = extent.plain & (LI_PLAIN_FALSE | LI_PLAIN_TRUE);
    extent.always &= ~(LI_SORT_NULL | LI_SORT_BOOLEAN);
    extent.never &= ~(LI_SORT_NULL | LI_SORT_BOOLEAN);
    *(extent.plain & LI_PLAIN_NULL ? &extent.always : &extent.never) |= LI_SORT_NULL;
    if (booleans == (LI_PLAIN_FALSE | LI_PLAIN_TRUE)) extent.always |= LI_SORT_BOOLEAN;
    if (booleans == 0) extent.never |= LI_SORT_BOOLEAN;
    extent.always &= ~extent.never;
    schema->always = extent.always;
    schema->never = extent.never;
    schema->plain = extent.plain;
    schema->same_as = same_as(schemas, index);
}

uint32_t li_schema_make(li_grammar *grammar, li_clause *clauses, uint32_t count, uint32_t origin)
{
    li_schemas *schemas = grammar->schemas;
    li_schema made = {.clauses = clauses, .clause_count = count, .origin = origin};
    if (!li_grammar_spend(grammar) || !LI_ARENA_PUSH(grammar, &schemas->all, made)) return 0;
    uint32_t index = schemas->all.count - 1;
    li_schema_finish(grammar, index);
    return index;
}

static uint32_t hash_join(uint32_t keyword, const uint32_t *items, uint32_t count)
{
    uint32_t hash = li_mix(keyword, count);
    for (uint32_t i = 0; i < count; i++) hash = li_mix(hash, items[i]);
    return hash;
}

uint32_t li_schema_join(li_grammar *grammar, uint32_t keyword, const uint32_t *items, uint32_t count, uint32_t origin)
{
    LI_ASSERT(count && (keyword == LI_KEYWORD_ALL_OF || keyword == LI_KEYWORD_ANY_OF));
    li_schemas *schemas = grammar->schemas;
    uint32_t hash = hash_join(keyword, items, count), probe = 0;
    for (uint32_t schema; (schema = li_table_next(&schemas->by_join, hash, &probe)) != LI_TABLE_NONE;) {
        const li_clause *clause = schemas->all.at[schema].clauses;
        if (clause->keyword == keyword && clause->count == count &&
            memcmp(clause->items, items, count * sizeof *items) == 0)
            return schema;
    }
    li_clause *clause = li_grammar_alloc(grammar, sizeof *clause);
    uint32_t *copy = li_grammar_alloc(grammar, ((size_t)count + 1) * sizeof *copy);
    if (!clause || !copy) return 0;
    memcpy(copy, items, count * sizeof *copy);
    *clause = (li_clause){.keyword = keyword, .count = count, .items = copy};
    uint32_t made = li_schema_make(grammar, clause, 1, origin);
    return made && li_table_add(grammar, &schemas->by_join, hash, made) ? made : 0;
}

// ---- references ----------------------------------------------------------------------------------------------------

enum { VISIT_NEW, VISIT_OPEN, VISIT_DONE };

typedef struct li_visit {
    uint32_t schema, clause, child;
} li_visit;

typedef LI_LIST(li_visit) li_visits;

// Finishes each schema after the schemas that apply in place within the schema. Refuses a schema that applies itself in
// place, because such a schema is undecided.
static void finish_from(li_grammar *grammar, uint32_t root, li_visits *stack)
{
    li_schemas *schemas = grammar->schemas;
    schemas->all.at[root].visit = VISIT_OPEN;
    if (!LI_ARENA_PUSH(grammar, stack, (li_visit){.schema = root})) return;
    while (stack->count > 0 && grammar->status == LI_OK) {
        li_visit *visit = &stack->at[stack->count - 1];
        li_schema *schema = &schemas->all.at[visit->schema];
        if (visit->clause == schema->clause_count) {
            li_schema_finish(grammar, visit->schema);
            schema->visit = VISIT_DONE;
            stack->count--;
            continue;
        }
        li_clause *clause = &schema->clauses[visit->clause];
        uint32_t *child = li_clause_is_in_place(clause) ? li_clause_child(clause, visit->child) : NULL;
        if (!child) {
            visit->clause++;
            visit->child = 0;
        } else if (schemas->all.at[*child].visit == VISIT_OPEN) {
            li_refuse(grammar, visit->schema, clause->keyword, LI_REFUSAL_UNDECIDED);
            clause->keyword = 0;
        } else {
            visit->child++;
            if (schemas->all.at[*child].visit != VISIT_NEW) continue;
            schemas->all.at[*child].visit = VISIT_OPEN;
            if (!LI_ARENA_PUSH(grammar, stack, (li_visit){.schema = *child})) return;
        }
    }
}

void li_schemas_finish(li_grammar *grammar)
{
    li_schemas *schemas = grammar->schemas;
    merge_equal(grammar);
    li_visits stack = {0};
    for (uint32_t i = 0; i < schemas->all.count && grammar->status == LI_OK; i++)
        if (schemas->all.at[i].visit == VISIT_NEW) finish_from(grammar, i, &stack);
}
