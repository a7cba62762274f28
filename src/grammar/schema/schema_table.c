// The texts of schemas, the claims of a schema about a key, and refusals.
#include "grammar/schema/schema_table.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

uint32_t li_text_intern(li_grammar *grammar, const uint8_t *bytes, uint32_t length)
{
    li_schemas *schemas = grammar->schemas;
    uint32_t hash = length, probe = 0, number = schemas->texts.count;
    for (uint32_t i = 0; i < length; i++) hash = li_mix(hash, bytes[i]);
    for (uint32_t known; (known = li_table_next(&schemas->by_text, hash, &probe)) != LI_TABLE_NONE;) {
        const li_text *text = &schemas->texts.at[known];
        if (text->length == length && (length == 0 || memcmp(text->bytes, bytes, length) == 0)) return known;
    }
    uint8_t *copy = li_grammar_alloc(grammar, length ? length : 1);
    if (!copy || !li_grammar_spend(grammar) || !li_table_add(grammar, &schemas->by_text, hash, number) ||
        !LI_ARENA_PUSH(grammar, &schemas->text_stamps, 0) ||
        !LI_ARENA_PUSH(grammar, &schemas->texts, (li_text){.bytes = copy, .length = length}))
        return 0;
    if (length) memcpy(copy, bytes, length);
    return number;
}

bool li_text_matches(li_grammar *grammar, li_term term, uint32_t text)
{
    LI_ASSERT(text < grammar->schemas->texts.count);
    if (!li_grammar_spend(grammar)) return false;
    const li_text *bytes = &grammar->schemas->texts.at[text];
    return li_term_is_nullable(grammar, li_derive_bytes(grammar, term, bytes->bytes, bytes->length));
}

uint32_t li_clause_find(const li_clause *clause, uint32_t text)
{
    LI_ASSERT(clause->keyword == LI_KEYWORD_PROPERTIES);
    if (!clause->order) {
        for (uint32_t i = 0; i < clause->count; i++)
            if (clause->items[2 * i] == text) return i;
        return UINT32_MAX;
    }
    uint32_t low = 0, high = clause->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (clause->items[2 * clause->order[middle]] < text)
            low = middle + 1;
        else
            high = middle;
    }
    return low < clause->count && clause->items[2 * clause->order[low]] == text ? clause->order[low] : UINT32_MAX;
}

void li_refuse(li_grammar *grammar, uint32_t schema, uint32_t keyword, li_refusal_reason reason)
{
    LI_ASSERT(schema < grammar->schemas->all.count);
    uint32_t origin = grammar->schemas->all.at[schema].origin;
    li_refusal refusal = {.schema = origin, .keyword = keyword, .reason = reason};
    bool is_known = false;
    for (uint32_t i = 0; i < grammar->refusals.count && !is_known; i++)
        is_known = memcmp(&grammar->refusals.at[i], &refusal, sizeof refusal) == 0;
    if (!is_known && grammar->status == LI_OK) LI_ARENA_PUSH(grammar, &grammar->refusals, refusal);
    if (!grammar->lenient) li_grammar_fail(grammar, LI_ERROR_GRAMMAR_UNSUPPORTED);
}

void li_schemas_destroy(li_grammar *grammar)
{
    li_schemas *schemas = grammar->schemas;
    if (!schemas) return;
    li_table_clear(&schemas->by_text);
    li_table_clear(&schemas->by_constant);
    li_table_clear(&schemas->by_join);
}
