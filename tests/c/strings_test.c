// Sets of strings (listed, unlisted, languages) against a check of each string.
#include "check.h"
#include "grammar/core/form_reader.h"
#include "grammar/schema/schema_strings.h"
#include "grammar/schema/string_set.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"
#include "schema_form.h"

enum { WORDS = 8, TABLE = 11, CLAIMS = 2 * TABLE };
static const value words[WORDS] = {{.kind = V_STRING, .text = ""},   {.kind = V_STRING, .text = "a"},
                                   {.kind = V_STRING, .text = "b"},  {.kind = V_STRING, .text = "ab"},
                                   {.kind = V_STRING, .text = "ba"}, {.kind = V_STRING, .text = "aab"},
                                   {.kind = V_STRING, .text = "bb"}, {.kind = V_STRING, .text = "bbab"}};
static const value number = {.kind = V_NUMBER, .quarters = 4};
static schema table[TABLE];
static writer form;

static keyword list_of(int first, int second, int third, int fourth)
{
    const int at[4] = {first, second, third, fourth};
    keyword k = {.kind = LI_KEYWORD_ENUM};
    for (; k.count < 4 && at[k.count] >= 0; k.count++) k.values[k.count] = &words[at[k.count]];
    return k;
}

static li_grammar *compiled(void)
{
    table[0] = (schema){.count = 1, .keywords = {list_of(0, 1, 2, 3)}};
    table[1] = (schema){.count = 1, .keywords = {list_of(7, 6, 5, 4)}};
    table[2] = (schema){.count = 1, .keywords = {list_of(3, 1, 7, 3)}};
    table[3] = (schema){.count = 1, .keywords = {{.kind = LI_KEYWORD_ENUM, .count = 1, .values = {&number}}}};
    table[4] = (schema){.count = 0};
    table[5] = (schema){.count = 1, .keywords = {{.kind = LI_KEYWORD_PATTERN, .number = 0}}};
    table[6] = (schema){.count = 1, .keywords = {{.kind = LI_KEYWORD_PATTERN, .number = 1}}};
    table[7] = (schema){.count = 1, .keywords = {{.kind = LI_KEYWORD_PATTERN, .number = 3}}};
    table[8] = (schema){.count = 1, .keywords = {{.kind = LI_KEYWORD_MIN_LENGTH, .number = 2}}};
    table[9] = (schema){.count = 1, .keywords = {{.kind = LI_KEYWORD_MAX_LENGTH, .number = 2}}};
    table[10] = (schema){.count = 2, .keywords = {{.kind = LI_KEYWORD_PATTERN, .number = 2}, list_of(1, 2, 3, 4)}};
    put_form(&form, table, TABLE, 0);
    return li_grammar_compile(form.bytes, form.length, 0);
}

static uint32_t text_of(const li_grammar *grammar, const value *word)
{
    const li_schemas *schemas = grammar->schemas;
    uint32_t length = (uint32_t)strlen(word->text);
    for (uint32_t text = 0; text < schemas->texts.count; text++)
        if (schemas->texts.at[text].length == length && memcmp(schemas->texts.at[text].bytes, word->text, length) == 0)
            return text;
    CHECK(false);
    return 0;
}

static bool is_in_term(li_grammar *grammar, li_string_set *set, const value *word)
{
    li_term term = li_string_set_term(grammar, set);
    term = li_derive_bytes(grammar, term, (const uint8_t *)word->text, (uint32_t)strlen(word->text));
    return li_term_is_nullable(grammar, term);
}

// The strings that satisfy schema claim / 2 of the table, or violate it (claim is odd). Schema 0 of a grammar is true.
static li_string_set *strings_of(li_grammar *grammar, uint32_t claim)
{
    return li_claim_strings(grammar, claim + 2);
}

// Whether the set has exactly the words whose bit is 1, as a set and as a term.
static bool has_words(li_grammar *grammar, li_string_set *set, uint32_t bits)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        bool is_expected = bits >> i & 1;
        if (li_string_set_has(grammar, set, text_of(grammar, &words[i])) != is_expected) return false;
        if (is_in_term(grammar, set, &words[i]) != is_expected) return false;
    }
    bool is_empty = li_string_set_is_empty(grammar, set);
    return is_empty == (li_string_set_term(grammar, set) == LI_TERM_NOTHING) && (!is_empty || bits == 0);
}

static void test_a_claim_has_the_strings_that_are_valid(void)
{
    li_grammar *grammar = compiled();
    CHECK_EQ(grammar->status, LI_OK);
    for (uint32_t claim = 0; claim < CLAIMS; claim++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < WORDS; i++)
            bits |= (uint32_t)(is_valid(table, (int)(claim / 2), &words[i], NULL) != (claim & 1)) << i;
        CHECK(has_words(grammar, strings_of(grammar, claim), bits));
    }
    li_grammar_destroy(grammar);
}

static uint32_t bits_of_set(li_grammar *grammar, li_string_set *set)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        bits |= (uint32_t)li_string_set_has(grammar, set, text_of(grammar, &words[i])) << i;
    return bits;
}

// Of three sets too, since joined sets are of other kinds than those of keywords.
static void test_joined_sets_have_the_strings_of_both_or_either(void)
{
    li_grammar *grammar = compiled();
    for (uint32_t a = 0; a < CLAIMS; a++)
        for (uint32_t b = 0; b < CLAIMS; b++) {
            li_string_set *one = strings_of(grammar, a), *other = strings_of(grammar, b);
            uint32_t bits = bits_of_set(grammar, one), other_bits = bits_of_set(grammar, other);
            li_string_set *both = li_string_set_both(grammar, one, other);
            li_string_set *either = li_string_set_either(grammar, one, other);
            CHECK(has_words(grammar, both, bits & other_bits));
            CHECK(has_words(grammar, either, bits | other_bits));
            uint32_t c = (a * 7 + b) % CLAIMS;
            li_string_set *third = strings_of(grammar, c);
            uint32_t third_bits = bits_of_set(grammar, third);
            CHECK(has_words(grammar, li_string_set_either(grammar, both, third), (bits & other_bits) | third_bits));
            CHECK(has_words(grammar, li_string_set_both(grammar, third, either), (bits | other_bits) & third_bits));
        }
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

static void test_equal_texts_have_one_number_however_many_there_are(void)
{
    li_grammar *grammar = compiled();
    uint32_t first[200];
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 200; i++) {
            const uint8_t bytes[2] = {(uint8_t)('A' + i % 20), (uint8_t)('A' + i / 20)};
            uint32_t text = li_text_intern(grammar, bytes, 2);
            if (round == 0) first[i] = text;
            CHECK_EQ(text, first[i]);
            CHECK(i == 0 || text != first[i - 1]);
        }
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

int main(void)
{
    test_equal_texts_have_one_number_however_many_there_are();
    test_a_claim_has_the_strings_that_are_valid();
    test_joined_sets_have_the_strings_of_both_or_either();
    return check_done("strings");
}
