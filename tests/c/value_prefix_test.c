// Whether a text may become a spelling of a value, and which bytes may come next: every beginning of every spelling.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "grammar/core/arena.h"
#include "grammar/json/canonical.h"
#include "grammar/json/value_prefix.h"
#include "grammar/terms/term.h"

// Spellings of one value each.
static const char *const values[][4] = {
    {"null", " \n\t\rnull"},
    {"true"},
    {"false"},
    {"\"\""},
    {"\"ab\"", "\"\\u0061b\"", "\"a\\u0062\""},
    {"\"a\""},
    {"\"\\n\\\\\"", "\"\\u000A\\u005c\""},
    {"\"\xc3\xa9\"", "\"\\u00e9\""},
    {"\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\ude00\""},
    {"0", "-0", "0.0", "0e5"},
    {"12", "12.0", "1.2e1", "1200e-2"},
    {"-12", "-1.2E+1"},
    {"0.05", "5e-2", "0.050"},
    {"100", "1e2", "100.00"},
    {"1"},
    {"[]", "[ ]"},
    {"[1,\"a\"]", "[ 1.0 , \"\\u0061\" ]"},
    {"[1]"},
    {"[[],{}]", "[[ ],{ } ]"},
    {"{}", "{ }"},
    {"{\"a\":1}", "{\"a\":2,\"a\":1}", "{\"a\":{\"}\":[\"\\\"]\"]},\"a\":1}"},
    {"{\"a\":1,\"ab\":[true]}", "{ \"ab\" : [ true ] , \"a\" : 1 }"},
    {"{\"b\":{\"c\":null}}"},
};
enum { VALUES = sizeof values / sizeof *values };

static li_grammar *make_grammar(void)
{
    li_grammar *grammar = li_memory_alloc(sizeof *grammar);
    grammar->fuel = UINT64_MAX;
    grammar->keys_repeat = true;
    li_terms_create(grammar);
    return grammar;
}

// In memory of that length, so that a sanitizer sees reads beyond the end.
static uint8_t *copy(const char *text, uint32_t length)
{
    uint8_t *bytes = malloc(length ? length : 1);
    memcpy(bytes, text, length);
    return bytes;
}

static li_term value_of(li_grammar *grammar, const char *text)
{
    uint8_t *bytes = copy(text, (uint32_t)strlen(text));
    li_term value = li_canonical(grammar, bytes, (uint32_t)strlen(text));
    free(bytes);
    return value;
}

static bool has_prefix(li_grammar *grammar, li_term value, const char *text, uint32_t length, uint32_t set[8])
{
    uint8_t *bytes = copy(text, length);
    memset(set, 0, 8 * sizeof *set);
    bool may = li_value_has_prefix(grammar, value, &(li_text_view){.bytes = bytes, .length = length}, set);
    free(bytes);
    return may;
}

static bool has(const uint32_t set[8], char byte)
{
    return set[(uint8_t)byte / 32] >> (uint8_t)byte % 32 & 1;
}

static void test_every_beginning_of_a_spelling_may_become_the_value(void)
{
    li_grammar *grammar = make_grammar();
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < 4 && values[i][j]; j++) {
            const char *text = values[i][j];
            li_term value = value_of(grammar, values[i][0]);
            CHECK_EQ(value_of(grammar, text), value);
            for (uint32_t length = 0; length <= strlen(text); length++) {
                uint32_t set[8];
                CHECK(has_prefix(grammar, value, text, length, set));
                // Within a member with another value any byte may be next.
                bool is_repeated = strstr(text, "\"a\":2") || strstr(text, "\"a\":{");
                if (length < strlen(text) && !is_repeated) CHECK(has(set, text[length]));
            }
        }
    li_grammar_destroy(grammar);
}

static void test_the_spelling_of_another_value_may_not(void)
{
    li_grammar *grammar = make_grammar();
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++)
            for (int k = 0; k < 4 && values[j][k]; k++) {
                char text[64];
                uint32_t set[8];
                snprintf(text, sizeof text, "%s ", values[j][k]); // the space ends a number
                bool may = has_prefix(grammar, value_of(grammar, values[i][0]), text, (uint32_t)strlen(text), set);
                CHECK_EQ(may, i == j);
                if (!may) continue;
                CHECK(has(set, ' '));
                CHECK(has(set, '\n'));
                CHECK(!has(set, '1'));
                CHECK(!has(set, ','));
                strcat(text, ",");
                CHECK(!has_prefix(grammar, value_of(grammar, values[i][0]), text, (uint32_t)strlen(text), set));
            }
    li_grammar_destroy(grammar);
}

