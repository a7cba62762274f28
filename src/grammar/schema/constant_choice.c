// Choices between constants: anyOf of constants is an enum, and oneOf is an enum of the constants that occur once. An
// enum is one set; a thousand alternatives would each be compared with all others.
#include "grammar/schema/constant_choice.h"

#include "grammar/core/arena.h"
#include "grammar/schema/constant.h"
#include "grammar/schema/schema_table.h"

// Alternatives are numbered in ascending order through all choices. For each constant, `last` is the last alternative
// with the constant, and `again` the last that repeats the constant within its choice.
typedef struct joiner {
    li_schemas *schemas;
    uint32_t *last, *again;
    uint32_t alternative;
} joiner;

static const li_clause *only_enum(const li_schemas *schemas, uint32_t schema)
{
    const li_schema *of = &schemas->all.at[schema];
    return of->clause_count == 1 && of->clauses[0].keyword == LI_KEYWORD_ENUM ? of->clauses : NULL;
}

// The number of constants in all alternatives; 0: an alternative is more than an enum.
static uint32_t count_constants(const li_schemas *schemas, const li_clause *choice)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->count; i++) {
        const li_clause *constants = only_enum(schemas, choice->items[i]);
        if (!constants) return 0;
        count += constants->count;
    }
    return count;
}

static void join(li_grammar *grammar, joiner *joiner, li_clause *choice)
{
    uint32_t room = count_constants(joiner->schemas, choice), count = 0, kept = 0, first = joiner->alternative + 1;
    uint32_t *items = room ? li_grammar_alloc(grammar, room * sizeof *items) : NULL;
    if (!items) return;
    for (uint32_t i = 0; i < choice->count; i++) {
        const li_clause *constants = only_enum(joiner->schemas, choice->items[i]);
        uint32_t alternative = ++joiner->alternative;
        for (uint32_t j = 0; j < constants->count; j++) {
            uint32_t constant = constants->items[j], former = joiner->last[constant];
            joiner->last[constant] = alternative;
            if (former < first)
                items[count++] = constant;
            else if (former != alternative)
                joiner->again[constant] = alternative;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (choice->keyword == LI_KEYWORD_ANY_OF || joiner->again[items[i]] < first) items[kept++] = items[i];
    uint32_t keyword = kept ? LI_KEYWORD_ENUM : LI_KEYWORD_FALSE;
    *choice = (li_clause){.keyword = keyword, .written = (uint8_t)choice->keyword, .count = kept, .items = items};
    li_enum_arrange(grammar, choice);
}

void li_constant_choices_join(li_grammar *grammar)
{
    li_schemas *schemas = grammar->schemas;
    joiner joiner = {.schemas = schemas};
    joiner.last = li_grammar_alloc(grammar, (schemas->constants.count + 1) * sizeof *joiner.last);
    joiner.again = li_grammar_alloc(grammar, (schemas->constants.count + 1) * sizeof *joiner.again);
    if (!joiner.last || !joiner.again) return;
    for (uint32_t i = 0; i < schemas->all.count && grammar->status == LI_OK; i++)
        for (uint32_t j = 0; j < schemas->all.at[i].clause_count; j++) {
            li_clause *clause = &schemas->all.at[i].clauses[j];
            if (clause->keyword == LI_KEYWORD_ANY_OF || clause->keyword == LI_KEYWORD_ONE_OF)
                join(grammar, &joiner, clause);
        }
}
