// The path of a search: what is claimed so far, and the shapes found.
#include "grammar/tableau/tableau.h"

#include "base/assert.h"
#include "grammar/core/arena.h"

li_tableau_mark li_tableau_save(const li_tableau *search)
{
    return (li_tableau_mark){search->claims.count, search->expanded,     search->atoms.count,
                             search->forks.count,  search->needed.count, search->replaced.count};
}

void li_tableau_restore(li_tableau *search, li_tableau_mark mark)
{
    LI_ASSERT(mark.claims <= search->claims.count && mark.expanded <= mark.claims);
    LI_ASSERT(mark.atoms <= search->atoms.count && mark.forks <= search->forks.count);
    LI_ASSERT(mark.needed <= search->needed.count && mark.replaced <= search->replaced.count);
    while (search->replaced.count > mark.replaced) {
        const li_needed *before = &search->replaced.at[--search->replaced.count];
        search->needed.at[before->key].node = before->node;
    }
    search->claims.count = mark.claims;
    search->expanded = mark.expanded;
    search->atoms.count = mark.atoms;
    search->forks.count = mark.forks;
    while (search->needed.count > mark.needed) search->places.at[search->needed.at[--search->needed.count].key] = 0;
}

void li_tableau_keep(li_tableau *search, void *shape, uint32_t id)
{
    // Numbers ascend: a higher number is a new shape.
    for (uint32_t i = 0; i < search->found.count && id < search->next_id; i++)
        if (search->found.at[i] == shape) return;
    if (id >= search->next_id) search->next_id = id + 1;
    LI_ARENA_PUSH(search->grammar, &search->found, shape);
}

// Each level of nesting has its own search, since the value of a property needs another search.
li_tableau *li_tableau_enter(li_grammar *grammar, li_node node, uint32_t sort, bool is_trial)
{
    LI_ASSERT(node < grammar->nodes->all.count);
    LI_ASSERT(sort == LI_SORT_NUMBER || sort == LI_SORT_ARRAY || sort == LI_SORT_OBJECT);
    li_nodes *nodes = grammar->nodes;
    if (nodes->search_depth == LI_TABLEAU_DEPTH) return NULL;
    li_tableau **search = &nodes->searches[nodes->search_depth];
    if (!*search) *search = li_grammar_alloc(grammar, sizeof **search);
    if (!*search) return NULL;
    nodes->search_depth++;
    (*search)->grammar = grammar;
    (*search)->node = node;
    (*search)->sort = sort;
    (*search)->is_trial = is_trial;
    li_tableau_restore(*search, (li_tableau_mark){0});
    return *search;
}

void li_tableau_leave(li_grammar *grammar)
{
    LI_ASSERT(grammar->nodes->search_depth);
    grammar->nodes->search_depth--;
}

// The keyword to name in a refusal; the first keyword of the node if none stands out.
li_blame li_tableau_blame(const li_tableau *search)
{
    const li_node_entry *entry = &search->grammar->nodes->all.at[search->node];
    li_blame blame = search->blame;
    for (uint32_t i = 0; i < entry->claim_count && !blame.clause; i++) {
        const li_schema *schema = &search->grammar->schemas->all.at[li_claim_schema(entry->claims[i])];
        blame.schema = li_claim_schema(entry->claims[i]);
        for (uint32_t j = 0; j < schema->clause_count && !blame.clause; j++)
            if (schema->clauses[j].keyword) blame.clause = &schema->clauses[j];
    }
    return blame;
}
