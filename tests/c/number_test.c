// Numbers within ranges against a reference that tries every text up to some length: the reference reads the text,
// scales the number to a machine integer and compares with the range. Shares no code with src/grammar.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "grammar/core/arena.h"
#include "grammar/distinct/enumerate_words.h"
#include "grammar/numbers/number_term.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/term.h"

__extension__ typedef __int128 wide;

static bool is_canonical; // the spelling of the tests that follow

static li_grammar *make_grammar(void)
{
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    grammar->fuel = UINT64_MAX;
    grammar->spelling.canonical_numbers = is_canonical;
    li_terms_create(grammar);
    return grammar;
}

// A range as the tests write it: NULL or texts separated by spaces.
typedef struct plan {
    const char *minimum, *maximum;
    bool excludes_minimum, excludes_maximum, is_integer, is_not_integer;
    const char *multiples, *not_multiples, *not_values;
} plan;

static li_decimal *read_list(li_grammar *grammar, const char *text, uint32_t *count)
{
    li_decimal *list = li_grammar_alloc(grammar, 64 * sizeof *list);
    for (*count = 0; text && *text;) {
        uint32_t length = (uint32_t)strcspn(text, " ");
        CHECK(li_decimal_read(grammar, (const uint8_t *)text, length, &list[(*count)++]));
        text += length + (text[length] == ' ');
    }
    return list;
}

static li_number_range make_range(li_grammar *grammar, const plan *p)
{
    uint32_t count;
    li_number_range range = {.has_minimum = p->minimum,
                             .has_maximum = p->maximum,
                             .excludes_minimum = p->excludes_minimum,
                             .excludes_maximum = p->excludes_maximum,
                             .is_integer = p->is_integer,
                             .is_not_integer = p->is_not_integer};
    if (p->minimum) range.minimum = *read_list(grammar, p->minimum, &count);
    if (p->maximum) range.maximum = *read_list(grammar, p->maximum, &count);
    range.multiples = read_list(grammar, p->multiples, &range.multiple_count);
    range.not_multiples = read_list(grammar, p->not_multiples, &range.not_multiple_count);
    range.not_values = read_list(grammar, p->not_values, &range.not_count);
    return range;
}

// The reference.

typedef struct value {
    wide digits; // with the sign
    int exponent;
    bool is_number, is_scientific;         // by JSON's grammar; with an exponent
    int whole_digits, power_digits, power; // without its sign
    bool begins_with_zero;
} value;

static value parse(const char *text, int length)
{
    value v = {0};
    int at = 0, sign = 1;
    if (at < length && text[at] == '-') {
        sign = -1;
        at++;
    }
    int first = at;
    while (at < length && text[at] >= '0' && text[at] <= '9') v.digits = v.digits * 10 + (text[at++] - '0');
    v.whole_digits = at - first;
    v.begins_with_zero = v.whole_digits && text[first] == '0';
    if (v.whole_digits == 0 || (v.begins_with_zero && v.whole_digits > 1)) return v;
    if (at < length && text[at] == '.') {
        int point = ++at;
        for (; at < length && text[at] >= '0' && text[at] <= '9'; at++, v.exponent--)
            v.digits = v.digits * 10 + (text[at] - '0');
        if (at == point) return v;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        int power = 0, power_sign = 1;
        v.is_scientific = true;
        at++;
        if (at < length && (text[at] == '-' || text[at] == '+')) power_sign = text[at++] == '-' ? -1 : 1;
        int begin = at;
        for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) power = power * 10 + (text[at] - '0');
        v.power_digits = at - begin;
        if (v.power_digits == 0) return v;
        v.power = power;
        v.exponent += power_sign * power;
    }
    v.digits *= sign;
    v.is_number = at == length;
    while (v.digits && v.digits % 10 == 0) {
        v.digits /= 10;
        v.exponent++;
    }
    if (!v.digits) v.exponent = 0;
    return v;
}

static int compare(value a, value b)
{
    int exponent_a = a.exponent, exponent_b = b.exponent;
    int sign_a = (a.digits > 0) - (a.digits < 0), sign_b = (b.digits > 0) - (b.digits < 0);
    if (sign_a != sign_b || !sign_a) return (sign_a > sign_b) - (sign_a < sign_b);
    // No more than 20 digits each, so scaling either stays exact or is not needed.
    while (exponent_a > exponent_b) {
        a.digits *= 10;
        exponent_a--;
        if (a.digits / 10 > (wide)1 << 80 || a.digits / 10 < -((wide)1 << 80)) return sign_a;
    }
    while (exponent_b > exponent_a) {
        b.digits *= 10;
        exponent_b--;
        if (b.digits / 10 > (wide)1 << 80 || b.digits / 10 < -((wide)1 << 80)) return -sign_a;
    }
    return (a.digits > b.digits) - (a.digits < b.digits);
}

static bool is_multiple(value a, value of)
{
    if (a.digits == 0) return true;
    if (a.exponent < of.exponent) return false;
    wide rest = a.digits % of.digits;
    for (int i = of.exponent; i < a.exponent && rest; i++) rest = rest * 10 % of.digits;
    return rest == 0;
}

static value next_value(const char **list)
{
    int length = (int)strcspn(*list, " ");
    value v = parse(*list, length);
    *list += length + ((*list)[length] == ' ');
    return v;
}

