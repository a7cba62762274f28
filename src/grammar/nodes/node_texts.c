// The strings of a node: those that all its claims allow.
#include "grammar/nodes/node_texts.h"

#include "base/assert.h"
#include "grammar/nodes/node_table.h"
#include "grammar/schema/schema_strings.h"
#include "grammar/schema/string_set.h"

static li_string_set *texts_of(li_grammar *grammar, li_node node)
{
    li_string_set *set = li_string_set_all(grammar, true);
    for (uint32_t i = 0; i < grammar->nodes->all.at[node].claim_count && set; i++)
        set = li_string_set_both(grammar, set, li_claim_strings(grammar, grammar->nodes->all.at[node].claims[i]));
    return set;
}

bool li_node_make_texts(li_grammar *grammar, li_node node)
{
    LI_ASSERT(node < grammar->nodes->all.count);
    if (grammar->nodes->all.at[node].known & LI_SORT_STRING) return true;
    if (!li_grammar_spend(grammar)) return false;
    if (grammar->nodes->all.at[node].sorts & LI_SORT_STRING) {
        grammar->nodes->all.at[node].texts = texts_of(grammar, node);
        if (grammar->status != LI_OK) return false;
    }
    grammar->nodes->all.at[node].known |= LI_SORT_STRING;
    return true;
}

bool li_node_texts_are_empty(li_grammar *grammar, li_node node)
{
    LI_ASSERT(node < grammar->nodes->all.count);
    li_node_entry *entry = &grammar->nodes->all.at[node];
    if (entry->filled & LI_SORT_STRING) return false;
    if (entry->empty & LI_SORT_STRING) return true;
    if (!li_node_make_texts(grammar, node)) return false;
    bool is_empty = li_string_set_is_empty(grammar, grammar->nodes->all.at[node].texts);
    if (grammar->status != LI_OK) return false;
    li_node_note(&grammar->nodes->all.at[node], LI_SORT_STRING, !is_empty);
    return is_empty;
}
