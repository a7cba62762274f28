// Nodes: sets of claims, interned.
#include "grammar/nodes/node.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/nodes/node_table.h"
#include "grammar/nodes/node_texts.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/schema/schema_strings.h"
#include "grammar/schema/string_set.h"

static uint32_t hash_claims(const li_claim *claims, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++) hash = li_mix(hash, claims[i]);
    return hash;
}

// Interns ascending claims without a contradiction; copies the claims.
static li_node intern(li_grammar *grammar, const li_claim *claims, uint32_t count)
{
    LI_ASSERT(li_is_ascending(claims, count));
    li_nodes *nodes = grammar->nodes;
    uint32_t hash = hash_claims(claims, count), probe = 0;
    for (li_node known; (known = li_table_next(&nodes->by_claims, hash, &probe)) != LI_TABLE_NONE;) {
        const li_node_entry *entry = &nodes->all.at[known];
        if (entry->claim_count == count && (count == 0 || memcmp(entry->claims, claims, count * sizeof *claims) == 0))
            return known;
    }
    li_claim *copy = li_grammar_alloc(grammar, (count + 1) * sizeof *copy);
    if (!copy || !li_grammar_spend(grammar)) return LI_NODE_NONE;
    if (count) memcpy(copy, claims, count * sizeof *copy);
    li_node_entry entry = {.claims = copy, .claim_count = count};
    entry.sorts = LI_SORT_ALL;
    entry.plain = LI_PLAIN_ALL;
    for (uint32_t i = 0; i < count; i++) {
        const li_schema *schema = &grammar->schemas->all.at[li_claim_schema(claims[i])];
        entry.sorts &= ~(li_claim_is_negated(claims[i]) ? schema->always : schema->never);
        entry.plain &= li_claim_is_negated(claims[i]) ? ~schema->plain : schema->plain;
    }
    if (!(entry.plain & LI_PLAIN_NULL)) entry.sorts &= ~LI_SORT_NULL;
    if (!(entry.plain & (LI_PLAIN_FALSE | LI_PLAIN_TRUE))) entry.sorts &= ~LI_SORT_BOOLEAN;
    if (entry.sorts == 0) entry.verdict = LI_UNSATISFIABLE;
    li_node node = nodes->all.count;
    // The place exists before the table names it: a matcher goes on after a failure.
    if (!LI_ARENA_RESERVE(grammar, &nodes->all, node + 1) || !li_table_add(grammar, &nodes->by_claims, hash, node))
        return LI_NODE_NONE;
    nodes->all.at[nodes->all.count++] = entry;
    return node;
}

// The node, or NONE if it is known to have no value.
static li_node settled(const li_nodes *nodes, li_node node)
{
    LI_ASSERT(node < nodes->all.count);
    return nodes->all.at[node].verdict == LI_UNSATISFIABLE ? LI_NODE_NONE : node;
}

li_nodes *li_nodes_of(li_grammar *grammar)
{
    if (grammar->nodes) return grammar->nodes;
    li_nodes *nodes = grammar->nodes = li_grammar_alloc(grammar, sizeof *nodes);
    if (!nodes) return NULL;
    li_claim claim = LI_CLAIM_FALSE;
    intern(grammar, &claim, 1);
    intern(grammar, NULL, 0);
    if (grammar->status != LI_OK) li_nodes_destroy(grammar);
    if (!grammar->nodes) return NULL;
    nodes->all.at[LI_NODE_NONE].verdict = LI_UNSATISFIABLE;
    nodes->all.at[LI_NODE_ANY].verdict = LI_SATISFIABLE;
    return nodes;
}

void li_nodes_destroy(li_grammar *grammar)
{
    li_nodes *nodes = grammar->nodes;
    if (!nodes) return;
    li_table_clear(&nodes->by_claims);
    li_table_clear(&nodes->by_object);
    li_table_clear(&nodes->by_array);
    grammar->nodes = NULL;
}

li_node li_node_of_claim(li_grammar *grammar, li_claim claim)
{
    li_nodes *nodes = li_nodes_of(grammar);
    if (!nodes) return LI_NODE_NONE;
    claim = li_claim_resolve(grammar, claim);
    if (claim == LI_CLAIM_TRUE) return LI_NODE_ANY;
    return settled(nodes, intern(grammar, &claim, 1));
}

li_node li_node_of(li_grammar *grammar, uint32_t schema, bool is_negated)
{
    if (grammar->status != LI_OK || !grammar->schemas || schema >= grammar->schemas->form_count) {
        li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FORM);
        return LI_NODE_NONE;
    }
    return li_node_of_claim(grammar, li_claim_of(schema + 1, is_negated));
}

// Whether a node has few values, all strings, and each satisfies the other node too. Most nodes that tell alternatives
// apart are such nodes. The claims of the other node are then redundant.
static bool is_within(li_grammar *grammar, li_node a, li_node b)
{
    enum { FEW_TEXTS = 8 };
    if (grammar->nodes->all.at[a].sorts != LI_SORT_STRING || !li_node_make_texts(grammar, a)) return false;
    const li_string_set *set = grammar->nodes->all.at[a].texts;
    if (set->kind != LI_STRINGS_LISTED || set->count > FEW_TEXTS) return false;
    for (uint32_t i = 0; i < grammar->nodes->all.at[b].claim_count; i++) {
        li_string_set *other = li_claim_strings(grammar, grammar->nodes->all.at[b].claims[i]);
        for (uint32_t j = 0; j < set->count; j++)
            if (!li_string_set_has(grammar, other, set->texts[j])) return false;
    }
    return grammar->status == LI_OK;
}

li_node li_node_and(li_grammar *grammar, li_node a, li_node b)
{
    LI_ASSERT(!grammar->nodes || (a < grammar->nodes->all.count && b < grammar->nodes->all.count));
    if (a == b || b == LI_NODE_ANY) return a;
    if (a == LI_NODE_ANY) return b;
    if (a == LI_NODE_NONE || b == LI_NODE_NONE || grammar->status != LI_OK) return LI_NODE_NONE;
    li_nodes *nodes = grammar->nodes;
    if (is_within(grammar, a, b)) return a;
    if (is_within(grammar, b, a)) return b;
    uint32_t a_count = nodes->all.at[a].claim_count, b_count = nodes->all.at[b].claim_count, count = 0;
    if (!LI_ARENA_RESERVE(grammar, &nodes->scratch, a_count + b_count)) return LI_NODE_NONE;
    const li_claim *p = nodes->all.at[a].claims, *q = nodes->all.at[b].claims;
    li_claim *claims = nodes->scratch.at;
    for (uint32_t i = 0, j = 0; i < a_count || j < b_count;) {
        li_claim next = j == b_count || (i < a_count && p[i] <= q[j]) ? p[i] : q[j];
        i += i < a_count && p[i] == next;
        j += j < b_count && q[j] == next;
        if (count > 0 && claims[count - 1] == li_claim_opposite(next)) return LI_NODE_NONE;
        claims[count++] = next;
    }
    return settled(nodes, intern(grammar, claims, count));
}
