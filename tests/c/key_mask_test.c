// Masks within the keys of objects, by the bytes that can follow: keys that need escapes, keys that begin alike.
#include "byte_vocabulary.h"
#include "check.h"
#include "grammar/core/form_reader.h"
#include "grammar/json/json_value.h"
#include "grammar/mask/masker.h"
#include "grammar/nodes/node.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"
#include "schema_form.h"

enum { KEYS = 4 };
static writer form;

// {"type": "object", "properties": {each key: {"type": "integer"}}, "additionalProperties": false}
static li_grammar *compiled(const char *const *keys)
{
    schema all[3] = {{.count = 3}, {.count = 1}, {.count = 1}};
    keyword *k = all[0].keywords;
    k[0] = (keyword){.kind = LI_KEYWORD_TYPE, .number = LI_TYPE_OBJECT};
    k[1] = (keyword){.kind = LI_KEYWORD_PROPERTIES};
    for (; k[1].count < KEYS && keys[k[1].count]; k[1].count++) {
        k[1].keys[k[1].count] = keys[k[1].count];
        k[1].schemas[k[1].count] = 1;
    }
    k[2] = (keyword){.kind = LI_KEYWORD_ADDITIONAL_PROPERTIES, .number = 2};
    all[1].keywords[0] = (keyword){.kind = LI_KEYWORD_TYPE, .number = LI_TYPE_INTEGER};
    all[2].keywords[0] = (keyword){.kind = LI_KEYWORD_FALSE};
    put_form(&form, all, 3, 0);
    return li_grammar_compile(form.bytes, form.length, 0);
}

// Compares the bytes in the mask after a text, in ascending order.
static void check_mask(const char *const *keys, const char *text, const char *expected)
{
    char found[257];
    uint32_t count = 0;
    li_grammar *grammar = compiled(keys);
    li_vocabulary *vocabulary = bytes_alone();
    li_masker *masker = li_masker_create(grammar, vocabulary, 0);
    li_term state = li_value(grammar, li_node_of(grammar, 0, false), 0);
    state = li_derive_bytes(grammar, state, (const uint8_t *)text, (uint32_t)strlen(text));
    CHECK_NE(state, LI_TERM_NOTHING);
    CHECK_EQ(li_mask_fill(masker, state), LI_OK);
    for (uint32_t byte = 0; byte < 256; byte++)
        if (masker->bits[byte >> 5] >> (byte & 31) & 1) found[count++] = (char)byte;
    found[count] = 0;
    CHECK_CASE("after %s", text);
    CHECK_TEXT(found, expected);
    li_masker_destroy(masker);
    li_vocabulary_destroy(vocabulary);
}

static void test_masks_have_the_next_bytes_of_the_keys_that_are_left(void)
{
    static const char *const keys[KEYS] = {"a", "abc", "abd", "b"};
    check_mask(keys, "{", "\"}");
    check_mask(keys, "{\"", "ab");
    check_mask(keys, "{\"a", "\"b");
    check_mask(keys, "{\"ab", "cd");
    check_mask(keys, "{\"abc", "\"");
    check_mask(keys, "{\"abc\"", ":");
    check_mask(keys, "{\"abc\":7,\"", "ab"); // keys come in the order of the schema
    check_mask(keys, "{\"abc\":7,\"ab", "d");
    check_mask(keys, "{\"a\":7,\"ab", "cd");
    check_mask(keys, "{\"abd\":7,\"", "b");
    check_mask(keys, "{\"abd\":7,\"b", "\"");
}

static void test_masks_propose_the_escapes_that_a_key_needs(void)
{
    static const char *const keys[KEYS] = {"a\"b", "ac", "d\n"};
    check_mask(keys, "{\"", "ad");
    check_mask(keys, "{\"a", "\\c");
    check_mask(keys, "{\"a\\", "\"u");
    check_mask(keys, "{\"a\\u00", "26");
    check_mask(keys, "{\"a\\u002", "2");
    check_mask(keys, "{\"a\\u0022", "b");
    check_mask(keys, "{\"a\\\"", "b");
    check_mask(keys, "{\"d", "\\");
    check_mask(keys, "{\"d\\", "nu");
    check_mask(keys, "{\"d\\u", "0");
    check_mask(keys, "{\"d\\u000", "Aa");
    check_mask(keys, "{\"d\\n", "\"");
}

int main(void)
{
    test_masks_have_the_next_bytes_of_the_keys_that_are_left();
    test_masks_propose_the_escapes_that_a_key_needs();
    return check_done("key mask");
}
