// Numbers: the range of an alternative, from its atoms.
#include "grammar/tableau/number_shape.h"

#include <string.h>

#include "base/assert.h"
#include "grammar/core/arena.h"
#include "grammar/numbers/number_term.h"
#include "grammar/tableau/tableau.h"

typedef struct li_limits {
    li_number_range range;
    const li_constant *equal; // the only number; NULL: there may be others
    bool is_clash;
} li_limits;

static void at_least(li_limits *limits, li_decimal bound, bool is_excluded)
{
    li_number_range *range = &limits->range;
    int order = range->has_minimum ? li_decimal_compare(&bound, &range->minimum) : 1;
    if (order < 0) return;
    range->excludes_minimum = is_excluded || (order == 0 && range->excludes_minimum);
    range->has_minimum = true;
    range->minimum = bound;
}

static void at_most(li_limits *limits, li_decimal bound, bool is_excluded)
{
    li_number_range *range = &limits->range;
    int order = range->has_maximum ? li_decimal_compare(&bound, &range->maximum) : -1;
    if (order > 0) return;
    range->excludes_maximum = is_excluded || (order == 0 && range->excludes_maximum);
    range->has_maximum = true;
    range->maximum = bound;
}

// The lists of a range; an atom adds to one list.
enum { LIST_MULTIPLES, LIST_NOT_MULTIPLES, LIST_NOT_VALUES, LIST_COUNT };

// Writes the numbers that the atom adds to the list (`into` NULL: only counts them) and returns their count.
static uint32_t listed(const li_tableau *search, const li_atom *atom, uint32_t list, li_decimal *into)
{
    const li_clause *clause = atom->clause;
    if (!clause) return 0;
    if (clause->keyword == LI_KEYWORD_MULTIPLE_OF) {
        if (list != (atom->kind == LI_ATOM_CLAUSE ? LIST_MULTIPLES : LIST_NOT_MULTIPLES)) return 0;
        if (into) *into = clause->decimal;
        return 1;
    }
    if (clause->keyword != LI_KEYWORD_ENUM || list != LIST_NOT_VALUES) return 0;
    const uint32_t *order = clause->order + 2; // numbers are the third sort
    for (uint32_t i = order[0]; into && i < order[1]; i++)
        *into++ = search->grammar->schemas->constants.at[clause->items[i]].decimal;
    return order[1] - order[0];
}

static void take_lists(li_tableau *search, li_number_range *range)
{
    uint32_t counts[LIST_COUNT] = {0}, total = 0;
    for (uint32_t list = 0; list < LIST_COUNT; list++)
        for (uint32_t i = 0; i < search->atoms.count; i++)
            counts[list] += listed(search, &search->atoms.at[i], list, NULL);
    for (uint32_t list = 0; list < LIST_COUNT; list++) total += counts[list];
    if (!LI_ARENA_RESERVE(search->grammar, &search->decimals, total + 1)) return;
    li_decimal *at = search->decimals.at;
    for (uint32_t list = 0; list < LIST_COUNT; list++)
        for (uint32_t i = 0; i < search->atoms.count; i++) at += listed(search, &search->atoms.at[i], list, at);
    range->multiples = search->decimals.at;
    range->not_multiples = range->multiples + counts[LIST_MULTIPLES];
    range->not_values = range->not_multiples + counts[LIST_NOT_MULTIPLES];
    range->multiple_count = counts[LIST_MULTIPLES];
    range->not_multiple_count = counts[LIST_NOT_MULTIPLES];
    range->not_count = counts[LIST_NOT_VALUES];
}

