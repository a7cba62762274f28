// Removes bounds and counts from the term at the front.
#include "grammar/mask/front_key.h"

#include "grammar/json/json_string.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/term.h"

enum { MANY_CHARACTERS = 16 };

static bool is_character(const li_grammar *grammar, li_term term)
{
    const uint32_t *words = li_term_words(grammar, term);
    if (li_term_kind(grammar, term) == LI_KIND_CLASS) return true;
    return li_term_kind(grammar, term) == LI_KIND_BYTES && !(words[4] | words[5] | words[6] | words[7]);
}

static bool is_run(const li_grammar *grammar, li_term term)
{
    return li_term_kind(grammar, term) == LI_KIND_REPEAT &&
           is_character(grammar, li_term_payload(grammar, term)->repeat.body);
}

static void bound(li_front *front, const li_grammar *grammar, li_term run)
{
    const li_payload *of = li_term_payload(grammar, run);
    if (of->repeat.least > front->least) front->least = of->repeat.least;
    if (of->repeat.most < front->most) front->most = of->repeat.most;
}

// Whether the term only excludes texts from some length on; if so, narrows the bounds.
static bool bound_length(li_front *front, li_grammar *grammar, li_term term, li_term any)
{
    if (li_term_kind(grammar, term) != LI_KIND_NOT) return false;
    li_term excluded = li_term_payload(grammar, term)->complement;
    if (li_term_kind(grammar, excluded) != LI_KIND_SEQUENCE) return false;
    li_term run = li_term_payload(grammar, excluded)->sequence.head;
    li_term rest = li_term_payload(grammar, excluded)->sequence.tail;
    const li_payload *of = li_term_payload(grammar, run);
    uint32_t least = of->repeat.least;
    if (li_term_kind(grammar, run) != LI_KIND_REPEAT || of->repeat.body != any || least != of->repeat.most)
        return false;
    if (rest != li_any_text(grammar) && rest != li_not(grammar, LI_TERM_NOTHING)) return false;
    if (least <= front->most) front->most = least - 1;
    return true;
}

// Separates the bounds of a whole string from its other conditions. False: they cannot be separated.
static bool take_bounds(li_grammar *grammar, li_term inner, li_front *front, li_term *unbounded)
{
    li_term any_text = li_any_text(grammar), any = li_term_payload(grammar, any_text)->repeat.body,
            rest = LI_TERM_NOTHING;
    bool is_both = li_term_kind(grammar, inner) == LI_KIND_BOTH;
    for (uint32_t i = 0, count = is_both ? li_term_length(grammar, inner) : 1; i < count; i++) {
        li_term part = is_both ? li_term_words(grammar, inner)[i] : inner;
        if (is_run(grammar, part) && li_term_payload(grammar, part)->repeat.body == any)
            bound(front, grammar, part);
        else if (is_both && bound_length(front, grammar, part, any))
            continue;
        else if (rest == LI_TERM_NOTHING)
            rest = part;
        else
            return false;
    }
    if (rest != LI_TERM_NOTHING && !(li_term_flags(grammar, rest) & LI_FLAG_TEXT)) return false;
    *unbounded = rest == LI_TERM_NOTHING ? any_text : rest;
    if (rest != LI_TERM_NOTHING && is_run(grammar, rest)) {
        bound(front, grammar, rest);
        *unbounded = li_repeat(grammar, li_term_payload(grammar, rest)->repeat.body, 0, LI_NO_LIMIT);
        return true;
    }
    if (rest == LI_TERM_NOTHING || (front->least == 0 && front->most == LI_NO_LIMIT)) return true;
    li_extent extent;
    if (!li_extent_of(grammar, rest, &extent)) return false;
    front->reach = extent.reach;
    if (front->least && extent.after > front->reach) front->reach = extent.after;
    // Otherwise most tokens would need a check of their own.
    return front->reach <= front->most / 4 || front->reach + MANY_CHARACTERS <= front->most;
}

li_front li_front_of(li_grammar *grammar, li_term head)
{
    li_front front = {.most = LI_NO_LIMIT, .lowest_count = LI_NO_LIMIT};
    front.term = front.counted = front.bounded = head;
    front.is_string = li_term_kind(grammar, head) == LI_KIND_QUOTED;
    if (!front.is_string) {
        if (li_term_flags(grammar, head) & LI_FLAG_REGULAR)
            front.term = li_without_counts(grammar, head, &front.lowest_count);
        return front;
    }
    const li_payload *of = li_term_payload(grammar, head);
    li_term inner = of->quoted.text, unbounded;
    front.is_whole = of->quoted.escape == 0 && li_term_flags(grammar, inner) & LI_FLAG_TEXT;
    if (!front.is_whole) return front;
    if (!take_bounds(grammar, inner, &front, &unbounded)) {
        front.least = front.reach = 0;
        front.most = LI_NO_LIMIT;
        unbounded = inner;
    }
    front.counted = li_quoted(grammar, unbounded);
    front.term = li_quoted(grammar, li_without_counts(grammar, unbounded, &front.lowest_count));
    return front;
}
