// What a grammar says of itself.
#include "grammar/core/grammar.h"

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
    return grammar->refusal_count;
}

const li_refusal *li_grammar_refusals(const li_grammar *grammar)
{
    return grammar->refusals;
}
