// The path of a search: what is claimed so far, and the shapes found.
#include "grammar/tableau/tableau.h"

#include "grammar/core/arena.h"

li_tableau_mark li_tableau_save(const li_tableau *search)
{
    return (li_tableau_mark){search->claim_count, search->expanded,     search->atom_count,
                             search->fork_count,  search->needed_count, search->replaced_count};
}

void li_tableau_restore(li_tableau *search, li_tableau_mark mark)
{
    while (search->replaced_count > mark.replaced) {
        const li_needed *before = &search->replaced[--search->replaced_count];
        search->needed[before->key].node = before->node;
    }
    search->claim_count = mark.claims;
    search->expanded = mark.expanded;
    search->atom_count = mark.atoms;
    search->fork_count = mark.forks;
    while (search->needed_count > mark.needed) search->places[search->needed[--search->needed_count].key] = 0;
}

void li_tableau_keep(li_tableau *search, void *shape, uint32_t id)
{
    // Numbers ascend: a higher number is a new shape.
    for (uint32_t i = 0; i < search->found_count && id < search->next_id; i++)
        if (search->found[i] == shape) return;
    if (id >= search->next_id) search->next_id = id + 1;
    if (!li_reserve(search->grammar, (void **)&search->found, &search->found_room, search->found_count + 1,
                    sizeof *search->found))
        return;
    search->found[search->found_count++] = shape;
}

// Each level of nesting has its own search, since the value of a property needs another search.
li_tableau *li_tableau_enter(li_grammar *grammar, li_node node, uint32_t sort, bool is_trial)
{
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
    grammar->nodes->search_depth--;
}

// The keyword to name in a refusal; the first keyword of the node if none stands out.
li_blame li_tableau_blame(const li_tableau *search)
{
    const li_node_entry *entry = &search->grammar->nodes->all[search->node];
    li_blame blame = search->blame;
    for (uint32_t i = 0; i < entry->claim_count && !blame.clause; i++) {
        const li_schema *schema = &search->grammar->schemas->all[li_claim_schema(entry->claims[i])];
        blame.schema = li_claim_schema(entry->claims[i]);
        for (uint32_t j = 0; j < schema->clause_count && !blame.clause; j++)
            if (schema->clauses[j].keyword) blame.clause = &schema->clauses[j];
    }
    return blame;
}