static bool is_in_range(const plan *p, value v)
{
    static const value one = {.digits = 1};
    if (p->minimum) {
        int order = compare(v, parse(p->minimum, (int)strlen(p->minimum)));
        if (order < 0 || (order == 0 && p->excludes_minimum)) return false;
    }
    if (p->maximum) {
        int order = compare(v, parse(p->maximum, (int)strlen(p->maximum)));
        if (order > 0 || (order == 0 && p->excludes_maximum)) return false;
    }
    if (p->is_integer && !is_multiple(v, one)) return false;
    if (p->is_not_integer && is_multiple(v, one)) return false;
    for (const char *list = p->multiples; list && *list;)
        if (!is_multiple(v, next_value(&list))) return false;
    for (const char *list = p->not_multiples; list && *list;)
        if (is_multiple(v, next_value(&list))) return false;
    for (const char *list = p->not_values; list && *list;)
        if (compare(v, next_value(&list)) == 0) return false;
    return true;
}

static bool is_bound_zero(const char *bound)
{
    return !bound || parse(bound, (int)strlen(bound)).digits == 0;
}

// Ranges that are spelt in every way: no condition but the sign, being an integer and not being zero.
static bool is_spelt_freely(const plan *p)
{
    bool is_integer = p->is_integer || !p->multiples, divide_one = true;
    for (const char *list = p->multiples; list && *list;) {
        value v = next_value(&list);
        is_integer |= v.digits == 1 && v.exponent == 0;
        divide_one &= is_multiple((value){.digits = 1}, v);
    }
    return is_bound_zero(p->minimum) && is_bound_zero(p->maximum) && !p->is_not_integer && is_integer && divide_one &&
           !p->not_multiples && (!p->not_values || strcmp(p->not_values, "0") == 0);
}

// Whether the text is a finite double. No range in these tests lies beyond doubles.
static bool is_finite(const char *text, int length)
{
    char copy[200];
    memcpy(copy, text, (size_t)length);
    copy[length] = 0;
    return isfinite(strtod(copy, NULL));
}

// As JSON.stringify might write it, or plainly.
static bool is_spelt_canonically(const plan *p, const char *text, int length)
{
    const char *point = memchr(text, '.', (size_t)length), *power = memchr(text, 'e', (size_t)length);
    const char *end = power ? power : text + length;
    if (point && end[-1] == '0') return false;
    if (text[0] == '-' && parse(text, length).digits == 0) return false;
    if (!power) return memchr(text, 'E', (size_t)length) == NULL;
    const char *first = text + (text[0] == '-');
    if (p->is_integer || first[0] == '0' || (point ? point : power) != first + 1) return false;
    if ((power[1] != '-' && power[1] != '+') || power[2] == '0') return false;
    return parse(text, length).power >= (power[1] == '-' ? 7 : 21);
}

static bool is_accepted(const plan *p, const char *text, int length)
{
    value v = parse(text, length);
    if (!v.is_number || !is_in_range(p, v) || !is_finite(text, length)) return false;
    if (is_canonical) return is_spelt_canonically(p, text, length);
    bool has_plain_mantissa = v.whole_digits == 1 && !v.begins_with_zero;
    return !v.is_scientific || is_spelt_freely(p) || (has_plain_mantissa && v.power_digits <= 6);
}

// Walking.

static const char alphabet[] = "0123456789-.eE+";

static li_term follow(li_grammar *grammar, li_term term, const char *text, int length)
{
    return li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)length);
}

static bool is_accepted_by(li_grammar *grammar, li_term term, const char *text)
{
    return li_term_is_nullable(grammar, follow(grammar, term, text, (int)strlen(text)));
}

// Appends the shortest way to an end, breadth first; false: there is none.
static bool complete(li_grammar *grammar, li_term term, char *text, int length)
{
    enum { MOST = 20000 };
    static li_term terms[MOST];
    static int parents[MOST];
    static char bytes[MOST];
    int count = 1;
    terms[0] = term;
    parents[0] = -1;
    for (int i = 0; i < count; i++) {
        if (li_term_is_nullable(grammar, terms[i])) {
            int steps = 0;
            for (int at = i; at > 0; at = parents[at]) steps++;
            text[length + steps] = 0;
            for (int at = i; at > 0; at = parents[at]) text[length + --steps] = bytes[at];
            return true;
        }
        for (int k = 0; k < 15 && count < MOST; k++) {
            li_term next = li_derive(grammar, terms[i], (uint8_t)alphabet[k]);
            bool is_known = next == LI_TERM_NOTHING;
            for (int j = 0; j < count && !is_known; j++) is_known = terms[j] == next;
            if (is_known) continue;
            terms[count] = next;
            parents[count] = i;
            bytes[count++] = alphabet[k];
        }
    }
    return false;
}

typedef struct walk {
    li_grammar *grammar;
    const plan *p;
    uint8_t *is_completed; // terms known to have an end
    char text[160];
    int most, completions;
} walk;

static void complain(const walk *w, int length, const char *what)
{
    if (check_failures < 20)
        printf("  %s: %.*s (min %s max %s multiples %s not %s values %s, integer %d not %d)\n", what, length, w->text,
               w->p->minimum ? w->p->minimum : "-", w->p->maximum ? w->p->maximum : "-",
               w->p->multiples ? w->p->multiples : "-", w->p->not_multiples ? w->p->not_multiples : "-",
               w->p->not_values ? w->p->not_values : "-", w->p->is_integer, w->p->is_not_integer);
}

