// Escapes of JSON strings, digit by digit: every code unit alone, and the pairs of surrogates at their bounds.
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "grammar/core/json_escape.h"
#include "grammar/mask/string_tokens.h"

// The last step of the text after a backslash, or the first refusal.
static li_escape_step read(const char *text, uint32_t *character)
{
    uint32_t escape = LI_ESCAPE_BEGUN;
    li_escape_step step = LI_ESCAPE_OPEN;
    for (; *text && step == LI_ESCAPE_OPEN; text++) step = li_escape_read(&escape, (uint8_t)*text, character);
    CHECK(step != LI_ESCAPE_DONE || escape == LI_ESCAPE_NONE);
    return *text ? LI_ESCAPE_REFUSED : step;
}

static void test_a_code_unit_alone_is_a_character_unless_a_surrogate(void)
{
    for (uint32_t unit = 0; unit < 0x10000; unit++) {
        char text[8];
        uint32_t character = UINT32_MAX;
        snprintf(text, sizeof text, unit % 2 ? "u%04x" : "u%04X", (unsigned)unit);
        li_escape_step step = read(text, &character);
        bool is_high = unit >= 0xd800 && unit < 0xdc00, is_low = unit >= 0xdc00 && unit < 0xe000;
        CHECK_EQ(step, is_high ? LI_ESCAPE_OPEN : is_low ? LI_ESCAPE_REFUSED : LI_ESCAPE_DONE);
        if (step == LI_ESCAPE_DONE) CHECK_EQ(character, unit);
    }
}

static void test_a_pair_of_surrogates_is_one_character(void)
{
    static const uint32_t highs[] = {0xd800, 0xd83d, 0xdbff}, lows[] = {0xdbff, 0xdc00, 0xde00, 0xdfff, 0xe000, 0x61};
    for (int h = 0; h < 3; h++)
        for (int l = 0; l < 6; l++) {
            char text[16];
            uint32_t character = 0;
            snprintf(text, sizeof text, "u%04x\\u%04x", (unsigned)highs[h], (unsigned)lows[l]);
            bool is_pair = lows[l] >= 0xdc00 && lows[l] < 0xe000;
            CHECK_EQ(read(text, &character), is_pair ? LI_ESCAPE_DONE : LI_ESCAPE_REFUSED);
            if (is_pair) CHECK_EQ(character, 0x10000 + (highs[h] - 0xd800) * 0x400 + lows[l] - 0xdc00);
        }
}

static void test_eight_letters_are_escapes(void)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    for (int byte = 1; byte < 256; byte++) {
        const char text[2] = {(char)byte, 0}, *letter = strchr(letters, byte);
        uint32_t character = 0;
        li_escape_step step = read(text, &character);
        CHECK_EQ(step, letter ? LI_ESCAPE_DONE : byte == 'u' ? LI_ESCAPE_OPEN : LI_ESCAPE_REFUSED);
        if (letter) CHECK_EQ(character, (uint8_t)meanings[letter - letters]);
    }
}

// Code units around the surrogates in small and capital digits, alone and before a low surrogate.
static void test_tokens_count_a_pair_of_surrogates_once(void)
{
    for (uint32_t high = 0xd700; high <= 0xe900; high += 0xff)
        for (int is_capital = 0; is_capital < 2; is_capital++) {
            CHECK_CASE("high %u, is_capital %d", high, is_capital);
            char text[16];
            snprintf(text, sizeof text, is_capital ? "\\u%04X\\uDC00a" : "\\u%04x\\udc00a", (unsigned)high);
            bool is_pair = high >= 0xd800 && high <= 0xdbff;
            CHECK_EQ(li_string_tokens_count((const uint8_t *)text, 6), 1);
            CHECK_EQ(li_string_tokens_count((const uint8_t *)text, 12), is_pair ? 1 : 2);
            CHECK_EQ(li_string_tokens_count((const uint8_t *)text, 13), is_pair ? 2 : 3);
        }
    CHECK_EQ(li_string_tokens_count((const uint8_t *)"a\\n\xc3\xa9\\u00", 9), 4);
}

int main(void)
{
    test_a_code_unit_alone_is_a_character_unless_a_surrogate();
    test_a_pair_of_surrogates_is_one_character();
    test_eight_letters_are_escapes();
    test_tokens_count_a_pair_of_surrogates_once();
    return check_done("escape");
}
