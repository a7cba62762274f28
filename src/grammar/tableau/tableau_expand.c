// Takes claims apart: into the atoms that follow from a schema that holds, or does not hold, and into forks.
#include "grammar/tableau/tableau_expand.h"

#include "base/assert.h"
#include "grammar/schema/constant.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/tableau/array_shape.h"
#include "grammar/tableau/discriminator.h"
#include "grammar/tableau/negation.h"
#include "grammar/tableau/number_shape.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/tableau/tableau_search.h"

bool li_tableau_fork(li_tableau *search, li_fork fork)
{
    return LI_ARENA_PUSH(search->grammar, &search->forks, fork);
}

bool li_tableau_claim(li_tableau *search, li_claim claim, bool is_observed, li_blame blame)
{
    LI_ASSERT(blame.schema < search->grammar->schemas->all.count);
    li_grammar *grammar = search->grammar;
    claim = li_claim_resolve(grammar, claim);
    const li_schema *schema = &grammar->schemas->all.at[li_claim_schema(claim)];
    bool is_negated = li_claim_is_negated(claim);
    is_observed = is_observed && !is_negated && (schema->evaluates & search->sort);
    if ((is_negated ? schema->always : schema->never) & search->sort) return false;
    if (!is_observed && ((is_negated ? schema->never : schema->always) & search->sort)) return true;
    for (uint32_t i = 0; i < search->claims.count; i++) {
        const li_made_claim *made = &search->claims.at[i];
        if (made->claim == li_claim_opposite(claim)) return false;
        if (made->claim == claim && made->is_observed >= is_observed) return true;
    }
    li_made_claim made = {.claim = claim, .is_observed = is_observed, .blame = blame};
    return LI_ARENA_PUSH(grammar, &search->claims, made);
}

uint32_t li_prefix_length(const li_tableau *search, uint32_t index)
{
    const li_schema *schema = &search->grammar->schemas->all.at[index];
    uint32_t length = 0;
    for (uint32_t i = 0; i < schema->clause_count; i++)
        if (schema->clauses[i].keyword == LI_KEYWORD_PREFIX_ITEMS && schema->clauses[i].count > length)
            length = schema->clauses[i].count;
    return length;
}

static bool take_value(li_tableau *search, uint32_t constant, uint32_t schema, li_blame blame)
{
    if (search->sort == LI_SORT_NUMBER)
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_EQUAL, .schema = schema, .key = constant});
    uint32_t origin = search->grammar->schemas->all.at[schema].origin;
    return li_tableau_claim(search, li_claim_of(li_constant_schema(search->grammar, constant, origin), false), false,
                            blame);
}

// The values of an enum are ordered by sort; `order` says where each sort begins.
static uint32_t first_value(const li_tableau *search, const li_clause *clause)
{
    LI_ASSERT(clause->order);
    return clause->order[__builtin_ctz(search->sort)];
}

static uint32_t value_count(const li_tableau *search, const li_clause *clause)
{
    return clause->order[__builtin_ctz(search->sort) + 1] - first_value(search, clause);
}

static uint32_t nth_value(const li_tableau *search, const li_clause *clause, uint32_t n)
{
    LI_ASSERT(n < value_count(search, clause));
    return clause->items[first_value(search, clause) + n];
}

uint32_t li_fork_constant(const li_tableau *search, const li_fork *fork, uint32_t alternative)
{
    LI_ASSERT(fork->kind == LI_FORK_VALUE);
    return nth_value(search, fork->clause, alternative);
}

static bool expand_any(li_tableau *search, li_fork fork)
{
    const li_clause *clause = fork.clause;
    // The schemas that hold decide which parts are evaluated, so each schema becomes a fork.
    for (uint32_t i = 0; i < clause->count && fork.is_observed; i++) {
        li_fork holds = fork;
        holds.kind = LI_FORK_HOLDS;
        holds.claim = li_claim_of(clause->items[i], false);
        if (search->grammar->schemas->all.at[clause->items[i]].evaluates & search->sort &&
            !li_tableau_fork(search, holds))
            return false;
    }
    return li_tableau_fork(search, fork);
}

static bool expand_one_type(li_tableau *search, li_fork fork)
{
    li_atom atom = {.kind = LI_ATOM_CLAUSE, .schema = fork.schema, .clause = fork.clause};
    switch (fork.clause->keyword) {
    case LI_KEYWORD_REQUIRED:
        for (uint32_t i = 0; i < fork.clause->count; i++)
            if (!li_tableau_need(search, fork.clause->items[i])) return false;
        return true;
    case LI_KEYWORD_DEPENDENT_REQUIRED:
    case LI_KEYWORD_DEPENDENT_SCHEMAS:
        fork.kind = LI_FORK_DEPENDENT;
        return li_tableau_fork(search, fork);
    case LI_KEYWORD_ADDITIONAL_PROPERTIES:
        atom.kind = LI_ATOM_REMAINING;
        atom.claim = li_claim_of(fork.clause->value, false);
        break;
    case LI_KEYWORD_ITEMS:
        atom.kind = LI_ATOM_ITEMS;
        atom.key = li_prefix_length(search, fork.schema);
        atom.claim = li_claim_of(fork.clause->value, false);
        break;
    case LI_KEYWORD_UNEVALUATED_ITEMS:
    case LI_KEYWORD_UNEVALUATED_PROPERTIES:
        atom.kind = LI_ATOM_UNEVALUATED;
        break;
    default:
        break;
    }
    return li_tableau_atom(search, atom);
}