// Every text up to the length: accepted exactly if the reference accepts it (so a dead prefix has no short end), and a
// live prefix can be ended with what the reference accepts.
static void walk_texts(walk *w, li_term term, int length)
{
    bool expected = is_accepted(w->p, w->text, length);
    // How far exponents go beyond these depends on the range.
    bool is_far = is_canonical && w->p->multiples ? parse(w->text, length).power
                                                  : parse(w->text, length).power > 30 && !is_spelt_freely(w->p);
    bool is_right = li_term_is_nullable(w->grammar, term) == expected || is_far;
    if (!is_right) complain(w, length, expected ? "refused" : "accepted");
    CHECK(is_right);
    if (term != LI_TERM_NOTHING && !w->is_completed[term]) {
        char text[200];
        memcpy(text, w->text, (size_t)length);
        bool has_end = complete(w->grammar, term, text, length) && is_accepted(w->p, text, (int)strlen(text));
        if (!has_end) complain(w, length, "no end");
        CHECK(has_end);
        w->is_completed[term] = 1;
        w->completions++;
    }
    if (length == w->most) return;
    for (int k = 0; k < 15; k++) {
        char byte = alphabet[k];
        li_term next = term == LI_TERM_NOTHING ? term : li_derive(w->grammar, term, (uint8_t)byte);
        // Leaves out texts that begin unlike any number.
        bool could_be = byte >= '0' && byte <= '9' ? true
                        : byte == '-'              ? length == 0 || w->text[length - 1] == 'e'
                        : byte == '+'              ? length > 0 && w->text[length - 1] == 'e'
                                                   : length > 0 && w->text[length - 1] >= '0';
        if (next == LI_TERM_NOTHING && (!could_be || byte == 'E')) continue;
        w->text[length] = byte;
        walk_texts(w, next, length + 1);
    }
}

static uint32_t check_plan(const plan *p, int most)
{
    li_grammar *grammar = make_grammar();
    li_number_range range = make_range(grammar, p);
    li_term term = li_number(grammar, &range);
    walk w = {.grammar = grammar, .p = p, .most = most, .is_completed = calloc(4000000, 1)};
    walk_texts(&w, term, 0);
    CHECK_EQ(li_number_is_empty(grammar, &range), term == LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_OK);
    uint32_t count = li_terms_count(grammar);
    free(w.is_completed);
    li_grammar_destroy(grammar);
    return count;
}

static void test_short_texts_of_many_ranges_as_the_reference_says(void)
{
    static const plan plans[] = {
        {0},
        {.is_integer = true},
        {.is_integer = true, .minimum = "0"},
        {.minimum = "0"},
        {.minimum = "0", .excludes_minimum = true},
        {.maximum = "0", .excludes_maximum = true, .is_integer = true},
        {.minimum = "0", .maximum = "0"},
        {.multiples = "0.5 1"},
        {.minimum = "10", .maximum = "20", .is_integer = true, .multiples = "7"},
        {.minimum = "1", .maximum = "100", .is_integer = true},
        {.minimum = "-5", .maximum = "17.25"},
        {.minimum = "-5", .maximum = "17.25", .excludes_minimum = true, .excludes_maximum = true},
        {.minimum = "0", .maximum = "1"},
        {.minimum = "0", .maximum = "1", .excludes_minimum = true, .excludes_maximum = true},
        {.minimum = "0.013", .maximum = "0.02"},
        {.minimum = "-0.02", .maximum = "-0.013", .excludes_maximum = true},
        {.minimum = "1.5", .excludes_minimum = true},
        {.maximum = "-99", .is_integer = true},
        {.minimum = "99", .maximum = "101", .excludes_minimum = true, .excludes_maximum = true, .is_integer = true},
        {.multiples = "7"},
        {.multiples = "0.01"},
        {.multiples = "0.25 0.3"},
        {.multiples = "1e-3", .minimum = "0.9", .maximum = "1.1"},
        {.multiples = "1e3"},
        {.multiples = "12e2", .maximum = "5e4", .minimum = "-1"},
        {.multiples = "0.0001", .not_multiples = "0.001"},
        {.multiples = "3", .not_multiples = "2 5 7"},
        {.multiples = "3", .not_multiples = "2 5", .minimum = "20", .maximum = "35"},
        {.multiples = "3", .not_multiples = "2 5", .minimum = "10", .maximum = "20"},
        {.is_not_integer = true},
        {.is_not_integer = true, .multiples = "0.5", .minimum = "3", .maximum = "4"},
        {.is_not_integer = true, .multiples = "0.5", .minimum = "4", .maximum = "4.4"},
        {.is_not_integer = true, .multiples = "0.25"},
        {.is_not_integer = true, .is_integer = true},
        {.multiples = "6", .not_multiples = "3"},
        {.not_multiples = "0.1", .minimum = "0.1", .maximum = "0.2"},
        {.not_multiples = "40", .minimum = "7"},
        {.is_integer = true, .minimum = "1", .maximum = "6", .not_values = "1 2 3.0 5 6"},
        {.is_integer = true, .minimum = "1", .maximum = "3", .not_values = "1 2 3.0 5 6"},
        {.is_integer = true, .not_values = "0"},
        {.not_values = "0 1 10 100 1000 12 -3 0.5"},
        {.minimum = "1", .maximum = "1"},
        {.minimum = "1", .maximum = "1", .not_values = "1"},
        {.minimum = "1", .maximum = "1", .excludes_maximum = true},
        {.minimum = "2", .maximum = "1"},
        {.minimum = "2.5", .maximum = "2.75", .is_integer = true},
        {.minimum = "1e3", .maximum = "1e3"},
        {.minimum = "-1e-3", .maximum = "2e-3"},
        {.minimum = "5", .maximum = "1e9", .is_integer = true, .multiples = "1e8"},
        {.minimum = "99999999999999999999", .is_integer = true},
        {.minimum = "-9223372036854775808", .maximum = "9223372036854775807", .is_integer = true},
    };
    // Texts up to a length; without CHECK_LONG every other plan has the longer texts in one of the two passes.
    for (int i = 0; i < (int)(sizeof plans / sizeof *plans); i++)
        check_plan(&plans[i], CHECK_IS_LONG ? i < 14 ? 5 : 4 : 3 + (i % 4 == 1));
    is_canonical = true;
    for (int i = 0; i < (int)(sizeof plans / sizeof *plans); i++)
        check_plan(&plans[i], CHECK_IS_LONG ? 4 : 3 + (i % 4 == 2));
    is_canonical = false;
}

