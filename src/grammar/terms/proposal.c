// Proposals, found from the structure of terms.
#include "grammar/terms/proposal.h"

#include "grammar/terms/constructors.h"
#include "grammar/terms/kinds.h"
#include "grammar/terms/scratch.h"

void li_push_alternatives(li_grammar *grammar, li_term term)
{
    if (!li_depth_enter(grammar)) return;
    bool has_context = !(li_term_flags(grammar, term) & LI_FLAG_REGULAR);
    li_kind kind = li_term_kind(grammar, term);
    if (kind == LI_KIND_CHOICE && has_context) {
        for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
            li_push_alternatives(grammar, li_term_words(grammar, term)[i]);
    } else if (kind == LI_KIND_SEQUENCE && has_context) {
        li_term tail = li_term_payload(grammar, term)->sequence.tail;
        uint32_t mark = li_scratch_mark(grammar);
        li_push_alternatives(grammar, li_term_payload(grammar, term)->sequence.head);
        for (uint32_t i = mark; i < grammar->scratch.count; i++) {
            li_term part = li_sequence(grammar, grammar->scratch.at[i], tail);
            grammar->scratch.at[i] = part;
        }
    } else {
        li_scratch_push(grammar, term);
    }
    li_depth_leave(grammar);
}

li_term li_choice_propose(li_grammar *grammar, li_term term)
{
    uint32_t mark = li_scratch_mark(grammar);
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
        if (!li_scratch_push(grammar, li_proposed(grammar, li_term_words(grammar, term)[i]))) return LI_TERM_NOTHING;
    return li_scratch_choose(grammar, mark);
}

li_term li_sequence_propose(li_grammar *grammar, li_term term)
{
    const li_payload *of = li_term_payload(grammar, term);
    li_term head = of->sequence.head, tail = of->sequence.tail;
    return li_sequence(grammar, li_proposed(grammar, head), tail);
}

li_term li_proposed(li_grammar *grammar, li_term term)
{
    uint32_t flags = li_term_flags(grammar, term);
    if (flags & LI_FLAG_OVERRUN) return LI_TERM_NOTHING;
    li_term (*propose)(li_grammar *, li_term) = li_kinds[li_term_kind(grammar, term)].propose;
    if (!(flags & LI_FLAG_PARTLY_OVERRUN) || !propose) return term;
    if (!li_depth_enter(grammar)) return LI_TERM_NOTHING;
    term = propose(grammar, term);
    li_depth_leave(grammar);
    return term;
}