static bool expand_clause(li_tableau *search, li_fork fork)
{
    li_clause *clause = fork.clause;
    bool is_observed = fork.is_observed;
    li_blame blame = {.schema = fork.schema, .clause = clause};
    fork.blame = blame;
    switch (clause->keyword) {
    case 0:
        return true;
    case LI_KEYWORD_FALSE:
        return false;
    case LI_KEYWORD_TYPE: // the other types have been looked at before
        if (search->sort != LI_SORT_NUMBER || clause->value & LI_TYPE_NUMBER) return true;
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_INTEGER});
    case LI_KEYWORD_ENUM: {
        uint32_t count = value_count(search, clause);
        fork.kind = LI_FORK_VALUE;
        if (count != 1) return count > 1 && li_tableau_fork(search, fork);
        return take_value(search, nth_value(search, clause, 0), fork.schema, blame);
    }
    case LI_KEYWORD_ALL_OF:
        for (uint32_t i = 0; i < clause->count; i++)
            if (!li_tableau_claim(search, li_claim_of(clause->items[i], false), is_observed, blame)) return false;
        return true;
    case LI_KEYWORD_REF:
        return li_tableau_claim(search, li_claim_of(clause->value, false), is_observed, blame);
    case LI_KEYWORD_NOT:
        return li_tableau_claim(search, li_claim_of(clause->value, true), false, blame);
    case LI_KEYWORD_ANY_OF:
        fork.kind = LI_FORK_ANY;
        return expand_any(search, fork);
    case LI_KEYWORD_ONE_OF:
        fork.kind = LI_FORK_ONE;
        return li_tableau_fork(search, fork);
    case LI_KEYWORD_IF:
        fork.kind = LI_FORK_IF;
        return li_tableau_fork(search, fork);
    default:
        return li_keyword_sort(clause->keyword) != search->sort || expand_one_type(search, fork);
    }
}

static bool is_unevaluated(const li_tableau *search, const li_clause *clause)
{
    return clause->keyword ==
           (search->sort == LI_SORT_ARRAY ? LI_KEYWORD_UNEVALUATED_ITEMS : LI_KEYWORD_UNEVALUATED_PROPERTIES);
}

