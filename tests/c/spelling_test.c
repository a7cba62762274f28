// How JSON is spelt, and schemas by hand that leave few values.
#include "check.h"
#include "dead_ends.h"
#include "grammar/core/form_reader.h"
#include "grammar/json/json_value.h"
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

static const schema *const_schemas(void)
{
    // 0: an object of a (any), b (required, an array of different booleans), others; 1: that array; 2: booleans; 3:
    // any.
    static schema all[4];
    memset(all, 0, sizeof all);
    keyword *properties = add(&all[0], LI_KEYWORD_PROPERTIES), *required = add(&all[0], LI_KEYWORD_REQUIRED);
    properties->count = 2;
    properties->keys[0] = "a", properties->schemas[0] = 3;
    properties->keys[1] = "b", properties->schemas[1] = 1;
    required->count = 1;
    required->keys[0] = "b";
    add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
    add(&all[1], LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
    add(&all[1], LI_KEYWORD_ITEMS)->number = 2;
    add(&all[1], LI_KEYWORD_UNIQUE_ITEMS);
    add(&all[2], LI_KEYWORD_TYPE)->number = LI_TYPE_BOOLEAN;
    return all;
}

static void put_spelt(uint32_t flags, const char *indent, const char *item, const char *key)
{
    const schema *all = const_schemas();
    put_form(&form, all, 4, flags);
    writer plain = form;
    form.length = 4;
    put(&form, flags), put(&form, 3);
    put_text(&form, indent), put_text(&form, item), put_text(&form, key);
    // What follows flags, the run and the three texts.
    uint32_t after = 4 + 2 + 1 + 2 + 2;
    memcpy(form.bytes + form.length, plain.bytes + after, plain.length - after);
    form.length += plain.length - after;
}

static void test_texts_follow_the_spelling_of_the_grammar(void)
{
    static const struct {
        uint32_t flags;
        const char *indent, *item, *key;
        const char *texts[5]; // texts after a ! must be refused
    } cases[] = {
        {0,
         "",
         ",",
         ":",
         {"{\"b\":[]}", "{\"a\":{},\"b\":[true,false],\"c\":[[],{\"\":null}]}", "!{ \"b\":[]}",
          "!{\"b\":[true, false]}", "!{\"b\":[],\"a\":1}"}},
        {0, "", ", ", ": ", {"{\"a\": 1, \"b\": [true, false]}", "!{\"a\":1, \"b\": []}", "!{\"a\": 1,\"b\": []}"}},
        {LI_FORM_FLEXIBLE,
         "",
         ",",
         ":",
         {"{\"b\":[]}", "{ \n\t\"b\" :\r[ ] }", "{\"a\" : [ 1 , 2 ] , \"b\" : [ true , false ] }", "!{\"b\":[]} ",
          "!{\"b\":[] \"c\":1}"}},
        {LI_FORM_INDENTS,
         "  ",
         ",",
         ": ",
         {"{\n  \"b\": []\n}", "{\n  \"a\": {},\n  \"b\": [\n    true,\n    false\n  ]\n}", "!{\"b\": []}",
          "!{\n  \"b\": [\n  ]\n}", "{\n  \"a\": [\n    [\n      {}\n    ]\n  ],\n  \"b\": []\n}"}},
        {LI_FORM_ANY_ORDER,
         "",
         ",",
         ":",
         {"{\"c\":0,\"b\":[],\"a\":1}", "!{\"b\":[],\"b\":[]}", "{\"\\u0062\":[]}", "!{\"b\":[true,true]}",
          "!{\"b\":[],\"\\u0062\":[]}"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("spelling %zu", i);
        put_spelt(cases[i].flags, cases[i].indent, cases[i].item, cases[i].key);
        li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
        li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
        for (int j = 0; j < 5 && cases[i].texts[j]; j++) {
            const char *text = cases[i].texts[j];
            CHECK_CASE("%s", text);
            bool is_valid = *text != '!';
            CHECK_EQ(reads(grammar, term, text + !is_valid), is_valid);
        }
        CHECK_EQ(count_dead_ends(grammar, term), 0);
        CHECK_EQ(grammar->status, LI_OK);
        li_grammar_destroy(grammar);
    }
}

// Where one item decides which values remain for the others.
static void test_different_items_have_no_dead_end_where_values_are_scarce(void)
{
    // 0: the array; 1: "a"; 2: "a" or "b"; 3: "a", "b" or "ab".
    schema all[4];
    memset(all, 0, sizeof all);
    for (int i = 1; i < 4; i++) {
        keyword *k = add(&all[i], LI_KEYWORD_ENUM);
        static const value strings[] = {
            {.kind = V_STRING, .text = "a"}, {.kind = V_STRING, .text = "b"}, {.kind = V_STRING, .text = "ab"}};
        k->count = i;
        for (int j = 0; j < i; j++) k->values[j] = &strings[j];
    }
    static const struct {
        int prefix[3], items, least, most, contained, contained_least, contained_most;
        const char *texts[4];
    } cases[] = {
        {{2, 1, 0}, 3, 2, 9, 0, 0, -1, {"[\"b\",\"a\"]", "![\"a\"", "[\"b\",\"a\",\"ab\"]"}},
        {{3, 2, 1}, 3, 3, 9, 0, 0, -1, {"[\"ab\",\"b\",\"a\"]", "![\"a\"", "![\"b\"", "![\"ab\",\"a\""}},
        {{0}, 2, 3, 9, 0, 0, -1, {"!["}},
        {{3, 3, 0}, 3, 3, 9, 2, 1, 1, {"!["}},
        {{3, 3, 0}, 3, 2, 9, 2, 1, 1, {"[\"ab\",\"b\"]", "![\"a\",\"b\"", "[\"a\",\"ab\"]"}},
        {{2, 3, 0}, 3, 2, 9, 1, 1, -1, {"[\"a\",\"b\"]", "[\"b\",\"ab\",\"a\"]", "![\"b\",\"ab\"]"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("case %zu", i);
        all[0].count = 0;
        add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_ARRAY;
        keyword *prefix = add(&all[0], LI_KEYWORD_PREFIX_ITEMS);
        while (prefix->count < 3 && cases[i].prefix[prefix->count]) {
            prefix->list[prefix->count] = cases[i].prefix[prefix->count];
            prefix->count++;
        }
        add(&all[0], LI_KEYWORD_ITEMS)->number = cases[i].items;
        add(&all[0], LI_KEYWORD_MIN_ITEMS)->number = cases[i].least;
        add(&all[0], LI_KEYWORD_MAX_ITEMS)->number = cases[i].most;
        add(&all[0], LI_KEYWORD_UNIQUE_ITEMS);
        if (cases[i].contained) {
            keyword *contains = add(&all[0], LI_KEYWORD_CONTAINS);
            contains->number = cases[i].contained;
            contains->second = cases[i].contained_least;
            contains->third = cases[i].contained_most;
        }
        put_form(&form, all, 4, 0);
        li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
        li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
        for (int j = 0; j < 4 && cases[i].texts[j]; j++) {
            const char *text = cases[i].texts[j];
            CHECK_CASE("%s", text);
            bool lives = *text != '!';
            text += !lives;
            li_term rest = li_derive_bytes(grammar, term, (const uint8_t *)text, (uint32_t)strlen(text));
            CHECK(lives ? li_term_is_nullable(grammar, rest) : rest == LI_TERM_NOTHING);
        }
        CHECK(term == LI_TERM_NOTHING || count_dead_ends(grammar, term) == 0);
        CHECK_EQ(grammar->status, LI_OK);
        li_grammar_destroy(grammar);
    }
}

// Three different booleans do not exist; nor does an object that needs them.
static void test_an_impossible_array_is_empty(void)
{
    schema all[4];
    memcpy(all, const_schemas(), sizeof all);
    add(&all[1], LI_KEYWORD_MIN_ITEMS)->number = 3;
    put_form(&form, all, 4, 0);
    li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
    CHECK_EQ(li_value(grammar, li_node_of(grammar, 1, false), 0), LI_TERM_NOTHING);
    CHECK_EQ(li_value(grammar, li_node_of(grammar, 0, false), 0), LI_TERM_NOTHING);
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

// Wherever fuel runs out among keys in any order, the result is an error.
static void test_a_key_is_read_or_fuel_ends_with_an_error(void)
{
    // 0: an object that needs two of a, ab, b, c, of which a needs c and one is true; 1: true.
    schema all[3];
    memset(all, 0, sizeof all);
    keyword *properties = add(&all[0], LI_KEYWORD_PROPERTIES);
    static const char *const names[] = {"a", "ab", "b", "c"};
    for (properties->count = 0; properties->count < 4; properties->count++) {
        properties->keys[properties->count] = names[properties->count];
        properties->schemas[properties->count] = 2;
    }
    add(&all[0], LI_KEYWORD_TYPE)->number = LI_TYPE_OBJECT;
    add(&all[0], LI_KEYWORD_MAX_PROPERTIES)->number = 2;
    add(&all[0], LI_KEYWORD_MIN_PROPERTIES)->number = 2;
    keyword *dependent = add(&all[0], LI_KEYWORD_DEPENDENT_REQUIRED);
    dependent->count = 1;
    dependent->keys[0] = "a", dependent->more[0] = "c";
    add(&all[0], LI_KEYWORD_NOT)->number = 1;
    keyword *others = add(&all[1], LI_KEYWORD_ADDITIONAL_PROPERTIES);
    others->number = 2;
    add(&all[1], LI_KEYWORD_MIN_PROPERTIES)->number = 3;
    add(&all[2], LI_KEYWORD_TYPE)->number = LI_TYPE_BOOLEAN;
    put_form(&form, all, 3, LI_FORM_ANY_ORDER);
    bool has_read = false;
    for (uint64_t fuel = 1; fuel < 4000 && !has_read; fuel++) {
        li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
        li_term term = li_value(grammar, li_node_of(grammar, 0, false), 0);
        CHECK_EQ(grammar->status, LI_OK);
        li_grammar_begin(grammar, fuel);
        has_read = reads(grammar, term, "{\"\\u0061\":true,\"c\":true}");
        CHECK_EQ(grammar->status, has_read ? LI_OK : LI_ERROR_GRAMMAR_FUEL);
        li_grammar_destroy(grammar);
    }
    CHECK(has_read);
}

static void test_a_spelling_that_is_no_json_is_refused(void)
{
    static const char *const cases[][3] = {
        {"", ",", ":"},  {"\t ", "\n , ", "\r:"}, {"!x", ",", ":"},  {"!", "", ":"},   {"!", ",,", ":"}, {"!", ",", ""},
        {"!", ";", ":"}, {"!", ",", ",:"},        {"!", ",", " ::"}, {"!,", ",", ":"}, {"!", ", 1", ":"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("item \"%s\", key \"%s\"", cases[i][1], cases[i][2]);
        bool is_refused = *cases[i][0] == '!';
        put_spelt(LI_FORM_INDENTS, cases[i][0] + is_refused, cases[i][1], cases[i][2]);
        li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
        CHECK_EQ(grammar->status, is_refused ? LI_ERROR_GRAMMAR_FORM : LI_OK);
        li_grammar_destroy(grammar);
    }
}

// Keys and strings of a schema.
static void test_strings_that_are_no_utf8_are_refused(void)
{
    static const char *const texts[] = {
        "a",      "\xc3\xa9",  "\xf0\x9f\x98\x80", "\xed\x9f\xbf",  "\xf4\x8f\xbf\xbf",  "!\xe1",
        "!\x80",  "!\xc1\xbf", "!\xed\xa0\x80",    "!\xe0\x9f\xbf", "!\xf4\x90\x80\x80", "!\xf5",
        "!a\xc3", "!\xc3("};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_CASE("text %zu", i);
        bool is_refused = *texts[i] == '!';
        schema s = {.count = 0};
        keyword *required = add(&s, LI_KEYWORD_REQUIRED);
        required->count = 1;
        required->keys[0] = texts[i] + is_refused;
        put_form(&form, &s, 1, 0);
        li_grammar *grammar = li_grammar_compile(form.bytes, form.length, 0);
        CHECK_EQ(grammar->status, is_refused ? LI_ERROR_GRAMMAR_FORM : LI_OK);
        li_grammar_destroy(grammar);
    }
}

int main(void)
{
    test_strings_that_are_no_utf8_are_refused();
    test_a_spelling_that_is_no_json_is_refused();
    test_a_key_is_read_or_fuel_ends_with_an_error();
    test_texts_follow_the_spelling_of_the_grammar();
    test_different_items_have_no_dead_end_where_values_are_scarce();
    test_an_impossible_array_is_empty();
    return check_done("spelling");
}