static uint32_t random_state = 12345;

static uint32_t pick(uint32_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * count >> 24);
}

static const char *pick_number(char *text, bool is_positive)
{
    static const char *const positive[] = {"0.25", "1",  "2",   "3", "7",   "10", "0.5",
                                           "0.02", "15", "1e2", "6", "0.3", "1.1"};
    if (is_positive) return strcpy(text, positive[pick(13)]);
    int length = 0;
    if (pick(3) == 0) text[length++] = '-';
    length += sprintf(text + length, "%u", pick(pick(2) ? 12 : 1200));
    if (pick(2)) length += sprintf(text + length, ".%u", pick(pick(2) ? 10 : 100));
    return text;
}

static void test_short_texts_of_random_ranges_as_the_reference_says(void)
{
    for (int round = 0; round < check_rounds(150); round++) {
        CHECK_CASE("round %d", round);
        char texts[12][32], lists[3][80] = {"", "", ""};
        int used = 0;
        plan p = {.is_integer = pick(3) == 0, .is_not_integer = pick(8) == 0};
        if (pick(3)) p.minimum = pick_number(texts[used++], false);
        if (pick(3)) p.maximum = pick_number(texts[used++], false);
        p.excludes_minimum = pick(3) == 0;
        p.excludes_maximum = pick(3) == 0;
        for (int list = 0; list < 3; list++)
            for (uint32_t count = pick(3); count > 1 && used < 12; count--)
                strcat(strcat(lists[list], lists[list][0] ? " " : ""), pick_number(texts[used++], list < 2));
        p.multiples = lists[0][0] ? lists[0] : NULL;
        p.not_multiples = lists[1][0] ? lists[1] : NULL;
        p.not_values = lists[2][0] ? lists[2] : NULL;
        is_canonical = round % 3 == 0;
        check_plan(&p, CHECK_IS_LONG || round % 8 == 0 ? 4 : 3);
    }
    is_canonical = false;
}

static bool accepts(const plan *p, const char *text)
{
    li_grammar *grammar = make_grammar();
    li_number_range range = make_range(grammar, p);
    bool is_right = is_accepted_by(grammar, li_number(grammar, &range), text);
    li_decimal decimal;
    // A number spelt within the limits is in the range exactly when its text is accepted.
    if (li_decimal_read(grammar, (const uint8_t *)text, (uint32_t)strlen(text), &decimal) && is_right)
        CHECK(li_number_contains(grammar, &range, &decimal));
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
    return is_right;
}

// How many states masks tell apart after texts up to the length. No such state holds the distance to the end of
// doubles.
static uint32_t count_states(const plan *p, int most)
{
    enum { MOST = 4096 };
    static li_term states[MOST], fronts[MOST];
    li_grammar *grammar = make_grammar();
    li_number_range range = make_range(grammar, p);
    uint32_t count = 1, begin = 0, front_count = 0, lowest;
    states[0] = li_number(grammar, &range);
    for (int length = 0; length < most; length++)
        for (uint32_t end = count; begin < end; begin++)
            for (int k = 0; k < 15; k++) {
                li_term next = li_derive(grammar, states[begin], (uint8_t)alphabet[k]);
                uint32_t at = 0;
                while (at < count && states[at] != next) at++;
                if (at == count && next != LI_TERM_NOTHING && count < MOST) states[count++] = next;
            }
    CHECK_LT(count, MOST);
    for (uint32_t i = 0; i < count; i++) {
        li_term front = li_without_counts(grammar, states[i], &lowest);
        uint32_t at = 0;
        while (at < front_count && fronts[at] != front) at++;
        if (at == front_count) fronts[front_count++] = front;
    }
    li_grammar_destroy(grammar);
    return front_count;
}

