#include "grammar/distinct/forget.h"

#include "base/assert.h"
#include "grammar/distinct/unique_items.h"
#include "grammar/json/canonical.h"
#include "grammar/json/recorded_text.h"
#include "grammar/json/value_prefix.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/scratch.h"
#include "grammar/terms/term.h"

// Stops are special tokens that do not occur in vocabularies.
static li_term stop(li_grammar *grammar, enum li_stop which)
{
    uint32_t id = UINT32_MAX - which;
    return li_term_intern(grammar, LI_KIND_SPECIAL, 0, &id, 1);
}

static li_term forget_choice(li_grammar *grammar, li_term term, bool is_front)
{
    uint32_t start = li_scratch_mark(grammar);
    bool is_same = true;
    for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++) {
        li_term part = li_term_words(grammar, term)[i], forgot = li_forget_recorded(grammar, part, is_front);
        is_same &= forgot == part;
        if (!li_scratch_push(grammar, forgot)) return LI_TERM_NOTHING;
    }
    if (!is_same) term = li_choice(grammar, grammar->scratch.at + start, grammar->scratch.count - start);
    li_scratch_drop(grammar, start);
    return term;
}

static li_term forget_recorded(li_grammar *grammar, li_term term, li_term rest, bool is_front)
{
    li_term after = LI_TERM_NOTHING;
    if (li_term_kind(grammar, term) == LI_KIND_RECORDED) {
        bool differs = li_term_payload(grammar, term)->recorded.avoided != LI_TERM_NOTHING;
        if ((differs && !is_front) || li_recorded_lacks(grammar, term)) return stop(grammar, LI_STOP_BEGIN);
        after = li_recorded_after(grammar, term);
    }
    if (after == LI_TERM_NOTHING) after = stop(grammar, LI_STOP_END);
    return li_sequence(grammar, li_forget_recorded(grammar, rest, is_front), after);
}

li_term li_forget_recorded(li_grammar *grammar, li_term term, bool is_front)
{
    LI_ASSERT(grammar->records);
    li_kind kind = li_term_kind(grammar, term);
    if (li_term_flags(grammar, term) & LI_FLAG_REGULAR || !li_depth_enter(grammar)) return term;
    li_term rest = li_recorded_rest(grammar, term);
    if (kind == LI_KIND_CHOICE) {
        term = forget_choice(grammar, term, is_front);
    } else if (kind == LI_KIND_SEQUENCE) {
        li_term head = li_term_payload(grammar, term)->sequence.head,
                forgot = li_forget_recorded(grammar, head, is_front);
        if (forgot != head) term = li_sequence(grammar, forgot, li_term_payload(grammar, term)->sequence.tail);
    } else if (rest != LI_TERM_NOTHING) {
        term = forget_recorded(grammar, term, rest, is_front);
    }
    li_depth_leave(grammar);
    return term;
}

static uint32_t stops_of(const li_grammar *grammar, li_term term, uint32_t depth)
{
    enum { DEPTH = 100 };
    uint32_t stops = 0;
    for (; depth < DEPTH && !(li_term_flags(grammar, term) & LI_FLAG_REGULAR); depth++) {
        const li_payload *of = li_term_payload(grammar, term);
        li_kind kind = li_term_kind(grammar, term);
        if (kind == LI_KIND_SPECIAL)
            return stops | (of->special >= UINT32_MAX - LI_STOP_BEGIN ? UINT32_MAX - of->special : 0);
        if (kind == LI_KIND_CHOICE)
            for (uint32_t i = 0; i < li_term_length(grammar, term); i++)
                stops |= stops_of(grammar, li_term_words(grammar, term)[i], depth + 1);
        if (kind != LI_KIND_SEQUENCE) return stops;
        if (!li_term_is_nullable(grammar, of->sequence.head)) {
            term = of->sequence.head;
            continue;
        }
        stops |= stops_of(grammar, of->sequence.head, depth + 1);
        term = of->sequence.tail;
    }
    return stops;
}

uint32_t li_stops_at_front(const li_grammar *grammar, li_term term)
{
    return stops_of(grammar, term, 0);
}

static bool add_next(li_grammar *grammar, li_term text, li_term avoided, uint32_t set[8])
{
    li_text_view view = li_recorded_view(grammar, text);
    bool is_any = false;
    for (uint32_t i = 0, count = li_value_set_count(grammar, avoided); i < count && li_grammar_spend(grammar); i++)
        is_any |= li_value_has_prefix(grammar, li_value_set_at(grammar, avoided, i), &view, set);
    return is_any;
}

bool li_differs_from(li_grammar *grammar, li_term term, uint32_t set[8])
{
    li_kind kind = li_term_kind(grammar, term);
    bool is_any = false;
    if (li_term_flags(grammar, term) & LI_FLAG_REGULAR || !li_depth_enter(grammar)) return false;
    li_term rest = li_recorded_rest(grammar, term);
    if (kind == LI_KIND_CHOICE) {
        for (uint32_t i = 0, count = li_term_length(grammar, term); i < count; i++)
            is_any |= li_differs_from(grammar, li_term_words(grammar, term)[i], set);
    } else if (kind == LI_KIND_SEQUENCE) {
        is_any = li_differs_from(grammar, li_term_payload(grammar, term)->sequence.head, set);
    } else if (rest != LI_TERM_NOTHING) {
        const li_payload *of = li_term_payload(grammar, term);
        if (kind == LI_KIND_RECORDED && of->recorded.avoided != LI_TERM_NOTHING)
            is_any = add_next(grammar, of->recorded.text, of->recorded.avoided, set);
        is_any |= li_differs_from(grammar, rest, set);
    }
    li_depth_leave(grammar);
    return is_any;
}