bool li_tableau_clauses(li_tableau *search, uint32_t index, bool is_observed, bool is_rest, li_blame blame)
{
    LI_ASSERT(index < search->grammar->schemas->all.count);
    const li_schema *schema = &search->grammar->schemas->all.at[index];
    li_clause *clauses = schema->clauses;
    uint32_t count = schema->clause_count;
    bool is_array_or_object = search->sort != LI_SORT_NUMBER;
    for (uint32_t i = 0; i < count; i++) is_observed |= is_array_or_object && is_unevaluated(search, &clauses[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (is_rest && is_unevaluated(search, &clauses[i])) continue;
        li_fork fork = {.schema = index, .clause = &clauses[i], .is_observed = is_observed, .blame = blame};
        if (!expand_clause(search, fork)) return false;
    }
    return true;
}

static bool expand_violation(li_tableau *search, uint32_t schema, li_blame blame)
{
    uint32_t ways = li_violation_count(search, schema);
    if (ways <= 1) return ways == 1 && li_violation_take(search, schema, 0, blame);
    return li_tableau_fork(search, (li_fork){.kind = LI_FORK_VIOLATION, .schema = schema, .blame = blame});
}

bool li_tableau_close(li_tableau *search)
{
    while (search->expanded < search->claims.count) {
        li_made_claim made = search->claims.at[search->expanded++];
        if (!li_grammar_spend(search->grammar)) return false;
        if (li_claim_is_negated(made.claim)
                ? !expand_violation(search, li_claim_schema(made.claim), made.blame)
                : !li_tableau_clauses(search, li_claim_schema(made.claim), made.is_observed, false, made.blame))
            return false;
    }
    if (search->sort == LI_SORT_NUMBER) return !li_numbers_clash(search);
    return search->sort != LI_SORT_ARRAY || !li_arrays_clash(search);
}

uint32_t li_fork_width(const li_tableau *search, const li_fork *fork)
{
    switch (fork->kind) {
    case LI_FORK_ANY:
    case LI_FORK_ONE:
        return fork->clause->count;
    case LI_FORK_VALUE:
        return value_count(search, fork->clause);
    case LI_FORK_ITEMS:
        return 1u << fork->key;
    case LI_FORK_VIOLATION:
        return li_violation_count(search, fork->schema);
    default:
        return 2;
    }
}

// The other schemas of oneOf must not hold. Most cannot hold together with the taken schema and need no claim.
static bool exclude_others(li_tableau *search, const li_fork *fork, uint32_t taken)
{
    LI_ASSERT(taken < fork->clause->count);
    li_grammar *grammar = search->grammar;
    const li_clause *clause = fork->clause;
    if (search->sort == LI_SORT_OBJECT && li_objects_are_apart(grammar, fork->clause)) return true;
    for (uint32_t i = 0; i < clause->count; i++) {
        li_claim other = li_claim_of(clause->items[i], false);
        if (i == taken || grammar->schemas->all.at[li_claim_schema(other)].never & search->sort) continue;
        li_node together = li_node_and(grammar, li_node_of_claim(grammar, other),
                                       li_node_of_claim(grammar, li_claim_of(clause->items[taken], false)));
        const li_node_entry *entry = &grammar->nodes->all.at[together];
        if (together == LI_NODE_NONE || !(entry->sorts & search->sort) || entry->empty & search->sort) continue;
        if (!(entry->filled & search->sort)) {
            bool is_possible = li_tableau_any(grammar, together, search->sort);
            if (grammar->status != LI_OK) return false;
            li_node_note(&grammar->nodes->all.at[together], search->sort, is_possible);
            if (!is_possible) continue;
        }
        li_tableau_mark mark = li_tableau_save(search);
        bool is_possible = li_tableau_claim(search, other, false, fork->blame) && li_tableau_close(search) &&
                           li_tableau_is_plausible(search);
        li_tableau_restore(search, mark);
        if (!is_possible) continue;
        if (!li_tableau_claim(search, li_claim_opposite(other), false, fork->blame) || !li_tableau_close(search))
            return false;
    }
    return true;
}

static bool take_dependent(li_tableau *search, const li_fork *fork, bool is_there)
{
    const li_clause *clause = fork->clause;
    if (!is_there) {
        if (li_tableau_needs(search, clause->value)) return false;
        for (uint32_t i = 0; i < search->atoms.count; i++)
            if (search->atoms.at[i].kind == LI_ATOM_FORBIDDEN && search->atoms.at[i].key == clause->value) return true;
        return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_FORBIDDEN, .key = clause->value});
    }
    if (!li_tableau_need(search, clause->value)) return false;
    if (clause->keyword == LI_KEYWORD_DEPENDENT_SCHEMAS)
        return li_tableau_claim(search, li_claim_of(clause->items[0], false), fork->is_observed, fork->blame);
    for (uint32_t i = 0; i < clause->count; i++)
        if (!li_tableau_need(search, clause->items[i])) return false;
    return true;
}

// `subset` decides which items before the index satisfy the claim. One item more must satisfy the claim.
static bool take_items(li_tableau *search, const li_fork *fork, uint32_t subset)
{
    LI_ASSERT(subset >> fork->key == 0);
    uint32_t count = 1;
    for (uint32_t i = 0; i < fork->key; i++) {
        bool is_in = subset >> i & 1;
        count += is_in;
        li_claim claim = is_in ? fork->claim : li_claim_opposite(fork->claim);
        li_atom item = {.kind = LI_ATOM_ITEM, .key = i, .claim = claim};
        if (!li_tableau_atom(search, item)) return false;
    }
    return li_tableau_atom(search, (li_atom){.kind = LI_ATOM_CONTAINS, .key = count, .claim = fork->claim});
}

static bool start_fork(li_tableau *search, const li_fork *fork, uint32_t i)
{
    const li_clause *clause = fork->clause;
    switch (fork->kind) {
    case LI_FORK_ANY:
    case LI_FORK_ONE:
        return li_tableau_claim(search, li_claim_of(clause->items[i], false), fork->is_observed, fork->blame);
    case LI_FORK_IF:
        return li_tableau_claim(search, li_claim_of(clause->value, i == 1), fork->is_observed, fork->blame) &&
               li_tableau_claim(search, li_claim_of(clause->items[i], false), fork->is_observed, fork->blame);
    case LI_FORK_VALUE:
        return take_value(search, nth_value(search, clause, i), fork->schema, fork->blame);
    case LI_FORK_DEPENDENT:
        return take_dependent(search, fork, i);
    case LI_FORK_HOLDS:
        return li_tableau_claim(search, i ? li_claim_opposite(fork->claim) : fork->claim, fork->is_observed,
                                fork->blame);
    case LI_FORK_ITEMS:
        return take_items(search, fork, i);
    case LI_FORK_VIOLATION:
        return li_violation_take(search, fork->schema, i, fork->blame);
    }
    return false;
}

bool li_fork_take(li_tableau *search, const li_fork *fork, uint32_t alternative, bool is_probe)
{
    if (!start_fork(search, fork, alternative) || !li_tableau_close(search)) return false;
    return is_probe || fork->kind != LI_FORK_ONE || exclude_others(search, fork, alternative);
}
