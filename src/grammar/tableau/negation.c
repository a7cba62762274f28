// The ways to violate a keyword. Only values of the type of a keyword violate the keyword.
#include "grammar/tableau/negation.h"

#include "base/assert.h"
#include "grammar/schema/constant.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/tableau/tableau_expand.h"

// Up to this many items, all subsets are tried.
enum { ITEMS_LIMIT = 6 };

// Keywords about the values or names of properties. "Some property violates one of the keywords" is a single way.
static bool is_about_properties(const li_clause *clause)
{
    return clause->keyword == LI_KEYWORD_PROPERTIES || clause->keyword == LI_KEYWORD_PATTERN_PROPERTIES ||
           clause->keyword == LI_KEYWORD_ADDITIONAL_PROPERTIES || clause->keyword == LI_KEYWORD_PROPERTY_NAMES;
}

static uint32_t count_ways(const li_tableau *search, const li_clause *clause)
{
    switch (clause->keyword) {
    case 0:
        return 0;
    case LI_KEYWORD_FALSE:
    case LI_KEYWORD_NOT:
    case LI_KEYWORD_REF:
    case LI_KEYWORD_ANY_OF:
    case LI_KEYWORD_ENUM:
        return 1;
    case LI_KEYWORD_TYPE:
        if (search->sort != LI_SORT_NUMBER) return 0; // other sorts of values are in the type or not
        return !(clause->value & LI_TYPE_NUMBER);
    case LI_KEYWORD_ALL_OF:
        return clause->count;
    case LI_KEYWORD_ONE_OF: // none of the schemas, or a pair
        return clause->count > 20000 ? UINT32_MAX / 2 : 1 + clause->count * (clause->count - 1) / 2;
    case LI_KEYWORD_IF:
        return 2;
    default:
        break;
    }
    if (li_keyword_sort(clause->keyword) != search->sort) return 0;
    switch (clause->keyword) {
    case LI_KEYWORD_REQUIRED:
    case LI_KEYWORD_PROPERTIES:
    case LI_KEYWORD_PATTERN_PROPERTIES:
    case LI_KEYWORD_PREFIX_ITEMS:
    case LI_KEYWORD_DEPENDENT_REQUIRED:
        return clause->count;
    case LI_KEYWORD_CONTAINS:
        return 2;
    default:
        return 1;
    }
}

static bool violate_one(li_tableau *search, const li_clause *clause, uint32_t way, li_blame blame)
{
    LI_ASSERT(way < count_ways(search, clause));
    if (way == 0) {
        for (uint32_t i = 0; i < clause->count; i++)
            if (!li_tableau_claim(search, li_claim_of(clause->items[i], true), false, blame)) return false;
        return true;
    }
    // The pairs in order: (0, 1), (0, 2) ... (1, 2) ...
    uint32_t first = 0;
    for (way--; way >= clause->count - 1 - first; first++) way -= clause->count - 1 - first;
    return li_tableau_claim(search, li_claim_of(clause->items[first], false), false, blame) &&
           li_tableau_claim(search, li_claim_of(clause->items[first + 1 + way], false), false, blame);
}

static bool violate_enum(li_tableau *search, uint32_t schema, const li_clause *clause, li_blame blame)
{
    if (search->sort == LI_SORT_NUMBER)
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_NOT_CLAUSE, .schema = schema, .clause = clause});
    li_grammar *grammar = search->grammar;
    uint32_t origin = grammar->schemas->all.at[schema].origin, sort = (uint32_t)__builtin_ctz(search->sort);
    for (uint32_t i = clause->order[sort]; i < clause->order[sort + 1]; i++)
        if (!li_tableau_claim(search, li_claim_of(li_constant_schema(grammar, clause->items[i], origin), true), false,
                              blame))
            return false;
    return true;
}

static bool violate_items(li_tableau *search, uint32_t schema, li_clause *clause, li_blame blame)
{
    uint32_t start = li_prefix_length(search, schema);
    li_claim claim = li_claim_resolve(search->grammar, li_claim_of(clause->value, true));
    if (claim == LI_CLAIM_TRUE || start == 0) {
        li_atom atom = {.kind = LI_ATOM_CONTAINS, .key = 1, .claim = claim};
        if (start) atom = (li_atom){.kind = LI_ATOM_ITEM, .key = start, .claim = LI_CLAIM_TRUE};
        return li_tableau_atom(search, atom);
    }
    if (start > ITEMS_LIMIT) {
        li_refuse(search->grammar, schema, li_clause_written(clause), LI_REFUSAL_NEGATED);
        return false;
    }
    li_fork fork = {.kind = LI_FORK_ITEMS, .schema = schema, .clause = clause, .key = start};
    fork.claim = claim;
    fork.blame = blame;
    return li_tableau_fork(search, fork);
}

static bool violate_property(li_tableau *search, uint32_t key, uint32_t schema)
{
    return li_tableau_atom(search,
                           (li_atom){.kind = LI_ATOM_PROPERTY, .key = key, .claim = li_claim_of(schema, true)}) &&
           li_tableau_need(search, key);
}

