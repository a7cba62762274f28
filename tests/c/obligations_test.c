// Objects that need a property of some kind, and arrays that need an item of some kind, where little room is left.
#include "check.h"
#include "dead_ends.h"
#include "grammar/core/form_reader.h"
#include "grammar/json/json_value.h"
#include "schema_form.h"

static writer form;
static const value one = {.kind = V_NUMBER, .quarters = 4};

enum { BOOLEANS = 1, NULLS, PLAIN, ALL_BOOLEAN, ALL_NULL, ONE, NONE, ONE_OR_NULL, COUNT };

static keyword *add(schema *s, int kind)
{
    keyword *k = &s->keywords[s->count++];
    *k = (keyword){.kind = kind, .third = -1};
    return k;
}

// What the schema under test refers to; schema 0 is left empty.
static void make_parts(schema all[COUNT])
{
    memset(all, 0, COUNT * sizeof *all);
    add(&all[BOOLEANS], LI_KEYWORD_TYPE)->number = LI_TYPE_BOOLEAN;
    add(&all[NULLS], LI_KEYWORD_TYPE)->number = LI_TYPE_NULL;
    add(&all[PLAIN], LI_KEYWORD_TYPE)->number = LI_TYPE_BOOLEAN | LI_TYPE_NULL;
    add(&all[ALL_BOOLEAN], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = BOOLEANS;
    add(&all[ALL_NULL], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = NULLS;
    keyword *values = add(&all[ONE], LI_KEYWORD_ENUM);
    values->count = 1;
    values->values[0] = &one;
    add(&all[NONE], LI_KEYWORD_FALSE);
    keyword *any = add(&all[ONE_OR_NULL], LI_KEYWORD_ANY_OF);
    any->count = 2;
    any->list[0] = ONE, any->list[1] = NULLS;
}

// Texts after a ! must be refused. No texts: no value satisfies the schema.
static void check_schema(const schema *all, int count, uint32_t flags, const char *const *texts)
{
    put_form(&form, all, count, flags);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    CHECK_EQ(term == LI_TERM_NOTHING, !*texts);
    for (; *texts; texts++) {
        CHECK_CASE("%s", *texts);
        bool is_valid = **texts != '!';
        CHECK_EQ(reads(grammar, term, *texts + !is_valid), is_valid);
    }
    CHECK(term == LI_TERM_NOTHING || count_dead_ends(grammar, term) == 0);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// A key that has witnessed an obligation may not come again, because the last value of a key counts.
static void test_a_witness_stays_a_witness(void)
{
    schema all[COUNT];
    for (uint32_t flags = 0; flags <= LI_FORM_ANY_ORDER; flags += LI_FORM_ANY_ORDER) {
        CHECK_CASE("flags %u", flags);
        make_parts(all);
        add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
        add(&all[0], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = PLAIN;
        add(&all[0], LI_KEYWORD_NOT)->number = ALL_BOOLEAN;
        check_schema(all, COUNT, flags,
                     (const char *const[]){"{\"x\":null}", "{\"x\":true,\"y\":null}", "{\"x\":null,\"y\":true}",
                                           "!{\"x\":true}", "!{}", "!{\"x\":null,\"x\":true}",
                                           "!{\"x\":null,\"\\u0078\":true}", NULL});
    }
}

// A key whose values witness nothing may come again.
static void test_other_keys_may_be_repeated(void)
{
    schema all[COUNT];
    for (uint32_t flags = 0; flags <= LI_FORM_ANY_ORDER; flags += LI_FORM_ANY_ORDER) {
        CHECK_CASE("flags %u", flags);
        make_parts(all);
        add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
        keyword *patterns = add(&all[0], LI_KEYWORD_PATTERN_PROPERTIES);
        patterns->count = 1;
        patterns->list[0] = 0; // keys that begin with a
        patterns->schemas[0] = BOOLEANS;
        add(&all[0], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = PLAIN;
        add(&all[0], LI_KEYWORD_NOT)->number = ALL_BOOLEAN;
        check_schema(all, COUNT, flags,
                     (const char *const[]){"{\"a\":true,\"a\":false,\"x\":null}", "{\"x\":null,\"a\":true,\"a\":true}",
                                           "!{\"x\":null,\"x\":true}", "!{\"a\":true,\"a\":false}", NULL});
    }
}

static void test_a_known_key_is_one_property(void)
{
    schema all[COUNT];
    for (uint32_t flags = 0; flags <= LI_FORM_ANY_ORDER; flags += LI_FORM_ANY_ORDER)
        for (int keys = 1; keys <= 2; keys++) {
            CHECK_CASE("flags %u, keys %d", flags, keys);
            make_parts(all);
            add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
            keyword *properties = add(&all[0], LI_KEYWORD_PROPERTIES);
            for (; properties->count < keys; properties->count++) {
                properties->keys[properties->count] = properties->count ? "b" : "a";
                properties->schemas[properties->count] = PLAIN;
            }
            add(&all[0], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = NONE;
            add(&all[0], LI_KEYWORD_NOT)->number = ALL_BOOLEAN;
            add(&all[0], LI_KEYWORD_NOT)->number = ALL_NULL;
            static const char *const two[] = {"{\"a\":null,\"b\":true}", "{\"a\":true,\"b\":null}", "!{\"a\":true}",
                                              "!{\"a\":null,\"b\":null}", NULL};
            check_schema(all, COUNT, flags, keys == 2 ? two : two + 4);
        }
}

// A required key is present anyway, and counts once.
static void test_a_required_key_is_one_property(void)
{
    schema all[COUNT];
    static const char *const two[] = {"{\"a\":null,\"b\":true}", "{\"a\":true,\"\":null}", "!{\"a\":true}",
                                      "!{\"a\":null,\"b\":null}", NULL};
    for (uint32_t flags = 0; flags <= LI_FORM_ANY_ORDER; flags += LI_FORM_ANY_ORDER)
        for (int most = 1; most <= 2; most++) {
            CHECK_CASE("flags %u, most %d", flags, most);
            make_parts(all);
            add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
            keyword *properties = add(&all[0], LI_KEYWORD_PROPERTIES), *required = add(&all[0], LI_KEYWORD_REQUIRED);
            properties->count = required->count = 1;
            properties->keys[0] = required->keys[0] = "a";
            properties->schemas[0] = PLAIN;
            add(&all[0], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = PLAIN;
            add(&all[0], LI_KEYWORD_MAX_PROPERTIES)->number = most;
            add(&all[0], LI_KEYWORD_NOT)->number = ALL_BOOLEAN;
            add(&all[0], LI_KEYWORD_NOT)->number = ALL_NULL;
            check_schema(all, COUNT, flags, most == 2 ? two : two + 4);
        }
}

static void test_contains_counts_between_its_limits(void)
{
    static const struct {
        int items, least_items, least, most;
        const char *texts[5];
    } cases[] = {
        // All items count, and more must come than may count.
        {ONE, 2, 1, 1, {NULL}},
        {ONE, 2, 1, 2, {"[1,1]", "![1]", "![1,1,1]"}},
        // More must count than may.
        {-1, 0, 2, 1, {NULL}},
        {-1, 0, 2, 2, {"[1,1]", "[1,true,1]", "![1]", "![1,1,1]"}},
        {BOOLEANS, 0, 0, 1, {"[]", "[true,false,true]", "![1]"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("case %zu", i);
        schema all[COUNT];
        make_parts(all);
        add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
        if (cases[i].items >= 0) add(&all[0], LI_KEYWORD_ITEMS)->number = cases[i].items;
        add(&all[0], LI_KEYWORD_MIN_ITEMS)->number = cases[i].least_items;
        keyword *contains = add(&all[0], LI_KEYWORD_CONTAINS);
        contains->number = ONE;
        contains->second = cases[i].least;
        contains->third = cases[i].most;
        check_schema(all, COUNT, 0, cases[i].texts);
    }
}

// The second item always counts, so the first must not.
static void test_an_item_must_not_count_if_a_later_item_always_does(void)
{
    schema all[COUNT];
    make_parts(all);
    add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
    keyword *prefix = add(&all[0], LI_KEYWORD_PREFIX_ITEMS);
    prefix->count = 2;
    prefix->list[0] = ONE_OR_NULL, prefix->list[1] = ONE;
    add(&all[0], LI_KEYWORD_MIN_ITEMS)->number = 2;
    keyword *contains = add(&all[0], LI_KEYWORD_CONTAINS);
    contains->number = ONE;
    contains->second = 1;
    contains->third = 1;
    check_schema(all, COUNT, 0, (const char *const[]){"[null,1]", "[null,1,2]", "![1,1]", "![null,1,1]", NULL});
}

int main(void)
{
    test_a_witness_stays_a_witness();
    test_other_keys_may_be_repeated();
    test_a_known_key_is_one_property();
    test_a_required_key_is_one_property();
    test_contains_counts_between_its_limits();
    test_an_item_must_not_count_if_a_later_item_always_does();
    return check_done("obligations");
}
