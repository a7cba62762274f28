// The texts of schemas, the claims of a schema about a key, and refusals.
#include "grammar/schema/schema_table.h"

#include <string.h>

#include "grammar/core/arena.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"

static uint32_t hash_bytes(const uint8_t *bytes, uint32_t length)
{
    uint32_t hash = 2166136261u ^ length;
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void insert_text(li_schemas *schemas, uint32_t text)
{
    uint32_t mask = schemas->text_slot_count - 1;
    uint32_t slot = hash_bytes(schemas->texts.at[text].bytes, schemas->texts.at[text].length) & mask;
    while (schemas->text_slots[slot]) slot = (slot + 1) & mask;
    schemas->text_slots[slot] = text + 1;
}

uint32_t li_text_intern(li_grammar *grammar, const uint8_t *bytes, uint32_t length)
{
    li_schemas *schemas = grammar->schemas;
    if ((schemas->texts.count + 1) * 2 > schemas->text_slot_count) {
        uint32_t larger = schemas->text_slot_count ? schemas->text_slot_count * 2 : 64;
        uint32_t *slots = li_grammar_alloc(grammar, (size_t)larger * sizeof *slots);
        if (!slots) return 0;
        schemas->text_slots = slots;
        schemas->text_slot_count = larger;
        for (uint32_t text = 0; text < schemas->texts.count; text++) insert_text(schemas, text);
    }
    uint32_t mask = schemas->text_slot_count - 1, slot = hash_bytes(bytes, length) & mask;
    for (; schemas->text_slots[slot]; slot = (slot + 1) & mask) {
        const li_text *text = &schemas->texts.at[schemas->text_slots[slot] - 1];
        if (text->length == length && (length == 0 || memcmp(text->bytes, bytes, length) == 0))
            return schemas->text_slots[slot] - 1;
    }
    uint8_t *copy = li_grammar_alloc(grammar, length ? length : 1);
    if (!copy || !li_grammar_spend(grammar)) return 0;
    if (!LI_ARENA_PUSH(grammar, &schemas->text_marks, 0) ||
        !LI_ARENA_PUSH(grammar, &schemas->texts, (li_text){.bytes = copy, .length = length}))
        return 0;
    if (length) memcpy(copy, bytes, length);
    schemas->text_slots[slot] = schemas->texts.count;
    return schemas->texts.count - 1;
}

bool li_text_matches(li_grammar *grammar, li_term term, uint32_t text)
{
    if (!li_grammar_spend(grammar)) return false;
    const li_text *bytes = &grammar->schemas->texts.at[text];
    return li_term_is_nullable(grammar, li_derive_bytes(grammar, term, bytes->bytes, bytes->length));
}

uint32_t li_clause_find(const li_clause *clause, uint32_t text)
{
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
    uint32_t origin = grammar->schemas->all.at[schema].origin;
    li_refusal refusal = {.schema = origin, .keyword = keyword, .reason = reason};
    bool is_known = false;
    for (uint32_t i = 0; i < grammar->refusals.count && !is_known; i++)
        is_known = memcmp(&grammar->refusals.at[i], &refusal, sizeof refusal) == 0;
    if (!is_known && grammar->status == LI_OK) LI_ARENA_PUSH(grammar, &grammar->refusals, refusal);
    if (!grammar->lenient) li_grammar_fail(grammar, LI_ERROR_GRAMMAR_UNSUPPORTED);
}
