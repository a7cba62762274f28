#include "grammar/compile/rules.h"

#include "base/assert.h"
#include "grammar/compile/expression.h"
#include "grammar/core/arena.h"
#include "grammar/terms/term.h"

typedef struct li_grammar_rule {
    const uint8_t *begin, *end; // of its expression in the form
    bool is_nullable, is_productive;
} li_grammar_rule;

struct li_rules {
    li_grammar_rule *rules;
    uint32_t count;
};

// Whether an expression may be empty and has a text, from what is known of its rules.
typedef struct traits {
    bool is_nullable, is_productive;
} traits;

static traits survey(li_reader *reader);

// An expression without rules: its term decides.
static traits survey_regular(li_reader *reader)
{
    li_term term = li_read_expression(reader);
    return (traits){li_term_is_nullable(reader->grammar, term), term != LI_TERM_NOTHING};
}

static traits survey_parts(li_reader *reader, bool is_choice)
{
    traits all = {!is_choice, !is_choice};
    for (uint32_t count = li_read_count(reader); count--;) {
        traits part = survey(reader);
        all.is_nullable = is_choice ? all.is_nullable || part.is_nullable : all.is_nullable && part.is_nullable;
        all.is_productive =
            is_choice ? all.is_productive || part.is_productive : all.is_productive && part.is_productive;
    }
    return all;
}

static traits survey_rule(li_reader *reader)
{
    const li_rules *rules = reader->grammar->rules;
    uint32_t index = li_read_number(reader);
    if (index < rules->count) return (traits){rules->rules[index].is_nullable, rules->rules[index].is_productive};
    li_read_fail(reader);
    return (traits){false, false};
}

static traits survey(li_reader *reader)
{
    const uint8_t *begin = reader->at;
    if (!li_grammar_spend(reader->grammar) || ++reader->depth > LI_FORM_DEPTH) {
        li_read_fail(reader);
        return (traits){false, false};
    }
    traits result;
    switch (li_read_number(reader)) {
    case LI_FORM_SEQUENCE:
        result = survey_parts(reader, false);
        break;
    case LI_FORM_CHOICE:
        result = survey_parts(reader, true);
        break;
    case LI_FORM_RULE:
        result = survey_rule(reader);
        break;
    case LI_FORM_REPEAT: {
        uint32_t least = li_read_number(reader);
        uint32_t most = li_read_number(reader);
        result = survey(reader);
        if (least == 0 || most == 1) result = (traits){true, true};
        if (most && most - 1 < least) result = (traits){false, false};
        break;
    }
    default:
        reader->at = begin;
        result = survey_regular(reader);
        break;
    }
    reader->depth--;
    return result;
}

void li_rules_read(li_reader *reader)
{
    li_grammar *grammar = reader->grammar;
    uint32_t count = li_read_count(reader);
    li_rules *rules = grammar->rules = li_grammar_alloc(grammar, sizeof *rules);
    if (!rules) return;
    rules->rules = li_grammar_alloc(grammar, (size_t)count * sizeof *rules->rules);
    if (!rules->rules) return;
    rules->count = count;
    const uint8_t *begin = reader->at;
    for (bool changed = true; changed && grammar->status == LI_OK;) {
        changed = false;
        reader->at = begin;
        for (uint32_t i = 0; i < count && grammar->status == LI_OK; i++) {
            li_grammar_rule *rule = &rules->rules[i];
            rule->begin = reader->at;
            traits found = survey(reader);
            rule->end = reader->at;
            changed |= found.is_nullable != rule->is_nullable || found.is_productive != rule->is_productive;
            rule->is_nullable = found.is_nullable;
            rule->is_productive = found.is_productive;
        }
    }
}

li_term li_rule_term(li_grammar *grammar, uint32_t index)
{
    const li_rules *rules = grammar->rules;
    if (!rules || index >= rules->count) {
        li_grammar_fail(grammar, LI_ERROR_GRAMMAR_FORM);
        return LI_TERM_NOTHING;
    }
    if (!rules->rules[index].is_productive) return LI_TERM_NOTHING;
    uint32_t flags = rules->rules[index].is_nullable ? LI_FLAG_NULLABLE : 0;
    return li_term_intern(grammar, LI_KIND_RULE, flags, &index, 1);
}

li_term li_rule_expand(li_grammar *grammar, li_term term)
{
    LI_ASSERT(li_term_kind(grammar, term) == LI_KIND_RULE);
    const li_grammar_rule *rule = &grammar->rules->rules[li_term_payload(grammar, term)->rule];
    li_reader reader = {.grammar = grammar, .at = rule->begin, .end = rule->end};
    return li_read_expression(&reader);
}
