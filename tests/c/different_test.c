// Arrays of different items, whose items are such arrays too; and their masks.
#include "byte_vocabulary.h"
#include "check.h"
#include "dead_ends.h"
#include "grammar/core/form_reader.h"
#include "grammar/json/json_value.h"
#include "grammar/mask/masker.h"
#include "grammar/tableau/satisfiable.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"
#include "schema_form.h"

static writer form;

static keyword *add(schema *s, int kind)
{
    keyword *k = &s->keywords[s->count++];
    *k = (keyword){.kind = kind, .third = -1};
    return k;
}

static schema array_of(int items, int least)
{
    schema array = {.count = 0};
    add(&array, LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
    add(&array, LI_KEYWORD_ITEMS)->number = items;
    add(&array, LI_KEYWORD_MIN_ITEMS)->number = least;
    add(&array, LI_KEYWORD_UNIQUE_ITEMS);
    return array;
}

static schema of_type(int type)
{
    schema s = {.count = 0};
    add(&s, LI_KEYWORD_TYPE)->number = type;
    return s;
}

static schema any_of(int one, int other)
{
    schema s = {.count = 0};
    keyword *any = add(&s, LI_KEYWORD_ANY_OF);
    any->list[any->count++] = one;
    any->list[any->count++] = other;
    return s;
}

static li_grammar *compile(const schema *all, int count)
{
    put_form(&form, all, count, 0);
    return li_grammar_compile(form.bytes, form.length, 0);
}

static void check_texts(li_grammar *grammar, li_term term, const char *const *texts)
{
    for (; *texts; texts++) {
        CHECK_CASE("%s", *texts);
        bool is_valid = **texts != '!';
        CHECK_EQ(reads(grammar, term, *texts + !is_valid), is_valid);
    }
}

static bool goes_on(li_grammar *grammar, li_term term, const char *text)
{
    return li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)strlen(text)) != LI_TERM_NOTHING;
}