static void test_masks_tell_few_states_of_common_ranges_apart(void)
{
    CHECK_LT(count_states(&(plan){0}, 6), 60);
    CHECK_LT(count_states(&(plan){.minimum = "0"}, 6), 60);
    CHECK_LT(count_states(&(plan){.not_values = "0"}, 6), 60);
    CHECK_LT(count_states(&(plan){.is_integer = true}, 6), 160);
    CHECK_LT(count_states(&(plan){.minimum = "0", .maximum = "100"}, 4), 200);
    CHECK_LT(count_states(&(plan){.minimum = "1", .is_integer = true}, 4), 300);
    CHECK_LT(count_states(&(plan){.multiples = "0.01"}, 4), 350);
    is_canonical = true;
    CHECK_LT(count_states(&(plan){0}, 20), 200);
    CHECK_LT(count_states(&(plan){.is_integer = true}, 20), 8);
    is_canonical = false;
}

// Whether a number is accepted whose spelling is the first `digits` of the end of doubles, then `rest`.
static bool takes_end(const plan *p, int digits, const char *rest)
{
    static char text[400];
    memcpy(text, li_double_end, (size_t)digits);
    strcpy(text + digits, rest);
    return accepts(p, text);
}

static void test_numbers_end_where_doubles_do_unless_the_bounds_lie_beyond(void)
{
    static const plan plans[] = {{0},
                                 {.is_integer = true},
                                 {.minimum = "0"},
                                 {.minimum = "1"},
                                 {.is_integer = true, .minimum = "1"},
                                 {.not_values = "5 7"},
                                 {.is_integer = true, .multiples = "1"},
                                 {.minimum = "-3", .maximum = "1e400"}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        CHECK_CASE("plan %zu", i);
        const plan *p = &plans[i];
        CHECK(accepts(p, "1e308"));
        CHECK(!accepts(p, "1e309"));
        CHECK(accepts(p, "1.7e308"));
        CHECK(!accepts(p, "1.8e308"));
        CHECK(accepts(p, "1.7976931348623158e308"));
        CHECK(!accepts(p, "1.7976931348623159e308"));
        CHECK(!accepts(p, "9e999999"));
        CHECK(!accepts(p, "1e6102954"));
        CHECK(accepts(p, "9e307"));
        CHECK(!accepts(p, "9e308"));
        CHECK(!takes_end(p, 309, ""));
        CHECK(takes_end(p, 308, "1"));
        CHECK(!takes_end(p, 308, "9"));
        CHECK(!takes_end(p, 309, "0"));
        CHECK(takes_end(p, 308, ""));
        CHECK(!takes_end(p, 308, "00"));
    }
    const plan *any = &plans[0], *integer = &plans[1];
    CHECK(accepts(any, "1e-400"));
    CHECK(accepts(any, "-1.7e308"));
    CHECK(!accepts(any, "-1e309"));
    CHECK(accepts(any, "0e99999999"));
    CHECK(accepts(any, "0.0000000001e318"));
    CHECK(!accepts(any, "0.0000000001e319"));
    CHECK(accepts(any, "1e0000308"));
    CHECK(takes_end(any, 309, "12e-3"));
    CHECK(!takes_end(any, 309, "12e-1"));
    CHECK(!takes_end(integer, 309, "12e-3"));
    CHECK_EQ(takes_end(integer, 309, "000e-3"), false);
    CHECK_EQ(takes_end(integer, 309, "000e-4"), false);
    CHECK(takes_end(integer, 300, "0000000000000e-4"));
    CHECK(!takes_end(integer, 300, "0000000000000e-3"));
    CHECK(accepts(integer, "1.25e308"));
    CHECK(!accepts(integer, "12.5e308"));
    CHECK(accepts(integer, "0.1e309"));
    CHECK(accepts(&(plan){.minimum = "1e400"}, "1e400"));
    CHECK(!accepts(&(plan){.minimum = "1e400"}, "1e399"));
    CHECK(accepts(&(plan){.maximum = "-1e400"}, "-2e400"));
    CHECK(accepts(&(plan){.minimum = "1e400", .maximum = "1e400"}, "1e400"));
    CHECK(!accepts(&(plan){.maximum = "-1"}, "-1e309"));
    CHECK(accepts(&(plan){.maximum = "-1"}, "-1e308"));
}

static void test_canonical_numbers_have_no_spare_digits(void)
{
    is_canonical = true;
    const plan integer = {.is_integer = true}, number = {0}, above = {.minimum = "0.5"};
    static const char *const integers[] = {"0", "7", "-7", "10", "12345678901234567890123"};
    static const char *const numbers[] = {"0.5", "12.25", "1e+21", "1.5e-7", "5e-324", "9e+307"};
    static const char *const wrong[] = {"2e1",   "24.0",  "24.",    "-0",     "1E+21",   "1e21",    "1e+20", "1e-6",
                                        "1.50",  "0.0",   "1e+0",   "1e+021", "10e+21",  "0e+21",   "-0.0",  "1.0e+21",
                                        "1.5e1", "1e-07", "1e+309", "1e-325", "0.50e-7", "0.5e+30", "00",    "01"};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        CHECK_CASE("%s", integers[i]);
        CHECK(accepts(&integer, integers[i]));
        CHECK(accepts(&number, integers[i]));
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK_CASE("%s", numbers[i]);
        CHECK(!accepts(&integer, numbers[i]));
        CHECK(accepts(&number, numbers[i]));
    }
    CHECK(accepts(&above, "0.5"));
    CHECK(accepts(&above, "1e+21"));
    CHECK(accepts(&(plan){.minimum = "-0.5"}, "-1.5e-7"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_CASE("%s", wrong[i]);
        CHECK(!accepts(&integer, wrong[i]));
        CHECK(!accepts(&number, wrong[i]));
        CHECK(!accepts(&above, wrong[i]));
    }
    CHECK(accepts(&(plan){.is_integer = true, .minimum = "1e30"}, "1000000000000000000000000000000"));
    CHECK(accepts(&(plan){.minimum = "1.50", .maximum = "1.50"}, "1.5"));
    CHECK(!accepts(&(plan){.minimum = "1.50", .maximum = "1.50"}, "1.50"));
    CHECK(accepts(&(plan){.multiples = "0.01"}, "4.3"));
    CHECK(!accepts(&(plan){.multiples = "0.01"}, "4.30"));
    CHECK(accepts(&(plan){.minimum = "0", .maximum = "1e-300", .excludes_minimum = true}, "5e-301"));
    CHECK(accepts(&(plan){.minimum = "1e400", .maximum = "1e400"}, "1e+400"));
    CHECK(!accepts(&(plan){.maximum = "5"}, "-0"));
    CHECK(!accepts(&(plan){.minimum = "-5"}, "-0"));
    is_canonical = false;
}

