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
    return li_term_kind(grammar, term) == LI_KIND_REPEAT && is_character(grammar, li_term_words(grammar, term)[0]);
}

static void bound(li_front *front, const li_grammar *grammar, li_term run)
{
    const uint32_t *words = li_term_words(grammar, run);
    if (words[1] > front->least) front->least = words[1];
    if (words[2] < front->most) front->most = words[2];
}

// Whether the term only excludes texts from some length on; if so, narrows the bounds.
static bool bound_length(li_front *front, li_grammar *grammar, li_term term, li_term any)
{
    const uint32_t *words = li_term_words(grammar, term);
    if (li_term_kind(grammar, term) != LI_KIND_NOT || li_term_kind(grammar, words[0]) != LI_KIND_SEQUENCE) return false;
    words = li_term_words(grammar, words[0]);
    li_term run = words[0], rest = words[1];
    words = li_term_words(grammar, run);
    if (li_term_kind(grammar, run) != LI_KIND_REPEAT || words[0] != any || words[1] != words[2]) return false;
    if (rest != li_any_text(grammar) && rest != li_not(grammar, LI_TERM_NOTHING)) return false;
    words = li_term_words(grammar, run); // the words may have moved
    if (words[1] <= front->most) front->most = words[1] - 1;
    return true;
}

// Separates the bounds of a whole string from its other conditions. False: they cannot be separated.
static bool take_bounds(li_grammar *grammar, li_term inner, li_front *front, li_term *unbounded)
{
    li_term any_text = li_any_text(grammar), any = li_term_words(grammar, any_text)[0], rest = LI_TERM_NOTHING;
    bool is_both = li_term_kind(grammar, inner) == LI_KIND_BOTH;
    for (uint32_t i = 0, count = is_both ? li_term_length(grammar, inner) : 1; i < count; i++) {
        li_term part = is_both ? li_term_words(grammar, inner)[i] : inner;
        if (is_run(grammar, part) && li_term_words(grammar, part)[0] == any)
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
        *unbounded = li_repeat(grammar, li_term_words(grammar, rest)[0], 0, LI_NO_LIMIT);
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
    const uint32_t *words = li_term_words(grammar, head);
    li_term inner = words[0], unbounded;
    front.is_whole = words[1] == 0 && li_term_flags(grammar, inner) & LI_FLAG_TEXT;
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
