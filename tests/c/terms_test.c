// Flags of terms.
#include "base/memory.h"
#include "check.h"
#include "grammar/core/arena.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/length_bounds.h"
#include "grammar/terms/term.h"

static li_grammar *make_grammar(void)
{
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    grammar->fuel = UINT64_MAX;
    li_terms_create(grammar);
    return grammar;
}

static void test_a_byte_beyond_ascii_is_no_text(void)
{
    li_grammar *grammar = make_grammar();
    for (uint32_t byte = 0; byte < 256; byte++) {
        li_term one = li_byte_range(grammar, (uint8_t)byte, (uint8_t)byte);
        li_term more = li_byte_range(grammar, 0, (uint8_t)byte);
        CHECK_EQ(!!(li_term_flags(grammar, one) & LI_FLAG_TEXT), byte < 0x80);
        CHECK_EQ(!!(li_term_flags(grammar, more) & LI_FLAG_TEXT), byte < 0x80);
    }
    li_grammar_destroy(grammar);
}

static li_term letters(li_grammar *grammar, uint8_t low, uint8_t high)
{
    return li_repeat(grammar, li_byte_range(grammar, low, high), 0, LI_NO_LIMIT);
}

static void test_an_intersection_is_one_term_in_any_order(void)
{
    li_grammar *grammar = make_grammar();
    li_term a = letters(grammar, 'a', 'c'), b = letters(grammar, 'b', 'd');
    CHECK_NE(li_both(grammar, a, b), LI_TERM_NOTHING);
    CHECK_EQ(li_both(grammar, a, b), li_both(grammar, b, a));
    li_grammar_destroy(grammar);
}

static li_term words(li_grammar *grammar, const char *one, const char *other)
{
    return li_either(grammar, li_literal(grammar, (const uint8_t *)one, 2),
                     li_literal(grammar, (const uint8_t *)other, 2));
}

// Of three lists every two share a word, but not all three.
static void test_an_intersection_behind_a_word_is_found_empty(void)
{
    li_grammar *grammar = make_grammar();
    li_term a = words(grammar, "pa", "qb"), b = words(grammar, "qb", "rc"), c = words(grammar, "pa", "rc");
    li_term both = li_both(grammar, a, b), x = li_literal(grammar, (const uint8_t *)"xyz", 3);
    CHECK_NE(both, LI_TERM_NOTHING);
    CHECK_NE(li_both(grammar, b, c), LI_TERM_NOTHING);
    CHECK_EQ(li_both(grammar, li_sequence(grammar, x, both), li_sequence(grammar, x, c)), LI_TERM_NOTHING);
    CHECK_NE(li_both(grammar, li_sequence(grammar, x, both), li_sequence(grammar, x, b)), LI_TERM_NOTHING);
    li_grammar_destroy(grammar);
}

static void test_repetitions_that_meet_become_one(void)
{
    li_grammar *grammar = make_grammar();
    li_term body = li_literal(grammar, (const uint8_t *)"ab", 2);
    for (uint32_t least = 2; least < 7; least++) {
        CHECK_CASE("least %u", least);
        li_term one = li_repeat(grammar, body, 2, 3), other = li_repeat(grammar, body, least, 7);
        li_term both = li_either(grammar, one, other), whole = li_repeat(grammar, body, 2, 7);
        CHECK_EQ(both, li_either(grammar, other, one));
        CHECK_EQ(both == whole, least <= 4);
    }
    li_grammar_destroy(grammar);
}

// After the first round of a repetition, the rounds that are left finish a text.
static void test_a_repetition_needs_the_rounds_that_are_left(void)
{
    li_grammar *grammar = make_grammar();
    for (uint32_t length = 1; length < 4; length++)
        for (uint32_t least = 1; least < 5; least++) {
            CHECK_CASE("length %u, least %u", length, least);
            li_extent extent;
            li_term body = li_literal(grammar, (const uint8_t *)"abc", length);
            CHECK(li_extent_of(grammar, li_repeat(grammar, body, least, LI_NO_LIMIT), &extent));
            CHECK_EQ(extent.shortest, least * length);
            CHECK_EQ(extent.reach, least * length - 1);
        }
    li_grammar_destroy(grammar);
}

int main(void)
{
    test_a_byte_beyond_ascii_is_no_text();
    test_an_intersection_is_one_term_in_any_order();
    test_an_intersection_behind_a_word_is_found_empty();
    test_repetitions_that_meet_become_one();
    test_a_repetition_needs_the_rounds_that_are_left();
    return check_done("terms");
}