static void test_a_prefix_allows_only_what_can_be_ended(void)
{
    li_grammar *grammar = make_grammar();
    plan p = {.minimum = "10", .maximum = "20", .is_integer = true, .multiples = "7"};
    li_number_range range = make_range(grammar, &p);
    li_term term = follow(grammar, li_number(grammar, &range), "1", 1);
    for (int byte = 0; byte < 256; byte++)
        CHECK_EQ(li_derive(grammar, term, (uint8_t)byte) != LI_TERM_NOTHING, byte == '4' || byte == '.');
    // 1.4e1 is 14 too.
    CHECK(is_accepted_by(grammar, li_number(grammar, &range), "1.4e1"));
    CHECK(!is_accepted_by(grammar, li_number(grammar, &range), "1.4e2"));
    li_grammar_destroy(grammar);
}

static void test_numbers_that_binary_arithmetic_gets_wrong(void)
{
    CHECK(accepts(&(plan){.multiples = "0.0001"}, "0.0075"));
    CHECK(!accepts(&(plan){.multiples = "0.0001"}, "0.00751"));
    CHECK(accepts(&(plan){.multiples = "0.01"}, "4.35"));
    CHECK(!accepts(&(plan){.is_integer = true, .multiples = "0.123456789"}, "1e308"));
    CHECK(accepts(&(plan){.is_integer = true, .multiples = "0.123456789"}, "123456789"));
    CHECK(!accepts(&(plan){.is_integer = true, .multiples = "0.123456789"}, "12345679"));
    CHECK(accepts(&(plan){.is_integer = true, .multiples = "1e-8"}, "12391239123"));
    CHECK(accepts(&(plan){.is_integer = true, .multiples = "0.5"}, "1e308"));
    CHECK(accepts(&(plan){.is_integer = true, .multiples = "1e307"}, "3e307"));
    CHECK(!accepts(&(plan){.is_integer = true, .multiples = "1e307"}, "3e306"));
    CHECK(accepts(&(plan){.minimum = "1"}, "1e308"));
    CHECK(accepts(&(plan){.maximum = "1.7976931348623157e308"}, "1.7976931348623157e+308"));
    CHECK(!accepts(&(plan){.maximum = "1.7976931348623157e308"}, "1.7976931348623158e+308"));
    CHECK(accepts(&(plan){.maximum = "1", .minimum = "0"}, "5e-324"));
    CHECK(accepts(&(plan){.maximum = "1", .minimum = "0"}, "1.2345e-05"));
    CHECK(!accepts(&(plan){.minimum = "-972783798187987123879878123.18878137", .excludes_minimum = true},
                   "-972783798187987123879878123.188781371"));
    CHECK(accepts(&(plan){.minimum = "-972783798187987123879878123.18878137", .excludes_minimum = true},
                  "-972783798187987123879878123.188781369"));
    CHECK(accepts(&(plan){.is_integer = true}, "12345678910111213141516171819202122232425262728293031"));
    CHECK(accepts(&(plan){.is_integer = true}, "1.2345678910111213e+52"));
    CHECK(accepts(&(plan){.is_integer = true, .minimum = "5"}, "1.2345678910111213e+52"));
    CHECK(accepts(&(plan){.is_integer = true}, "10e-1"));
    CHECK(accepts(&(plan){.is_integer = true}, "1.00"));
    CHECK(accepts(&(plan){.minimum = "0"}, "-0"));
    CHECK(accepts(&(plan){.minimum = "0"}, "-0.0e7"));
    CHECK(!accepts(&(plan){.minimum = "0"}, "-0.01"));
    CHECK(!accepts(&(plan){.minimum = "0"}, "-1"));
    CHECK(accepts(&(plan){.maximum = "0", .is_integer = true, .minimum = "0"}, "-0.000"));
}

// A number of `count` digits made of one digit.
static const char *repeat(char *text, const char *begin, char digit, int count, const char *end)
{
    int length = sprintf(text, "%s", begin);
    memset(text + length, digit, (size_t)count);
    strcpy(text + length + count, end);
    return text;
}