static void test_the_next_bytes_are_those_of_the_value(void)
{
    static const char space[] = " \t\n\r", escaped[] = "\"\\/bfnrtu0123456789abcdefABCDEF";
    static const struct {
        const char *value, *text, *next;
        bool with_space;
    } cases[] = {
        {"null", "", "n", true},
        {"null", "n", "u", false},
        {"true", "tru", "e", false},
        {"\"ab\"", "", "\"", true},
        {"\"ab\"", "\"", "a\\", false},
        {"\"ab\"", "\"a", "b\\", false},
        {"\"ab\"", "\"ab", "\"", false},
        {"\"ab\"", "\"ab\"", "", true},
        {"\"ab\"", "\"\\", escaped, false},
        {"12", "", "0-123456789", true},
        {"12", "1", "2.eE+-,]}", true},
        {"12", "0", "10.eE+-,]}", true},
        {"12", "12", "0.eE+-,]}", true},
        {"12", "1.2e", "0123456789.+-,]}eE", true},
        {"-3", "-", "30.eE+-,]}", true},
        {"[]", "[", "]", true},
        {"[true,null]", "[", "t", true},
        {"[true,null]", "[true", ",", true},
        {"[true,null]", "[true,", "n", true},
        {"[true,null]", "[true,null", "]", true},
        {"{}", "{", "}", true},
        {"{\"a\":true}", "{", "\"", true},
        {"{\"a\":true}", "{\"", "a\\", false},
        {"{\"a\":true}", "{\"a\"", ":", true},
        {"{\"a\":true}", "{\"a\":", "t", true},
        {"{\"a\":true}", "{\"a\":true", ",}", true},
        {"{\"a\":true}", "{\"a\":true,", "\"", true},
        {"{\"a\":true,\"b\":1}", "{\"", "ab\\", false},
    };
    li_grammar *grammar = make_grammar();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CASE("value %s, text %s", cases[i].value, cases[i].text);
        uint32_t set[8];
        li_term value = value_of(grammar, cases[i].value);
        CHECK(has_prefix(grammar, value, cases[i].text, (uint32_t)strlen(cases[i].text), set));
        for (int byte = 1; byte < 256; byte++) {
            bool is_next = strchr(cases[i].next, byte) || (cases[i].with_space && strchr(space, byte));
            CHECK_CASE("byte %c", byte);
            CHECK_EQ(has(set, (char)byte), is_next);
        }
    }
    li_grammar_destroy(grammar);
}

// Unless some object accepts a repeated key, the first value of a key is the last.
static void test_a_key_comes_again_only_where_keys_repeat(void)
{
    li_grammar *grammar = make_grammar();
    li_term value = value_of(grammar, "{\"a\":1}");
    static const char text[] = "{\"a\":2,";
    uint32_t set[8];
    CHECK(has_prefix(grammar, value, text, sizeof text - 1, set));
    CHECK(has(set, '"'));
    grammar->keys_repeat = false;
    CHECK(!has_prefix(grammar, value, text, sizeof text - 1, set));
    li_grammar_destroy(grammar);
}

static li_term narrow(li_grammar *grammar, li_term set, const char *text)
{
    li_text_view view = {.bytes = (const uint8_t *)text, .length = (uint32_t)strlen(text)};
    return li_value_set_narrow(grammar, set, &view);
}

static void test_a_set_keeps_the_values_that_the_text_may_become(void)
{
    li_grammar *grammar = make_grammar();
    li_term set = LI_TERM_NOTHING, kept;
    static const char *const texts[] = {"1", "12", "\"1\"", "[1]", "null", "123"};
    for (int i = 0; i < 6; i++) set = li_value_set_add(grammar, set, value_of(grammar, texts[i]));
    kept = narrow(grammar, set, "12");
    CHECK_EQ(li_value_set_count(grammar, kept), 2);
    CHECK(li_value_set_has(grammar, kept, value_of(grammar, "12")));
    CHECK(li_value_set_has(grammar, kept, value_of(grammar, "123")));
    kept = narrow(grammar, set, " ");
    CHECK_EQ(li_value_set_count(grammar, kept), 6);
    kept = narrow(grammar, set, "[");
    CHECK_EQ(li_value_set_count(grammar, kept), 1);
    CHECK(li_value_set_has(grammar, kept, value_of(grammar, "[1]")));
    CHECK_EQ(narrow(grammar, set, "{"), LI_TERM_NOTHING);
    li_grammar_destroy(grammar);
}

