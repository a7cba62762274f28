// JSON strings, in right and wrong spellings, against a decoder written after RFC 8259.
#include "check.h"
#include "dead_ends.h"
#include "grammar/json/json_string.h"
#include "grammar/terms/char_class.h"
#include "grammar/terms/constructors.h"
#include "grammar/terms/derivative.h"
#include "grammar/terms/term.h"
#include "schema_form.h"

static uint64_t state = 1;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static li_grammar *plain_grammar(void)
{
    static writer form;
    static const schema any;
    put_form(&form, &any, 1, 0);
    return li_grammar_compile(form.bytes, form.length, 0);
}

static int hex_value(const char *at)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *found = at[i] ? strchr(digits, at[i]) : NULL;
        if (!found) return -1;
        int digit = (int)(found - digits);
        sum = sum * 16 + (digit < 16 ? digit : digit - 6);
    }
    return sum;
}

static int utf8(unsigned character, char *to)
{
    if (character < 0x80) return to[0] = (char)character, 1;
    if (character < 0x800) return to[0] = (char)(0xc0 | character >> 6), to[1] = (char)(0x80 | (character & 63)), 2;
    if (character < 0x10000) {
        to[0] = (char)(0xe0 | character >> 12);
        to[1] = (char)(0x80 | (character >> 6 & 63));
        return to[2] = (char)(0x80 | (character & 63)), 3;
    }
    to[0] = (char)(0xf0 | character >> 18);
    to[1] = (char)(0x80 | (character >> 12 & 63));
    to[2] = (char)(0x80 | (character >> 6 & 63));
    return to[3] = (char)(0x80 | (character & 63)), 4;
}

// Reads a string after its opening quote, by RFC 8259, without lone surrogates; -1: not a string.
static int decode(const char *at, int length, char *to)
{
    int count = 0;
    for (int i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)at[i];
        if (byte == '"') return i == length - 1 ? count : -1;
        if (byte < 0x20) return -1;
        if (byte != '\\') {
            to[count++] = at[i];
            continue;
        }
        const char *letters = "\"\\/bfnrt", *meanings = "\"\\/\b\f\n\r\t", *letter;
        if (++i == length) return -1;
        letter = at[i] ? strchr(letters, at[i]) : NULL;
        if (letter) {
            to[count++] = meanings[letter - letters];
            continue;
        }
        int high = at[i] == 'u' && i + 4 < length ? hex_value(at + i + 1) : -1;
        if (high < 0 || (high >= 0xdc00 && high < 0xe000)) return -1;
        i += 4;
        unsigned character = (unsigned)high;
        if (high >= 0xd800 && high < 0xdc00) {
            if (i + 6 >= length || at[i + 1] != '\\' || at[i + 2] != 'u') return -1;
            int low = hex_value(at + i + 3);
            if (low < 0xdc00 || low > 0xdfff) return -1;
            character = 0x10000u + ((unsigned)(high - 0xd800) << 10) + (unsigned)(low - 0xdc00);
            i += 6;
        }
        count += utf8(character, to + count);
    }
    return -1;
}

static bool is_utf8(const char *text, int length)
{
    for (int i = 0; i < length;) {
        unsigned char first = (unsigned char)text[i];
        int more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : -1;
        if (more < 0 || i + more >= length) return false;
        char again[4];
        unsigned character = first & (more ? 0x3fu >> more : 0x7fu);
        for (int j = 1; j <= more; j++) character = character << 6 | ((unsigned char)text[i + j] & 63u);
        bool is_surrogate = character >= 0xd800 && character < 0xe000;
        if (character > 0x10ffff || is_surrogate || utf8(character, again) != more + 1) return false;
        if (memcmp(again, text + i, (size_t)more + 1) != 0) return false;
        i += more + 1;
    }
    return true;
}

// Spells the text with escapes here and there, and breaks it sometimes.
static int spell_string(const char *text, char *to)
{
    int count = 0;
    for (int i = 0, length; text[i]; i += length) {
        unsigned char first = (unsigned char)text[i];
        length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        unsigned character = length == 1 ? first : first & (0x7fu >> length);
        for (int j = 1; j < length; j++) character = character << 6 | ((unsigned char)text[i + j] & 63u);
        const char *short_one = strchr("\"\\/\b\f\n\r\t", character < 0x80 ? (int)character : 'x');
        if (below(2) && short_one)
            count += sprintf(to + count, "\\%c", "\"\\/bfnrt"[short_one - strchr("\"\\/\b\f\n\r\t", '"')]);
        else if (below(2) && character < 0x10000)
            count += sprintf(to + count, below(2) ? "\\u%04x" : "\\u%04X", character);
        else if (below(2) && character >= 0x10000)
            count += sprintf(to + count, "\\u%04x\\u%04X", 0xd800 + ((character - 0x10000) >> 10),
                             0xdc00 + (character & 0x3ff));
        else
            memcpy(to + count, text + i, (size_t)length), count += length;
    }
    to[count++] = '"';
    if (below(2)) to[below(count)] = "\"\\uaD8d09\x80\xe9\xed\xf0"[below(13)];
    return count;
}

static void test_strings(int seed)
{
    static const char *const pieces[] = {"a",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "é",
                                         "€",
                                         "\xf0\x9f\x98\x80",
                                         "\xf4\x8f\xbf\xbf",
                                         "\xed\x9f\xbf",
                                         "\xee\x80\x80",
                                         "/",
                                         "\x7f",
                                         "\xf0\x90\x80\x80",
                                         "\xc2\x80"};
    state = (uint64_t)seed * 31 + 7;
    below(2);
    li_grammar *grammar = plain_grammar();
    char texts[6][32];
    int count = 1 + below(5);
    li_term inner = LI_TERM_NOTHING;
    bool is_any = !below(6);
    for (int i = 0; i < count; i++) {
        texts[i][0] = 0;
        for (int j = below(4); j > 0; j--) strcat(texts[i], pieces[below(15)]);
        inner = li_either(grammar, inner, li_literal(grammar, (const uint8_t *)texts[i], (uint32_t)strlen(texts[i])));
    }
    li_term term = li_quoted(grammar, is_any ? li_any_text(grammar) : inner);
    CHECK_EQ(count_dead_ends(grammar, term), 0);
    bool agrees = true;
    for (int i = 0; i < 2000 && agrees; i++) {
        char spelt[200], text[200];
        int length = spell_string(texts[below(count)], spelt), decoded = decode(spelt, length, text);
        bool expected = decoded >= 0 && is_utf8(text, decoded), is_one = is_any;
        for (int j = 0; j < count && decoded >= 0; j++)
            is_one |= (int)strlen(texts[j]) == decoded && memcmp(texts[j], text, (size_t)decoded) == 0;
        li_term rest = li_derive_bytes(grammar, term, (const uint8_t *)spelt, (uint32_t)length);
        agrees = (expected && is_one) == li_term_is_nullable(grammar, rest);
        CHECK_CASE("strings %d: %.*s", seed, length, spelt);
        CHECK(agrees);
    }
    CHECK_EQ(grammar->status, LI_OK);
    li_grammar_destroy(grammar);
}

int main(void)
{
    const int first = check_number("CHECK_FIRST", 0), count = check_number("CHECK_COUNT", 60);
    for (int seed = first; seed < first + count; seed++) test_strings(seed);
    return check_done("quoted");
}