static bool violate_one_type(li_tableau *search, uint32_t schema, li_clause *clause, uint32_t way, li_blame blame)
{
    li_atom atom = {.kind = LI_ATOM_NOT_CLAUSE, .schema = schema, .clause = clause, .key = way};
    switch (clause->keyword) {
    case LI_KEYWORD_REQUIRED:
        if (li_tableau_needs(search, clause->items[way])) return false;
        atom = (li_atom){.kind = LI_ATOM_FORBIDDEN, .key = clause->items[way]};
        break;
    case LI_KEYWORD_PROPERTIES:
        return violate_property(search, clause->items[2 * way], clause->items[2 * way + 1]);
    case LI_KEYWORD_DEPENDENT_REQUIRED:
        if (li_tableau_needs(search, clause->items[way]) || clause->items[way] == clause->value) return false;
        atom = (li_atom){.kind = LI_ATOM_FORBIDDEN, .key = clause->items[way]};
        return li_tableau_atom(search, atom) && li_tableau_need(search, clause->value);
    case LI_KEYWORD_DEPENDENT_SCHEMAS:
        return li_tableau_need(search, clause->value) &&
               li_tableau_claim(search, li_claim_of(clause->items[0], true), false, blame);
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
        atom.kind = LI_ATOM_NOT_REMAINING;
        atom.claim = li_claim_of(clause->value, true);
        break;
    case LI_KEYWORD_PREFIX_ITEMS:
        atom = (li_atom){.kind = LI_ATOM_ITEM, .key = way, .claim = li_claim_of(clause->items[way], true)};
        break;
    case LI_KEYWORD_ITEMS:
        return violate_items(search, schema, clause, blame);
    case LI_KEYWORD_UNEVALUATED_ITEMS:
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        // Unevaluated parts are known only if the rest of the schema holds. A violation of the rest is another way.
        if (!li_tableau_clauses(search, schema, true, true, blame)) return false;
        atom.kind = LI_ATOM_NOT_UNEVALUATED;
        break;
    default:
        break;
    }
    return li_tableau_atom(search, atom);
}

static bool violate(li_tableau *search, uint32_t schema, li_clause *clause, uint32_t way, li_blame blame)
{
    if (!blame.clause) blame = (li_blame){.schema = schema, .clause = clause};
    switch (clause->keyword) {
    case LI_KEYWORD_FALSE:
        return true;
    case LI_KEYWORD_TYPE:
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_INTEGER, .key = 1});
    case LI_KEYWORD_ENUM:
        return violate_enum(search, schema, clause, blame);
    case LI_KEYWORD_NOT:
        return li_tableau_claim(search, li_claim_of(clause->value, false), false, blame);
    case LI_KEYWORD_REF:
        return li_tableau_claim(search, li_claim_of(clause->value, true), false, blame);
    case LI_KEYWORD_ALL_OF:
        return li_tableau_claim(search, li_claim_of(clause->items[way], true), false, blame);
    case LI_KEYWORD_ANY_OF:
        for (uint32_t i = 0; i < clause->count; i++)
            if (!li_tableau_claim(search, li_claim_of(clause->items[i], true), false, blame)) return false;
        return true;
    case LI_KEYWORD_ONE_OF:
        return violate_one(search, clause, way, blame);
    case LI_KEYWORD_IF:
        // Way 0: the condition holds, `then` does not. Way 1: neither the condition nor `else` holds.
        return li_tableau_claim(search, li_claim_of(clause->value, way == 1), false, blame) &&
               li_tableau_claim(search, li_claim_of(clause->items[way], true), false, blame);
    default:
        return violate_one_type(search, schema, clause, way, blame);
    }
}

uint32_t li_violation_count(const li_tableau *search, uint32_t index)
{
    const li_schema *schema = &search->grammar->schemas->all.at[index];
    uint32_t ways = 0, is_about_any = 0;
    for (uint32_t i = 0; i < schema->clause_count; i++) {
        const li_clause *clause = &schema->clauses[i];
        if (is_about_properties(clause))
            is_about_any |= search->sort == LI_SORT_OBJECT;
        else
            ways += count_ways(search, clause);
    }
    return ways + is_about_any;
}

// If only one property can violate a keyword, the property must. Otherwise the choice stays open as an obligation.
static bool violate_properties(li_tableau *search, uint32_t index, li_blame blame)
{
    const li_schema *schema = &search->grammar->schemas->all.at[index];
    li_clause *clauses = schema->clauses, *only = NULL;
    uint32_t possible = 0, only_way = 0;
    for (uint32_t i = 0, count = schema->clause_count; i < count && possible < 2; i++) {
        uint32_t ways = is_about_properties(&clauses[i]) ? count_ways(search, &clauses[i]) : 0;
        for (uint32_t way = 0; way < ways && possible < 2; way++) {
            li_tableau_mark mark = li_tableau_save(search);
            if (violate(search, index, &clauses[i], way, blame)) {
                possible++;
                only = &clauses[i];
                only_way = way;
            }
            li_tableau_restore(search, mark);
            if (!li_grammar_spend(search->grammar)) return false;
        }
    }
    if (possible == 0) return false;
    if (possible == 1) return violate(search, index, only, only_way, blame);
    return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_SOME_VIOLATED, .schema = index});
}

bool li_violation_take(li_tableau *search, uint32_t index, uint32_t way, li_blame blame)
{
    const li_schema *schema = &search->grammar->schemas->all.at[index];
    li_clause *clauses = schema->clauses;
    for (uint32_t i = 0, count = schema->clause_count; i < count; i++) {
        uint32_t ways = is_about_properties(&clauses[i]) ? 0 : count_ways(search, &clauses[i]);
        if (way < ways) return violate(search, index, &clauses[i], way, blame);
        way -= ways;
    }
    return violate_properties(search, index, blame);
}
