// Raw shapes: when they are made, and what a quick look at them tells.
#include "grammar/tableau/raw_shape.h"

#include "base/assert.h"
#include "grammar/nodes/node_table.h"
#include "grammar/nodes/node_texts.h"
#include "grammar/tableau/tableau_search.h"

bool li_node_make(li_grammar *grammar, li_node node, uint32_t sort)
{
    LI_ASSERT(node < grammar->nodes->all.count);
    LI_ASSERT(sort && (sort & (sort - 1)) == 0 && sort <= LI_SORT_OBJECT);
    li_node_entry *entry = &grammar->nodes->all.at[node];
    if (sort == LI_SORT_STRING) return li_node_make_texts(grammar, node);
    if (entry->known & sort) return true;
    if (entry->busy & sort || !li_grammar_spend(grammar)) return false;
    if (entry->sorts & sort) {
        entry->busy |= (uint8_t)sort;
        bool is_made = li_tableau_shapes(grammar, node, sort);
        entry = &grammar->nodes->all.at[node];
        entry->busy &= (uint8_t)~sort;
        if (!is_made || grammar->status != LI_OK) return false;
    }
    entry->known |= (uint8_t)sort;
    return true;
}

// Whether the node seems to have no value of a sort, ARRAY or OBJECT; `is_thorough`: searches.
static bool seems_empty_of(li_grammar *grammar, li_node node, uint32_t sort, bool is_thorough)
{
    LI_ASSERT(sort == LI_SORT_ARRAY || sort == LI_SORT_OBJECT);
    li_node_entry *entry = &grammar->nodes->all.at[node];
    if (!(entry->sorts & sort) || entry->empty & sort) return true;
    if (entry->known & sort) return (sort == LI_SORT_ARRAY ? entry->array_count : entry->object_count) == 0;
    if (!is_thorough || entry->filled & sort || entry->busy & sort) return false;
    entry->busy |= (uint8_t)sort;
    bool is_possible = li_tableau_any(grammar, node, sort);
    entry = &grammar->nodes->all.at[node];
    entry->busy &= (uint8_t)~sort;
    if (grammar->status != LI_OK) return false;
    li_node_note(entry, sort, is_possible);
    return !is_possible;
}

bool li_node_seems_empty(li_grammar *grammar, li_node node, bool is_thorough)
{
    if (node <= LI_NODE_ANY) return node == LI_NODE_NONE;
    const li_node_entry *entry = &grammar->nodes->all.at[node];
    if (entry->verdict == LI_SATISFIABLE || entry->verdict == LI_UNSATISFIABLE)
        return entry->verdict == LI_UNSATISFIABLE;
    if (entry->plain || grammar->status != LI_OK) return false;
    uint32_t sorts = entry->sorts;
    if (!is_thorough && sorts & (LI_SORT_ARRAY | LI_SORT_OBJECT) &&
        !(seems_empty_of(grammar, node, LI_SORT_ARRAY, false) && seems_empty_of(grammar, node, LI_SORT_OBJECT, false)))
        return false;
    if (sorts & LI_SORT_STRING && !li_node_texts_are_empty(grammar, node)) return false;
    if (sorts & LI_SORT_NUMBER &&
        (!li_node_make(grammar, node, LI_SORT_NUMBER) || grammar->nodes->all.at[node].number_count > 0))
        return false;
    return seems_empty_of(grammar, node, LI_SORT_ARRAY, is_thorough) &&
           seems_empty_of(grammar, node, LI_SORT_OBJECT, is_thorough);
}
