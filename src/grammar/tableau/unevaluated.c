// unevaluatedItems and unevaluatedProperties. When every fork is decided, the schemas that hold in place are known, and
// with them the evaluated items and properties.
#include "grammar/tableau/unevaluated.h"

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/tableau/tableau_expand.h"

typedef struct li_evaluated {
    uint32_t prefix; // items before this index are evaluated
    bool is_everything;
    LI_LIST(const li_clause *) clauses; // object: clauses that name properties; array: contains
} li_evaluated;

static bool holds(const li_tableau *search, uint32_t schema)
{
    LI_ASSERT(schema < search->grammar->schemas->all.count);
    li_claim claim = li_claim_resolve(search->grammar, li_claim_of(schema, false));
    const li_schema *entry = &search->grammar->schemas->all.at[li_claim_schema(claim)];
    if ((li_claim_is_negated(claim) ? entry->never : entry->always) & search->sort) return true;
    if ((li_claim_is_negated(claim) ? entry->always : entry->never) & search->sort) return false;
    for (uint32_t i = 0; i < search->claims.count; i++)
        if (search->claims.at[i].claim == claim) return true;
    return false;
}

static void collect(const li_tableau *search, uint32_t schema, bool is_root, li_evaluated *evaluated);

static void collect_from(const li_tableau *search, uint32_t schema, li_evaluated *evaluated)
{
    if (holds(search, schema)) collect(search, schema, false, evaluated);
}

// schema_graph.c bounds the depth of in-place applicators.
static void collect_clause(const li_tableau *search, li_clause *clause, bool is_root, li_evaluated *evaluated)
{
    bool is_object = search->sort == LI_SORT_OBJECT;
    switch (clause->keyword) {
    case LI_KEYWORD_PROPERTIES:
    case LI_KEYWORD_PATTERN_PROPERTIES:
        if (is_object) LI_ARENA_PUSH(search->grammar, &evaluated->clauses, clause);
        break;
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
        evaluated->is_everything |= is_object;
        break;
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        evaluated->is_everything |= is_object && !is_root;
        break;
    case LI_KEYWORD_PREFIX_ITEMS:
        if (clause->count > evaluated->prefix) evaluated->prefix = clause->count;
        break;
    case LI_KEYWORD_ITEMS:
        evaluated->is_everything |= !is_object;
        break;
    case LI_KEYWORD_UNEVALUATED_ITEMS:
        evaluated->is_everything |= !is_object && !is_root;
        break;
    case LI_KEYWORD_CONTAINS:
        if (!is_object) LI_ARENA_PUSH(search->grammar, &evaluated->clauses, clause);
        break;
    case LI_KEYWORD_NOT:
        break;
    case LI_KEYWORD_IF:
        // The parts are resolved to claims that hold or do not hold.
        if (!holds(search, clause->value)) {
            collect_from(search, clause->items[1], evaluated);
        } else {
            collect(search, clause->value, false, evaluated);
            collect_from(search, clause->items[0], evaluated);
        }
        break;
    case LI_KEYWORD_DEPENDENT_SCHEMAS:
        if (is_object && li_tableau_needs(search, clause->value)) collect_from(search, clause->items[0], evaluated);
        break;
    default:
        for (uint32_t i = 0, *child; li_clause_is_in_place(clause) && (child = li_clause_child(clause, i)); i++)
            collect_from(search, *child, evaluated);
    }
}

static void collect(const li_tableau *search, uint32_t schema, bool is_root, li_evaluated *evaluated)
{
    const li_schema *entry = &search->grammar->schemas->all.at[schema];
    if (!(entry->evaluates & search->sort) || !li_grammar_spend(search->grammar)) return;
    for (uint32_t i = 0; i < entry->clause_count; i++) collect_clause(search, &entry->clauses[i], is_root, evaluated);
}

// The schema of an item that nothing else evaluates: the schema of the keyword, or of a contains that counts the item.
static uint32_t with_contains(li_tableau *search, uint32_t schema, const li_evaluated *evaluated)
{
    li_grammar *grammar = search->grammar;
    if (evaluated->clauses.count == 0) return schema;
    uint32_t *items = li_grammar_alloc(grammar, ((size_t)evaluated->clauses.count + 1) * sizeof *items);
    if (!items) return schema;
    items[0] = schema;
    for (uint32_t i = 0; i < evaluated->clauses.count; i++) items[i + 1] = evaluated->clauses.at[i]->value;
    uint32_t origin = grammar->schemas->all.at[schema].origin;
    return li_schema_join(grammar, LI_KEYWORD_ANY_OF, items, evaluated->clauses.count + 1, origin);
}

static bool settle_items(li_tableau *search, li_atom atom, const li_evaluated *evaluated)
{
    bool is_negated = atom.kind == LI_ATOM_NOT_UNEVALUATED;
    if (evaluated->is_everything) return !is_negated;
    li_claim claim = li_claim_of(with_contains(search, atom.clause->value, evaluated), is_negated);
    if (!is_negated)
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_ITEMS, .key = evaluated->prefix, .claim = claim});
    if (evaluated->prefix == 0)
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_CONTAINS, .key = 1, .claim = claim});
    if (evaluated->prefix > 6) {
        li_refuse(search->grammar, atom.schema, LI_KEYWORD_UNEVALUATED_ITEMS, LI_REFUSAL_NEGATED);
        return false;
    }
    return li_tableau_fork(search, (li_fork){.kind = LI_FORK_ITEMS, .key = evaluated->prefix, .claim = claim});
}

static bool settle_properties(li_tableau *search, li_atom atom, const li_evaluated *evaluated)
{
    bool is_negated = atom.kind == LI_ATOM_NOT_UNEVALUATED;
    if (evaluated->is_everything) return !is_negated;
    li_remainder *remainder = li_grammar_alloc(search->grammar, sizeof *remainder);
    if (!remainder) return false;
    *remainder = (li_remainder){.clauses = evaluated->clauses.at, .count = evaluated->clauses.count};
    atom.kind = is_negated ? LI_ATOM_NOT_REMAINING : LI_ATOM_REMAINING;
    atom.claim = li_claim_of(atom.clause->value, is_negated);
    atom.remainder = remainder;
    return li_tableau_atom(search, atom);
}

bool li_tableau_settle(li_tableau *search)
{
    for (uint32_t i = 0, count = search->atoms.count; i < count; i++) {
        li_atom atom = search->atoms.at[i];
        if (atom.kind != LI_ATOM_UNEVALUATED && atom.kind != LI_ATOM_NOT_UNEVALUATED) continue;
        li_evaluated evaluated = {0};
        collect(search, atom.schema, true, &evaluated);
        bool is_possible = search->sort == LI_SORT_OBJECT ? settle_properties(search, atom, &evaluated)
                                                          : settle_items(search, atom, &evaluated);
        if (!is_possible) return false;
    }
    return search->grammar->status == LI_OK;
}
