// The rules of a context-free grammar: numbered expressions that may name each other.
#ifndef LI_RULES_H
#define LI_RULES_H

#include "grammar/core/form_reader.h"
#include "grammar/core/grammar.h"

// Reads `count` expressions, and finds the rules that can be empty and the rules without any text (least fixed points).
// The term of an expression is made when a matcher first reaches its rule.
void li_rules_read(li_reader *reader);
// The term of a rule; NOTHING when no text satisfies it.
li_term li_rule_term(li_grammar *grammar, uint32_t index);
// Behaviour of LI_KIND_RULE.
li_term li_rule_expand(li_grammar *grammar, li_term term);

#endif