static void test_bounds_and_multiples_of_hundreds_of_digits(void)
{
    static char low[2000], high[2000], text[2000];
    plan p = {.minimum = repeat(low, "1", '3', 400, ".25"), .maximum = repeat(high, "1", '3', 399, "5")};
    CHECK(!accepts(&p, repeat(text, "1", '3', 400, "")));
    CHECK(accepts(&p, repeat(text, "1", '3', 400, ".25")));
    CHECK(accepts(&p, repeat(text, "1", '3', 399, "4.9")));
    CHECK(!accepts(&p, repeat(text, "1", '3', 399, "5.000001")));
    CHECK(accepts(&p, repeat(text, "1.", '3', 399, "4e400")));
    CHECK(!accepts(&p, repeat(text, "1.", '3', 399, "4e399")));
    p = (plan){.multiples = repeat(low, "", '7', 300, "")};
    CHECK(accepts(&p, repeat(text, "", '7', 300, "")));
    CHECK(accepts(&p, "0"));
    CHECK(!accepts(&p, repeat(text, "", '7', 600, ""))); // beyond doubles
    CHECK(accepts(&p, repeat(text, "", '7', 300, "00000000")));
    CHECK(!accepts(&p, repeat(text, "", '7', 300, "7000000")));
    CHECK(accepts(&p, repeat(text, "7.", '7', 299, "e299")));
    p = (plan){.minimum = "1e1100", .maximum = "2e1100", .is_integer = true};
    CHECK(accepts(&p, repeat(text, "1", '0', 1100, "")));
    CHECK(!accepts(&p, repeat(text, "", '9', 1100, "")));
    CHECK(accepts(&p, "1.5e1100"));
    CHECK(!accepts(&p, "2.1e1100"));
    p = (plan){.multiples = "1e-1100"};
    CHECK(accepts(&p, "7e-1100"));
    CHECK(!accepts(&p, "7e-1101"));
}

static void test_numbers_too_long_end_in_an_error(void)
{
    static char texts[2][1200];
    li_grammar *grammar = make_grammar();
    char list[2400];
    sprintf(list, "%s %s", repeat(texts[0], "1", '0', 1098, "1"), repeat(texts[1], "1", '0', 1090, "7"));
    plan p = {.multiples = list, .minimum = "3", .not_multiples = texts[1]};
    li_number_range range = make_range(grammar, &p);
    CHECK_EQ(li_number(grammar, &range), LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_ERROR_GRAMMAR_FUEL);
    li_grammar_destroy(grammar);
}

static void test_running_out_of_fuel_is_an_error_and_not_an_answer(void)
{
    plan p = {.minimum = "10", .maximum = "2000", .is_integer = true, .multiples = "7", .not_multiples = "3"};
    for (uint64_t fuel = 1;; fuel++) {
        li_grammar *grammar = make_grammar();
        li_number_range range = make_range(grammar, &p);
        grammar->fuel = fuel;
        li_term term = li_number(grammar, &range);
        bool is_done = grammar->status == LI_OK;
        CHECK(is_done ? term != LI_TERM_NOTHING : grammar->status == LI_ERROR_GRAMMAR_FUEL && term == LI_TERM_NOTHING);
        li_grammar_destroy(grammar);
        if (is_done) break;
    }
}

static void test_decimals_are_read_as_json_spells_them(void)
{
    static const char *const wrong[] = {"",    "-",      "01",      "1.",  ".5",   "1e",       "1e+", "+1", "1x",
                                        "0x1", "1e1101", "1e-1101", "--1", "1.e5", "Infinity", " 1",  "00"};
    li_grammar *grammar = make_grammar();
    li_decimal d;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!li_decimal_read(grammar, (const uint8_t *)wrong[i], (uint32_t)strlen(wrong[i]), &d));
    CHECK(li_decimal_read(grammar, (const uint8_t *)"-0.0e99999999999999999", 22, &d));
    CHECK_EQ(d.sign, 0);
    CHECK_EQ(d.length, 0);
    CHECK_EQ(li_decimal_read(grammar, (const uint8_t *)"-01200.500e-3", 13, &d), false);
    CHECK(li_decimal_read(grammar, (const uint8_t *)"-1200.500E-3", 12, &d));
    CHECK_EQ(d.sign, -1);
    CHECK_EQ(d.exponent, -4);
    CHECK_EQ(d.length, 5);
    CHECK_BYTES(d.digits, "\1\2\0\0\5", 5);
    CHECK(li_decimal_read(grammar, (const uint8_t *)"120e+02", 7, &d));
    CHECK_EQ(d.sign, 1);
    CHECK_EQ(d.exponent, 3);
    CHECK_EQ(d.length, 2);
    CHECK_BYTES(d.digits, "\1\2", 2);
    // Two ones, so far apart that there are too many digits between them.
    char far[1300];
    memset(far, '0', sizeof far);
    far[0] = far[sizeof far - 1] = '1', far[600] = '.';
    CHECK(!li_decimal_read(grammar, (const uint8_t *)far, sizeof far, &d));
    far[sizeof far - 1] = '0', far[1000] = '1';
    CHECK(li_decimal_read(grammar, (const uint8_t *)far, sizeof far, &d));
    CHECK_EQ(d.length, 1000);
    li_grammar_destroy(grammar);
}