static void take_atom(const li_tableau *search, const li_atom *atom, li_limits *limits)
{
    if (atom->kind == LI_ATOM_INTEGER) {
        *(atom->key ? &limits->range.is_not_integer : &limits->range.is_integer) = true;
        return;
    }
    if (atom->kind == LI_ATOM_EQUAL) {
        const li_constant *constant = &search->grammar->schemas->constants.at[atom->key];
        limits->is_clash |= limits->equal && limits->equal != constant;
        limits->equal = constant;
        return;
    }
    bool is_negated = atom->kind == LI_ATOM_NOT_CLAUSE;
    li_decimal bound = atom->clause->decimal;
    switch (atom->clause->keyword) {
    case LI_KEYWORD_MINIMUM:
        is_negated ? at_most(limits, bound, true) : at_least(limits, bound, false);
        break;
    case LI_KEYWORD_EXCLUSIVE_MINIMUM:
        is_negated ? at_most(limits, bound, false) : at_least(limits, bound, true);
        break;
    case LI_KEYWORD_MAXIMUM:
        is_negated ? at_least(limits, bound, true) : at_most(limits, bound, false);
        break;
    case LI_KEYWORD_EXCLUSIVE_MAXIMUM:
        is_negated ? at_least(limits, bound, false) : at_most(limits, bound, true);
        break;
    default:
        break;
    }
}

static li_limits limits_of(li_tableau *search)
{
    LI_ASSERT(search->sort == LI_SORT_NUMBER);
    li_limits limits = {0};
    for (uint32_t i = 0; i < search->atoms.count; i++) take_atom(search, &search->atoms.at[i], &limits);
    take_lists(search, &limits.range);
    limits.is_clash |= limits.range.is_integer && limits.range.is_not_integer;
    return limits;
}

bool li_numbers_clash(li_tableau *search)
{
    li_limits limits = limits_of(search);
    if (limits.is_clash || search->grammar->status != LI_OK) return true;
    if (limits.equal) return !li_number_contains(search->grammar, &limits.range, &limits.equal->decimal);
    return li_number_is_empty(search->grammar, &limits.range);
}

static bool has_all(const li_decimal *of, uint32_t of_count, const li_decimal *in, uint32_t in_count)
{
    for (uint32_t i = 0; i < of_count; i++) {
        uint32_t j = 0;
        while (j < in_count && li_decimal_compare(&of[i], &in[j]) != 0) j++;
        if (j == in_count) return false;
    }
    return true;
}

// Whether `a` certainly contains every number of `b`.
static bool covers(const li_number_range *a, const li_number_range *b)
{
    if ((a->is_integer && !b->is_integer) || (a->is_not_integer && !b->is_not_integer)) return false;
    if (a->has_minimum) {
        int order = b->has_minimum ? li_decimal_compare(&a->minimum, &b->minimum) : 1;
        if (order > 0 || (order == 0 && a->excludes_minimum && !b->excludes_minimum)) return false;
    }
    if (a->has_maximum) {
        int order = b->has_maximum ? li_decimal_compare(&a->maximum, &b->maximum) : -1;
        if (order < 0 || (order == 0 && a->excludes_maximum && !b->excludes_maximum)) return false;
    }
    return has_all(a->multiples, a->multiple_count, b->multiples, b->multiple_count) &&
           has_all(a->not_multiples, a->not_multiple_count, b->not_multiples, b->not_multiple_count) &&
           has_all(a->not_values, a->not_count, b->not_values, b->not_count);
}

static const li_decimal *copy(li_grammar *grammar, const li_decimal *list, uint32_t count)
{
    li_decimal *kept = li_grammar_alloc(grammar, ((size_t)count + 1) * sizeof *kept);
    if (kept && count) memcpy(kept, list, count * sizeof *kept);
    return kept;
}

void li_numbers_realise(li_tableau *search)
{
    enum { FEW_RANGES = 64 }; // more ranges are not compared with each other
    li_grammar *grammar = search->grammar;
    li_limits limits = limits_of(search);
    li_number_range range = limits.range;
    if (limits.equal) {
        li_decimal value = limits.equal->decimal;
        range = (li_number_range){.has_minimum = true, .has_maximum = true, .minimum = value, .maximum = value};
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < search->ranges.count && search->ranges.count <= FEW_RANGES; i++) {
        if (covers(&search->ranges.at[i], &range)) return;
        if (!covers(&range, &search->ranges.at[i])) search->ranges.at[kept++] = search->ranges.at[i];
    }
    if (search->ranges.count <= FEW_RANGES) search->ranges.count = kept;
    range.multiples = copy(grammar, range.multiples, range.multiple_count);
    range.not_multiples = copy(grammar, range.not_multiples, range.not_multiple_count);
    range.not_values = copy(grammar, range.not_values, range.not_count);
    LI_ARENA_PUSH(grammar, &search->ranges, range);
}