// An item is a boolean or such an array again: the question whether two values exist contains itself.
static void test_arrays_of_arrays_differ_at_every_level(void)
{
    schema all[] = {any_of(1, 2), of_type(LI_TYPE_BOOLEAN), array_of(0, 2)};
    li_grammar *grammar = compile(all, 3);
    li_term term = li_value(grammar, li_node_of(grammar, 2, false), 0);
    check_texts(grammar, term,
                (const char *const[]){"[true,false]", "[true,[false,true]]", "[[true,false],[false,true]]",
                                      "![true,true]", "![[true,false],[true,false]]", "![[true]]", NULL});
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
    // If the innermost item has one value, there is no second value.
    all[1] = of_type(LI_TYPE_NULL);
    grammar = compile(all, 3);
    CHECK_EQ(li_value(grammar, li_node_of(grammar, 2, false), 0), LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

static void test_arrays_in_another_order_differ(void)
{
    schema all[] = {array_of(1, 2), array_of(2, 2), of_type(LI_TYPE_BOOLEAN)};
    li_grammar *grammar = compile(all, 3);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(
        grammar, term,
        (const char *const[]){"[[true,false],[false,true]]", "![[true,false],[true,false]]", "![[true,false]]", NULL});
    CHECK_EQ(count_dead_ends(grammar, term), 0);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
    // The shorter arrays differ too.
    all[0] = array_of(1, 1), all[1] = array_of(2, 1);
    grammar = compile(all, 3);
    term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term,
                (const char *const[]){"[[true],[true,false],[false]]", "![[true,false],[true,false]]", NULL});
    CHECK(!goes_on(grammar, term, "[[true,false],[true,"));
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
    // Only two orders exist.
    all[1] = array_of(2, 2);
    all[0] = array_of(1, 3);
    grammar = compile(all, 3);
    CHECK_EQ(li_value(grammar, li_node_of(grammar, 0, false), 0), LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

static schema objects(int least)
{
    schema s = of_type(LI_TYPE_OBJECT);
    add(&s, LI_KEYWORD_MIN_PROPERTIES)->number = least;
    return s;
}

// A schema that counts as empty has no value: where different values cannot be counted, uniqueItems is refused.
static void test_a_schema_with_enough_values_is_not_empty(void)
{
    schema all[12] = {array_of(1, 2), objects(1)};
    li_grammar *grammar = compile(all, 2);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term, (const char *const[]){"[{\"a\":1},{\"b\":1}]", "![{\"a\":1},{}]", NULL});
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
    // Arrays of one item of arrays of one item ... of booleans: two values, however deep.
    for (int levels = 1; levels < 10; levels++) {
        CHECK_CASE("levels %d", levels);
        for (int i = 1; i <= levels; i++) {
            all[i] = of_type(LI_TYPE_ARRAY);
            add(&all[i], LI_KEYWORD_ITEMS)->number = i + 1;
            add(&all[i], LI_KEYWORD_MIN_ITEMS)->number = 1;
            add(&all[i], LI_KEYWORD_MAX_ITEMS)->number = 1;
        }
        all[levels + 1] = of_type(LI_TYPE_BOOLEAN);
        for (int least = 2; least < 4; least++) {
            CHECK_CASE("least %d", least);
            all[0] = array_of(1, least);
            grammar = compile(all, levels + 2);
            bool has_value = li_node_is_satisfiable(grammar, li_node_of(grammar, 0, false));
            bool is_refused = grammar->status == LI_ERROR_GRAMMAR_UNSUPPORTED && grammar->refusals.count == 1 &&
                              grammar->refusals.at[0].keyword == LI_KEYWORD_UNIQUE_ITEMS;
            CHECK(is_refused || (grammar->status == LI_OK && has_value == (least == 2)));
            CHECK(levels > 4 || !is_refused);
            li_grammar_destroy(grammar);
        }
    }
}

// Arrays nested to any depth give an answer or an error, and never exhaust the stack.
static void test_hundreds_of_levels_end_in_an_answer_or_an_error(void)
{
    enum { LEVELS = 300 };
    static schema all[LEVELS + 1];
    for (int i = 0; i < LEVELS; i++) all[i] = array_of(i + 1, 1);
    all[LEVELS] = of_type(LI_TYPE_BOOLEAN);
    li_grammar *grammar = compile(all, LEVELS + 1);
    li_node_is_satisfiable(grammar, li_node_of(grammar, 0, false));
    CHECK(grammar->status == LI_OK || grammar->status == LI_ERROR_GRAMMAR_FUEL ||
          grammar->status == LI_ERROR_GRAMMAR_UNSUPPORTED);
    li_grammar_destroy(grammar);
}

// An array must contain an array like itself, or with `lenient` also another array. An endless search is an error.
static void test_a_schema_that_contains_itself_is_read(void)
{
    schema all[] = {{.count = 0}};
    add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_BOOLEAN | LI_TYPE_ARRAY;
    add(&all[0], LI_KEYWORD_UNIQUE_ITEMS);
    keyword *contains = add(&all[0], LI_KEYWORD_CONTAINS);
    contains->number = 0;
    contains->second = 1;
    contains->third = 10;
    add(&all[0], LI_KEYWORD_MIN_ITEMS)->number = 3;
    add(&all[0], LI_KEYWORD_MAX_ITEMS)->number = 3;
    put_form(&form, all, 1, LI_FORM_LENIENT);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
    reads(grammar, li_value(grammar, li_node_of(grammar, 0, false), 0), "[true,false,[]]");
    CHECK(grammar->status == LI_OK || grammar->status == LI_ERROR_GRAMMAR_FUEL);
    li_grammar_destroy(grammar);
}

static schema integers(int least, int most)
{
    schema s = of_type(LI_TYPE_INTEGER);
    add(&s, LI_KEYWORD_MINIMUM)->number = 4 * least;
    add(&s, LI_KEYWORD_MAXIMUM)->number = 4 * most;
    return s;
}

// Reads [0,1,2 ... up to `count` items; returns how many of them can be read.
static int read_integers(li_grammar *grammar, li_term *term, int count)
{
    char text[16];
    *term = li_derive(grammar, *term, '[');
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s%d", i ? "," : "", i);
        grammar->fuel = 4000000; // of a step
        li_term next = li_derive_bytes(grammar, *term, (const uint8_t *)text, (uint32_t)strlen(text));
        if (next == LI_TERM_NOTHING) return i;
        *term = next;
    }
    return count;
}

// Some of the integers count for contains. If too few exist, the array is refused before its first item.
static void test_contains_counts_among_hundreds_of_different_items(void)
{
    static const struct {
        int least, values, counting, least_counting, most_counting;
        bool has_value;
    } cases[] = {
        {300, 300, 5, 1, 100000, true},   {300, 299, 5, 1, 100000, false},  {250, 300, 200, 1, 60, false},
        {250, 300, 200, 1, 100000, true}, {250, 300, 200, 160, 170, true},  {250, 300, 200, 201, 100000, false},
        {210, 100000, 50, 60, 80, false}, {210, 100000, 100, 60, 80, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("case %zu: %d values, %d counting", i, cases[i].values, cases[i].counting);
        char text[16];
        schema all[] = {array_of(1, cases[i].least), integers(0, cases[i].values - 1),
                        integers(0, cases[i].counting - 1)};
        keyword *contains = add(&all[0], LI_KEYWORD_CONTAINS);
        contains->number = 2;
        contains->second = cases[i].least_counting;
        contains->third = cases[i].most_counting;
        li_grammar *grammar = compile(all, 3);
        li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
        CHECK_EQ(grammar->status, LI_OK);
        CHECK_EQ(term != LI_TERM_NOTHING, cases[i].has_value);
        // Items that count come first, as many as may count.
        int can_come = cases[i].most_counting < cases[i].counting ? cases[i].most_counting : 20;
        if (cases[i].has_value) CHECK_EQ(read_integers(grammar, &term, can_come), can_come);
        snprintf(text, sizeof text, ",%d", can_come);
        if (cases[i].has_value && can_come != 20) {
            term = li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)strlen(text));
            CHECK_EQ(li_derive(grammar, term, ','), LI_TERM_NOTHING);
        }
        CHECK_EQ(grammar->status, LI_OK);
        li_grammar_destroy(grammar);
    }
}