static void test_equal_ranges_are_one_term(void)
{
    li_grammar *grammar = make_grammar();
    static const plan plans[] = {{.minimum = "0.5", .maximum = "7"}, {.multiples = "0.5 3"}, {.not_values = "1 2.5"}};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        CHECK_CASE("plan %zu", i);
        li_number_range range = make_range(grammar, &plans[i]), again = make_range(grammar, &plans[i]);
        CHECK_EQ(li_number(grammar, &range), li_number(grammar, &again));
    }
    li_grammar_destroy(grammar);
}

// The words that may follow a text, one for each number: the shortest, even where only an exponent of zero is left.
static void test_every_number_that_is_left_has_a_word(void)
{
    static const struct {
        plan plan;
        const char *before, *words;
    } cases[] = {
        {{.minimum = "1", .maximum = "1"}, "1e", "0 "},
        {{.minimum = "1", .maximum = "10", .is_integer = true}, "1e", "1 0 "},
        {{.minimum = "1", .maximum = "1"}, "", "1 "},
        {{.minimum = "0.1", .maximum = "0.1"}, "1", "e-1 "},
        {{.minimum = "10", .maximum = "12", .is_integer = true}, "1", "1 2 0 "},
        {{.minimum = "20", .maximum = "22", .is_integer = true}, "2.", "1e1 2e1 0e1 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("case %zu, after %s", i, cases[i].before);
        li_grammar *grammar = make_grammar();
        const uint8_t *before = (const uint8_t *)cases[i].before;
        uint32_t length = (uint32_t)strlen(cases[i].before);
        li_number_range range = make_range(grammar, &cases[i].plan);
        li_term term = li_derive_bytes(grammar, li_number(grammar, &range), before, length);
        li_word_list list = {0};
        char words[64] = "";
        CHECK(li_words_of_number(grammar, term, before, length, 9, &list));
        CHECK(!list.is_cut);
        for (uint32_t k = 0; k < list.ends.count; k++) {
            const uint8_t *word = li_word_at(&list, k, &length);
            strncat(strncat(words, (const char *)word, length), " ", 2);
        }
        CHECK_TEXT(words, cases[i].words);
        li_word_list_clear(&list);
        li_grammar_destroy(grammar);
    }
}

static void test_decimals_compare_and_divide_as_the_reference_says(void)
{
    li_grammar *grammar = make_grammar();
    for (int round = 0; round < 20000; round++) {
        char texts[2][40];
        li_decimal decimals[2];
        value values[2];
        for (int i = 0; i < 2; i++) {
            int length =
                sprintf(texts[i], "%s%u.%u", pick(2) ? "-" : "", pick(pick(2) ? 5 : 3000), pick(pick(2) ? 5 : 3000));
            if (pick(2)) length += sprintf(texts[i] + length, "e%d", (int)pick(9) - 4);
            values[i] = parse(texts[i], length);
            CHECK(li_decimal_read(grammar, (const uint8_t *)texts[i], (uint32_t)length, &decimals[i]));
        }
        CHECK_EQ(li_decimal_compare(&decimals[0], &decimals[1]), compare(values[0], values[1]));
        CHECK_EQ(li_decimal_is_integer(&decimals[0]), is_multiple(values[0], (value){.digits = 1}));
        if (values[1].digits > 0)
            CHECK_EQ(li_decimal_is_multiple(grammar, &decimals[0], &decimals[1]), is_multiple(values[0], values[1]));
    }
    li_grammar_destroy(grammar);
}

static void test_long_division_undoes_multiplication(void)
{
    static li_bignum a, b, c, product, quotient;
    for (int round = 0; round < 20000; round++) {
        li_bignum *const parts[] = {&a, &b, &c};
        for (int i = 0; i < 3; i++) {
            // With limbs of ones and zeros the guesses of long division are often wrong.
            uint32_t length = 1 + pick(6);
            for (uint32_t j = 0; j < length; j++)
                parts[i]->limbs[j] = pick(3) ? (pick(2) ? UINT32_MAX : 0x80000000u) - pick(2) : pick(1u << 24) << 8;
            parts[i]->limbs[length - 1] |= 1;
            parts[i]->length = length;
        }
        li_bignum_divide(&c, &b, NULL); // a remainder: less than b
        li_bignum_copy(&product, &a);
        CHECK(li_bignum_multiply(&product, &b));
        CHECK(li_bignum_add(&product, &c));
        li_bignum_divide(&product, &b, &quotient);
        CHECK_EQ(li_bignum_compare(&product, &c), 0);
        CHECK_EQ(li_bignum_compare(&quotient, &a), 0);
    }
}

int main(void)
{
    test_decimals_are_read_as_json_spells_them();
    test_equal_ranges_are_one_term();
    test_every_number_that_is_left_has_a_word();
    test_decimals_compare_and_divide_as_the_reference_says();
    test_long_division_undoes_multiplication();
    test_a_prefix_allows_only_what_can_be_ended();
    test_numbers_that_binary_arithmetic_gets_wrong();
    test_bounds_and_multiples_of_hundreds_of_digits();
    test_numbers_too_long_end_in_an_error();
    test_running_out_of_fuel_is_an_error_and_not_an_answer();
    test_masks_tell_few_states_of_common_ranges_apart();
    test_numbers_end_where_doubles_do_unless_the_bounds_lie_beyond();
    test_canonical_numbers_have_no_spare_digits();
    test_short_texts_of_many_ranges_as_the_reference_says();
    test_short_texts_of_random_ranges_as_the_reference_says();
    return check_done("number");
}
