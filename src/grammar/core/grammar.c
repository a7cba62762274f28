// The status, the fuel and the depth of recursion of a grammar.
#include "grammar/core/grammar.h"

#include "base/assert.h"

void li_grammar_begin(li_grammar *grammar, uint64_t fuel)
{
    grammar->status = LI_OK;
    grammar->limit = LI_LIMIT_FUEL;
    grammar->fuel = grammar->given = fuel;
    grammar->scratch.count = grammar->depth = 0;
}

bool li_grammar_spend(li_grammar *grammar)
{
    if (grammar->status != LI_OK) return false;
    if (grammar->fuel-- > 0) return true;
    grammar->fuel = 0;
    grammar->status = LI_ERROR_GRAMMAR_FUEL;
    return false;
}

bool li_grammar_pay(li_grammar *grammar, uint64_t units)
{
    if (grammar->status != LI_OK) return false;
    if (grammar->fuel >= units) {
        grammar->fuel -= units;
        return true;
    }
    grammar->fuel = 0;
    grammar->status = LI_ERROR_GRAMMAR_FUEL;
    return false;
}

void li_grammar_fail(li_grammar *grammar, li_status status)
{
    LI_ASSERT(status < LI_OK);
    if (grammar->status == LI_OK) grammar->status = status;
}

void li_grammar_exceed(li_grammar *grammar, li_limit limit)
{
    if (grammar->status == LI_OK) grammar->limit = limit;
    li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FUEL);
}
