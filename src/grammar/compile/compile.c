// Compiles a form. Also the public functions of grammars. Without a header: lastinch.h declares the functions.
#include <string.h>

#include "base/memory.h"
#include "grammar/compile/expression.h"
#include "grammar/compile/rules.h"
#include "grammar/compile/schema_reader.h"
#include "grammar/core/arena.h"
#include "grammar/json/json_layout.h"
#include "grammar/json/recorded_text.h"
#include "grammar/nodes/node.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/term.h"

#define DEFAULT_FUEL 20000000u // some seconds

uint32_t li_grammar_limit(const li_grammar *grammar)
{
    return grammar->limit;
}

uint32_t li_grammar_spent(const li_grammar *grammar)
{
    return (uint32_t)(grammar->given - grammar->fuel);
}

// Reads the mark and the whitespace around it, or whitespace alone (mark 0). Masks of numbers rely on the fact that no
// other byte follows a number.
static li_term read_spaced(li_reader *reader, uint8_t mark)
{
    uint32_t length, marks = 0;
    const uint8_t *text = li_read_text(reader, &length);
    for (uint32_t i = 0; i < length; i++) {
        bool is_space = text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
        if (mark && text[i] == mark)
            marks++;
        else if (!is_space)
            li_read_fail(reader);
    }
    if (marks != (mark ? 1 : 0)) li_read_fail(reader);
    return li_literal(reader->grammar, text, length);
}

static void read_spelling(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    li_spelling *spelling = &grammar->spelling;
    uint32_t flags = li_read_number(reader), most_space = li_read_number(reader);
    grammar->lenient = flags & LI_FORM_LENIENT;
    spelling->any_order = flags & LI_FORM_ANY_ORDER;
    spelling->indents = flags & LI_FORM_INDENTS;
    spelling->is_flexible = flags & LI_FORM_FLEXIBLE;
    spelling->canonical_numbers = flags & LI_FORM_CANONICAL_NUMBERS;
    spelling->plain_integers = flags & LI_FORM_PLAIN_INTEGERS;
    spelling->unique_keys = flags & LI_FORM_UNIQUE_KEYS;
    spelling->indent = read_spaced(reader, 0);
    spelling->item_separator = read_spaced(reader, ',');
    spelling->key_separator = read_spaced(reader, ':');
    spelling->space = spelling->is_flexible ? li_space(grammar, most_space) : LI_TERM_EMPTY;
}

static void read_form(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    static const uint8_t magic[4] = {'L', 'I', 'G', 1};
    if (reader->end - reader->at < 4 || memcmp(reader->at, magic, 4) != 0) {
        li_read_fail(reader);
        return;
    }
    reader->at += 4;
    read_spelling(reader);
    li_schemas_read(reader);
    li_rules_read(reader);
    bool is_json = reader->at < reader->end && *reader->at == LI_FORM_JSON;
    grammar->root = li_read_expression(reader);
    if (reader->at != reader->end) li_read_fail(reader);
    // Whitespace around a document is read but never proposed.
    if (is_json && grammar->spelling.is_flexible) {
        li_term space = li_space(grammar, 0);
        grammar->root = li_sequence(grammar, space, li_sequence(grammar, grammar->root, space));
    }
}

li_grammar *li_grammar_compile(const uint8_t *form, uint32_t length, uint32_t fuel)
{
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    if (!grammar) return NULL;
    grammar->fuel = grammar->given = fuel ? fuel : DEFAULT_FUEL;
    // A matcher reads a rule from the form when the rule is reached, so the form must stay.
    uint8_t *copy = li_grammar_alloc(grammar, length);
    if (!copy || !li_terms_create(grammar)) {
        li_grammar_destroy(grammar);
        return NULL;
    }
    if (length) memcpy(copy, form, length);
    grammar->form = copy;
    grammar->form_length = length;
    grammar->form_fuel = fuel;
    li_reader reader = {.grammar = grammar, .at = copy, .end = copy + length};
    read_form(&reader);
    if (grammar->status != LI_OK) grammar->root = LI_TERM_NOTHING;
    return grammar;
}

void li_grammar_destroy(li_grammar *grammar)
{
    if (!grammar) return;
    li_terms_destroy(grammar);
    li_schemas_destroy(grammar);
    li_nodes_destroy(grammar);
    li_recordings_destroy(grammar);
    li_arena_destroy(grammar);
    li_memory_free(grammar);
}

li_status li_grammar_status(const li_grammar *grammar)
{
    return grammar->status;
}

bool li_grammar_is_empty(const li_grammar *grammar)
{
    return grammar->root == LI_TERM_NOTHING;
}

uint32_t li_grammar_refusal_count(const li_grammar *grammar)
{
    return grammar->refusals.count;
}

const li_refusal *li_grammar_refusals(const li_grammar *grammar)
{
    return grammar->refusals.at;
}
