// Alternatives that a property tells apart: each alternative requires the property, with strings that no other
// alternative accepts. Most lists of alternatives have such a property. A comparison of all pairs takes quadratic time.
#include "grammar/tableau/discriminator.h"

#include "grammar/nodes/node_texts.h"
#include "grammar/schema/string_set.h"
#include "grammar/tableau/tableau_atoms.h"
#include "grammar/tableau/tableau_expand.h"

enum { NOT_ASKED, APART, NOT_SEEN_APART, CANDIDATES = 8 };

// Expands one alternative without splitting a fork. False: no object satisfies the alternative.
static bool begin(li_tableau *search, uint32_t schema)
{
    li_tableau_restore(search, (li_tableau_mark){0});
    return li_tableau_claim(search, li_claim_of(schema, false), false, (li_blame){0}) && li_tableau_close(search);
}

static const li_string_set *listed(li_tableau *search, uint32_t key)
{
    li_grammar *grammar = search->grammar;
    if (!li_tableau_needs(search, key)) return NULL;
    li_node node = search->needed.at[search->places.at[key] - 1].node;
    if (grammar->nodes->all.at[node].sorts != LI_SORT_STRING || !li_node_make_texts(grammar, node)) return NULL;
    const li_string_set *set = grammar->nodes->all.at[node].texts;
    return set->kind == LI_STRINGS_LISTED ? set : NULL;
}

static bool tells_apart(li_tableau *search, const li_clause *clause, uint32_t key)
{
    li_schemas *schemas = search->grammar->schemas;
    uint32_t stamp = ++schemas->stamp;
    for (uint32_t i = 0; i < clause->count; i++) {
        if (!begin(search, clause->items[i])) continue;
        const li_string_set *set = listed(search, key);
        if (!set || !li_grammar_spend(search->grammar)) return false;
        for (uint32_t j = 0; j < set->count; j++) {
            if (schemas->text_stamps.at[set->texts[j]] == stamp) return false;
            schemas->text_stamps.at[set->texts[j]] = stamp;
        }
    }
    return true;
}

bool li_objects_are_apart(li_grammar *grammar, li_clause *clause)
{
    if (clause->apart != NOT_ASKED) return clause->apart == APART;
    li_tableau *search = li_tableau_enter(grammar, LI_NODE_ANY, LI_SORT_OBJECT, true);
    if (!search) return false;
    uint32_t keys[CANDIDATES], count = 0;
    bool are_apart = false;
    for (uint32_t i = 0; i < clause->count && count == 0; i++) {
        if (!begin(search, clause->items[i])) continue;
        for (uint32_t j = 0; j < search->needed.count && count < CANDIDATES; j++)
            if (listed(search, search->needed.at[j].key)) keys[count++] = search->needed.at[j].key;
        if (count == 0) break;
    }
    for (uint32_t i = 0; i < count && !are_apart; i++) are_apart = tells_apart(search, clause, keys[i]);
    li_tableau_leave(grammar);
    if (grammar->status != LI_OK) return false;
    clause->apart = are_apart ? APART : NOT_SEEN_APART;
    return are_apart;
}