// There are more places than the values that a search lists. No impossible array may count as possible.
static void test_arrays_longer_than_the_counted_values(void)
{
    schema all[] = {array_of(1, 200000), integers(0, 150000)};
    li_grammar *grammar = compile(all, 2);
    CHECK(li_value(grammar, li_node_of(grammar, 0, false), 0) == LI_TERM_NOTHING || grammar->status != LI_OK);
    li_grammar_destroy(grammar);
    all[1] = of_type(LI_TYPE_INTEGER);
    grammar = compile(all, 2);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    CHECK_EQ(read_integers(grammar, &term, 20), 20);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// Equal numbers are equal at any length and with any exponent; no number beyond doubles is read.
static void test_numbers_of_any_exponent_are_compared_by_value(void)
{
    schema all[] = {array_of(1, 1), of_type(LI_TYPE_NUMBER)};
    li_grammar *grammar = compile(all, 2);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term,
                (const char *const[]){"[1e307,1e306]", "![1e307,10e306]", "![1e307,1.0e+00307]", "[1e-99999,1e307]",
                                      "![0e99999,0]", "![0.01e-99999999999999999998,1E-100000000000000000000]",
                                      "[0.01e-99999999999999999998,1E-10000000000000000000]", "![100e305,1e307]",
                                      "![0.1e308,1e307]", "![-0,0.0]", "![-1e3,-1000.0]", "[-1e3,1000]",
                                      "![12.50,1.25e1]", "![1e308,0.001e311]", "![1e-1000000000,1000e-1000000003]",
                                      "![1e309]", NULL});
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// Members are compared by key, even an empty key. Of members with the same key the last counts.
static void test_objects_are_compared_without_the_order_of_their_keys(void)
{
    schema all[] = {array_of(1, 1), of_type(LI_TYPE_OBJECT)};
    li_grammar *grammar = compile(all, 2);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term,
                (const char *const[]){"[{\"\":1,\"a\":2},{\"\":2,\"a\":2}]", "![{\"\":1,\"a\":2},{\"a\":2,\"\":1}]",
                                      "![{\"ab\":1,\"a\":2},{\"a\":2,\"ab\":1}]", "![{\"\":2},{\"\":1,\"\":2}]",
                                      "[{\"\":1},{\"\":1,\"\":2}]", NULL});
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

static schema closed_object(int property, int value, int second)
{
    schema s = of_type(LI_TYPE_OBJECT);
    keyword *properties = add(&s, LI_KEYWORD_PROPERTIES);
    properties->count = second ? 2 : 1;
    properties->keys[0] = "a", properties->schemas[0] = property;
    properties->keys[1] = "b", properties->schemas[1] = second;
    add(&s, LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = value;
    return s;
}

static schema no_value(void)
{
    schema s = {.count = 0};
    add(&s, LI_KEYWORD_FALSE);
    return s;
}

// Only one object has enough properties and the required ones.
static void test_objects_without_what_they_need_are_no_different_items(void)
{
    for (int is_required = 0; is_required < 2; is_required++) {
        CHECK_CASE("is_required %d", is_required);
        schema all[] = {array_of(1, 2), closed_object(2, 3, is_required ? 2 : 0), integers(1, 1), no_value()};
        if (is_required) {
            keyword *required = add(&all[1], LI_KEYWORD_REQUIRED);
            required->count = 1;
            required->keys[0] = "a";
            add(&all[1], LI_KEYWORD_MAX_PROPERTIES)->number = 1;
        } else {
            add(&all[1], LI_KEYWORD_MIN_PROPERTIES)->number = 1;
        }
        li_grammar *grammar = compile(all, 4);
        CHECK(!li_node_is_satisfiable(grammar, li_node_of(grammar, 0, false)));
        CHECK(grammar->status == LI_OK || grammar->refusals.at[0].keyword == LI_KEYWORD_UNIQUE_ITEMS);
        li_grammar_destroy(grammar);
    }
}

// Pairs of different items are not counted; some are composed.
static void test_pairs_are_found_where_they_cannot_be_counted(void)
{
    schema all[] = {array_of(1, 2), array_of(2, 2), of_type(LI_TYPE_BOOLEAN), of_type(LI_TYPE_BOOLEAN | LI_TYPE_NULL)};
    keyword *prefix = add(&all[1], LI_KEYWORD_PREFIX_ITEMS);
    prefix->count = 1;
    prefix->list[0] = 3;
    add(&all[1], LI_KEYWORD_MAX_ITEMS)->number = 2;
    for (int are_strings = 0; are_strings < 2; are_strings++) {
        CHECK_CASE("are_strings %d", are_strings);
        if (are_strings) all[2] = all[3] = of_type(LI_TYPE_STRING);
        if (are_strings) add(&all[2], LI_KEYWORD_PATTERN)->number = 2;
        if (are_strings) add(&all[3], LI_KEYWORD_PATTERN)->number = 0;
        li_grammar *grammar = compile(all, 4);
        CHECK(li_node_is_satisfiable(grammar, li_node_of(grammar, 0, false)));
        CHECK_EQ(grammar->status, LI_OK);
        li_grammar_destroy(grammar);
    }
}

// Where an object must still be told apart, only the values that an obligation leaves count.
static void test_obligations_leave_few_values(void)
{
    schema all[] = {array_of(1, 1), closed_object(2, 3, 2),  {.count = 0},
                    no_value(),     of_type(LI_TYPE_OBJECT), of_type(LI_TYPE_BOOLEAN)};
    static const value true_or_null[] = {{.kind = V_TRUE}, {.kind = V_NULL}};
    keyword *required = add(&all[1], LI_KEYWORD_REQUIRED), *values = add(&all[2], LI_KEYWORD_ENUM);
    required->count = values->count = 2;
    required->keys[0] = "a", required->keys[1] = "b";
    values->values[0] = &true_or_null[0], values->values[1] = &true_or_null[1];
    add(&all[1], LI_KEYWORD_NOT)->number = 4; // one of a and b is not a boolean
    add(&all[4], LI_KEYWORD_ADDITIONAL_PROPERTIES)->number = 5;
    li_grammar *grammar = compile(all, 6);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term,
                (const char *const[]){"[{\"a\":null,\"b\":true},{\"a\":true,\"b\":null},{\"a\":null,\"b\":null}]",
                                      "![{\"a\":true,\"b\":true}]", NULL});
    CHECK(!goes_on(grammar, term, "[{\"a\":true,\"b\":null},{\"a\":true"));
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// An array has no more items where the next item would need itself.
static void test_items_without_a_value_leave_few_arrays(void)
{
    schema all[] = {array_of(1, 1), of_type(LI_TYPE_ARRAY), of_type(LI_TYPE_BOOLEAN), of_type(LI_TYPE_OBJECT)};
    keyword *prefix = add(&all[1], LI_KEYWORD_PREFIX_ITEMS), *properties = add(&all[3], LI_KEYWORD_PROPERTIES),
            *required = add(&all[3], LI_KEYWORD_REQUIRED);
    prefix->count = properties->count = required->count = 1;
    prefix->list[0] = 2;
    add(&all[1], LI_KEYWORD_ITEMS)->number = 3;
    properties->keys[0] = required->keys[0] = "a";
    properties->schemas[0] = 3;
    li_grammar *grammar = compile(all, 4);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term, (const char *const[]){"[[],[true],[false]]", "![[true,1]]", NULL});
    CHECK(!goes_on(grammar, term, "[[true],[true"));
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// Zero is one value, and 1e0 may be the only spelling of a value that is left.
static void test_numbers_with_exponents_are_counted_once(void)
{
    schema all[] = {array_of(1, 2), of_type(LI_TYPE_NUMBER)};
    add(&all[1], LI_KEYWORD_MINIMUM)->number = 0;
    add(&all[1], LI_KEYWORD_MAXIMUM)->number = 0;
    li_grammar *grammar = compile(all, 2);
    CHECK_EQ(li_value(grammar, li_node_of(grammar, 0, false), 0), LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
    all[1] = integers(1, 10);
    grammar = compile(all, 2);
    li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
    check_texts(grammar, term, (const char *const[]){"[10,1e0]", "[1,1e1]", "![10,1e1]", "![1,1e0]", NULL});
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// ---- masks ----

// Along a text, masks have the bytes that can be read, except bytes of overrun spellings.
static void check_masks(const schema *all, int count, const char *text)
{
    put_form(&form, all, count, LI_FORM_FLEXIBLE);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
    li_vocabulary *vocabulary = bytes_alone();
    li_masker *masker = li_masker_create(grammar, vocabulary, 0);
    li_term state = li_value(grammar, li_node_of(grammar, 0, false), 0);
    for (; state != LI_TERM_NOTHING && *text; state = li_derive(grammar, state, (uint8_t)*text++)) {
        if (li_term_flags(grammar, state) & LI_FLAG_OVERRUN) continue;
        int wrong = 0;
        CHECK_EQ(li_mask_fill(masker, state), LI_OK);
        for (uint32_t byte = 0; byte < 256; byte++) {
            li_term next = li_derive(grammar, state, (uint8_t)byte);
            bool is_read = next != LI_TERM_NOTHING && !(li_term_flags(grammar, next) & LI_FLAG_OVERRUN);
            wrong += is_read != (masker->bits[byte >> 5] >> (byte & 31) & 1);
        }
        CHECK_CASE("before %s", text);
        CHECK_EQ(wrong, 0);
    }
    CHECK_CASE("at %s", text);
    CHECK_NE(state, LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_OK);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

static void test_masks_equal_the_walk_of_the_vocabulary(void)
{
    schema all[3] = {array_of(1, 1), of_type(LI_TYPE_INTEGER)};
    check_masks(all, 2, "[10,-7 , 3.5e1,2e2, 0,-12, 120e-1]");
    all[1] = of_type(LI_TYPE_STRING);
    check_masks(all, 2, "[\"a\",\"\\u0061b\" , \"\\n\"]");
    all[1] = of_type(LI_TYPE_NUMBER | LI_TYPE_ARRAY);
    check_masks(all, 2, "[1.5,[1],[1,1]]");
    all[1] = of_type(LI_TYPE_NUMBER);
    check_masks(all, 2, "[0,-1.5e3,0.5,0.0001]");
    all[1] = array_of(2, 1);
    all[2] = of_type(LI_TYPE_INTEGER);
    check_masks(all, 3, "[[0],[10],[0,10],[1e2]]");
    all[2] = of_type(LI_TYPE_NUMBER);
    check_masks(all, 3, "[[0],[0.5],[0.05,10],[0,1.5e2]]");
}

// An item that repeats one string may follow another string.
static void test_tokens_after_every_string_are_tried(void)
{
    static const char *const tokens[] = {"\",\"\"]", "b\",\"\"]"};
    schema all[] = {array_of(1, 1), of_type(LI_TYPE_STRING)};
    li_grammar *grammar = compile(all, 2);
    li_vocabulary *vocabulary = li_vocabulary_create(258, 256 + 5 + 6, 0);
    for (uint32_t token = 0; token < 258; token++) {
        uint32_t start = token ? li_vocabulary_ends(vocabulary)[token - 1] : 0, length = 1;
        const char byte = (char)token, *bytes = token < 256 ? &byte : tokens[token - 256];
        if (token >= 256) length = (uint32_t)strlen(bytes);
        memcpy(li_vocabulary_bytes(vocabulary) + start, bytes, length);
        li_vocabulary_ends(vocabulary)[token] = start + length;
    }
    CHECK_EQ(li_vocabulary_prepare(vocabulary), LI_OK);
    li_masker *masker = li_masker_create(grammar, vocabulary, 0);
    static const char *const texts[] = {"[\"", "[\"a\",\"", "[\"b\",\""};
    for (uint32_t i = 0; i < 3; i++) {
        li_term state = li_value(grammar, li_node_of(grammar, 0, false), 0);
        state = li_derive_bytes(grammar, state, (const uint8_t *)texts[i], (uint32_t)strlen(texts[i]));
        CHECK_EQ(li_mask_fill(masker, state), LI_OK);
        CHECK_EQ(masker->bits[8] & 3, i < 2 ? 2 : 0);
    }
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

int main(void)
{
    test_arrays_of_arrays_differ_at_every_level();
    test_arrays_in_another_order_differ();
    test_a_schema_with_enough_values_is_not_empty();
    test_hundreds_of_levels_end_in_an_answer_or_an_error();
    test_a_schema_that_contains_itself_is_read();
    test_contains_counts_among_hundreds_of_different_items();
    test_arrays_longer_than_the_counted_values();
    test_numbers_of_any_exponent_are_compared_by_value();
    test_objects_are_compared_without_the_order_of_their_keys();
    test_objects_without_what_they_need_are_no_different_items();
    test_pairs_are_found_where_they_cannot_be_counted();
    test_obligations_leave_few_values();
    test_items_without_a_value_leave_few_arrays();
    test_numbers_with_exponents_are_counted_once();
    test_masks_equal_the_walk_of_the_vocabulary();
    test_tokens_after_every_string_are_tried();
    return check_done("different");
}