// Texts that begin alike, in the order of a walk: each is read from the place where another was left.
static void check_kept_places(li_grammar *grammar, li_term value, const char *spelling)
{
    static const char *const others[] = {"\"", "}", "]", ",", " ", "\\", "\\u00", ":1", "1", "}}", "\"}, {\"a\": \"b"};
    li_term text = LI_TERM_NOTHING;
    for (uint32_t at = 0; at <= strlen(spelling); at++) {
        for (size_t i = 0; i <= sizeof others / sizeof *others; i++) {
            CHECK_CASE("other %zu", i);
            const char *other = i ? others[i - 1] : spelling + at;
            li_term longer = text;
            for (uint32_t k = 0; k <= strlen(other); k++) {
                uint32_t set[8] = {0}, alone[8] = {0};
                li_text_view view = li_recorded_view(grammar, longer), lone = {view.bytes, NULL, view.length};
                bool may = li_value_has_prefix(grammar, value, &view, set);
                CHECK_EQ(may, li_value_has_prefix(grammar, value, &lone, alone));
                CHECK(!may || memcmp(set, alone, sizeof set) == 0);
                if (k < strlen(other)) longer = li_record(grammar, longer, (uint8_t)other[k]);
            }
        }
        if (at < strlen(spelling)) text = li_record(grammar, text, (uint8_t)spelling[at]);
    }
}

static void test_a_text_is_read_from_the_kept_place_as_from_its_beginning(void)
{
    static const char *const long_values[] = {
        "{\"a\":[{\"b\":\"a long \\u0041 text \\n that goes on\",\"c\":[1,2,[3,4]]},{}],\"d\":{\"e\":{\"f\":\"\"}}}",
        "[\"one text\",\"one more text \\\" here\",{\"key\":1.50e3,\"another key\":[null,true,{\"x\":\"y\"}]}]",
        "{\"a\":2,\"b\":[1,2,3],\"a\":{\"a\":{\"a\":{\"a\":[[[[[[[[[[\"deep\"]]]]]]]]]]}}}}",
    };
    for (int repeats = 0; repeats < 2; repeats++) {
        CHECK_CASE("repeats %d", repeats);
        li_grammar *grammar = make_grammar();
        grammar->keys_repeat = repeats;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) check_kept_places(grammar, value_of(grammar, long_values[i]), long_values[j]);
        for (int i = 0; i < VALUES; i++)
            for (int j = 0; j < 4 && values[i][j]; j++)
                check_kept_places(grammar, value_of(grammar, values[i][0]), values[i][j]);
        li_grammar_destroy(grammar);
    }
}

// Each byte of a text that only grows is read once, not the whole text after each byte.
static void test_a_growing_text_takes_work_in_proportion_to_its_length(void)
{
    enum { LENGTH = 4000 };
    li_grammar *grammar = make_grammar();
    li_term text = LI_TERM_NOTHING;
    char *whole = malloc(LENGTH + 16);
    strcpy(whole, "[");
    for (int i = 0; i < LENGTH / 10; i++) strcat(whole, "\"abcdefg\",");
    strcat(whole, "1]");
    li_term value = value_of(grammar, whole);
    grammar->fuel = 20 * LENGTH;
    for (uint32_t at = 0; whole[at + 1]; at++) {
        text = li_record(grammar, text, (uint8_t)whole[at]);
        li_text_view view = li_recorded_view(grammar, text);
        CHECK_EQ(view.length, at + 1);
        CHECK_EQ(view.bytes[at], (uint8_t)whole[at]);
        CHECK(li_value_has_prefix(grammar, value, &view, NULL));
    }
    CHECK_EQ(grammar->status, LI_OK);
    CHECK_GT(grammar->fuel, 18 * LENGTH);
    free(whole);
    li_grammar_destroy(grammar);
}

int main(void)
{
    test_every_beginning_of_a_spelling_may_become_the_value();
    test_the_spelling_of_another_value_may_not();
    test_the_next_bytes_are_those_of_the_value();
    test_a_key_comes_again_only_where_keys_repeat();
    test_a_set_keeps_the_values_that_the_text_may_become();
    test_a_text_is_read_from_the_kept_place_as_from_its_beginning();
    test_a_growing_text_takes_work_in_proportion_to_its_length();
    return check_done("value_prefix");
}
