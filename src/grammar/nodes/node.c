// Nodes: sets of claims, interned.
#include "grammar/nodes/node.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/core/hash.h"
#include "grammar/nodes/node_table.h"
#include "grammar/nodes/node_texts.h"
#include "grammar/schema/schema_graph.h"
#include "grammar/schema/schema_strings.h"
#include "grammar/schema/string_set.h"

static uint32_t hash_claims(const li_claim *claims, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++) hash = li_mix(hash, claims[i]);
    return hash * 0xc2b2ae35u;
}

static void insert(li_nodes *nodes, li_node node)
{
    LI_ASSERT(node < nodes->all.count && nodes->all.count < nodes->slot_count);
    uint32_t slot = nodes->all.at[node].hash & (nodes->slot_count - 1);
    while (nodes->slots[slot]) slot = (slot + 1) & (nodes->slot_count - 1);
    nodes->slots[slot] = node + 1;
}

static bool grow_slots(li_grammar *grammar, li_nodes *nodes)
{
    uint32_t larger = nodes->slot_count ? nodes->slot_count * 2 : 256;
    uint32_t *slots = li_grammar_alloc(grammar, (size_t)larger * sizeof *slots);
    if (!slots) return false;
    nodes->slots = slots;
    nodes->slot_count = larger;
    for (li_node node = 0; node < nodes->all.count; node++) insert(nodes, node);
    return true;
}

// Interns ascending claims without a contradiction; copies the claims.
static li_node intern(li_grammar *grammar, const li_claim *claims, uint32_t count)
{
    LI_ASSERT(li_is_ascending(claims, count));
    li_nodes *nodes = grammar->nodes;
    if ((nodes->all.count + 1) * 2 > nodes->slot_count && !grow_slots(grammar, nodes)) return LI_NODE_NONE;
    uint32_t hash = hash_claims(claims, count), slot = hash & (nodes->slot_count - 1);
    for (; nodes->slots[slot]; slot = (slot + 1) & (nodes->slot_count - 1)) {
        const li_node_entry *entry = &nodes->all.at[nodes->slots[slot] - 1];
        if (entry->hash == hash && entry->claim_count == count &&
            (count == 0 || memcmp(entry->claims, claims, count * sizeof *claims) == 0))
            return nodes->slots[slot] - 1;
    }
    li_claim *copy = li_grammar_alloc(grammar, (count + 1) * sizeof *copy);
    if (!copy || !li_grammar_spend(grammar)) return LI_NODE_NONE;
    if (count) memcpy(copy, claims, count * sizeof *copy);
    li_node_entry entry = {.claims = copy, .claim_count = count, .hash = hash};
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
    if (!LI_ARENA_PUSH(grammar, &nodes->all, entry)) return LI_NODE_NONE;
    nodes->slots[slot] = nodes->all.count;
    return nodes->all.count - 1;
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
    if (grammar->status != LI_OK) return grammar->nodes = NULL;
    nodes->all.at[LI_NODE_NONE].verdict = LI_UNSATISFIABLE;
    nodes->all.at[LI_NODE_ANY].verdict = LI_SATISFIABLE;
    return nodes;
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
